"""Refs, and the commits gitmem writes to them, where there is no git executable."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dulwich.file import FileLocked
from dulwich.objects import ZERO_SHA, Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.refs import Ref, SymrefLoop, check_ref_format
from dulwich.repo import Repo

from gitmem.core.codec import is_safe_path
from gitmem.errors import CannotWrite, Contended, Damaged, GitFailed, GitmemError
from gitmem.git.object_codec import is_oid
from gitmem.git.settings_dulwich import open_repository
from gitmem.ports.repository import TreeChange

_IDENTITY = b"gitmem <gitmem@localhost>"
_SYMBOLIC = b"ref: "
_BLOB, _TREE = 0o100644, 0o040000
_MAX_TIME = 2**40

_Changes = Sequence[tuple[list[str], TreeChange]]


class DulwichRefStore:
    """Implements ports.repository.RefStore with dulwich, in SHA-1 and SHA-256 repositories.
    No hook, no signature, no reflog, no user.name."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir

    def find_ref(self, name: str) -> str | None:
        """What a full ref name points at, symbolic refs followed, tags unpeeled; or None."""
        if not _is_ref(name):
            return None
        with self._open() as repo:
            try:
                return repo.refs[_ref(name)].decode("ascii")
            except (KeyError, SymrefLoop):
                return None

    def find_symbolic(self, name: str) -> str | None:
        """The ref a symbolic ref names, or None."""
        if not _is_ref(name):
            return None
        with self._open() as repo:
            value = repo.refs.read_ref(_ref(name)) or b""
        return os.fsdecode(value.removeprefix(_SYMBOLIC)) if value.startswith(_SYMBOLIC) else None

    def list_refs(self, *prefixes: str) -> dict[str, str]:
        """Full ref name → oid, for every ref under any of the prefixes."""
        with self._open() as repo:
            found = {}
            for raw in repo.refs.allkeys():
                name = os.fsdecode(raw)
                if name.startswith("refs/") and name.startswith(prefixes):
                    oid = repo.refs.follow(raw)[1]
                    if oid is not None:
                        found[name] = oid.decode("ascii")
        return dict(sorted(found.items()))

    def write_commit(
        self, changes: Sequence[TreeChange], *, parent: str | None, message: str, at_seconds: int
    ) -> str:
        """A commit whose tree is the parent's with the changes; its oid. No ref moves. Raises
        Damaged where the parent is not here, GitFailed for a path that leads astray."""
        for change in changes:
            if not is_safe_path(change.path) or change.path.endswith("/") or "\n" in change.path:
                raise GitFailed(f"not a path for a tree: {change.path[:200]!r}")
        with self._open() as repo:
            # A commit is acknowledged once it is on the disk.
            repo.object_store.fsync_object_files = True
            base = _read_parent_tree(repo, parent)
            tree = _write_tree(repo, base, [(one.path.split("/"), one) for one in changes])
            commit = Commit()
            commit.tree = tree or _add(repo, Tree())
            commit.parents = [ObjectID(parent.encode())] if parent is not None else []
            commit.author = commit.committer = _IDENTITY
            commit.author_time = commit.commit_time = min(max(at_seconds, 0), _MAX_TIME)
            commit.author_timezone = commit.commit_timezone = 0
            text = message.replace("\0", " ").rstrip("\n")
            commit.message = f"{text}\n".encode("utf-8", "replace")
            return _add(repo, commit).decode("ascii")

    def update_ref(self, name: str, new: str, expected: str | None) -> None:
        """Move a ref if it still is `expected` (None: absent). Raises Contended if it moved."""
        if not is_oid(new) or not (expected is None or is_oid(expected)):
            raise GitFailed(f"not an object id: {new[:80]!r}")
        with self._open_for(name, new) as repo:
            old = ObjectID(expected.encode()) if expected is not None else ZERO_SHA
            if not repo.refs.set_if_equals(_ref(name), old, ObjectID(new.encode())):
                raise Contended(f"{name} has moved in the meantime")

    def delete_ref(self, name: str, expected: str) -> None:
        """Delete a ref if it still is `expected`. Raises Contended if it moved."""
        if not is_oid(expected):
            raise GitFailed(f"not an object id: {expected[:80]!r}")
        with self._open_for(name) as repo:
            if not repo.refs.remove_if_equals(_ref(name), ObjectID(expected.encode())):
                raise Contended(f"{name} has moved in the meantime")

    @contextmanager
    def _open_for(self, name: str, new: str | None = None) -> Iterator[Repo]:
        """The repository, to write one ref that is not symbolic."""
        if not _is_ref(name):
            raise GitFailed(f"not a ref: {name[:200]!r}")
        with self._open() as repo:
            if (repo.refs.read_ref(_ref(name)) or b"").startswith(_SYMBOLIC):
                raise Contended(f"{name} is a symbolic ref")
            if new is not None and ObjectID(new.encode()) not in repo.object_store:
                raise Damaged(f"the object {new} is not in the repository")
            yield repo

    @contextmanager
    def _open(self) -> Iterator[Repo]:
        """The repository; whatever dulwich raises comes out as one of our errors."""
        with open_repository(self._git_dir) as repo:
            try:
                yield repo
            except GitmemError:
                raise
            except FileLocked:
                raise Contended("another git process holds a ref") from None
            except OSError as error:
                raise CannotWrite(f"{self._git_dir}: {error.strerror or error}") from None
            except Exception as error:
                raise Damaged(f"the repository at {self._git_dir}: {error}") from None


def _read_parent_tree(repo: Repo, parent: str | None) -> Tree:
    if parent is None:
        return Tree()
    try:
        commit = repo.object_store[ObjectID(parent.encode())]
        tree = repo.object_store[commit.tree] if isinstance(commit, Commit) else None
    except (KeyError, AssertionError, ValueError):
        tree = None
    if not isinstance(tree, Tree):
        raise Damaged(f"the commit {parent} is not in the repository")
    return tree


def _write_tree(repo: Repo, base: Tree, changes: _Changes) -> ObjectID | None:
    """The tree with the changes; None where nothing is left of it."""
    tree = Tree()
    for entry in base.iteritems():
        tree.add(entry.path, entry.mode, entry.sha)
    inner: dict[bytes, list[tuple[list[str], TreeChange]]] = {}
    for (first, *rest), change in changes:
        name = os.fsencode(first)
        if rest:
            inner.setdefault(name, []).append((rest, change))
            continue
        if name in tree:
            del tree[name]
        if change.data is not None:
            tree.add(name, _BLOB, _add(repo, Blob.from_string(change.data)))
        elif change.tree is not None:
            tree.add(name, _TREE, ObjectID(change.tree.encode()))
    for name, below in inner.items():
        old = repo.object_store[tree[name][1]] if name in tree else None
        new = _write_tree(repo, old if isinstance(old, Tree) else Tree(), below)
        if name in tree:
            del tree[name]
        if new is not None:
            tree.add(name, _TREE, new)
    return _add(repo, tree) if len(tree) else None


def _add(repo: Repo, item: ShaFile) -> ObjectID:
    repo.object_store.add_object(item)
    return ObjectID(item.get_id(repo.object_format))


def _is_ref(name: str) -> bool:
    if name == "HEAD":
        return True
    return name.startswith("refs/") and check_ref_format(Ref(os.fsencode(name)))


def _ref(name: str) -> Ref:
    return Ref(os.fsencode(name))
