"""The write side of the cache: segments, and the places that have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.cache.connection import Connection
from gitmem.cache.facts import CacheFacts
from gitmem.cache.path_ids import PathIds
from gitmem.cache.projecting import project_segments
from gitmem.cache.segments import ensure_segments, find_known, is_read, refresh_live
from gitmem.cache.versions import ABSENT
from gitmem.core.segments import Segment, SegmentRef
from gitmem.errors import Contended

_KEEP_DROPPED_SHELVES = 16
"""Shelves that no place has any more but that another process may just be about to use."""


class CacheProjection(CacheFacts):
    """`ports.cache.Projection` on SQLite."""

    def __init__(self, db: Connection, paths: PathIds) -> None:
        super().__init__(db)
        self._paths = paths

    def list_unknown_trees(self, oids: Iterable[str]) -> list[str]:
        wanted = list(dict.fromkeys(oids))
        known = {
            oid for (oid,) in self._db.query_in("SELECT oid FROM shelf WHERE oid IN (?*)", wanted)
        }
        return [oid for oid in wanted if oid not in known]

    def add_shelf(self, oid: str, segments: Sequence[SegmentRef]) -> None:
        db = self._db
        with db.transaction():
            if db.scalar("SELECT 1 FROM shelf WHERE oid = ?", (oid,)):
                return
            shid = (db.scalar("SELECT max(shid) FROM shelf") or 0) + 1
            db.query("INSERT INTO shelf (shid, oid) VALUES (?, ?)", (shid, oid))
            sids = ensure_segments(db, segments).values()
            db.run_many(
                "INSERT INTO shelf_segment (shid, sid) VALUES (?, ?)",
                sorted((shid, sid) for sid in sids),
            )

    def list_unprojected(self, segments: Iterable[SegmentRef]) -> list[SegmentRef]:
        wanted = list(dict.fromkeys(segments))
        known = find_known(self._db, {ref.name for ref in wanted})
        return [ref for ref in wanted if not is_read(ref, known.get(ref.name, ()))]

    def list_absent(self, *, limit: int) -> list[SegmentRef]:
        rows = self._db.query(
            "SELECT name, blob FROM segment WHERE state = ? AND is_live ORDER BY sid LIMIT ?",
            (ABSENT, limit),
        )
        return [SegmentRef(name, blob) for name, blob in rows]

    def project(self, segments: Iterable[Segment]) -> int:
        return project_segments(self._db, self._paths, segments)

    def set_tree_place(self, place: str, key: str, shelves: Sequence[str]) -> None:
        """Raises Contended if a shelf is not stored (any more): refresh again."""
        db = self._db
        with db.transaction():
            plid = self._set_place(place, key)
            wanted = set(shelves)
            found = db.query_in("SELECT oid, shid FROM shelf WHERE oid IN (?*)", sorted(wanted))
            if len(found) < len(wanted):
                raise Contended("what a tree holds was forgotten meanwhile")
            new = {shid for _, shid in found}
            rows = db.query("SELECT shid FROM place_shelf WHERE plid = ?", (plid,))
            old = {shid for (shid,) in rows}
            db.run_many(
                "DELETE FROM place_shelf WHERE plid = ? AND shid = ?",
                [(plid, shid) for shid in old - new],
            )
            db.run_many(
                "INSERT INTO place_shelf (plid, shid) VALUES (?, ?)",
                [(plid, shid) for shid in sorted(new - old)],
            )
            self._refresh_shelves(old ^ new)

    def set_folder_place(self, place: str, key: str, segments: Sequence[SegmentRef]) -> None:
        db = self._db
        with db.transaction():
            plid = self._set_place(place, key)
            new = set(ensure_segments(db, segments).values())
            rows = db.query("SELECT sid FROM place_segment WHERE plid = ?", (plid,))
            old = {sid for (sid,) in rows}
            db.run_many(
                "DELETE FROM place_segment WHERE plid = ? AND sid = ?",
                [(plid, sid) for sid in old - new],
            )
            db.run_many(
                "INSERT INTO place_segment (plid, sid) VALUES (?, ?)",
                [(plid, sid) for sid in sorted(new - old)],
            )
            refresh_live(db, old ^ new)

    def drop_places(self, places: Iterable[str]) -> None:
        db = self._db
        with db.transaction():
            rows = db.query_in("SELECT plid FROM place WHERE name IN (?*)", sorted(set(places)))
            for (plid,) in rows:
                shelves = db.query("SELECT shid FROM place_shelf WHERE plid = ?", (plid,))
                segments = db.query("SELECT sid FROM place_segment WHERE plid = ?", (plid,))
                db.query("DELETE FROM place_shelf WHERE plid = ?", (plid,))
                db.query("DELETE FROM place_segment WHERE plid = ?", (plid,))
                db.query("DELETE FROM place WHERE plid = ?", (plid,))
                self._refresh_shelves({shid for (shid,) in shelves})
                refresh_live(db, [sid for (sid,) in segments])

    def _set_place(self, name: str, key: str) -> int:
        self._db.query(
            "INSERT INTO place (name, key) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET key = excluded.key",
            (name, key),
        )
        return int(self._db.scalar("SELECT plid FROM place WHERE name = ?", (name,)))

    def _refresh_shelves(self, shids: set[int]) -> None:
        """After a place gained or lost shelves; those dropped long ago are forgotten."""
        db = self._db
        rows = db.query_in(
            "SELECT DISTINCT sid FROM shelf_segment WHERE shid IN (?*)", sorted(shids)
        )
        refresh_live(db, [sid for (sid,) in rows])
        drop = (db.scalar("SELECT max(dropped) FROM shelf") or 0) + 1
        db.query_in(
            """
            UPDATE shelf SET dropped = CASE WHEN EXISTS
                (SELECT 1 FROM place_shelf WHERE place_shelf.shid = shelf.shid)
            THEN NULL ELSE ? END WHERE shid IN (?*)
            """,
            sorted(shids),
            before=(drop,),
        )
        unused = db.query(
            "SELECT shid FROM shelf WHERE dropped IS NOT NULL"
            " ORDER BY dropped DESC, shid DESC LIMIT -1 OFFSET ?",
            (_KEEP_DROPPED_SHELVES,),
        )
        db.run_many("DELETE FROM shelf_segment WHERE shid = ?", unused)
        db.run_many("DELETE FROM shelf WHERE shid = ?", unused)
