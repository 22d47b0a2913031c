"""The answer to `why` as text for people."""

from __future__ import annotations

from gitmem.cli.render_hits import Look, age, render_commit, render_decision, short
from gitmem.cli.terminal import clean_line, style
from gitmem.services.why import WhyAnswer


def render_why(answer: WhyAnswer, look: Look) -> str:
    """Decisions first, then what commit messages say, then how much more there is."""
    decisions = [hit for hit in answer.hits if hit.kind != "commit"]
    commits = [hit for hit in answer.hits if hit.kind == "commit"]
    if not answer.hits:
        return _nothing(answer)
    lines = [_header(answer, look), ""]
    for hit in decisions:
        lines += render_decision(hit, look, full=answer.kind == "record")
        if len(lines[-1].strip()) and hit.state in ("current", "conflict"):
            lines.append("")
    if commits:
        if answer.kind == "commit":
            lines += _message(answer, look)
        else:
            lines.append("  from commit messages")
            lines += [render_commit(hit, look) for hit in commits]
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


def _message(answer: WhyAnswer, look: Look) -> list[str]:
    hit = next(h for h in answer.hits if h.kind == "commit")
    lines = [render_commit(hit, look)]
    for line in (hit.why or "").split("\n")[:40]:
        lines.append(f"      {clean_line(line)}".rstrip())
    return lines


def _more(answer: WhyAnswer) -> str:
    parts = []
    for count, word in ((answer.more_decisions, "decision"), (answer.more_commits, "commit")):
        if count > 0:
            parts.append(f"{count} more {word}{'' if count == 1 else 's'}")
    if not parts:
        return ""
    return f"  ... {', '.join(parts)}: gitmem why {clean_line(answer.path or answer.target)} --all"


def _nothing(answer: WhyAnswer) -> str:
    name = clean_line(answer.path or answer.target)
    if not answer.is_known:
        return (
            f"Nothing is known of {name}: no file, commit or record here has that name. "
            "List what there is: gitmem log"
        )
    plural = "commit" if answer.commits == 1 else "commits"
    history = "no history yet"
    if answer.commits:
        history = f"{answer.commits} {plural}, none says why"
    return (
        f"No decision is recorded for {name or 'this repository'} ({history}). "
        f"Record one: gitmem capture {name}".rstrip()
    )
