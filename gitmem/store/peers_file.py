"""The registry of peers on this machine, and the list of peers that a project carries."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gitmem.core.peers import OfferedPeer, Peer, is_alias
from gitmem.errors import Damaged
from gitmem.store.durable import write_durably
from gitmem.store.paths import FOLDER

MAX_BYTES = 4 * 1024 * 1024
MAX_OFFERED_BYTES = 256 * 1024
MAX_OFFERED = 1000
_HEAD = "# Peers of this machine: written by `gitmem peers`.\n"


class Offer(msgspec.Struct, frozen=True):
    """What a project's own peers file names, and the digest of its content."""

    digest: str
    peers: tuple[OfferedPeer, ...]


def read_registry(file: Path) -> list[Peer]:
    """All peers, by alias; none where there is no file. What makes no sense of an entry is
    left out. Raises Damaged where it is no TOML at all, so that nothing overwrites it."""
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_BYTES)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Damaged(f"{file} cannot be read: {error.strerror}") from error
    table = _parse(data)
    if table is None:
        raise Damaged(f"{file} is not a list of peers any more", hint=f"Correct it: {file}")
    found = (_build_peer(alias, entry) for alias, entry in _iter_tables(table))
    return sorted((peer for peer in found if peer is not None), key=lambda peer: peer.alias)


def write_registry(file: Path, peers: Iterable[Peer]) -> None:
    """Replace the file, atomically: the same peers give the same bytes. Raises CannotWrite."""
    write_durably(file, format_registry(peers).encode())


def format_registry(peers: Iterable[Peer]) -> str:
    """Sorted by alias; what has its usual value is left out."""
    parts = [_HEAD]
    for peer in sorted(peers, key=lambda one: one.alias):
        rows = [f"\n[peers.{_quote(peer.alias)}]"]
        for name in ("address", "remote_key", "added", "project", "trusted"):
            value = getattr(peer, name)
            if value:
                rows.append(f"{name} = {_quote(value)}")
        rows += [f"{name} = true" for name in ("inject", "with_code") if getattr(peer, name)]
        parts.append("\n".join(rows) + "\n")
    return "".join(parts)


def read_offer(work_tree: Path | None) -> Offer | None:
    """The peers that the project's `.gitmem/peers.toml` names; None where there is no such
    file, or a link stands there. What is not a URL by its looks is left to whoever checks."""
    if work_tree is None:
        return None
    folder = work_tree / FOLDER
    file = folder / "peers.toml"
    try:
        if folder.is_symlink() or file.is_symlink() or not file.is_file():
            return None
        with open(file, "rb") as opened:
            data = opened.read(MAX_OFFERED_BYTES)
    except OSError:
        return None
    table = _parse(data)
    offered = _iter_offered(table) if table is not None else iter(())
    unique = {peer.url: peer for peer in reversed(list(offered)[:MAX_OFFERED])}
    peers = tuple(sorted(unique.values(), key=lambda peer: (peer.alias, peer.url)))
    return Offer(hashlib.sha256(data).hexdigest(), peers)


def _parse(data: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return None


def _iter_tables(table: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    peers = table.get("peers")
    if isinstance(peers, dict):
        for alias, entry in peers.items():
            if isinstance(entry, dict):
                yield alias, entry


def _build_peer(alias: str, entry: Mapping[str, Any]) -> Peer | None:
    address = entry.get("address")
    if not is_alias(alias) or not isinstance(address, str) or not address:
        return None

    def text(name: str) -> str | None:
        value = entry.get(name)
        return value if isinstance(value, str) and value else None

    return Peer(
        alias=alias,
        address=address,
        remote_key=text("remote_key"),
        inject=entry.get("inject") is True,
        with_code=entry.get("with_code") is True,
        added=text("added") or "",
        project=text("project"),
        trusted=text("trusted"),
    )


def _iter_offered(table: Mapping[str, Any]) -> Iterator[OfferedPeer]:
    """`[peers.ALIAS] url = …`, `[peers] ALIAS = "URL"`, or a list of tables or URLs."""
    peers = table.get("peers", table.get("peer", ()))
    pairs: list[tuple[Any, Any]] = (
        list(peers.items())
        if isinstance(peers, dict)
        else [("", entry) for entry in peers]
        if isinstance(peers, list)
        else []
    )
    for alias, entry in pairs:
        url = entry
        if isinstance(entry, dict):
            url = entry.get("url", entry.get("address"))
            alias = alias or entry.get("alias", "")
        if isinstance(url, str) and url:
            yield OfferedPeer(alias if isinstance(alias, str) and is_alias(alias) else "", url)


def _quote(text: str) -> str:
    """A TOML basic string: JSON's, and the one character that TOML escapes besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
