"""Trailers of a commit message, by git's own rules, and the decision that they state.

A commit that carries `Decision:`, `Why:`, `Rejected: option | reason`, `Supersedes:` (or the
kindred words of other conventions: `Constraint:`, `Directive:`, `Confidence:` …) is read as a
decision identified by its commit; no record is ever made of it here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from gitmem.core.records import Rejected

MAX_TRAILERS = 100
_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_TOKEN = r"([A-Za-z0-9-]+)[ \t]*:"
_SCISSORS = r"(?m)^# -{24} >8 -{24}\n"
_SPACE = " \t\n\r\v\f"

# What makes a commit a decision; the rest of the vocabulary only says more about it.
STATING = ("decision", "why", "rejected", "supersedes", "constraint", "directive")
QUALIFYING = ("confidence", "scope-risk", "reversibility", "tested", "not-tested", "related")
VOCABULARY = (*STATING, *QUALIFYING)


class Trailer(msgspec.Struct, frozen=True):
    """One trailer, its continuation lines joined by single spaces."""

    key: str
    value: str


class StatedDecision(msgspec.Struct, frozen=True):
    """What the trailers of a commit say. `summary` is None where no `Decision:` stands there;
    `more` are lines that belong to the reason, `tags` qualities such as `confidence:high`."""

    summary: str | None
    why: str | None
    rejected: tuple[Rejected, ...]
    supersedes: tuple[str, ...]
    more: tuple[str, ...]
    tags: tuple[str, ...]


def parse_trailers(message: str, *, recognised: Iterable[str] = VOCABULARY) -> list[Trailer]:
    """The trailers of a message: its last paragraph, if all of it are trailers, or a quarter
    of it and among them one that git writes or a `recognised` key."""
    known = frozenset(key.lower() for key in recognised)
    lines = _cut_comments(message)
    start = _find_block(lines, known)
    found: list[Trailer] = []
    is_open = False
    for line in lines[start:]:
        match = re.match(_TOKEN, line)
        if is_open and line[:1] in _SPACE:
            last = found.pop()
            found.append(Trailer(last.key, f"{last.value}\n{line.rstrip(chr(10))}"))
        elif match and not line.startswith("#"):
            found.append(Trailer(match.group(1), line[match.end() :].rstrip("\n")))
            is_open = True
        else:
            is_open = False
    return [Trailer(one.key, _unfold(one.value)) for one in found[:MAX_TRAILERS]]


def find_decision(message: str) -> StatedDecision | None:
    """The decision that a commit's trailers state; None where none of them states one."""
    if ":" not in message:
        return None
    said: dict[str, list[str]] = {}
    for trailer in parse_trailers(message):
        key = trailer.key.lower()
        if key in VOCABULARY and trailer.value:
            said.setdefault(key, []).append(trailer.value)
    if not any(key in said for key in STATING):
        return None
    more = [f"{key.capitalize()}: {text}" for key in STATING[3:] for text in said.get(key, ())]
    return StatedDecision(
        summary=said["decision"][0] if "decision" in said else None,
        why="\n".join(said["why"]) if "why" in said else None,
        rejected=tuple(_parse_rejected(text) for text in said.get("rejected", ())),
        supersedes=tuple(said.get("supersedes", ())),
        more=tuple(more + said.get("decision", [])[1:]),
        tags=tuple(f"{key}:{text}" for key in QUALIFYING for text in said.get(key, ())),
    )


def cut_trailers(message: str) -> str:
    """The message without its trailer block."""
    lines = _cut_comments(message)
    return "".join(lines[: _find_block(lines, frozenset(VOCABULARY))])


def _parse_rejected(text: str) -> Rejected:
    option, _, reason = text.partition("|")
    return Rejected(option.strip(), reason.strip())


def _unfold(value: str) -> str:
    return re.sub(r"\n[ \t\n\r\v\f]*", " ", value).strip(_SPACE)


def _cut_comments(message: str) -> list[str]:
    """Lines with their ends, up to the comments (and the old list of conflicts) at the end."""
    cut = re.search(_SCISSORS, message)
    lines = message[: cut.start() if cut else len(message)].split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    end: int | None = None
    in_conflicts = False
    for number, line in enumerate(lines):
        if line[0] in "#\n":
            end = number if end is None else end
        elif line == "Conflicts:\n":
            in_conflicts = True
            end = number if end is None else end
        elif not (in_conflicts and line[0] == "\t"):
            end = None
            in_conflicts = False
    return lines if end is None else lines[:end]


def _find_block(lines: Sequence[str], known: frozenset[str]) -> int:
    """The line that the trailers begin with; one past the last where there are none."""
    title_end = next(
        (n for n, line in enumerate(lines) if line[0] != "#" and _is_blank(line)), len(lines)
    )
    trailers = others = continuations = 0
    is_recognised = False
    only_spaces = True
    for number in range(len(lines) - 1, title_end - 1, -1):
        line = lines[number]
        if line[0] == "#":
            others += continuations
            continuations = 0
        elif _is_blank(line):
            if only_spaces:
                continue
            others += continuations
            is_block = (is_recognised and trailers * 3 >= others) or (trailers and not others)
            return number + 1 if is_block else len(lines)
        else:
            only_spaces = False
            match = re.match(_TOKEN, line)
            if match or line.startswith(_GENERATED):
                trailers += 1
                continuations = 0
                is_generated = line.startswith(_GENERATED)
                is_recognised |= is_generated or (match is not None and match[1].lower() in known)
            elif line[0] in _SPACE:
                continuations += 1
            else:
                others += 1 + continuations
                continuations = 0
    return len(lines)


def _is_blank(line: str) -> bool:
    return not line.strip(_SPACE)
