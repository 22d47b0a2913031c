"""A summary of one peer's projection: under which paths, names and links it has decisions.

Each key goes with the best of its decisions and how many there are, so that one small index
answers for any number of peers which of them are worth opening.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gitmem.cache.connection import Connection
from gitmem.cache.records import CacheRecords
from gitmem.cache.rows import MANY_PATHS, lists_of_path, search_text, tie_of
from gitmem.cache.versions import FOLDER_LIST
from gitmem.core.mentions import SHORT_OID, iter_project_links, list_oids, list_words
from gitmem.core.paths import fold_path
from gitmem.core.records import Decision
from gitmem.core.timestamps import parse_at

NOT_STANDING = 2
AT_BITS = 44
AT_MAX = (1 << AT_BITS) - 1
MAX_KEYS = 1_000_000
_BATCH = 5000

_decode = msgspec.json.Decoder(Decision).decode
# Key → (place among all, number, tie of the best one). A key is `p:` and a path (of a folder
# and all under it, ending in `/`), `w:` and a name, `c:` and the first digits of an id, or `l:`
# and a remote's key, a colon and a path or nothing.
Summary = dict[str, tuple[int, int, int]]


def summarise(
    db: Connection, *, after_rid: int, now_ms: int, is_detached: bool
) -> tuple[Summary, int]:
    """The summary of all decisions whose row comes after one, and the last row.

    A decision stands here if the default branch has it and nothing there is said against it;
    what the fold says exactly is asked of the few that are looked at.
    """
    found: dict[str, list[int]] = {}
    last = int(db.scalar("SELECT max(rid) FROM record") or 0)
    if last <= after_rid:
        return {}, last
    standing = _list_standing(db, is_detached=is_detached)
    at = after_rid
    while at < last and len(found) < MAX_KEYS:
        rows = db.query(
            "SELECT rid, body FROM record WHERE rid > ? AND kind = 'decision' AND NOT is_withheld"
            " AND rid NOT IN (SELECT rid FROM orphan) ORDER BY rid LIMIT ?",
            (at, _BATCH),
        )
        if not rows:
            break
        for rid, body in rows:
            try:
                record = _decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            best = _place(record, now_ms, is_standing=rid in standing)
            _add(found, _list_keys(record), best, tie_of(record.id))
        at = rows[-1][0]
    return {key: (best, total, tie) for key, (best, total, tie) in found.items()}, last


def _list_standing(db: Connection, *, is_detached: bool) -> set[int]:
    if is_detached:
        rids = {rid for (rid,) in db.query("SELECT rid FROM record")}
    else:
        rids = set(CacheRecords(db)._list_rids("default"))
    targets = {target for target, rid in db.query("SELECT target, rid FROM link") if rid in rids}
    gone = db.query_in("SELECT rid FROM record WHERE id IN (?*)", targets)
    return rids - {rid for (rid,) in gone}


def _place(record: Decision, now_ms: int, *, is_standing: bool) -> int:
    """Standing first, then newest first; a time that has not come yet counts as now."""
    try:
        at = parse_at(record.at)
    except ValueError:
        at = 0
    at = min(max(at, 0), now_ms, AT_MAX)
    return ((0 if is_standing else NOT_STANDING) << AT_BITS) | (AT_MAX - at)


def _list_keys(record: Decision) -> set[str]:
    keys: set[str] = set()
    for ref in record.paths[:MANY_PATHS]:
        for name in lists_of_path(ref.path):
            keys.add("p:" + fold_path(name.removeprefix(FOLDER_LIST)))
    text = search_text(record) or ""
    keys.update(map("w:".__add__, list_words(text)))
    oids = [*record.commits, *list_oids(text)]
    keys.update(f"c:{oid[:SHORT_OID]}" for oid in oids)
    for remote_key, path in iter_project_links(text):
        keys.add(f"l:{remote_key}:")
        keys.add(f"l:{remote_key}:{path}")
    return keys


def _add(found: dict[str, list[int]], keys: Iterable[str], best: int, tie: int) -> None:
    for key in keys:
        known = found.get(key)
        if known is None:
            found[key] = [best, 1, tie]
            continue
        known[1] += 1
        if best < known[0]:
            known[0], known[2] = best, tie
