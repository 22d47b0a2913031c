"""Every ref name that gitmem builds or parses.

`refs/gitmem/w/<writer>`                     a clone's own chain, and the same on a remote
`refs/heads/gitmem-w/<writer>`               the same, on hosts that refuse custom refs
`refs/gitmem-remotes/<remote>/<writer>`      another writer's chain as last fetched
"""

from __future__ import annotations

import re

_WRITER = re.compile(r"[0-9a-f]{16}")
_SAFE_REMOTE = re.compile(r"(?!x--|y--)[a-z0-9][a-z0-9_-]{0,199}")
_ENCODED_REMOTE = re.compile(r"(?:y--[0-9a-f]{200}/)*x--[0-9a-f]{0,200}")

OWN_PREFIX = "refs/gitmem/w/"
HEADS_PREFIX = "refs/heads/gitmem-w/"
FETCHED_PREFIX = "refs/gitmem-remotes/"


def is_writer(text: str) -> bool:
    """Whether it is a writer id: 16 lower-case hexadecimal digits."""
    return _WRITER.fullmatch(text) is not None


def format_writer_ref(writer: str, *, as_branch: bool = False) -> str:
    """The ref of a writer, in this clone and on a remote."""
    if not is_writer(writer):
        raise ValueError(f"not a writer id: {writer!r}")
    return (HEADS_PREFIX if as_branch else OWN_PREFIX) + writer


def parse_writer_ref(ref: str) -> str | None:
    """The writer of a writer ref of either form; None for any other ref."""
    for prefix in (OWN_PREFIX, HEADS_PREFIX):
        if ref.startswith(prefix) and is_writer(ref[len(prefix) :]):
            return ref[len(prefix) :]
    return None


def format_fetched_ref(remote: str, writer: str) -> str:
    """Where another writer's chain is kept after a fetch from `remote` (a name or URL)."""
    if not is_writer(writer):
        raise ValueError(f"not a writer id: {writer!r}")
    return format_fetched_prefix(remote) + writer


def format_fetched_prefix(remote: str) -> str:
    """All fetched chains of one remote stand under this."""
    return f"{FETCHED_PREFIX}{_encode_remote(remote)}/"


def parse_fetched_ref(ref: str) -> tuple[str, str] | None:
    """(remote, writer) of a fetched ref; None for any other ref."""
    if not ref.startswith(FETCHED_PREFIX):
        return None
    encoded, _, writer = ref[len(FETCHED_PREFIX) :].rpartition("/")
    remote = _decode_remote(encoded)
    if remote is None or not is_writer(writer):
        return None
    return remote, writer


def _encode_remote(remote: str) -> str:
    """A remote's name in a ref, so that no two remotes share a folder: a plain name as it is;
    any other (slashes, dots, capitals, an URL) as the hex of its UTF-8, in components that
    every file system can hold: `y--…` where more follows, `x--…` for the last."""
    if _SAFE_REMOTE.fullmatch(remote):
        return remote
    digits = remote.encode("utf-8", "surrogateescape").hex()
    runs = [digits[start : start + 200] for start in range(0, len(digits), 200)] or [""]
    return "".join(f"y--{run}/" for run in runs[:-1]) + f"x--{runs[-1]}"


def _decode_remote(encoded: str) -> str | None:
    if _SAFE_REMOTE.fullmatch(encoded):
        return encoded
    if not _ENCODED_REMOTE.fullmatch(encoded):
        return None
    digits = "".join(run[3:] for run in encoded.split("/"))
    try:
        decoded = bytes.fromhex(digits).decode("utf-8", "surrogateescape")
    except ValueError:
        return None
    return decoded if _encode_remote(decoded) == encoded else None
