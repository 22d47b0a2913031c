"""From what a person calls a remote to the addresses git would talk to.

The same pure rules serve both transports: remote names, `insteadOf` and `pushInsteadOf`, as
git applies them. Every address is checked before and after rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gitmem.errors import UnsafeRemote, UsageError
from gitmem.git.remote_address import Address, parse_address


class Remote(NamedTuple):
    """`name` is None where an address was given, not the name of a configured remote;
    `given` is that address (or the remote's first) before any rewriting."""

    name: str | None
    given: Address
    fetch: Address
    push: tuple[Address, ...]


class RemoteConfig:
    """The part of git's configuration that says what a remote is.

    `items` are (full key, value) pairs, lowest precedence first, keys as git prints them.
    """

    def __init__(self, items: Iterable[tuple[str, str]]) -> None:
        self._urls: dict[str, list[str]] = {}
        self._push_urls: dict[str, list[str]] = {}
        self._helpers: set[str] = set()
        self._rewrites: list[tuple[str, str]] = []
        self._push_rewrites: list[tuple[str, str]] = []
        for key, value in items:
            self._take(key, value)

    def list_remotes(self) -> dict[str, str]:
        """Remote name → first URL as configured."""
        return {name: urls[0] for name, urls in self._urls.items()}

    def list_addresses(self, remote: str) -> set[str]:
        """Every address that a name or an address may stand for, before rewriting and after;
        none of them is judged."""
        urls = [*self._urls.get(remote, ()), *self._push_urls.get(remote, ())] or [remote]
        rewritten = {self._rewrite(url) for url in urls}
        return {*urls, *rewritten, *(_rewrite(url, self._push_rewrites) or url for url in urls)}

    def resolve(self, remote: str) -> Remote:
        """The addresses behind a name or an address. Raises UnsafeRemote, and UsageError
        where it is neither."""
        if remote in self._urls:
            return self._resolve_name(remote)
        given = parse_address(remote)
        if given.kind == "path" and not any(mark in remote for mark in "/\\.~"):
            raise UsageError(
                f"there is no remote named {given.shown!r}", hint="See them with: git remote -v"
            )
        pushed = _rewrite(remote, self._push_rewrites) or self._rewrite(remote)
        return Remote(None, given, parse_address(self._rewrite(remote)), (parse_address(pushed),))

    def _resolve_name(self, name: str) -> Remote:
        if name in self._helpers:
            raise UnsafeRemote(f"the remote {name!r} needs a helper program (remote.*.vcs)")
        if name.startswith("-") or "=" in name:
            raise UnsafeRemote(f"a remote must not be named {name!r}")
        urls = self._urls[name]
        configured = [parse_address(url) for url in (*urls, *self._push_urls.get(name, ()))]
        if name in self._push_urls:
            pushed = [self._rewrite(url) for url in self._push_urls[name]]
        else:
            pushed = [_rewrite(url, self._push_rewrites) or self._rewrite(url) for url in urls]
        return Remote(
            name,
            configured[0],
            parse_address(self._rewrite(urls[0])),
            tuple(parse_address(url) for url in pushed),
        )

    def _rewrite(self, url: str) -> str:
        return _rewrite(url, self._rewrites) or url

    def _take(self, key: str, value: str) -> None:
        section, _, rest = key.partition(".")
        middle, _, last = rest.rpartition(".")
        last = last.lower()
        if section.lower() == "remote" and middle:
            if last == "url":
                self._urls.setdefault(middle, []).append(value)
            elif last == "pushurl":
                self._push_urls.setdefault(middle, []).append(value)
            elif last == "vcs":
                self._helpers.add(middle)
        elif section.lower() == "url" and middle:
            if last == "insteadof":
                self._rewrites.append((value, middle))
            elif last == "pushinsteadof":
                self._push_rewrites.append((value, middle))


def _rewrite(url: str, rewrites: Iterable[tuple[str, str]]) -> str | None:
    """The URL with its longest matching prefix replaced; None where none matches."""
    fitting = [(prefix, new) for prefix, new in rewrites if url.startswith(prefix)]
    if not fitting:
        return None
    # max() keeps the first of equal length, as git does.
    prefix, new = max(fitting, key=lambda pair: len(pair[0]))
    return new + url[len(prefix) :]
