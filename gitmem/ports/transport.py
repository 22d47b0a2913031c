"""Moving refs between this clone and a remote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class PushResult(msgspec.Struct, frozen=True):
    """What the remote said of one ref. `is_stale`: not a fast-forward there."""

    ref: str
    is_accepted: bool
    is_stale: bool = False
    reason: str = ""


class Transport(Protocol):
    """Talks to a remote by name or URL. Bounded in time, and never prompts.

    Every method raises UnsafeRemote before any process or connection starts, where the
    address could run a command; RemoteUnreachable, AuthRefused or RemoteError from the other
    side, with its words, scrubbed of credentials and control characters.
    """

    def list_addresses(self, remote: str) -> set[str]:
        """Every address that a remote's name, or an address, may stand for by git's
        configuration, before `insteadOf` rewriting and after. Talks to nobody."""
        ...

    def list_refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Full ref name → oid on the remote, for refs under any of the prefixes."""
        ...

    def fetch(self, remote: str, refspecs: Sequence[tuple[str, str]]) -> None:
        """Fetch full (source, destination) refs, forced, never shallow, never filtered, no
        tags, nothing pruned, no configuration or FETCH_HEAD written.

        Both may end in `*`, for all refs under a prefix, be it none; where two sources would
        meet in one destination, the one named first wins."""
        ...

    def push(self, remote: str, updates: Sequence[tuple[str, str]]) -> list[PushResult]:
        """Push (oid, full ref) pairs, never forced; one result each. A refusal of a ref is a
        result, a failure to talk is an error."""
        ...

    def delete(self, remote: str, ref: str, expected: str) -> PushResult:
        """Delete a remote ref with a lease on its value."""
        ...
