"""The answer to `why` as text for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from gitmem.cli.render_hits import (
    Look,
    age,
    render_commit,
    render_decision,
    render_reason,
    render_stated,
    short,
)
from gitmem.cli.terminal import clean_line, style
from gitmem.core.wording import format_count
from gitmem.services.hits import Hit
from gitmem.services.why import WhyAnswer

NO_MEMORY = "Start a memory, to record one: gitmem init"


def render_why(answer: WhyAnswer, look: Look, *, has_memory: bool, is_all: bool = False) -> str:
    """Decisions first, then what commit messages say, then how much more there is. Of `--all`
    commits the subjects are enough."""
    decisions = [hit for hit in answer.hits if hit.kind != "commit"]
    commits = [hit for hit in answer.hits if hit.kind == "commit"]
    if not answer.hits:
        return _nothing(answer, look, has_memory=has_memory)
    scope = "folder" if answer.kind == "folder" else "file"
    lines = [_header(answer, look), ""]
    for hit in decisions:
        lines += render_decision(hit, look, full=answer.kind == "record", scope=scope)
        if len(lines[-1].strip()) and hit.state in ("current", "conflict"):
            lines.append("")
    if any(hit.state == "conflict" for hit in decisions):
        lines += [_how_to_settle(decisions), ""]
    if commits:
        if answer.kind == "commit":
            lines += _message(answer, look)
        else:
            lines.append("  from commit messages")
            for hit in commits:
                stated = hit.type is not None
                lines += [render_commit(hit, look), *render_stated(hit)]
                lines += [] if stated or is_all else render_reason(hit, look)
    if not commits and lines[-1] == "":
        lines.pop()
    more = _more(answer)
    if more:
        lines.append(more)
    return "\n".join(lines)


def _header(answer: WhyAnswer, look: Look) -> str:
    name = clean_line(answer.path or answer.target)
    if answer.line is None:
        return style(name or ".", "bold", on=look.colour)
    where = style(f"{name}:{answer.line.number}", "bold", on=look.colour)
    if answer.line.commit is None:
        return f"{where}   not committed yet"
    return f"{where}   last changed by {short(answer.line.commit)}, {age(answer.line.at, look)}"


def _how_to_settle(decisions: Sequence[Hit]) -> str:
    """The command that takes the place of decisions which contradict each other."""
    at_odds = next(hit for hit in decisions if hit.state == "conflict")
    ids = (at_odds.id, *at_odds.conflicts_with)
    words = " ".join(f"--supersedes {short(one)}" for one in ids)
    return f"  To settle the conflict: gitmem capture {words}"


def _message(answer: WhyAnswer, look: Look) -> list[str]:
    hit = next(h for h in answer.hits if h.kind == "commit")
    lines = [render_commit(hit, look)]
    if hit.type is not None:
        return [*lines, *render_stated(hit)]
    for line in (hit.why or "").split("\n")[:40]:
        lines.append(f"      {clean_line(line)}".rstrip())
    return lines


def _more(answer: WhyAnswer) -> str:
    parts = []
    for count, word in ((answer.more_decisions, "decision"), (answer.more_commits, "commit")):
        if count > 0:
            parts.append(format_count(count, f"more {word}"))
    if not parts:
        return ""
    target = _word(clean_line(answer.path or answer.target))
    return f"  ... {', '.join(parts)}: gitmem why {target} --all"


def _nothing(answer: WhyAnswer, look: Look, *, has_memory: bool) -> str:
    name = clean_line(answer.path or answer.target)
    if not answer.is_known:
        return (
            f"Nothing is known of {name}: no file, commit or record here has that name. "
            "List what there is: gitmem log"
        )
    none = ", and it does not say why" if answer.commits == 1 else ", none says why"
    history = (
        f" ({format_count(answer.commits, 'commit')}{none})"
        if answer.commits
        else " (no history yet)"
    )
    if not answer.has_history:
        history = ""
    head = f"{_header(answer, look)}\n\n" if answer.line is not None else ""
    start = f"Record one: gitmem capture {_word(name)}" if has_memory else NO_MEMORY
    name = "this repository" if name in ("", ".") else name
    return f"{head}No decision is recorded for {name}{history}. {start}".rstrip()


def _word(name: str) -> str:
    """A name as one word of a command that can be pasted."""
    return shlex.quote(name) if name else ""
