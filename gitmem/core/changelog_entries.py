"""What a changelog says: entries, what they cancelled, and how much of a range is explained."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitmem.core.records import Rejected

Matched = Literal["containment", "path", "message"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that changed, and why. `id` is set for decisions, `commit` always where a
    commit of the range stands for it.

    `matched` says how it is known to belong: by containment (or a commit it names, then
    `is_named`), by base and paths, or by a commit message. `replaces` are older decisions it
    took the place of, `reverts` what of an older release it takes back.
    """

    id: str | None = None
    commit: str | None = None
    type: str
    summary: str
    why: str | None = None
    rejected: tuple[Rejected, ...] = ()
    matched: Matched
    is_named: bool = False
    commits: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    reverts: str | None = None
    state: str = "current"
    at: str = ""
    author: str = ""
    is_breaking: bool = False


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was done and taken back within the range."""

    id: str | None = None
    commit: str | None = None
    summary: str
    by: str
    reason: str | None = None


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many files of the range have a decision, only a commit message with a reason, or
    neither (these are named, sorted); and how many entries were matched how."""

    files: int = 0
    decided: int = 0
    message_only: int = 0
    unexplained: int = 0
    ignored: int = 0
    containment: int = 0
    path: int = 0
    message: int = 0
    unexplained_paths: tuple[str, ...] = ()


class Changelog(msgspec.Struct, frozen=True, kw_only=True):
    """A changelog of one range. `title` is a version or `Unreleased`, `date` a day or "".
    `apart` are decisions that touch no file and name no commit. `base_url` is the web address
    of the repository on a known host, `commit_url` its links' beginning, `compare_url` the
    whole comparison; "" where unknown."""

    range: str
    title: str
    date: str = ""
    entries: tuple[Entry, ...] = ()
    apart: tuple[Entry, ...] = ()
    cancelled: tuple[Cancelled, ...] = ()
    coverage: Coverage = Coverage()
    commits: int = 0
    is_at_head: bool = False
    commit_url: str = ""
    compare_url: str = ""
