"""From a runner's variables to the host's API."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.core.pull_requests import PullRequest
from gitmem.errors import UsageError
from gitmem.forges.github import GitHub
from gitmem.forges.gitlab import GitLab
from gitmem.forges.http import JsonClient
from gitmem.ports.forge import Forge

_GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_GITLAB_TOKENS = ("GITMEM_GITLAB_TOKEN", "GITLAB_TOKEN")


def open_forge(pull_request: PullRequest, environ: Mapping[str, str]) -> Forge | None:
    """The host of a pull request; None where there is no token for it, so that nothing can be
    written. Raises UsageError outside of any runner."""
    if environ.get("GITHUB_EVENT_PATH"):
        token = _find_token(environ, _GITHUB_TOKENS)
        base = environ.get("GITHUB_API_URL", "https://api.github.com")
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "Authorization": f"Bearer {token}",
        }
        return GitHub(JsonClient(base, headers), pull_request) if token else None
    if environ.get("GITLAB_CI"):
        token = _find_token(environ, _GITLAB_TOKENS)
        base = environ.get("CI_API_V4_URL", "https://gitlab.com/api/v4")
        web = environ.get("CI_MERGE_REQUEST_PROJECT_URL", "")
        client = JsonClient(base, {"PRIVATE-TOKEN": token})
        return GitLab(client, pull_request, web) if token else None
    raise UsageError("no git host's runner is at work here")


def _find_token(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    """A header takes one line of it."""
    token = next((environ[name] for name in names if environ.get(name)), "")
    return "".join(token.split())
