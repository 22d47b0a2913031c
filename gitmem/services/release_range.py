"""Which range a release is: what was asked for, else since the last tag or the upstream."""

from __future__ import annotations

import msgspec

from gitmem.core.timestamps import format_at
from gitmem.errors import UsageError
from gitmem.services.ranges import Range, resolve_range, show_name
from gitmem.services.workspace import Workspace

UNRELEASED = "Unreleased"
_TAGS = "refs/tags/"


class Release(msgspec.Struct, frozen=True):
    """A range under a heading; `date` is a day, or "" for what is not released."""

    range: Range
    title: str
    date: str


def find_release(
    workspace: Workspace, words: tuple[str, ...], *, tag: str | None, is_unreleased: bool
) -> Release:
    """The release that is meant. With no words: from the tag before to `tag` where that exists
    (or to the tag that HEAD is at), else from the last tag to HEAD; without any tag from the
    upstream, and without one of these from the first commit. Raises what `resolve_range`
    raises, and UsageError for a tag that no ref can be called."""
    if tag is not None and is_unreleased:
        raise UsageError("--tag and --unreleased contradict each other")
    if tag is not None:
        _check_tag(tag)
    end, chosen = _choose(workspace, tag, is_unreleased) if not words else (None, words)
    found = resolve_range(workspace, chosen)
    older, newer = _plain(found.older), _plain(end or found.newer)
    text = show_name(found.text.replace(_TAGS, ""))
    named = newer or (text if len(chosen) == 1 else UNRELEASED)
    if tag is not None and newer == "HEAD":
        # A page of HEAD says something else every day; that of the tag will be there.
        newer = tag
    found = msgspec.structs.replace(found, text=text, older=older, newer=newer)
    title = tag or (UNRELEASED if is_unreleased else named)
    is_open = is_unreleased or title in (UNRELEASED, "HEAD")
    at = None if is_open else workspace.ranges.find_tag_time(title)
    if at is not None:
        return Release(found, title, format_at(at * 1000)[:10])
    if tag is not None:
        return Release(found, tag, format_at(workspace.clock.now_ms())[:10])
    return Release(found, UNRELEASED, "")


def _choose(
    workspace: Workspace, tag: str | None, is_unreleased: bool
) -> tuple[str | None, tuple[str, ...]]:
    """The name of the end, if it has one, and the words of the range."""
    ranges = workspace.ranges
    if tag is not None and ranges.find_tag_time(tag) is not None:
        return tag, _since(ranges.find_last_tag(f"{_TAGS}{tag}^"), f"{_TAGS}{tag}")
    last = ranges.find_last_tag("HEAD")
    if last is not None and tag is None and not is_unreleased:
        at = workspace.sources.objects.find_commit(_TAGS + last)
        if at == workspace.present.head:
            return last, _since(ranges.find_last_tag(f"{_TAGS}{last}^"), _TAGS + last)
    if last is None:
        upstream = ranges.find_ends(("@{upstream}",))
        if upstream is not None and upstream.ends != (workspace.present.head,):
            return None, ("@{upstream}..HEAD",)
    return None, _since(last, "HEAD")


def _since(start: str | None, end: str) -> tuple[str, ...]:
    return (end,) if start is None else (f"{_TAGS}{start}..{end}",)


def _plain(name: str | None) -> str | None:
    """As it is shown: a name that is not UTF-8 with its bad bytes percent-encoded."""
    return None if name is None else show_name(name.removeprefix(_TAGS))


def _check_tag(tag: str) -> None:
    """By git's rules for names of refs: what breaks them is no tag, now or later."""
    bad = set(' ~^:?*[\\"<>`|') & set(tag)
    parts = tag.split("/")
    if (
        not tag
        or bad
        or not tag.isprintable()
        or len(tag) > 200
        or ".." in tag
        or "@{" in tag
        or tag.startswith("-")
        or any(not part or part[0] == "." or part.endswith((".lock", ".")) for part in parts)
    ):
        raise UsageError(f"{tag[:80]!r} can be no tag", hint="For example: --tag v1.2.0")
