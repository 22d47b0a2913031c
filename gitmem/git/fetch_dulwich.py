"""Fetching with dulwich: objects first, checked to be complete; refs are the caller's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dulwich.client import GitClient
from dulwich.objects import Commit, ObjectID, ShaFile, Tag, Tree
from dulwich.pack import Pack
from dulwich.refs import Ref
from dulwich.repo import Repo

from gitmem.core.refnames import FETCHED_PREFIX, HEADS_PREFIX, OWN_PREFIX
from gitmem.errors import RemoteError
from gitmem.git.remote_address import Address
from gitmem.git.transport_errors import name_host

_SPOOL_BYTES = 1 << 24
_GITLINK = 0o160000


def fetch_objects(
    repo: Repo, client: GitClient, path: str, address: Address, sources: Sequence[Ref]
) -> dict[Ref, ObjectID]:
    """Bring what these remote refs reach into the repository; ref → oid. No ref moves.

    Raises RemoteError where the remote lacks a ref, is shallow, or leaves objects out.
    """
    tips: dict[Ref, ObjectID] = {}

    def choose(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        del depth
        for source in sources:
            if source not in refs:
                shown = source.decode("utf-8", "replace")
                raise RemoteError(f"{name_host(address)} has no ref {shown}")
            tips[source] = refs[source]
        return [oid for oid in dict.fromkeys(tips.values()) if oid not in repo.object_store]

    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        result = client.fetch_pack(
            path,
            choose,
            repo.get_graph_walker(heads=_list_haves(repo)),
            spool.write,
            progress=lambda _: None,
            protocol_version=0,
        )
        if result.new_shallow:
            raise RemoteError(f"{name_host(address)} is a shallow clone and has not all objects")
        if spool.tell():
            spool.seek(0)
            pack: Any = repo.object_store.add_thin_pack(spool.read, None)
            if pack is not None:
                _check_complete(repo, pack, address)
    for oid in tips.values():
        if oid not in repo.object_store:
            raise RemoteError(f"{name_host(address)} did not send what it has")
    return tips


def _list_haves(repo: Repo) -> list[ObjectID]:
    """Commits to name as known: memory's own, so that no server is told the code's history."""
    haves = []
    for prefix in (OWN_PREFIX, HEADS_PREFIX, FETCHED_PREFIX):
        for oid in repo.refs.as_dict(Ref(prefix.rstrip("/").encode())).values():
            if oid in repo.object_store and isinstance(repo.object_store[oid], Commit):
                haves.append(oid)
    return haves


def _check_complete(repo: Repo, pack: Pack, address: Address) -> None:
    """Every object that a new one names is here; else the pack is removed again."""
    for item in pack.iterobjects():
        for oid in _iter_named(item):
            if oid not in repo.object_store:
                files = [Path(f"{pack._basename}.{ending}") for ending in ("pack", "idx", "rev")]
                repo.object_store.close()
                for file in files:
                    file.unlink(missing_ok=True)
                raise RemoteError(f"{name_host(address)} left objects out of what it sent")


def _iter_named(item: ShaFile) -> Iterator[ObjectID]:
    if isinstance(item, Commit):
        yield item.tree
        yield from item.parents
    elif isinstance(item, Tag):
        yield item.object[1]
    elif isinstance(item, Tree):
        for entry in item.iteritems():
            if entry.mode != _GITLINK and entry.sha is not None:
                yield entry.sha
