"""Where records stand, and which of these places a question is answered from."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitmem.core.records import Record

Where = Literal["here", "pending", "private", "default", "elsewhere"]


class Places(msgspec.Struct, frozen=True):
    """Every place that holds one record, relative to one work tree.

    head: in HEAD's folder. work: in the work tree's folder. spooled: in this work tree's
    spool. spooled_elsewhere: in the spool of another work tree of this clone. private: among
    this clone's private records. default: in the default branch's folder as this clone
    last saw it. branched: in the folder of some branch of this clone. own: on this
    clone's writer ref. fetched: on a fetched ref. added: an ancestor of HEAD added it.
    """

    head: bool = False
    work: bool = False
    spooled: bool = False
    spooled_elsewhere: bool = False
    private: bool = False
    default: bool = False
    branched: bool = False
    own: bool = False
    fetched: bool = False
    added: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether this clone captured it, as far as places tell."""
        return self.spooled or self.spooled_elsewhere or self.private or self.own

    @property
    def is_uncommitted(self) -> bool:
        return self.work and not self.head

    @property
    def is_committed(self) -> bool:
        """Whether a commit has it: HEAD's history, or a branch."""
        return self.head or self.added or self.branched or self.default

    @property
    def is_pending(self) -> bool:
        """In this work tree's spool, and in no commit yet. The spool keeps its copies for
        longer, and what a branch has must not speak for the others."""
        return self.spooled and not self.is_committed

    def is_in_view(self, *, detached: bool) -> bool:
        """Of a tracked memory: HEAD, work tree, this work tree's pending, private. Of a
        detached one: everything in it."""
        return detached or self.head or self.work or self.is_pending or self.private

    def is_reverted(self, *, detached: bool) -> bool:
        """An ancestor of HEAD added it and the view has it no longer."""
        return self.added and not self.is_in_view(detached=detached)

    def where(self, *, detached: bool) -> Where:
        """The best place of it, for display."""
        if self.head or self.work:
            return "here"
        if self.is_pending:
            return "pending"
        if self.private:
            return "private"
        if detached:
            return "here"
        return "default" if self.default else "elsewhere"


class Held(msgspec.Struct, frozen=True):
    """A record of the union with the places that hold it, relative to one work tree.

    `added_by` is the earliest commit of HEAD's history (in topological order) that added a
    segment holding it, `removed_by` the latest that took one away, where HEAD's folder lacks
    the record; `writers` are the writers on whose refs it was fetched. `is_withheld`:
    its body was redacted; then `record` keeps who and when, and `raw` is empty.
    """

    record: Record
    raw: bytes
    places: Places
    added_by: str | None = None
    writers: tuple[str, ...] = ()
    is_withheld: bool = False
    removed_by: str | None = None


class Counts(msgspec.Struct, frozen=True):
    """Of the union: decisions and all else, each record once."""

    records: int
    pending: int
    private: int
    quarantined: int
    max_seq: int
