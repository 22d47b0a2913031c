"""Reading objects through libgit2: fast, for the repository formats it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pygit2

from gitmem.errors import Damaged
from gitmem.git.layout import Layout, has_own_places
from gitmem.git.object_codec import decode_tree, is_oid, list_entries
from gitmem.ports.repository import Blob, TreeEntry

# Extensions that libgit2 handles, or that change nothing for a reader of objects.
_KNOWN_EXTENSIONS = frozenset({"noop", "worktreeconfig", "objectformat", "preciousobjects"})
# From pygit2 1.19.2 on: the size of a blob without its content.
_HAS_SIZES = hasattr(pygit2.Odb, "read_header")
_MAX_SPEC_CHARACTERS = 1 << 14
_BLOB = int(pygit2.enums.ObjectType.BLOB)
_COMMIT = int(pygit2.enums.ObjectType.COMMIT)
# What libgit2 raises for what is not there, or not understood.
_ABSENT = (KeyError, ValueError, OSError, pygit2.GitError)


def supports_pygit2(layout: Layout, environ: Mapping[str, str] | None = None) -> bool:
    """Whether libgit2 reads this repository as git does, told from its format and owner.

    `environ` tells of the user behind sudo."""
    form = layout.format
    return (
        _HAS_SIZES
        and form.version in (0, 1)
        and set(form.extensions) <= _KNOWN_EXTENSIONS
        and form.object_format == "sha1"
        and form.ref_storage == "files"
        and not form.is_partial_clone
        and has_own_places(layout, environ or {})
    )


class Pygit2ObjectReader:
    """ObjectReader over libgit2; for layouts that `supports_pygit2`."""

    def __init__(self, layout: Layout) -> None:
        try:
            self._repository = pygit2.Repository(
                str(layout.git_dir), pygit2.enums.RepositoryOpenFlag.NO_SEARCH
            )
        except _ABSENT as error:
            raise Damaged(f"{layout.git_dir} cannot be opened: {error}") from None

    def find_oid(self, spec: str) -> str | None:
        return self._resolve(spec)

    def find_commit(self, spec: str) -> str | None:
        oid = self._resolve(spec)
        if oid is None or int(self._repository.odb.read_header(oid)[0]) != _COMMIT:
            return None
        return oid

    def list_tree(self, oid: str) -> list[TreeEntry]:
        return list_entries(self._read_tree(oid), len(oid) // 2)

    def iter_blobs(self, oids: Sequence[str], limit_bytes: int) -> Iterator[Blob]:
        odb = self._repository.odb
        for oid in oids:
            size = 0
            data = None
            try:
                kind, length = odb.read_header(oid)
                if int(kind) == _BLOB:
                    size = length
                    data = odb.read(oid)[1] if length <= limit_bytes else None
            except _ABSENT:
                pass
            yield Blob(oid, size, data)

    def is_ancestor(self, older: str, newer: str) -> bool:
        try:
            commits = [self._repository[oid] for oid in (older, newer) if is_oid(oid)]
            if len(commits) != 2 or not all(isinstance(c, pygit2.Commit) for c in commits):
                return False
            return older == newer or self._repository.descendant_of(newer, older)
        except _ABSENT:
            return False

    def list_roots(self, tip: str) -> list[str]:
        if not is_oid(tip):
            return []
        oid = tip
        try:
            while True:
                kind, data = self._repository.odb.read(oid)
                if int(kind) != _COMMIT:
                    return []
                header = data.partition(b"\n\n")[0]
                _, found, rest = header.partition(b"\nparent ")
                if not found:
                    return [oid]
                oid = rest.partition(b"\n")[0].decode("ascii", "replace")
        except _ABSENT:
            return []

    def close(self) -> None:
        self._repository.free()

    def _resolve(self, spec: str) -> str | None:
        if not spec or "\0" in spec or len(spec) > _MAX_SPEC_CHARACTERS:
            return None
        try:
            spec.encode()
        except UnicodeEncodeError:
            return self._resolve_raw(spec)
        try:
            found = self._repository.revparse_single(spec)
            return str(found.peel(None).id if isinstance(found, pygit2.Tag) else found.id)
        except _ABSENT:
            return None

    def _resolve_raw(self, spec: str) -> str | None:
        """`REV:path` where the path is not UTF-8, which libgit2 takes no other way."""
        revision, colon, path = spec.partition(":")
        oid = self._resolve(revision) if colon else None
        for part in path.encode("utf-8", "surrogateescape").split(b"/"):
            if oid is None:
                return None
            try:
                entries = decode_tree(self._read_tree(oid), len(oid) // 2)
            except Damaged:
                return None
            oid = next((entry.oid.hex() for entry in entries if entry.name == part), None)
        return oid

    def _read_tree(self, oid: str) -> bytes:
        try:
            if is_oid(oid):
                tree = self._repository[oid].peel(pygit2.Tree)
                return self._repository.odb.read(tree.id)[1]
        except _ABSENT:
            pass
        raise Damaged(f"no tree {oid[:80]!r} in the repository")
