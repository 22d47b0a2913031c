"""Refs, and the commits gitmem writes to them, through the git executable's plumbing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitmem.core.codec import is_safe_path
from gitmem.errors import Contended, Damaged, GitFailed
from gitmem.git.complaints import build_error
from gitmem.git.object_codec import (
    NewObject,
    RawEntry,
    decode_tree,
    encode_pack,
    encode_tree,
    hash_object,
    is_oid,
)
from gitmem.git.process import Git
from gitmem.ports.repository import TreeChange

_IDENTITY = "gitmem <gitmem@localhost>"
_WRITE_OPTIONS = (
    # A commit is acknowledged once it is on the disk.
    "-c",
    "core.fsync=objects,reference",
    # A reflog entry would need the user's name.
    "-c",
    "core.logAllRefUpdates=false",
)
_WRITE_ENVIRON = {
    "GIT_COMMITTER_NAME": "gitmem",
    "GIT_COMMITTER_EMAIL": "gitmem@localhost",
    "GIT_AUTHOR_NAME": "gitmem",
    "GIT_AUTHOR_EMAIL": "gitmem@localhost",
}
_MAX_TIME = 2**40


class ExecRefStore:
    """RefStore over plumbing commands. No hook, no signature, no reflog, no user.name."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._hash_bytes: int | None = None

    def find_ref(self, name: str) -> str | None:
        if not _is_ref(name):
            return None
        done = self._git.attempt("show-ref", "--verify", "-s", "--", name)
        oid = done.stdout.decode("ascii", "replace").strip()
        return oid if done.code == 0 and is_oid(oid) else None

    def find_symbolic(self, name: str) -> str | None:
        if not _is_ref(name):
            return None
        done = self._git.attempt("symbolic-ref", "-q", "--", name)
        target = done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
        return target if done.code == 0 and target else None

    def list_refs(self, *prefixes: str) -> dict[str, str]:
        wanted = tuple(prefix for prefix in prefixes if prefix.startswith("refs/"))
        if not wanted:
            return {}
        # Without patterns: git would take special characters in them for wild cards.
        folders = {prefix[: prefix.rfind("/") + 1] for prefix in wanted}
        plain = [folder for folder in sorted(folders) if not set(folder) & set("*?[\\")]
        patterns = plain if len(plain) == len(folders) else []
        raw = self._git.run(
            "for-each-ref", "--format=%(objectname) %(refname)", *patterns or ("refs/",)
        )
        found = {}
        for line in raw.decode("utf-8", "surrogateescape").split("\n"):
            oid, _, name = line.partition(" ")
            if name.startswith(wanted) and is_oid(oid):
                found[name] = oid
        return found

    def write_commit(
        self, changes: Sequence[TreeChange], *, parent: str | None, message: str, at_seconds: int
    ) -> str:
        if parent is not None and not is_oid(parent):
            raise GitFailed(f"not an object id: {parent[:80]!r}")
        hash_bytes = self._get_hash_bytes()
        plan = _plan(changes)
        existing = self._read_folders(parent, plan)
        objects: list[NewObject] = []
        tree = _build_tree("", plan, existing, objects, hash_bytes)
        at = min(max(at_seconds, 0), _MAX_TIME)
        lines = [f"tree {tree.hex()}"]
        if parent is not None:
            lines.append(f"parent {parent}")
        lines += [f"author {_IDENTITY} {at} +0000", f"committer {_IDENTITY} {at} +0000", ""]
        text = message.replace("\0", " ").rstrip("\n")
        commit = NewObject("commit", "\n".join([*lines, text, ""]).encode("utf-8", "replace"))
        objects.append(commit)
        self._git.run(
            *_WRITE_OPTIONS, "unpack-objects", "-q", stdin=encode_pack(objects, hash_bytes)
        )
        return hash_object(commit, hash_bytes).hex()

    def update_ref(self, name: str, new: str, expected: str | None) -> None:
        if not is_oid(new) or not (expected is None or is_oid(expected)):
            raise GitFailed(f"not an object id: {new[:80]!r}")
        self._update("update-ref", "--no-deref", "--", name, new, expected or "0" * len(new))

    def delete_ref(self, name: str, expected: str) -> None:
        if not is_oid(expected):
            raise GitFailed(f"not an object id: {expected[:80]!r}")
        self._update("update-ref", "--no-deref", "-d", "--", name, expected)

    def _update(self, *args: str) -> None:
        name = args[args.index("--") + 1]
        if not _is_ref(name):
            raise GitFailed(f"not a ref: {name[:200]!r}")
        done = self._git.attempt(*_WRITE_OPTIONS, *args, extra=_WRITE_ENVIRON)
        if done.code == 0:
            return
        text = done.stderr.decode("utf-8", "replace")
        moved = (" but expected ", "reference already exists", "unable to resolve reference")
        if any(words in text for words in moved):
            raise Contended(f"{name} has moved in the meantime")
        if ".lock': File exists" in text:
            raise Contended(f"another git process holds {name}")
        raise build_error(args, done.stderr)

    def _get_hash_bytes(self) -> int:
        if self._hash_bytes is None:
            name = self._git.run("rev-parse", "--show-object-format").strip()
            self._hash_bytes = 32 if name == b"sha256" else 20
        return self._hash_bytes

    def _read_folders(self, parent: str | None, plan: _Plan) -> dict[str, list[RawEntry]]:
        """The entries of every folder of the parent's tree that the changes touch."""
        if parent is None:
            return {}
        folders = sorted(plan.folders)
        stdin = "".join(f"{parent}:{folder}\n" for folder in folders)
        rest = self._git.run("cat-file", "--batch", stdin=stdin.encode())
        found = {}
        for folder in folders:
            header, _, rest = rest.partition(b"\n")
            if header.endswith(b" missing"):
                if folder == "":
                    raise Damaged(f"the commit {parent} is not in the repository")
                continue
            oid, kind, size = header.split(b" ")
            data, rest = rest[: int(size)], rest[int(size) + 1 :]
            if kind == b"tree":
                found[folder] = decode_tree(data, len(oid) // 2)
        return found


class _Plan(NamedTuple):
    """Changes by the folder they are in ("" is the root), and every folder on the way."""

    by_folder: Mapping[str, Mapping[str, TreeChange]]
    folders: frozenset[str]


def _plan(changes: Sequence[TreeChange]) -> _Plan:
    by_folder: dict[str, dict[str, TreeChange]] = {}
    folders = {""}
    for change in changes:
        if not is_safe_path(change.path) or change.path.endswith("/") or "\n" in change.path:
            raise GitFailed(f"not a path for a tree: {change.path[:200]!r}")
        if change.tree is not None and not is_oid(change.tree):
            raise GitFailed(f"not an object id: {change.tree[:80]!r}")
        folder, _, name = change.path.rpartition("/")
        by_folder.setdefault(folder, {})[name] = change
        while folder:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return _Plan(by_folder, frozenset(folders))


def _build_tree(
    folder: str,
    plan: _Plan,
    existing: Mapping[str, Sequence[RawEntry]],
    objects: list[NewObject],
    hash_bytes: int,
) -> bytes:
    """The id of a folder's new tree; what is new of it is added to the objects."""
    entries = {entry.name: entry for entry in existing.get(folder, ())}

    def add(new: NewObject) -> bytes:
        objects.append(new)
        return hash_object(new, hash_bytes)

    for name, change in plan.by_folder.get(folder, {}).items():
        raw = name.encode("utf-8", "surrogateescape")
        entries.pop(raw, None)
        if change.data is not None:
            entries[raw] = RawEntry(b"100644", raw, add(NewObject("blob", change.data)))
        elif change.tree is not None:
            entries[raw] = RawEntry(b"40000", raw, bytes.fromhex(change.tree))
    prefix = f"{folder}/" if folder else ""
    for inner in sorted(plan.folders):
        name = inner.removeprefix(prefix)
        if not name or not inner.startswith(prefix) or "/" in name:
            continue
        raw = name.encode("utf-8", "surrogateescape")
        tree = _build_tree(inner, plan, existing, objects, hash_bytes)
        entries.pop(raw, None)
        if tree != hash_object(NewObject("tree", b""), hash_bytes):
            entries[raw] = RawEntry(b"40000", raw, tree)
    return add(NewObject("tree", encode_tree(entries.values())))


def _is_ref(name: str) -> bool:
    return (name == "HEAD" or name.startswith("refs/")) and not set(name) & set("\0\n ")
