"""Git's own encodings of trees and packs, for hashes of any length."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from gitmem.errors import Damaged
from gitmem.ports.repository import TreeEntry

_OID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_KINDS: Mapping[bytes, Literal["blob", "tree", "commit", "link"]] = {
    b"40000": "tree",
    b"040000": "tree",
    b"160000": "commit",
    b"120000": "link",
}
_PACK_TYPES = {"commit": 1, "tree": 2, "blob": 3}


class RawEntry(NamedTuple):
    """An entry as it stands in a tree: `mode` in git's octal digits."""

    mode: bytes
    name: bytes
    oid: bytes


class NewObject(NamedTuple):
    """An object to write."""

    kind: Literal["commit", "tree", "blob"]
    data: bytes


def is_oid(text: str) -> bool:
    """Whether it is a full object id of either length, in lower case."""
    return _OID.fullmatch(text) is not None


def decode_tree(data: bytes, hash_bytes: int) -> list[RawEntry]:
    """The entries of a tree, names unchecked. Raises Damaged where it is not one."""
    entries = []
    position = 0
    while position < len(data):
        space = data.find(b" ", position, position + 8)
        end = data.find(b"\0", space + 1)
        after = end + 1 + hash_bytes
        if space < 0 or end < 0 or after > len(data):
            raise Damaged("a tree in the repository is not well-formed")
        entries.append(RawEntry(data[position:space], data[space + 1 : end], data[end + 1 : after]))
        position = after
    return entries


def list_entries(data: bytes, hash_bytes: int) -> list[TreeEntry]:
    """The same as values for the rest. Raises Damaged."""
    return [
        TreeEntry(_KINDS.get(mode, "blob"), oid.hex(), name)
        for mode, name, oid in decode_tree(data, hash_bytes)
    ]


def encode_tree(entries: Iterable[RawEntry]) -> bytes:
    """A tree's bytes, in git's order: folders sort as if their names ended in a slash."""
    ordered = sorted(entries, key=lambda e: e.name + (b"/" if e.mode == b"40000" else b""))
    return b"".join(b"%s %s\0%s" % (e.mode, e.name, e.oid) for e in ordered)


def hash_object(new: NewObject, hash_bytes: int) -> bytes:
    """The id (raw bytes) of an object."""
    header = f"{new.kind} {len(new.data)}\0".encode()
    return _digest(header + new.data, hash_bytes)


def encode_pack(objects: Sequence[NewObject], hash_bytes: int) -> bytes:
    """A pack of whole objects, fit for `git unpack-objects`."""
    parts = [struct.pack(">4sII", b"PACK", 2, len(objects))]
    for new in objects:
        size = len(new.data)
        byte = _PACK_TYPES[new.kind] << 4 | size & 15
        size >>= 4
        header = bytearray()
        while size:
            header.append(byte | 128)
            byte = size & 127
            size >>= 7
        header.append(byte)
        parts += [bytes(header), zlib.compress(new.data)]
    body = b"".join(parts)
    return body + _digest(body, hash_bytes)


def _digest(data: bytes, hash_bytes: int) -> bytes:
    # git's own names for things, not a matter of security.
    if hash_bytes == 32:
        return hashlib.sha256(data).digest()
    return hashlib.sha1(data, usedforsecurity=False).digest()
