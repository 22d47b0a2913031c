"""A turn of an agent becomes a decision, once: from its words and the files it changed."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.core.agent_events import MAX_PATHS
from gitmem.core.paths import decode_path
from gitmem.core.rationale import clean_said, has_reason, pick_reasons, summarise
from gitmem.core.records import PathRef
from gitmem.core.redaction import redact_text
from gitmem.core.sharing import REQUEST_TAG, Share
from gitmem.core.turn_types import infer_type
from gitmem.errors import GitmemError
from gitmem.services.capture import Captured, Draft, capture
from gitmem.services.workspace import Workspace
from gitmem.store.paths import FOLDER
from gitmem.store.sessions import Entry, SessionLog, write_request

MAX_FOUND = 60
"""More files than this, found by comparing with git, were changed by something else than a
turn: a checkout, a pull, a build."""
MAX_QUIET = 5
MAX_REQUEST_CHARS = 4_000
STALE_CLAIM_MS = 10_000
COMPARE_SECONDS = 0.8
SLACK_MS = 1_000
_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the exchange that ends: who (`sub` is a sub-agent's id), what was said,
    and the identity that the agent gave it, if it did."""

    agent: str
    session: str
    sub: str = ""
    turn: str = ""
    request: str = ""
    message: str = ""
    model: str = ""


class TurnRules(msgspec.Struct, frozen=True, kw_only=True):
    """`share` is the policy; `has_key` tells whether the memory has a decision of that key
    already; `compares`: what git sees as changed counts, too."""

    share: Share
    has_key: Callable[[str], bool]
    compares: bool = True


class OpenTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What a session's log says of the exchange that is going on: the request, the answer so
    far, when it began and at which commit, the files it touched, and those of the sub-agents
    that worked for it. `told`: when a file was last named by a turn that was captured."""

    request: str = ""
    message: str = ""
    began_ms: int = 0
    head: str = ""
    touched: tuple[str, ...] = ()
    of_others: frozenset[str] = frozenset()
    told: Mapping[str, int] = {}


def find_open_turn(entries: Sequence[Entry], sub: str) -> OpenTurn:
    """The exchange of one agent since its last one was captured."""
    requests: list[str] = []
    message, began_ms, head = "", 0, ""
    touched: dict[str, None] = {}
    others: set[str] = set()
    told: dict[str, int] = {}
    for entry in entries:
        if entry.kind == "done":
            told.update(dict.fromkeys(entry.paths, entry.at_ms))
        if entry.sub != sub:
            if entry.kind in ("touched", "done"):
                others.update(entry.paths)
            continue
        if entry.kind == "quiet" or (entry.kind == "done" and entry.paths):
            requests, message, began_ms, head = [], "", 0, ""
            touched = dict.fromkeys(path for path in touched if path not in entry.paths)
            others = set()
        elif entry.kind == "prompt":
            if entry.text and entry.text not in requests:
                requests.append(entry.text)
            began_ms, head = began_ms or entry.at_ms, head or entry.head
        elif entry.kind == "message":
            message = entry.text
        elif entry.kind == "touched":
            touched.update(dict.fromkeys(entry.paths))
    return OpenTurn(
        request="\n".join(requests),
        message=message,
        began_ms=began_ms,
        head=head,
        touched=tuple(touched),
        of_others=frozenset(others),
        told=told,
    )


def end_turn(
    workspace: Workspace, log: SessionLog, turn: Turn, rules: TurnRules
) -> Captured | None:
    """Capture the exchange that ends now. None where it changed no file, which is noted for
    `capture_quiet_turns`, and where it was captured before.

    Raises what `capture` raises; then the turn is free to be captured again."""
    entries = log.read()
    is_open = find_open_turn(entries, turn.sub)
    said = msgspec.structs.replace(
        turn,
        request=_clean(turn.request or is_open.request),
        message=_clean(turn.message or is_open.message),
    )
    paths = _list_paths(workspace, is_open, compares=rules.compares and not turn.sub)
    key = build_key(said, paths)
    if not paths:
        if (said.request or said.message) and not _was_answered(entries, said):
            log.append(_quiet(said, key))
        return None
    return _capture_once(workspace, log, said, paths, key, rules, over=is_open.touched)


def capture_quiet_turns(
    workspace: Workspace, log: SessionLog, agent: str, model: str, rules: TurnRules
) -> list[Captured]:
    """Capture the exchanges that changed no file and gave a reason, before an agent forgets
    them: the newest few that were not captured yet."""
    entries = log.read()
    done = {entry.name for entry in entries if entry.kind == "done"}
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.kind == "quiet" and entry.name not in done and has_reason(entry.answer):
            found[entry.name] = entry
    captured = []
    for entry in list(found.values())[-MAX_QUIET:]:
        said = Turn(agent=agent, session="", request=entry.text, message=entry.answer, model=model)
        one = _capture_once(workspace, log, said, (), entry.name, rules)
        if one is not None:
            captured.append(one)
    return captured


def build_key(turn: Turn, paths: Sequence[str]) -> str:
    """The decision's key, 16 hexadecimal digits: the same for the same turn of the same
    session, whoever asks and how often; nobody can tell the session from it."""
    identity = turn.turn or "\0".join((turn.request, turn.message))
    if not identity.strip("\0"):
        identity = "\n".join(sorted(paths))
    parts = ("turn", turn.agent, turn.session, turn.sub, identity)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _capture_once(
    workspace: Workspace,
    log: SessionLog,
    said: Turn,
    paths: Sequence[str],
    key: str,
    rules: TurnRules,
    *,
    over: Sequence[str] = (),
) -> Captured | None:
    """`over` are files that the turn is over for, whether or not the record names them."""
    taken = _take_in_hand(workspace, log, key)
    closing = Entry(
        kind="done",
        name=key,
        sub=said.sub,
        answer=_digest(said.message),
        paths=tuple(dict.fromkeys((*paths, *over))),
    )
    if taken != "mine" or rules.has_key(key):
        if taken != "busy":
            log.append(closing)
        return None
    try:
        captured = capture(workspace, _build_draft(said, paths, key, rules.share))
        if rules.share == "summary" and said.request:
            write_request(workspace.clone, key, said.request)
    except BaseException:
        log.append(Entry(kind="claim", name=key, nonce=""))  # free again
        raise
    log.append(closing)
    return captured


def _take_in_hand(
    workspace: Workspace, log: SessionLog, key: str
) -> Literal["mine", "busy", "done"]:
    """Whether the turn of this key is ours to capture, in another's hand, or captured. The
    first claim counts that is neither given up nor so old that whoever made it must have
    died."""
    now_ms = workspace.clock.now_ms()
    nonce = workspace.clock.random_hex(16)
    log.append(Entry(kind="claim", name=key, nonce=nonce, at_ms=now_ms))
    standing: Entry | None = None
    for entry in log.read():
        if entry.name != key:
            continue
        if entry.kind == "done":
            return "done"
        if entry.kind == "claim":
            is_over = standing is not None and entry.at_ms - standing.at_ms > STALE_CLAIM_MS
            if not entry.nonce:
                standing = None
            elif standing is None or is_over:
                standing = entry
    return "mine" if standing is not None and standing.nonce == nonce else "busy"


def _build_draft(said: Turn, paths: Sequence[str], key: str, share: Share) -> Draft:
    names = [decode_path(os.fsencode(path)) for path in paths]
    summary = summarise(said.request, said.message, [name for name, _ in names])
    reasons = list(pick_reasons(said.request, said.message, summary))
    with_request = share != "summary" and bool(said.request)
    if with_request:
        request = said.request[:MAX_REQUEST_CHARS]
        reasons.append(f"{'' if not reasons else chr(10)}Request: {request}")
    return Draft(
        summary=summary or "A turn without words",
        why="\n".join(reasons) or None,
        type=infer_type(said.request, summary, [name for name, _ in names]),
        paths=tuple(PathRef(name, encoded=encoded) for name, encoded in names),
        tags=(REQUEST_TAG,) if with_request else (),
        is_private=share == "none",
        key=key,
        agent=said.agent,
        model=said.model or None,
    )


def _was_answered(entries: Sequence[Entry], said: Turn) -> bool:
    """Whether a turn that was captured ended with these very words: then this is its end,
    told a second time."""
    digest = _digest(said.message)
    return any(one.kind == "done" and one.answer == digest for one in entries)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _clean(text: str) -> str:
    """Redacted first: a secret that is cut in two has no shape any more."""
    return clean_said(redact_text(text)[0])


def _quiet(said: Turn, key: str) -> Entry:
    return Entry(
        kind="quiet",
        sub=said.sub,
        name=key,
        text=said.request[:MAX_REQUEST_CHARS],
        answer=said.message[: 2 * MAX_REQUEST_CHARS],
    )


def _list_paths(workspace: Workspace, is_open: OpenTurn, *, compares: bool) -> tuple[str, ...]:
    """The files of a turn, relative to the root: those that its own edit tools touched and,
    where that is asked for, what else changed since it began, the sub-agents' files apart."""
    touched = dict.fromkeys(is_open.touched)
    if compares and is_open.began_ms:
        found = _compare(workspace, is_open)
        fresh = [path for path in found if path not in touched and path not in is_open.of_others]
        if len(fresh) <= MAX_FOUND:
            touched.update(dict.fromkeys(fresh))
    return tuple(touched)[:MAX_PATHS]


def _compare(workspace: Workspace, is_open: OpenTurn) -> list[str]:
    """What git sees as changed and the file system as changed since the turn began."""
    root = workspace.place.work_tree
    if root is None:
        return []
    head = is_open.head if _OID.fullmatch(is_open.head) else ""
    since = head if head and head != workspace.present.head else None
    try:
        found = workspace.tree.list_changed_since(since, seconds=COMPARE_SECONDS)
    except GitmemError:
        return []  # what the edit tools touched is known without git
    began_ms = is_open.began_ms - SLACK_MS
    return [
        path
        for path in found
        if not path.startswith(FOLDER + "/")
        and _changed_at_ns(root, path) >= max(began_ms, is_open.told.get(path, 0)) * 1_000_000
    ]


def _changed_at_ns(root: Path, path: str) -> int:
    """When a file was written, or, where it is gone, when its folder lost it."""
    try:
        return (root / path).lstat().st_mtime_ns
    except (OSError, ValueError):
        pass
    try:
        return (root / path).parent.lstat().st_mtime_ns
    except (OSError, ValueError):
        return 0
