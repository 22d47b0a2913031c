"""Reading what `git push --porcelain` and servers say of each ref."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.git.remote_address import scrub
from gitmem.git.transport_errors import format_words, list_remote_words
from gitmem.ports.transport import PushResult

_LINE = re.compile(r"([ +\-*=!])\t([^\t]*):([^\t:]+)\t(.*)")
_STALE = re.compile(
    r"fetch first|non-fast-forward|stale info|needs force"
    r"|is at [0-9a-f]{40,64} but expected"
    r"|reference already exists|incorrect old value|reference is missing"
)


_LOCK = re.compile(r"failed to (?:update|lock) ref|cannot lock ref|atomic transaction failed")


def build_refusal(ref: str, reason: str, said: str) -> PushResult:
    """The result for a ref that was not taken. `reason` is what git or the server's git says,
    `said` what else came from the other side (a hook's words), both unscrubbed.

    Is it stale: not what we built on? `said` counts only where the server's git had trouble
    with the ref itself: a hook must not be able to say so.
    """
    reason = scrub(reason).strip()
    said = format_words(said)
    is_stale = _STALE.search(reason) is not None or (
        _LOCK.search(reason) is not None and _STALE.search(said) is not None
    )
    shown = f"{reason}: {said}" if said and not is_stale else reason
    return PushResult(ref=ref, is_accepted=False, is_stale=is_stale, reason=shown)


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
            # The summary is like `[remote rejected] (hook declined)`.
            inner = re.fullmatch(r"\[[^\]]*\]\s*\((.*)\)", summary)
            reason = inner.group(1) if inner else summary
            found[ref] = build_refusal(ref, reason, list_remote_words(stderr))
    if any(ref not in found for ref in refs):
        return None
    return [found[ref] for ref in refs]
