"""Reading what `git push --porcelain` and servers say of each ref."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.git.remote_address import scrub
from gitmem.git.transport_errors import format_remote_words
from gitmem.ports.transport import PushResult

_LINE = re.compile(r"([ +\-*=!])\t([^\t]*):([^\t:]+)\t(.*)")
_STALE = re.compile(
    r"fetch first|non-fast-forward|stale info|needs force"
    r"|is at [0-9a-f]{40,64} but expected"
    r"|reference already exists|incorrect old value|reference is missing"
)


def is_stale_reason(reason: str) -> bool:
    """Whether these words say that the ref over there is not what we built on."""
    return _STALE.search(reason) is not None


def parse_push_report(stdout: str, stderr: str, refs: Sequence[str]) -> list[PushResult] | None:
    """One result for each ref, in the order asked; None where the report lacks one.

    With several push URLs a ref is accepted only if all of them took it.
    """
    found: dict[str, PushResult] = {}
    for line in stdout.splitlines():
        match = _LINE.fullmatch(line)
        if not match or match.group(3) not in refs:
            continue
        flag, _, ref, summary = match.groups()
        if flag != "!":
            found.setdefault(ref, PushResult(ref=ref, is_accepted=True))
        elif ref not in found or found[ref].is_accepted:
            found[ref] = _build_refusal(ref, summary, stderr)
    if any(ref not in found for ref in refs):
        return None
    return [found[ref] for ref in refs]


def _build_refusal(ref: str, summary: str, stderr: str) -> PushResult:
    """`summary` is like `[remote rejected] (hook declined)`; what the other side's hook
    printed says more, and follows it."""
    is_stale = is_stale_reason(summary)
    inner = re.fullmatch(r"\[[^\]]*\]\s*(?:\((.*)\))?", summary)
    words = scrub((inner.group(1) if inner else None) or summary).strip()
    said = format_remote_words(stderr)
    reason = f"{words}: {said}" if said and not is_stale else words
    return PushResult(ref=ref, is_accepted=False, is_stale=is_stale, reason=reason)
