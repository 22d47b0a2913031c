"""What a writer's ref shares of vectors: under which stamps, and of which segments.

    vectors/<stamp>/stamp.json   the stamp in full
    vectors/<stamp>/<segid>      the vectors of the decisions of that segment

Names in a tree are hostile: only what is named like a stamp or a segment is looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.segments import SUFFIX, is_segment_name
from gitmem.core.shared_vectors import MAX_STAMP_BYTES, decode_stamp
from gitmem.errors import BadVectors, Damaged
from gitmem.store.own_ref import VECTORS
from gitmem.store.trees import list_shelf, list_shelves

if TYPE_CHECKING:
    from gitmem.core.ranking import Stamp
    from gitmem.ports.repository import ObjectReader

STAMP_FILE = "stamp.json"
MAX_STAMPS = 100
_RECORDS = ("records", "default/records")
_STAMP_NAME = re.compile(r"[a-z0-9-]{1,200}")


class SharedFolder(msgspec.Struct, frozen=True):
    """The tree of one stamp; `name` is what it says of itself, unproven."""

    name: str
    tree: str

    @property
    def path(self) -> str:
        return f"{VECTORS}/{self.name}"


def list_shared_folders(objects: ObjectReader, tip: str) -> list[SharedFolder]:
    """The stamps of a writer's commit, in the order of names."""
    root = objects.find_oid(f"{tip}:{VECTORS}")
    if root is None:
        return []
    try:
        entries = objects.list_tree(root)
    except Damaged:  # a file stands where the folder should be
        return []
    found = [
        SharedFolder(entry.name.decode("ascii"), entry.oid)
        for entry in entries
        if entry.kind == "tree"
        and entry.name.isascii()
        and _STAMP_NAME.fullmatch(entry.name.decode("ascii"))
    ]
    return sorted(found, key=lambda one: one.name)[:MAX_STAMPS]


def read_stamp(objects: ObjectReader, folder: SharedFolder) -> Stamp:
    """The stamp of a folder, in full. Raises BadVectors where it is not readable, or not the
    one that the folder is named by."""
    oid = objects.find_oid(f"{folder.tree}:{STAMP_FILE}")
    data = None
    if oid is not None:
        data = next(iter(objects.iter_blobs([oid], MAX_STAMP_BYTES))).data
    if data is None:
        raise BadVectors(f"the vectors of {folder.name} do not say what made them")
    stamp = decode_stamp(data)
    if stamp.format() != folder.name:
        raise BadVectors(f"the vectors of {folder.name} say that they are {stamp.format()[:200]}")
    return stamp


def list_vector_blobs(objects: ObjectReader, tree: str) -> dict[str, str]:
    """Segment (its file name under `records/`) → the blob of its vectors. Raises Damaged where
    the tree is not in this clone."""
    return {
        entry.name.decode("ascii") + SUFFIX: entry.oid
        for entry in objects.list_tree(tree)
        if entry.kind == "blob"
        and entry.name.isascii()
        and is_segment_name(entry.name.decode("ascii") + SUFFIX)
    }


def list_published(objects: ObjectReader, tip: str) -> list[str]:
    """The names of all segments that a writer's commit publishes, sorted."""
    names: set[str] = set()
    for folder in _RECORDS:
        for shelf in list_shelves(objects, f"{tip}:{folder}"):
            names.update(ref.name for ref in list_shelf(objects, shelf))
    return sorted(names)


def format_vector_path(stamp: str, segment: str) -> str:
    """Where the vectors of a segment stand in a writer's tree."""
    return f"{VECTORS}/{stamp}/{segment.removesuffix(SUFFIX)}"


def format_stamp_path(stamp: Stamp) -> str:
    """Where a stamp is said in full."""
    return f"{VECTORS}/{stamp.format()}/{STAMP_FILE}"
