"""Writer refs that no gitmem would write, pushed to a remote by plain git."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

WRITER = "0123456789abcdef"


def write_object(remote: Path, kind: str, data: bytes) -> str:
    """An object of any content, git's own checks left out; its id."""
    words = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
    done = subprocess.run(words, cwd=remote, input=data, capture_output=True, check=True)
    return done.stdout.decode().strip()


def write_tree(remote: Path, entries: list[tuple[str, bytes, str]]) -> str:
    """A tree of (mode, name, id) entries; names may be anything but NUL."""
    raw = b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries
    )
    return write_object(remote, "tree", raw)


def write_ref(remote: Path, tree: str, writer: str = WRITER) -> str:
    """A writer's ref whose commit has this tree; the commit."""
    text = (
        f"tree {tree}\nauthor M <m@x> 1700000000 +0000\ncommitter M <m@x> 1700000000 +0000\n\nx\n"
    )
    commit = write_object(remote, "commit", text.encode())
    ref = f"refs/gitmem/w/{writer}"
    subprocess.run(["git", "update-ref", ref, commit], cwd=remote, check=True)
    return commit


def list_files(root: Path) -> dict[str, str]:
    """Every file below a folder with a digest of its bytes, git's objects and refs and
    gitmem's cache aside."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith((".git/objects", ".git/refs", ".git/packed-refs", ".git/gitmem/cache")):
            continue
        if path.is_symlink() or path.is_file():
            data = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            found[name] = hashlib.sha256(data).hexdigest()
    return found
