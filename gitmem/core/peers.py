"""Peers: other projects' memories, as this machine's registry names them. Values only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Literal

import msgspec

USER_ALIAS = "user"
"""The alias of the memory outside any repository."""
MAX_ALIAS_CHARS = 64

_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LOCAL = re.compile(r"/|\\|[A-Za-z]:[\\/]")


Verdict = Literal["ok", "mismatch", "unknown", "local"]
"""How a peer's vectors compare with ours: it shares some of our stamp, which are used; of other
stamps only; none at all; or its texts were embedded here."""


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the registry.

    `address` is an absolute path, or a git URL without password. `project` is the project
    whose own peers file named it, and `trusted` the digest of that file's content when a
    person trusted it: such a peer answers only there, and only while the file says the same.
    `inject` lets hooks hand its records to agents; `with_code` fetches its default branch.
    """

    alias: str
    address: str
    remote_key: str | None = None
    inject: bool = False
    with_code: bool = False
    added: str = ""
    project: str | None = None
    trusted: str | None = None

    @property
    def is_path(self) -> bool:
        """Whether it is a clone on this machine, and not fetched."""
        return is_local_path(self.address)


class OfferedPeer(msgspec.Struct, frozen=True):
    """A peer that a project's own file names: nothing is done with it before it is trusted."""

    alias: str
    url: str


def is_local_path(address: str) -> bool:
    """Whether an address of the registry is a path: those are absolute there."""
    return _LOCAL.match(address) is not None


def is_alias(text: str) -> bool:
    """Whether a text can be an alias: letters, digits, dot, hyphen, underscore; 64 at most."""
    return _ALIAS.fullmatch(text) is not None


def choose_alias(address: str, taken: Collection[str]) -> str:
    """The last component of an address in safe characters, made unique by a number."""
    tail = re.split(r"[/\\:]", address.rstrip("/\\").removesuffix("/.git").rstrip("/\\"))[-1]
    plain = unicodedata.normalize("NFKD", tail.removesuffix(".git"))
    name = _UNSAFE.sub("-", plain.encode("ascii", "ignore").decode()).strip("-._")
    name = name[: MAX_ALIAS_CHARS - 8].rstrip("-._") or "peer"
    used = {alias.casefold() for alias in taken}
    candidate, number = name, 1
    while candidate.casefold() in used:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


class PeerState(msgspec.Struct, frozen=True, kw_only=True):
    """What we last saw of a peer. `watched` and `stamp` tell, of a clone on this machine,
    whether it changed since; `tips` what a server had. Times in milliseconds. `stamps` are
    those of the vectors that it shares; `verdict` is how they compare with `our_stamp`, under
    which we keep so many `vectors` of it, and so many of its decisions are `lacking` one."""

    address: str
    project_id: str = ""
    name: str = ""
    remote_key: str | None = None
    records: int = 0
    size_bytes: int = 0
    quarantined: int = 0
    seen_at: int = 0
    watched: tuple[str, ...] = ()
    stamp: str = ""
    tips: str = ""
    is_cut: bool = False
    is_detached: bool = False
    stamps: tuple[str, ...] = ()
    verdict: Verdict = "unknown"
    our_stamp: str = ""
    vectors: int = 0
    lacking: int = 0


class Sighting(msgspec.Struct, frozen=True):
    """A peer whose decisions have something under a key: how many, the beginning of the id of
    the best, and its place among all peers' (lower is better)."""

    address: str
    key: str
    best: int
    total: int
    prefix: str
