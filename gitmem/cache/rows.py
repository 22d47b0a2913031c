"""What one record becomes in the tables: values only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

from gitmem.cache.versions import FOLDER_LIST, KIND_LIST, REDACTS, RETRACTS, SUPERSEDES
from gitmem.core.paths import fold_path
from gitmem.core.records import Decision, Other, Record, Tombstone

_MAX_LISTS = 4096
"""Beyond so many lists a record is no longer listed in folders: a line of 4 MiB could name
millions of them."""
MANY_PATHS = _MAX_LISTS // 64
"""A record with fewer paths stays within that bound whatever they are."""
_MAX_DEPTH = 62
_MAX_FOLDER_CHARS = 4096

_encode = msgspec.json.Encoder().encode
_decode_decision = msgspec.json.Decoder(Decision).decode
_decode_tombstone = msgspec.json.Decoder(Tombstone).decode
_decode_other = msgspec.json.Decoder(Other).decode

_remembered: dict[str, tuple[str, ...]] = {}
_MAX_REMEMBERED = 20_000


def tie_of(record_id: str) -> int:
    """The order of records of one `seq`, from their ids."""
    return int(record_id[:15], 16)


def key_number(key: str) -> int:
    """A decision's key as SQLite's signed 64-bit integer."""
    return int(key, 16) - 2**63


def search_text(record: Record) -> str | None:
    """What full-text search reads of a record; None for those it does not read."""
    if not isinstance(record, Decision):
        return None
    parts = [record.summary]
    if record.why:
        parts.append(record.why)
    for rejected in record.rejected:
        parts += (rejected.option, rejected.reason)
    parts += record.tags
    return "\n".join(parts)


def kind_list(kind: str) -> str:
    """The name of the list of all records of a kind."""
    return KIND_LIST + kind


def lists_of(record: Record) -> set[str]:
    """Names of the lists that a record stands in."""
    lists = {KIND_LIST + record.kind}
    if isinstance(record, Decision):
        for ref in record.paths:
            if len(lists) < _MAX_LISTS:
                lists.update(lists_of_path(ref.path))
            else:
                lists.add(ref.path)
    return lists


def lists_of_path(path: str) -> tuple[str, ...]:
    """A path, and the names of the lists of every folder above it (and of itself, if it is
    one)."""
    found = _remembered.get(path)
    if found is None:
        if len(_remembered) > _MAX_REMEMBERED:
            _remembered.clear()
        found = _remembered[path] = (path, *_iter_folders(fold_path(path)))
    return found


def _iter_folders(path: str) -> Iterator[str]:
    end = path.find("/")
    depth = 0
    while end != -1 and depth < _MAX_DEPTH and end < _MAX_FOLDER_CHARS:
        yield FOLDER_LIST + path[: end + 1]
        end = path.find("/", end + 1)
        depth += 1


def links_of(record: Decision | Tombstone) -> list[tuple[int, bytes]]:
    """(relation, id of the record that it is about)."""
    if isinstance(record, Tombstone):
        relation = REDACTS if record.mode == "redact" else RETRACTS
        return [(relation, bytes.fromhex(record.target))]
    return [(SUPERSEDES, bytes.fromhex(target)) for target in dict.fromkeys(record.supersedes)]


def withheld(record: Record) -> Record:
    """All that is kept of a redacted record: who and when; of a tombstone, which stays in
    force, everything but the reason."""
    if isinstance(record, Tombstone):
        return msgspec.structs.replace(record, reason="")
    return Other(
        record.id, record.v, record.kind, record.project, record.at, record.seq, record.actor
    )


def encode_withheld(record: Record) -> bytes:
    """`withheld`, as it is stored."""
    return _encode(withheld(record))


def is_intact(record_id: str, raw: bytes) -> bool:
    """Whether the stored line of a record still has the hash that is its id."""
    member = b'"id":"%s"' % record_id.encode()
    bare = raw.replace(member + b",", b"", 1)
    if len(bare) == len(raw):
        bare = raw.replace(b"," + member, b"", 1)
    return hashlib.sha256(bare).hexdigest() == record_id


def decode_body(kind: str, body: bytes, *, is_withheld: bool) -> Record:
    """The record of a row. Raises msgspec.DecodeError where the cache is damaged."""
    if kind == "tombstone":
        return _decode_tombstone(body)
    if kind == "decision" and not is_withheld:
        return _decode_decision(body)
    return _decode_other(body)


def base_name(base: str) -> str:
    """Under which name `mention` has the base of a decision: commits that are named stand
    there as they are, so this is no commit's id."""
    return f"base:{base[:20]}"
