"""What the tools answer with: objects whose free text was sealed, and fields that need none."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Named:
    """One thing that an answer is about: for the next call. `id` is a record's or a commit's;
    `project` is "." for this one; `where` it stands: here, pending, private, default, elsewhere
    (on a branch that is not merged)."""

    id: str
    kind: str
    state: str
    project: str = "."
    where: str = "here"
    unreviewed: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer. `text` is reference data, fenced; `items` name what is in it, in its order.
    `cursor` is to be given to the next call for what follows, null where nothing does;
    `warnings` say what the answer lacks."""

    text: str
    items: list[Named] = field(default_factory=list)
    cursor: str | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Kept:
    """A decision that was kept. `repeated`: it was there already, and nothing was added."""

    id: str
    type: str
    paths: list[str]
    private: bool
    repeated: bool
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class State:
    """What the memory holds: counts of records, and where it stands."""

    records: int
    pending: int
    unpushed: int
    private: int
    quarantined: int
    branch: str | None
    detached: bool
    text: str
    warnings: list[str] = field(default_factory=list)
