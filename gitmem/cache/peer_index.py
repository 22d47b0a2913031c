"""One small index over all peers: which of them has something under a path, a name or a link.

It holds keys as 64-bit hashes, one row a peer: a question about hundreds of peers opens the
projections of the few that can answer. Derived, like everything here: a file that is damaged
or of another version is made anew, and its peers are summarised again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from gitmem.cache.connection import BUSY_TIMEOUT_SECONDS, CacheDamaged, Connection, companions
from gitmem.cache.lock import hold_lock
from gitmem.cache.peer_summary import Summary
from gitmem.core.peers import PeerState, Sighting
from gitmem.errors import CannotWrite

_APPLICATION_ID = 0x67_6D_70_78  # "gmpx"
_VERSION = 2
_SCHEMA = """
CREATE TABLE peer (
    num INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, state BLOB NOT NULL,
    cache TEXT NOT NULL, last_rid INTEGER NOT NULL
);
CREATE TABLE seen (
    key INTEGER NOT NULL, num INTEGER NOT NULL, best INTEGER NOT NULL,
    total INTEGER NOT NULL, tie INTEGER NOT NULL, PRIMARY KEY (key, num)
) WITHOUT ROWID;
CREATE TABLE gone (num INTEGER PRIMARY KEY);
"""
_UPSERT = """
INSERT INTO seen (key, num, best, total, tie) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key, num) DO UPDATE SET total = total + excluded.total,
    tie = CASE WHEN excluded.best < best THEN excluded.tie ELSE tie END,
    best = min(best, excluded.best)
"""
_MOST_GONE = 50


class PeerIndex:
    """`ports.peers.PeerIndex` on SQLite; closed by whoever opened it."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def close(self) -> None:
        """Closing twice is fine."""
        self._db.close()

    def list_states(self) -> dict[str, PeerState]:
        """Address → what was last seen there."""
        states: dict[str, PeerState] = {}
        for address, state in self._db.query("SELECT address, state FROM peer"):
            with contextlib.suppress(msgspec.DecodeError):
                states[address] = msgspec.json.decode(state, type=PeerState)
        return states

    def find(self, keys: Iterable[str]) -> list[Sighting]:
        """All peers that have something under any of the keys, best first."""
        by_hash = {_hash(key): key for key in keys}
        rows = self._db.query_in(
            "SELECT address, key, best, total, tie FROM seen JOIN peer USING (num)"
            " WHERE key IN (?*)",
            list(by_hash),
        )
        found = [
            Sighting(address, by_hash[key], best, total, f"{tie:015x}")
            for address, key, best, total, tie in rows
        ]
        return sorted(found, key=lambda one: (one.best, one.address))

    def get_last_row(self, address: str, cache: str) -> int:
        """The last row of a peer's projection that is summarised here; 0 where that is another
        file than the one that was (`cache` names it), or none."""
        rows = self._db.query("SELECT cache, last_rid FROM peer WHERE address = ?", (address,))
        return int(rows[0][1]) if rows and rows[0][0] == cache else 0

    def set_state(self, state: PeerState) -> None:
        """Say what was seen, of a peer whose summary stays as it is."""
        with self._db.transaction():
            self._db.query(
                "UPDATE peer SET state = ? WHERE address = ?",
                (msgspec.json.encode(state), state.address),
            )

    def add(self, state: PeerState, cache: str, summary: Summary, last_rid: int) -> None:
        """Add to the summary of a peer what came since the row that it ended with."""
        with self._db.transaction():
            num = self._db.scalar("SELECT num FROM peer WHERE address = ?", (state.address,))
            if num is None:
                num = self._insert(state, cache)
            self._db.query(
                "UPDATE peer SET state = ?, last_rid = ? WHERE num = ?",
                (msgspec.json.encode(state), last_rid, num),
            )
            self._db.run_many(_UPSERT, _rows(summary, num))

    def replace(self, state: PeerState, cache: str, summary: Summary, last_rid: int) -> None:
        """Put a whole summary in place of the one that was."""
        with self._db.transaction():
            self._drop(state.address)
            num = self._insert(state, cache)
            self._db.query("UPDATE peer SET last_rid = ? WHERE num = ?", (last_rid, num))
            rows = sorted(_rows(summary, num))
            self._db.insert_many("INSERT INTO seen (key, num, best, total, tie) VALUES", rows)
        self._sweep()

    def forget(self, address: str) -> None:
        with self._db.transaction():
            self._drop(address)
        self._sweep()

    def _insert(self, state: PeerState, cache: str) -> int:
        last = self._db.scalar(
            "SELECT max(num) FROM (SELECT num FROM peer UNION ALL SELECT num FROM gone)"
        )
        num = int(last or 0) + 1
        self._db.query(
            "INSERT INTO peer (num, address, state, cache, last_rid) VALUES (?, ?, ?, ?, 0)",
            (num, state.address, msgspec.json.encode(state), cache),
        )
        return num

    def _drop(self, address: str) -> None:
        """Its rows stay, under a number that nobody has, until enough are gone to sweep them
        out together: they lie all over the table."""
        for (num,) in self._db.query("SELECT num FROM peer WHERE address = ?", (address,)):
            self._db.query("INSERT OR IGNORE INTO gone (num) VALUES (?)", (num,))
            self._db.query("DELETE FROM peer WHERE num = ?", (num,))

    def _sweep(self) -> None:
        with self._db.transaction():
            gone = int(self._db.scalar("SELECT count(*) FROM gone"))
            live = int(self._db.scalar("SELECT count(*) FROM peer"))
            if gone > min(_MOST_GONE, live):
                self._db.query("DELETE FROM seen WHERE num IN (SELECT num FROM gone)")
                self._db.query("DELETE FROM gone")


def open_peer_index(path: Path) -> PeerIndex:
    """Open the index, made anew where it is missing or not fit. Raises CannotWrite, Contended."""
    found = _open_fit(path)
    if found is not None:
        return PeerIndex(found)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{path.parent} cannot be made: {error.strerror}") from error
    with hold_lock(path.with_name("index.lock"), timeout_seconds=BUSY_TIMEOUT_SECONDS):
        found = _open_fit(path)
        if found is None:
            _create(path)
            found = _open_fit(path)
    if found is None:
        raise CannotWrite(f"the index of peers cannot be made in {path.parent}")
    return PeerIndex(found)


def _open_fit(path: Path) -> Connection | None:
    if not path.is_file():
        return None
    try:
        db = Connection(str(path))
        is_fit = (
            db.scalar("PRAGMA application_id") == _APPLICATION_ID
            and db.scalar("PRAGMA user_version") == _VERSION
        )
    except CacheDamaged:
        return None
    if is_fit:
        return db
    db.close()
    return None


def _create(path: Path) -> None:
    draft = path.with_name(f"index.{os.getpid()}.new")
    try:
        for old in (draft, *companions(draft)):
            old.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        db = Connection(str(draft))
        try:
            db.scalar("PRAGMA journal_mode=WAL")
            db.run_script(
                f"BEGIN IMMEDIATE; PRAGMA application_id={_APPLICATION_ID};"
                f" PRAGMA user_version={_VERSION}; {_SCHEMA} COMMIT;"
            )
        finally:
            db.close()
        for old in companions(path):
            old.unlink(missing_ok=True)
        draft.replace(path)
    except OSError as error:
        raise CannotWrite(f"the index of peers cannot be made: {error}") from error


def _rows(summary: Summary, num: int) -> list[tuple[int, int, int, int, int]]:
    return [(_hash(key), num, *facts) for key, facts in summary.items()]


def _hash(key: str) -> int:
    digest = hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
