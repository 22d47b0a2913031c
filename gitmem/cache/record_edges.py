"""The edges of a decision: what it supersedes, what it links to, and what shares a path."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitmem.cache.backlinks import list_backlinks
from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.link_targets import LinkTargets, iter_id_names, list_on_path
from gitmem.cache.path_ids import find_path_ids
from gitmem.cache.rows import decode_body
from gitmem.cache.versions import SUPERSEDES
from gitmem.core.note_names import link_name
from gitmem.core.ranking import Neighbour, format_key
from gitmem.core.records import Decision

_OWN = """
    SELECT rid, body FROM record WHERE id = ? AND kind = 'decision' AND is_withheld = 0
    AND rid NOT IN (SELECT rid FROM orphan)
"""
_OLDER = """
    SELECT record.id FROM link CROSS JOIN record ON record.id = link.target
    WHERE link.rid = ? AND link.rel = ? AND record.kind = 'decision' AND record.is_withheld = 0
    AND record.rid NOT IN (SELECT rid FROM orphan) ORDER BY record.id LIMIT ?
"""
_NEWER = """
    SELECT record.id FROM link CROSS JOIN record ON record.rid = link.rid
    WHERE link.target = ? AND link.rel = ? AND record.is_withheld = 0
    AND record.rid NOT IN (SELECT rid FROM orphan) ORDER BY record.id LIMIT ?
"""


def iter_record_edges(
    db: Connection, record_id: str, targets: LinkTargets, most: int
) -> Iterator[Neighbour]:
    """Neighbours of a decision that is there; of one that is not, none."""
    own = bytes.fromhex(record_id)
    rows = db.query(_OWN, (own,))
    if not rows:
        return
    rid, body = rows[0]
    for (other,) in db.query(_OLDER, (rid, SUPERSEDES, most + 1)):
        yield Neighbour(format_key("record", other.hex()), "supersedes")
    for (other,) in db.query(_NEWER, (own, SUPERSEDES, most + 1)):
        yield Neighbour(format_key("record", other.hex()), "supersedes", is_backward=True)
    said = db.query(
        "SELECT target, heading, block FROM record_link WHERE rid = ? ORDER BY position", (rid,)
    )
    for target, heading, block in said:
        for key in targets.list_keys(targets.find(target, "", ""), heading, block):
            yield Neighbour(key, "wikilink", target)
    paths = _list_paths(body)
    yield from _iter_backward(db, record_id, paths, targets, most)
    yield from _iter_same_path(db, paths[:most], most)


def _list_paths(body: bytes) -> list[str]:
    try:
        record = decode_body("decision", body, is_withheld=False)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CacheDamaged(f"a stored record does not decode: {error}") from error
    return [ref.path for ref in record.paths] if isinstance(record, Decision) else []


def _iter_backward(
    db: Connection, record_id: str, paths: list[str], targets: LinkTargets, most: int
) -> Iterator[Neighbour]:
    """Links that say its id, or one of its paths."""
    names = [*iter_id_names(record_id), *(link_name(path) for path in paths[:most])]
    for one in list_backlinks(db, names, most) or ():
        found = targets.find(one.target, one.vault, one.path)
        if one.source and record_id in found.ids:
            yield Neighbour(one.source, "wikilink", one.target, is_backward=True)


def _iter_same_path(db: Connection, paths: list[str], most: int) -> Iterator[Neighbour]:
    """Decisions on the same paths, but for paths on which there are so many that it says
    nothing."""
    for path in paths:
        for pid in find_path_ids(db, [path]):
            if (db.scalar("SELECT total FROM path WHERE pid = ?", (pid,)) or 0) <= most:
                for other in list_on_path(db, pid, most):
                    yield Neighbour(format_key("record", other), "path", path)
