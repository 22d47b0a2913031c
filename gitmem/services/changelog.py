"""Changelogs: what a range of commits changed, and why, from decisions before messages."""

from __future__ import annotations

import msgspec

from gitmem.core.changelog_entries import Changelog
from gitmem.services.workspace import Notice, Workspace


class ChangelogAnswer(msgspec.Struct, frozen=True):
    """The changelog, and what is to be said of it."""

    changelog: Changelog
    notices: tuple[Notice, ...] = ()


class ChangelogRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for. No words: since the last tag, else the upstream, else everything."""

    words: tuple[str, ...] = ()
    tag: str | None = None
    is_unreleased: bool = False
    ignored_paths: tuple[str, ...] = ()
    ignored_types: tuple[str, ...] = ()


def build_changelog(workspace: Workspace, request: ChangelogRequest) -> ChangelogAnswer:
    """The changelog of a range. Raises what `resolve_range` and `read_range` raise."""
    raise NotImplementedError
