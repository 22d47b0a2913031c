"""The edges of a chunk of a note: its links, the links to it, and the chunks beside it."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.cache.backlinks import Backlink, list_backlinks
from gitmem.cache.connection import Connection
from gitmem.cache.link_targets import LinkTargets
from gitmem.core.ranking import Neighbour, format_key

FEW = 8
"""A hub that links to at most so many pages says that they belong together; a longer list says
no more than that they are here."""

_OWN = """
    SELECT chunk.nid, chunk.number, vault.name, note.path
    FROM chunk CROSS JOIN note ON note.nid = chunk.nid CROSS JOIN vault ON vault.vid = note.vid
    WHERE chunk.id = ?
"""


def iter_note_edges(
    db: Connection, chunk_id: str, targets: LinkTargets, most: int
) -> Iterator[Neighbour]:
    """Neighbours of a chunk that is there; of one that is not, none."""
    rows = db.query(_OWN, (chunk_id,))
    if not rows:
        return
    nid, number, vault, path = rows[0]
    said = db.query(
        "SELECT target, heading, block FROM note_link WHERE nid = ? AND number = ?"
        " ORDER BY position",
        (nid, number),
    )
    for target, heading, block in said:
        for key in targets.list_keys(targets.find(target, vault, path), heading, block):
            yield Neighbour(key, "wikilink", target)
    names = db.query("SELECT name FROM note_name WHERE nid = ?", (nid,))
    key = format_key("note", chunk_id)
    for one in list_backlinks(db, [name for (name,) in names], most) or ():
        found = targets.find(one.target, one.vault, one.path)
        if found.nid == nid and key in targets.list_keys(found, one.heading, one.block):
            if one.source:
                yield Neighbour(one.source, "wikilink", one.target, is_backward=True)
            else:
                yield from _iter_through_hub(db, one, targets)
    beside = db.query(
        "SELECT id FROM chunk WHERE nid = ? AND number IN (?, ?) ORDER BY number",
        (nid, number - 1, number + 1),
    )
    for (other,) in beside:
        yield Neighbour(format_key("note", other), "same-note")


def _iter_through_hub(db: Connection, hub: Backlink, targets: LinkTargets) -> Iterator[Neighbour]:
    """What a page without text of its own links to beside this one, if that is little."""
    said = db.query(
        "SELECT target, heading, block FROM note_link WHERE nid = ?"
        " GROUP BY name, heading, block ORDER BY min(position) LIMIT ?",
        (hub.nid, FEW + 1),
    )
    if len(said) > FEW:
        return
    for target, heading, block in said:
        for key in targets.list_keys(targets.find(target, hub.vault, hub.path), heading, block):
            yield Neighbour(key, "wikilink", hub.path)
