"""Changelogs: what a range of commits changed, and why, from decisions before messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from gitmem.core.changelog_entries import Cancelled, Changelog, Entry, PeerEntry, Web
from gitmem.core.reverts import find_reverts
from gitmem.core.web_links import find_web, link_range
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.catch_up import catch_up
from gitmem.services.changelog_coverage import measure_coverage
from gitmem.services.changelog_decisions import list_decisions
from gitmem.services.changelog_messages import list_cancelled, list_messages
from gitmem.services.changelog_withdrawals import list_withdrawals
from gitmem.services.range_standing import RangeStanding
from gitmem.services.ranges import Contents, is_reversed, read_range
from gitmem.services.release_range import UNRELEASED, Release, find_release
from gitmem.services.workspace import Notice, Workspace

NO_HISTORY = Notice("no-history", "this repository has no commit yet, so nothing changed")
UNREAD = "{} segments of records could not be read, so decisions may be missing here"


class ChangelogRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for. No words: since the last tag, else the upstream, else everything."""

    words: tuple[str, ...] = ()
    tag: str | None = None
    is_unreleased: bool = False
    ignored_paths: tuple[str, ...] = ()
    ignored_types: tuple[str, ...] = ()


class ChangelogAnswer(msgspec.Struct, frozen=True):
    """The changelog, and what is to be said of it."""

    changelog: Changelog
    notices: tuple[Notice, ...] = ()


class FromPeers(msgspec.Struct, frozen=True):
    """What other projects say of a range, and who of them kept silent."""

    entries: tuple[PeerEntry, ...] = ()
    notices: tuple[Notice, ...] = ()


# Commits of a range → what other projects say of them.
AskPeers = Callable[[Sequence[RangeCommit]], FromPeers]


def ask_nobody(commits: Sequence[RangeCommit]) -> FromPeers:
    """As a rule: what a release says must not depend on the machine it is written on."""
    return FromPeers()


def build_changelog(
    workspace: Workspace, request: ChangelogRequest, *, ask_peers: AskPeers = ask_nobody
) -> ChangelogAnswer:
    """The changelog of a range. Raises what `find_release` and `read_range` raise."""
    catch_up(workspace, with_history=False)
    if workspace.present.head is None and not request.words:
        title = request.tag or UNRELEASED
        return ChangelogAnswer(Changelog(range="", title=title), (NO_HISTORY,))
    release = find_release(
        workspace, request.words, tag=request.tag, is_unreleased=request.is_unreleased
    )
    contents = read_range(workspace, release.range)
    changelog = explain_range(workspace, contents, release, request)
    said = ask_peers(contents.commits)
    changelog = msgspec.structs.replace(changelog, peers=said.entries)
    is_open = bool(request.words) and not release.range.ends.excluded
    notices = _list_notices(workspace, contents, is_open=is_open)
    return ChangelogAnswer(changelog, (*notices, *said.notices))


def explain_range(
    workspace: Workspace, contents: Contents, release: Release, request: ChangelogRequest
) -> Changelog:
    """What a range that was read changed, and why."""
    commits = contents.commits
    reverts = find_reverts(commits)
    standing = RangeStanding(workspace, contents)
    decided = list_decisions(workspace, contents, standing, reverts)
    withdrawals, withdrawing = list_withdrawals(workspace, contents, standing)
    messages = list_messages(commits, reverts, decided.explained | withdrawing)
    entries = [*decided.entries, *withdrawals, *messages]
    taken = list_cancelled(commits, reverts, {one.commit for one in decided.cancelled})
    coverage = measure_coverage(
        commits,
        entries,
        reverts,
        ignored_paths=request.ignored_paths,
        ignored_types=request.ignored_types,
    )
    web = _find_web(workspace)
    listed = [entry for entry in entries if entry.type not in request.ignored_types]
    return Changelog(
        range=release.range.text,
        title=release.title,
        date=release.date,
        entries=tuple(_sort_entries(listed, commits)),
        cancelled=tuple(_sort_cancelled([*decided.cancelled, *taken], commits)),
        coverage=coverage,
        commits=len(commits),
        is_at_head=release.range.is_at_head,
        web=web,
        compare_url=_compare(web, release),
    )


def _sort_entries(entries: Sequence[Entry], commits: Sequence[RangeCommit]) -> list[Entry]:
    """What breaks first, then by evidence, then newest first."""
    places = _places(commits)

    def order(entry: Entry) -> tuple[bool, int, int, str]:
        rank = 0 if entry.is_named else _RANKS[entry.matched]
        place = places.get(entry.commit or "", -1)
        return (not entry.is_breaking, rank, -place, entry.id or entry.commit or "")

    return sorted(entries, key=order)


_RANKS = {"containment": 1, "path": 2, "message": 3}


def _sort_cancelled(
    cancelled: Sequence[Cancelled], commits: Sequence[RangeCommit]
) -> list[Cancelled]:
    places = _places(commits)
    return sorted(
        cancelled, key=lambda one: (-places.get(one.commit or "", -1), one.id or one.commit or "")
    )


def _places(commits: Sequence[RangeCommit]) -> Mapping[str, int]:
    return {commit.oid: place for place, commit in enumerate(commits)}


def _list_notices(workspace: Workspace, contents: Contents, *, is_open: bool) -> tuple[Notice, ...]:
    """`is_open`: a range was asked for that has no start."""
    notices = []
    asked = contents.range
    if not contents.commits:
        hint = ""
        if is_reversed(workspace, asked) and asked.older and asked.newer:
            hint = f"; did you mean {asked.newer}..{asked.older}?"
        notices.append(Notice("empty-range", f"there is no commit in {asked.text}{hint}"))
    elif is_open and asked.text != "HEAD":
        text = f"{asked.text} is all of history up to it; since then: {asked.text}..HEAD"
        notices.append(Notice("whole-history", text))
    if contents.unread:
        notices.append(Notice("records-unread", UNREAD.format(contents.unread)))
    return tuple(notices)


def find_remote(workspace: Workspace) -> tuple[str, str] | None:
    """Name and address of the remote that the branch follows, else `origin`, else the only
    one."""
    settings = workspace.sources.settings
    remotes = settings.list_remotes()
    branch = workspace.place.branch
    followed = settings.find_config(f"branch.{branch}.remote") if branch and remotes else None
    for name in (followed, "origin", *(remotes if len(remotes) == 1 else ())):
        if name is not None and name in remotes:
            return name, remotes[name]
    return None


def _find_web(workspace: Workspace) -> Web | None:
    remote = find_remote(workspace)
    return find_web(remote[1]) if remote is not None else None


def _compare(web: Web | None, release: Release) -> str:
    older, newer = release.range.older, release.range.newer
    return link_range(web, older, newer) if web and older and newer else ""
