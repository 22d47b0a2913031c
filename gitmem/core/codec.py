"""From values to lines and back: the one place where a record is made or believed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from gitmem.core.canonical import checked_id, content_id, decode_canonical, encode_canonical
from gitmem.core.paths import encode_path
from gitmem.core.records import (
    FORMAT_VERSION,
    MAX_SEQ,
    Decision,
    Line,
    Other,
    Record,
    Tombstone,
)
from gitmem.errors import BadRecord, NewerFormat

_AT = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
)
_KEY = re.compile(r"[0-9a-f]{16}")
_ID = re.compile(r"[0-9a-f]{64}")

_DECODERS: dict[str, Callable[[bytes], Record]] = {
    "decision": msgspec.json.Decoder(Decision).decode,
    "tombstone": msgspec.json.Decoder(Tombstone).decode,
}
_decode_other = msgspec.json.Decoder(Other).decode


def build_line(fields: dict[str, Any]) -> Line:
    """A line from the fields of a record without `id`; None values are left out.

    Raises BadRecord where the fields do not make a valid record.
    """
    value = {key: field for key, field in fields.items() if field is not None and key != "id"}
    try:
        value = msgspec.to_builtins(value)
    except (TypeError, RecursionError) as error:
        raise BadRecord(f"not representable as JSON: {error}") from None
    value["id"] = content_id(value)
    return decode_line(encode_canonical(value))


def decode_line(raw: bytes) -> Line:
    """Verify one line (a trailing CR is tolerated) and give its typed view.

    Raises BadRecord: not canonical, wrong id, or not of the shape of its kind;
    NewerFormat: a version of a known kind that this reader does not know.
    """
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    value = decode_canonical(raw)
    if not isinstance(value, dict):
        raise BadRecord("not an object")
    claimed = value.get("id")
    if not isinstance(claimed, str) or not _ID.fullmatch(claimed):
        raise BadRecord("no id of 64 hexadecimal digits")
    if not _is_id_of(claimed, raw) and checked_id(value) != claimed:
        raise BadRecord("the content does not match its id")
    return Line(_typed(value, raw), raw)


def _is_id_of(claimed: str, raw: bytes) -> bool:
    """Whether the canonical bytes, the first member that says this id cut out, have this
    hash: the short way, which nearly every record takes. The member may have been a nested
    one, so a no decides nothing."""
    member = b'"id":"%s"' % claimed.encode("ascii")
    start = raw.find(member)
    end = start + len(member)
    is_followed = raw[end : end + 1] == b","
    bare = raw[:start] + raw[end + 1 :] if is_followed else raw[: start - 1] + raw[end:]
    return hashlib.sha256(bare).hexdigest() == claimed


def _typed(value: dict[str, Any], raw: bytes) -> Record:
    kind = value.get("kind")
    if not isinstance(kind, str) or not kind:
        raise BadRecord("no kind")
    version = value.get("v")
    if kind in _DECODERS and isinstance(version, int) and version > FORMAT_VERSION:
        raise NewerFormat(f"a {kind} of version {version}, which this gitmem cannot read")
    try:
        record: Record = _DECODERS.get(kind, _decode_other)(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        # The words of the error quote the record, which may be long.
        raise BadRecord(f"not a valid {kind[:40]}: {str(error)[:200]}") from None
    _check_common(record)
    if isinstance(record, Decision):
        _check_decision(record)
    elif isinstance(record, Tombstone) and not _ID.fullmatch(record.target):
        raise BadRecord("target is not a record id")
    return record


def _check_common(record: Record) -> None:
    if record.v < 1 or isinstance(record.v, bool):
        raise BadRecord("v is not a version")
    if not 1 <= record.seq <= MAX_SEQ:
        raise BadRecord("seq is out of bounds")
    if not is_at(record.at):
        raise BadRecord("at is not a UTC time with milliseconds")
    if not record.project or not record.actor.name:
        raise BadRecord("project and actor.name may not be empty")


def _check_decision(record: Decision) -> None:
    if not _KEY.fullmatch(record.key):
        raise BadRecord("key is not 16 hexadecimal digits")
    if not record.summary.strip() or "\n" in record.summary:
        raise BadRecord("summary is not one line")
    for target in record.supersedes:
        if not _ID.fullmatch(target):
            raise BadRecord("supersedes names something that is not a record id")
    for ref in record.paths:
        if not is_safe_path(ref.path) or (ref.encoded and not _is_safe_encoded(ref.path)):
            raise BadRecord("a path that leaves the repository")
        for span in ref.lines or ():
            if not 1 <= span[0] <= span[1]:
                raise BadRecord("lines are not ascending pairs")


def is_at(text: str) -> bool:
    """Whether it is a time of the calendar, as records carry it."""
    if not _AT.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:  # 30 February, the year 0
        return False
    return True


def _is_safe_encoded(path: str) -> bool:
    return is_safe_path(encode_path(path, encoded=True).decode("utf-8", "surrogateescape"))


def is_safe_path(path: str) -> bool:
    """Whether a path is relative, forward-slashed and stays inside the repository."""
    if not path or path.startswith("/") or "\0" in path:
        return False
    between = f"/{path.removesuffix('/')}/"
    return "//" not in between and "/./" not in between and "/../" not in between
