"""The record model: typed views of the generic JSON values that are hashed and stored.

The generic value is the truth (see `canonical`); these structs are how the rest of gitmem
reads and builds it. Fields and kinds that they do not know survive in the stored bytes.
Field meanings: `docs/format.md`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

FORMAT_VERSION = 1
MAX_SEQ = 2**48

DECISION_TYPES = (
    "decision",
    "feature",
    "bugfix",
    "refactor",
    "perf",
    "security",
    "docs",
    "test",
    "chore",
    "investigation",
    "note",
)


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who states it: a person, and the agent and model that wrote it down, if one did."""

    name: str
    email: str | None = None
    agent: str | None = None
    model: str | None = None


class PathRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file a decision is about; `path` is relative to the repository's root.

    `lines` are inclusive, 1-based [from, to] pairs. `encoded` marks a path whose bytes are
    not UTF-8: the bad bytes stand percent-encoded.
    """

    path: str
    blob: str | None = None
    lines: tuple[tuple[int, int], ...] | None = None
    encoded: bool = False


class Rejected(msgspec.Struct, frozen=True, omit_defaults=True):
    """An option that was not taken, and why."""

    option: str
    reason: str = ""


class Decision(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="decision"):
    """Why something is as it is."""

    id: str
    v: int
    project: str
    at: str
    seq: int
    actor: Actor
    key: str
    type: str
    summary: str
    paths: tuple[PathRef, ...]
    captured_by: Literal["human", "agent", "import"]
    why: str | None = None
    branch: str | None = None
    base: str | None = None
    rejected: tuple[Rejected, ...] = ()
    supersedes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "decision"


class Tombstone(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="tombstone"):
    """Withdraws another record: `retract` hides it, `redact` removes its body for good."""

    id: str
    v: int
    project: str
    at: str
    seq: int
    actor: Actor
    target: str
    mode: Literal["retract", "redact"]
    reason: str = ""

    @property
    def kind(self) -> str:
        return "tombstone"


class Other(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record of a kind this version does not know: kept, carried, not interpreted."""

    id: str
    v: int
    kind: str
    project: str
    at: str
    seq: int
    actor: Actor


Record = Decision | Tombstone | Other


class Line(msgspec.Struct, frozen=True):
    """A verified record with the canonical bytes it stands for (no line end)."""

    record: Record
    raw: bytes

    @property
    def id(self) -> str:
        return self.record.id


class Problem(msgspec.Struct, frozen=True):
    """Something that failed a check, with its place: it goes to quarantine.

    `line` is 1-based; 0 means the whole file. `code` is stable, `detail` is for people.
    """

    place: str
    line: int
    code: str
    detail: str
    id: str | None = None
