"""One local git repository: objects to read, refs, and commits to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec


class TreeEntry(msgspec.Struct, frozen=True):
    """One entry of a tree. `name` is git's bytes, unchecked: it may be hostile."""

    kind: Literal["blob", "tree", "commit", "link"]
    oid: str
    name: bytes


class Blob(msgspec.Struct, frozen=True):
    """A blob's content; `data` is None where it is missing or larger than what was asked."""

    oid: str
    size_bytes: int
    data: bytes | None


class ObjectReader(Protocol):
    """Reads objects. Implementations are interchangeable: one contract suite runs on all.

    Object ids are hexadecimal, 40 or 64 digits long. Nothing here reaches the network but
    what git itself fetches in a partial clone.
    """

    def find_oid(self, spec: str) -> str | None:
        """The object that `HEAD`, a full ref, a full or short id, or `REV:path` names.

        None where there is none. Annotated tags are peeled. Never takes the spec for an option.
        """
        ...

    def find_commit(self, spec: str) -> str | None:
        """The same, for commits only: None where the spec names something else."""
        ...

    def list_tree(self, oid: str) -> list[TreeEntry]:
        """One level of a tree (or of a commit's tree). Raises Damaged if it is not there."""
        ...

    def iter_blobs(self, oids: Sequence[str], limit_bytes: int) -> Iterator[Blob]:
        """Blobs in the order asked, in one batch; content beyond the limit is not loaded."""
        ...

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is `newer` or an ancestor of it; False where either is not here."""
        ...

    def list_roots(self, tip: str) -> list[str]:
        """Commits without parents reached by FIRST parents from a tip: one id, or none."""
        ...

    def close(self) -> None:
        """Ends any process behind it; closing twice is fine."""
        ...


class TreeChange(msgspec.Struct, frozen=True):
    """One path of a commit to write: `data` for a file, or `tree` to graft a whole tree that
    the repository already has; both None removes the path."""

    path: str
    data: bytes | None = None
    tree: str | None = None


class RefStore(Protocol):
    """Refs, and the commits we write to them. Fires no hook, needs no user.name."""

    def find_ref(self, name: str) -> str | None:
        """What a full ref name points at, symbolic refs followed, tags unpeeled; or None."""
        ...

    def find_symbolic(self, name: str) -> str | None:
        """The ref a symbolic ref names (`refs/remotes/origin/HEAD`), or None."""
        ...

    def list_refs(self, *prefixes: str) -> dict[str, str]:
        """Full ref name → oid, for every ref under any of the prefixes."""
        ...

    def write_commit(
        self, changes: Sequence[TreeChange], *, parent: str | None, message: str, at_seconds: int
    ) -> str:
        """A commit whose tree is the parent's with the changes; its oid. No ref moves."""
        ...

    def update_ref(self, name: str, new: str, expected: str | None) -> None:
        """Move a ref if it still is `expected` (None: absent). Raises Contended if it moved."""
        ...

    def delete_ref(self, name: str, expected: str) -> None:
        """Delete a ref if it still is `expected`. Raises Contended if it moved."""
        ...


class RepositorySettings(Protocol):
    """What git's own configuration says."""

    def get_identity(self) -> tuple[str, str]:
        """(name, email) that git would sign a commit with. Raises UsageError, with the two
        lines to type, where git knows none."""
        ...

    def list_remotes(self) -> Mapping[str, str]:
        """Remote name → URL as configured, before insteadOf rewriting."""
        ...

    def find_config(self, name: str) -> str | None:
        """One configuration value, the last one where there are several."""
        ...
