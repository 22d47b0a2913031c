"""Links to a repository's pages, for hosts whose addresses are known.

A private host is not guessed at: its address may say where somebody works, and a link that
leads nowhere is worse than none.
"""

from __future__ import annotations

from urllib.parse import quote

from gitmem.core.changelog_entries import Web
from gitmem.core.remote_key import build_remote_key

_GITHUB = ("/commit/{}", "/pull/{}", "/compare/{}...{}")
_GITLAB = ("/-/commit/{}", "/-/merge_requests/{}", "/-/compare/{}...{}")
_BITBUCKET = ("/commits/{}", "/pull-requests/{}", "/branches/compare/{1}%0D{0}")
_GITEA = ("/commit/{}", "/pulls/{}", "/compare/{}...{}")
_HOSTS = {
    "github.com": _GITHUB,
    "gitlab.com": _GITLAB,
    "bitbucket.org": _BITBUCKET,
    "codeberg.org": _GITEA,
    "gitea.com": _GITEA,
}


def find_web(remote_url: str) -> Web | None:
    """The pages of a remote; None where its host is not known. User and password of the
    address are no part of them."""
    key = build_remote_key(remote_url)
    if key is None:
        return None
    host, _, path = key.partition("/")
    # ssh over the port of https: the same site.
    host = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}.get(host, host)
    forms = _HOSTS.get(host)
    if forms is None or "/" not in path:
        return None
    return Web(f"https://{host}/{quote(path)}", *forms)


def link_commit(web: Web, oid: str) -> str:
    return web.base + web.commit.format(oid)


def link_request(web: Web, number: str) -> str:
    return web.base + web.request.format(number)


def link_range(web: Web, older: str, newer: str) -> str:
    return web.base + web.compare.format(quote(older, safe="/"), quote(newer, safe="/"))
