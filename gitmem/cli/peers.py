"""peers: from words to a list of peers, and to what became of each."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from gitmem.app.peer_admin import Done, Wanted
from gitmem.app.peers_here import (
    PeerRow,
    PeersHere,
    list_peers,
    note_untrusted,
    open_peers,
    trust_peers,
)
from gitmem.cli.boundary import Session
from gitmem.cli.terminal import clean_line, two_columns, width_of
from gitmem.core.remote_key import strip_userinfo
from gitmem.core.timestamps import format_age
from gitmem.core.wording import format_count
from gitmem.errors import Refused, UsageError

MAX_LINES = 10_000


class PeerWords(msgspec.Struct, frozen=True):
    """The words of `peers`."""

    names: tuple[str, ...] = ()
    alias: str | None = None
    inject: bool = False
    with_code: bool = False
    yes: bool = False
    embed: bool = False


def run_peers(session: Session, action: str, words: PeerWords) -> int:
    progress = session.progress()
    here = open_peers(session.cwd, session.environ, progress.report)
    try:
        return _ACTIONS[action](session, here, words)
    finally:
        progress.end()
        here.close()


def _add(session: Session, here: PeersHere, words: PeerWords) -> int:
    if not words.names:
        raise UsageError("add needs a path or a URL", hint="For example: gitmem peers add ../other")
    wanted: list[Wanted] = []
    for name in words.names:
        rows = _read_rows() if name == "-" else [(name, words.alias)]
        wanted += [
            Wanted(address=address, alias=alias, inject=words.inject, with_code=words.with_code)
            for address, alias in rows
        ]
    if words.alias is not None and len(wanted) > 1:
        raise UsageError("one alias is for one peer")
    return _report(session, "peers add", here.admin.add(wanted), here)


def _read_rows() -> list[tuple[str, str | None]]:
    """Standard input: an address a line, an alias after it if need be; # begins a comment."""
    rows: list[tuple[str, str | None]] = []
    for _, line in zip(range(MAX_LINES), sys.stdin, strict=False):
        parts = line.strip().split()
        if parts and not parts[0].startswith("#"):
            rows.append((parts[0], parts[1] if len(parts) > 1 else None))
    return rows


def _pull(session: Session, here: PeersHere, words: PeerWords) -> int:
    notice = note_untrusted(here.admin.book.list_untrusted())
    done = here.admin.pull(words.names, embed=words.embed)
    code = _report(session, "peers pull", done, here)
    if notice is not None and not session.is_json:
        session.warn([notice])
    return code


def _remove(session: Session, here: PeersHere, words: PeerWords) -> int:
    if not words.names:
        raise UsageError("rm needs an alias", hint="See them: gitmem peers list")
    gone = here.admin.remove(words.names)
    if session.is_json:
        session.data("peers rm", {"removed": [peer.alias for peer in gone]})
    else:
        names = ", ".join(clean_line(peer.alias) for peer in gone)
        session.text(f"Forgot {names}, and what was kept of it. Nothing was changed there.")
    return 0


def _trust(session: Session, here: PeersHere, words: PeerWords) -> int:
    offered = here.admin.book.list_untrusted()
    if offered and not words.yes:
        for one in offered:
            session.note(f"  {clean_line(strip_userinfo(one.url))}")
        if not session.may_ask:
            raise Refused(
                "nothing was trusted: nobody was asked",
                hint="Look at the addresses above, then: gitmem peers trust --yes",
            )
        if not _ask("Fetch the memories of these, now and at each pull?"):
            raise Refused("nothing was trusted")
    done = trust_peers(here)
    if not offered and not session.is_json:
        session.text("All of this project's peers were trusted already.")
        return 0
    return _report(session, "peers trust", done, here)


def _list(session: Session, here: PeersHere, words: PeerWords) -> int:
    rows = list_peers(here)
    notice = note_untrusted(here.admin.book.list_untrusted())
    notices = [*([notice] if notice is not None else []), *here.list_notices()]
    if session.is_json:
        shown = [
            {**msgspec.structs.asdict(row), "address": strip_userinfo(row.address)} for row in rows
        ]
        session.data("peers", {"peers": shown}, notices)
        return 0
    width = width_of(sys.stdout, session.environ)
    lines = [line for row in rows for line in _render(row, width)]
    session.text("\n".join(lines) or "No peers yet. Add one: gitmem peers add PATH_OR_URL")
    session.warn(notices)
    return 0


