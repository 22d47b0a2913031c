"""What others may call this project: its packages' names, and the key of its remote."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gitmem.core.mentions import fold_name, parse_package_names
from gitmem.services.push import find_remote_key
from gitmem.services.workspace import Workspace

MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod")
MAX_BYTES = 256 * 1024
_MEMO = "our-names"


class OurNames(msgspec.Struct, frozen=True):
    """`remote_key` is None where there is no remote; `names` are folded, each once."""

    remote_key: str | None
    names: tuple[str, ...]


def find_our_names(workspace: Workspace, remotes_stamp: str) -> OurNames:
    """The names, remembered until a manifest or git's configuration changes (`remotes_stamp`
    tells): asking git for its remotes starts a process."""
    root = workspace.place.work_tree
    key = f"{remotes_stamp} {_stamp(root)}"
    known, _, rest = (workspace.facts.get_memo(_MEMO) or "").partition("\n")
    if known == key:
        remote_key, *names = rest.split("\n")
        return OurNames(remote_key or None, tuple(name for name in names if name))
    found = _look(workspace, root)
    text = "\n".join((key, found.remote_key or "", *found.names))
    workspace.facts.set_memo(_MEMO, text)
    return found


def _look(workspace: Workspace, root: Path | None) -> OurNames:
    remote_key = find_remote_key(workspace)
    names = [name for file in MANIFESTS for name in _read_names(root, file)]
    if remote_key is not None:
        names.append(remote_key.rpartition("/")[2])
    folded = dict.fromkeys(fold_name(name) for name in names)
    return OurNames(remote_key, tuple(name for name in folded if name))


def _read_names(root: Path | None, file: str) -> list[str]:
    if root is None:
        return []
    path = root / file
    try:
        if path.is_symlink() or not path.is_file():
            return []
        with open(path, "rb") as opened:
            data = opened.read(MAX_BYTES)
    except OSError:
        return []
    return [name for name in parse_package_names(file, data.decode("utf-8", "replace")) if name]


def _stamp(root: Path | None) -> str:
    parts = []
    for file in MANIFESTS if root is not None else ():
        try:
            status = (root / file).lstat()  # type: ignore[operator]
        except OSError:
            parts.append("-")
        else:
            parts.append(f"{status.st_mtime_ns:x}.{status.st_size:x}")
    return " ".join(parts)
