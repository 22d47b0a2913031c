"""Fetch a peer's memory into a mirror of ours: its writers' refs, and none of its code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

from gitmem.core.refnames import (
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_prefix,
    format_fetched_ref,
    parse_fetched_ref,
    parse_writer_ref,
)
from gitmem.errors import NoMemory
from gitmem.ports.repository import RefStore
from gitmem.ports.transport import Transport
from gitmem.store.peer_union import PEER_REMOTE

BRANCHES = "refs/heads/"


class Fetched(msgspec.Struct, frozen=True):
    """`tips` names what the server had; `is_new` is False where that was known, so that one
    list of refs was all that moved. `way`: writers, folder, or code."""

    tips: str
    is_new: bool
    way: str


class FolderFetch:
    """How the folder of a default branch is fetched where a server has no writer's ref."""

    def __init__(
        self,
        find_default: Callable[[], str | None],
        fetch_folder: Callable[[str], None],
    ) -> None:
        self.find_default = find_default
        self.fetch_folder = fetch_folder


def fetch_peer(
    transport: Transport,
    refs: RefStore,
    address: str,
    *,
    known: str,
    with_code: bool,
    folder: FolderFetch,
) -> Fetched:
    """Bring a mirror in step with its server.

    Raises RemoteError and its kinds; NoMemory where the server has no writer's ref, and the
    folder of its default branch is not to be had by itself.
    """
    there = transport.list_refs(address, OWN_PREFIX, BRANCHES)
    writers = {ref: oid for ref, oid in there.items() if parse_writer_ref(ref) is not None}
    branches = {ref: oid for ref, oid in there.items() if ref not in writers}
    needs_branch = with_code or not writers
    relevant = {**writers, **branches} if needs_branch else writers
    tips = _digest(relevant, with_code=with_code)
    if tips == known:
        return Fetched(tips, False, "")
    way = "writers"
    if writers:
        place = format_fetched_prefix(PEER_REMOTE)
        transport.fetch(
            address, [(f"{OWN_PREFIX}*", f"{place}*"), (f"{HEADS_PREFIX}*", f"{place}*")]
        )
    if needs_branch and branches:
        default = folder.find_default()
        if default is None or default not in branches:
            default = next((n for n in _usual(branches) if n in branches), None)
        if default is not None and with_code:
            transport.fetch(address, [(default, default)])
            way = "code"
        elif default is not None:
            folder.fetch_folder(default)
            way = "folder"
        _drop(refs, BRANCHES, {default} if default is not None else set())
    elif not writers:
        raise NoMemory("there is nothing at that address yet")
    kept = {
        format_fetched_ref(PEER_REMOTE, writer)
        for writer in map(parse_writer_ref, writers)
        if writer
    }
    _drop(refs, format_fetched_prefix(PEER_REMOTE), kept)
    return Fetched(tips, True, way)


def _usual(branches: dict[str, str]) -> list[str]:
    only = list(branches) if len(branches) == 1 else []
    return [f"{BRANCHES}main", f"{BRANCHES}master", *only]


def _drop(refs: RefStore, prefix: str, kept: set[str]) -> None:
    """Forget what the server has no more."""
    for ref, oid in refs.list_refs(prefix).items():
        if ref not in kept and (parse_fetched_ref(ref) or ref.startswith(BRANCHES)):
            refs.delete_ref(ref, oid)


def _digest(refs: dict[str, str], *, with_code: bool) -> str:
    text = "\n".join(f"{oid} {ref}" for ref, oid in sorted(refs.items()))
    return hashlib.sha256(f"{with_code}\n{text}".encode("utf-8", "surrogateescape")).hexdigest()