def _render(row: PeerRow, width: int) -> list[str]:
    address = clean_line(strip_userinfo(row.address))
    if row.state == "untrusted":
        return [two_columns(clean_line(row.alias or address), "untrusted", width), f"    {address}"]
    facts = [format_count(row.records, "record"), _say_verdict(row)]
    if row.age_seconds is None:
        facts[0] = "never read"
    else:
        facts.append(format_age(-row.age_seconds * 1000, 0))
    facts.append(f"{row.size_bytes / 1_000_000:.1f} MB")
    lines = [two_columns(clean_line(row.alias), ", ".join(facts), width), f"    {address}"]
    said = [] if row.state == "ready" else [_STATES[row.state]]
    said += ["given to agents by hooks"] if row.inject else []
    said += (
        [f"the same project as {', '.join(map(clean_line, row.same_as))}"] if row.same_as else []
    )
    said += [f"{format_count(row.quarantined, 'problem')} set apart"] if row.quarantined else []
    said += ["not all of it is read yet"] if row.is_cut else []
    if said:
        lines.append(f"    {'; '.join(said)}")
    if row.improve is not None:
        lines.append(f"    {row.improve}")
    return lines


def _say_verdict(row: PeerRow) -> str:
    count = f" ({row.vectors:,})" if row.verdict in ("ok", "local") else ""
    return f"vectors: {row.verdict}{count}"


_STATES = {
    "changed": "changed since; the next question reads it",
    "gone": "not there any more, or not fetched",
    "unread": "not read yet",
}


def _report(session: Session, kind: str, done: Sequence[Done], here: PeersHere) -> int:
    """Each peer's fate; the exit code is the first failure's."""
    failed = [one for one in done if one.error is not None]
    code = failed[0].error.exit_code if failed and failed[0].error is not None else 0
    if session.is_json:
        session.data(kind, {"peers": [_as_row(one) for one in done]}, here.list_notices())
        return code
    for one in done:
        if one.error is None:
            session.text(_sentence(one))
    for one in failed:
        assert one.error is not None
        name = clean_line(one.alias or one.address)
        hint = f"\n  {one.error.hint}" if one.error.hint else ""
        session.note(f"gitmem: {name}: {one.error.message}{hint}")
    if not done:
        session.text("No peers yet. Add one: gitmem peers add PATH_OR_URL")
    session.warn(here.list_notices())
    return code


def _as_row(done: Done) -> dict[str, object]:
    row = msgspec.structs.asdict(done)
    error = row.pop("error")
    row["error"] = (
        None
        if error is None
        else {"code": error.code, "message": error.message, "hint": error.hint}
    )
    return row


def _sentence(done: Done) -> str:
    alias, records = clean_line(done.alias), format_count(done.records, "record")
    if not done.has_memory:
        text = f"{alias}: no memory there yet; it answers once there is one."
    elif done.outcome == "unchanged":
        text = f"{alias}: nothing new."
    elif done.outcome == "updated":
        text = f"{alias}: {format_count(done.added, 'new record')}, {records} in all."
    else:
        is_known = " (it was there already)" if done.outcome == "known" else ""
        text = f"{alias}: {records}{_WAYS.get(done.way, '')}{is_known}. Ask: gitmem why PATH"
    same = ["this project" if one == "." else clean_line(one) for one in done.same_as]
    if same and done.outcome in ("added", "known"):
        text += f"\n  The same project as {', '.join(same)}: no record is shown twice."
    if done.is_cut:
        text += f"\n  It has more than is read in one go; read on: gitmem peers pull {alias}"
    return text


_WAYS = {
    "folder": ", from the folder on its default branch",
    "code": ", its default branch fetched whole",
}


def _ask(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


_ACTIONS = {"add": _add, "list": _list, "rm": _remove, "pull": _pull, "trust": _trust}
