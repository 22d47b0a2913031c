"""Records trees in git: which shelves a commit has, and which segments a shelf holds.

Names in a tree are hostile: only what is named like a segment is looked at, nothing is ever
written under a tree's name, and a link's blob is read as bytes and never followed.
"""

from __future__ import annotations

import msgspec

from gitmem.core.segments import SegmentRef, is_segment_name
from gitmem.errors import Damaged
from gitmem.ports.repository import ObjectReader, TreeEntry

MAX_SHELVES = 10_000


class Shelf(msgspec.Struct, frozen=True):
    """One folder of segments: a month's tree; for files that lie directly in the records
    folder, that folder's tree marked as flat."""

    key: str
    tree: str
    is_flat: bool = False


def list_shelves(objects: ObjectReader, spec: str) -> list[Shelf]:
    """The shelves of the records tree that `spec` names (`<commit>:.gitmem/records`); an
    empty list where there is none."""
    root = objects.find_oid(spec)
    if root is None:
        return []
    try:
        entries = objects.list_tree(root)
    except Damaged:
        return []  # a file or a link stands where the folder should be: no records there
    shelves = [Shelf(e.oid, e.oid) for e in entries if e.kind == "tree"][:MAX_SHELVES]
    if any(_is_segment(entry) for entry in entries):
        shelves.append(Shelf(f"{root}:flat", root, is_flat=True))
    return shelves


def list_shelf(objects: ObjectReader, shelf: Shelf) -> list[SegmentRef]:
    """The segments of a shelf. Raises Damaged where its tree is not in this clone."""
    return [
        SegmentRef(entry.name.decode("ascii"), entry.oid)
        for entry in objects.list_tree(shelf.tree)
        if _is_segment(entry)
    ]


def _is_segment(entry: TreeEntry) -> bool:
    return (
        entry.kind in ("blob", "link")
        and entry.name.isascii()
        and is_segment_name(entry.name.decode("ascii"))
    )
