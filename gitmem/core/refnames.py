"""Every ref name that gitmem builds or parses.

`refs/gitmem/w/<writer>`                     a clone's own chain, and the same on a remote
`refs/heads/gitmem-w/<writer>`               the same, on hosts that refuse custom refs
`refs/gitmem-remotes/<remote>/<writer>`      another writer's chain as last fetched
"""

from __future__ import annotations

import re

_WRITER = re.compile(r"[0-9a-f]{16}")
_SAFE_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")

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
    """A remote's name as one ref component: a plain name as it is; any other (slashes, dots,
    an URL) as `x--` and the hex of its UTF-8, so that no two remotes share a folder."""
    if _SAFE_REMOTE.fullmatch(remote) and not remote.startswith("x--"):
        return remote
    return "x--" + remote.encode("utf-8", "surrogateescape").hex()


def _decode_remote(component: str) -> str | None:
    if component.startswith("x--"):
        try:
            decoded = bytes.fromhex(component[3:]).decode("utf-8", "surrogateescape")
        except ValueError:
            return None
        return decoded if _encode_remote(decoded) == component else None
    return component if _SAFE_REMOTE.fullmatch(component) else None
