"""What a changelog says: entries, what they cancelled, and how much of a range is explained."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitmem.core.records import Rejected

Matched = Literal["containment", "path", "message"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that changed, and why. `id` is set for decisions; `commit` is the commit of the
    range that stands for it, the first of `commits`.

    `matched` says how it is known to belong: by containment (or a commit that it names, then
    `is_named`), by base and paths, or by a commit message. `group` is its heading. `replaces`
    are older decisions whose place it took, `reverts` what of an older release it takes back:
    a decision's id, or a subject. `is_apart`: it touches no file and names no commit.
    """

    id: str | None = None
    commit: str | None = None
    type: str
    group: str
    summary: str
    why: str | None = None
    rejected: tuple[Rejected, ...] = ()
    matched: Matched
    is_named: bool = False
    is_apart: bool = False
    is_breaking: bool = False
    commits: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    reverts: str | None = None
    state: str = "current"
    at: str = ""
    author: str = ""


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done and taken back within the range. `by` is a commit, or the id of
    the record that withdrew it."""

    id: str | None = None
    commit: str | None = None
    summary: str
    by: str
    reason: str | None = None


class PeerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of another project about the range: it links to a file that the range touched
    (`path`), or names a commit of it (`commit`). `project` is the peer's alias."""

    project: str
    id: str
    type: str
    summary: str
    why: str | None = None
    rejected: tuple[Rejected, ...] = ()
    path: str | None = None
    commit: str | None = None
    state: str = "current"
    at: str = ""
    author: str = ""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many files of the range have a decision, only a commit message with a reason, or
    neither (`unexplained_paths`, sorted); how many need none by the settings; and how many
    entries were matched how."""

    files: int = 0
    decided: int = 0
    message_only: int = 0
    unexplained: int = 0
    ignored: int = 0
    by_containment: int = 0
    by_path: int = 0
    by_message: int = 0
    unexplained_paths: tuple[str, ...] = ()


class Changelog(msgspec.Struct, frozen=True, kw_only=True):
    """A changelog of one range. `title` is a version or `Unreleased`, `date` a day or "".
    `commits` counts those of the range. `web` is where the repository is on a known host, and
    `compare_url` the whole range there; "" where unknown. `peers` is what other projects say,
    where they were asked; it counts for nothing else here."""

    range: str
    title: str
    date: str = ""
    entries: tuple[Entry, ...] = ()
    cancelled: tuple[Cancelled, ...] = ()
    coverage: Coverage = Coverage()
    commits: int = 0
    is_at_head: bool = False
    web: Web | None = None
    compare_url: str = ""
    peers: tuple[PeerEntry, ...] = ()


class Web(msgspec.Struct, frozen=True):
    """A repository's pages on a known host: `base` and what follows it for a commit, a request
    to merge, and a comparison; `{}` stands for the id, number or ends."""

    base: str
    commit: str
    request: str
    compare: str
