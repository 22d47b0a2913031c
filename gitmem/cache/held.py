"""Where records stand: their places relative to one work tree, for the few that are asked for."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gitmem.cache.connection import Connection
from gitmem.cache.removals import find_remover
from gitmem.core.view import Places


class Standing(msgspec.Struct, frozen=True):
    """The places of one record, the commit that added it, and on whose refs it stands."""

    places: Places
    added_by: str | None
    writers: tuple[str, ...]
    removed_by: str | None = None


def find_standings(db: Connection, rids: Iterable[int], worktree: str) -> dict[int, Standing]:
    """Row id of a record → where it stands."""
    holders = _list_holders(db, rids)
    sids = sorted({sid for found in holders.values() for sid in found})
    names = _list_places(db, sids)
    adders = _list_adders(db, sids, worktree)
    standings = {rid: _build(found, names, adders, worktree) for rid, found in holders.items()}
    for rid, standing in standings.items():
        if standing.places.added and not standing.places.head:
            remover = find_remover(db, holders[rid], worktree)
            standings[rid] = msgspec.structs.replace(standing, removed_by=remover)
    return standings


def _list_holders(db: Connection, rids: Iterable[int]) -> dict[int, list[int]]:
    """Record → rows of all segments whose content holds it."""
    holders: dict[int, list[int]] = {rid: [] for rid in rids}
    rows = db.query_in(
        """
        SELECT holding.rid, segment.sid FROM holding
        CROSS JOIN segment ON segment.source = holding.sid
        WHERE holding.rid IN (?*)
        """,
        holders,
    )
    for rid, sid in rows:
        holders[rid].append(sid)
    return holders


def _list_places(db: Connection, sids: list[int]) -> dict[int, set[str]]:
    """Segment → names of the places that have it. Shelves are looked up once each, for many
    segments share one and many places may have it."""
    places: dict[int, set[str]] = {sid: set() for sid in sids}
    rows = db.query_in(
        "SELECT sid, name FROM place_segment CROSS JOIN place USING (plid) WHERE sid IN (?*)", sids
    )
    for sid, name in rows:
        places[sid].add(name)
    shelves = db.query_in("SELECT sid, shid FROM shelf_segment WHERE sid IN (?*)", sids)
    of_shelf: dict[int, set[str]] = {}
    rows = db.query_in(
        "SELECT shid, name FROM place_shelf CROSS JOIN place USING (plid) WHERE shid IN (?*)",
        sorted({shid for _, shid in shelves}),
    )
    for shid, name in rows:
        of_shelf.setdefault(shid, set()).add(name)
    for sid, shid in shelves:
        places[sid] |= of_shelf.get(shid, set())
    return places


def _list_adders(db: Connection, sids: list[int], worktree: str) -> dict[int, tuple[int, str]]:
    """Segment → (order, id) of the earliest commit of HEAD's history that added it."""
    head = db.query(
        "SELECT hid, last_cid FROM head WHERE worktree = ? AND oid IS NOT NULL", (worktree,)
    )
    if not head:
        return {}
    rows = db.query_in(
        """
        SELECT sid, min(cid) FROM added WHERE cid <= ? AND NOT EXISTS (
            SELECT 1 FROM outside WHERE outside.hid = ? AND outside.cid = added.cid
        ) AND sid IN (?*) GROUP BY sid
        """,
        sids,
        before=(head[0][1], head[0][0]),
    )
    oids = dict(
        db.query_in(
            "SELECT cid, oid FROM code_commit WHERE cid IN (?*)", sorted({cid for _, cid in rows})
        )
    )
    return {sid: (cid, oids[cid].hex()) for sid, cid in rows if cid in oids}


def _build(
    sids: list[int], names: dict[int, set[str]], adders: dict[int, tuple[int, str]], worktree: str
) -> Standing:
    held_in: set[str] = set()
    for sid in sids:
        held_in |= names[sid]
    spool = "spool:" + worktree
    fetched = [name for name in held_in if name.startswith("fetched:")]
    earliest = min((adders[sid] for sid in sids if sid in adders), default=None)
    places = Places(
        head="head:" + worktree in held_in,
        work="work:" + worktree in held_in,
        spooled=spool in held_in,
        spooled_elsewhere=any(name.startswith("spool:") and name != spool for name in held_in),
        private="private" in held_in,
        default="default" in held_in,
        branched="branches" in held_in,
        own="own" in held_in,
        fetched=bool(fetched),
        added=earliest is not None,
    )
    writers = tuple(sorted({name.rpartition("/")[2] for name in fetched}))
    return Standing(places, earliest[1] if earliest else None, writers)
