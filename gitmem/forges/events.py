"""What a host's runner says of the pull request at hand: event payloads and variables.

Sources: the documented payloads of GitHub's `pull_request` and `merge_group` events, and GitLab's
predefined variables of merge request pipelines. All of it may be written by whoever opened the
request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitmem.core.pull_requests import PullRequest
from gitmem.errors import UsageError

MAX_EVENT_BYTES = 32 * 1024 * 1024
MAX_TEXT_CHARS = 300_000
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_EVENTS = ("pull_request", "pull_request_target")


def find_pull_request(environ: Mapping[str, str]) -> PullRequest | None:
    """The pull request that this run is about; None outside of any host's runner.

    Raises UsageError where the runner says that it is about something else, or says nonsense.
    """
    if environ.get("GITHUB_EVENT_PATH"):
        return _from_github(environ)
    if environ.get("GITLAB_CI"):
        return _from_gitlab(environ)
    return None


def _from_github(environ: Mapping[str, str]) -> PullRequest:
    name = environ.get("GITHUB_EVENT_NAME", "")
    event = _read_event(Path(environ["GITHUB_EVENT_PATH"]))
    repository = environ.get("GITHUB_REPOSITORY", "")
    queued = event.get("merge_group")
    if name == "merge_group" and isinstance(queued, dict):
        return PullRequest(
            repository=repository,
            number=None,
            base=_oid(queued.get("base_sha")),
            head=_oid(queued.get("head_sha")),
        )
    request = event.get("pull_request")
    if name not in _EVENTS or not isinstance(request, dict):
        raise UsageError(
            f"this run is about {name or 'something'}, not about a pull request",
            hint="Run it on: pull_request, or merge_group",
        )
    base, head = _side(request, "base"), _side(request, "head")
    number = request.get("number")
    if not _REPOSITORY.fullmatch(repository) or type(number) is not int or number < 1:
        raise UsageError("the event names no pull request of a repository")
    return PullRequest(
        repository=repository,
        number=number,
        base=_oid(base.get("sha")),
        head=_oid(head.get("sha")),
        text=_text(request.get("title"), request.get("body")),
        is_fork=_name(head) != _name(base),
    )


def _from_gitlab(environ: Mapping[str, str]) -> PullRequest:
    number = environ.get("CI_MERGE_REQUEST_IID", "")
    if not number.isdecimal():
        raise UsageError(
            "this pipeline is not about a merge request",
            hint="Run it where CI_PIPELINE_SOURCE is merge_request_event",
        )
    target = environ.get("CI_MERGE_REQUEST_PROJECT_ID") or environ.get("CI_PROJECT_ID", "")
    if not target.isdecimal():
        raise UsageError("the pipeline names no project")
    source = environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", target)
    head = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA")
    title = environ.get("CI_MERGE_REQUEST_TITLE")
    return PullRequest(
        repository=target,
        number=int(number),
        base=_oid(environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")),
        head=_oid(head),
        text=_text(title, environ.get("CI_MERGE_REQUEST_DESCRIPTION")),
        is_fork=source != target,
    )


def _read_event(file: Path) -> dict[str, Any]:
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_EVENT_BYTES + 1)
        event = json.loads(data) if len(data) <= MAX_EVENT_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the event in {file} cannot be read: {error}") from None
    if not isinstance(event, dict):
        raise UsageError(f"the event in {file} is no event")
    return event


def _side(request: dict[str, Any], name: str) -> dict[str, Any]:
    side = request.get(name)
    return side if isinstance(side, dict) else {}


def _name(side: dict[str, Any]) -> object:
    """The repository of one side; None where it was deleted since."""
    repository = side.get("repo")
    return repository.get("full_name") if isinstance(repository, dict) else None


def _oid(value: object) -> str:
    if not isinstance(value, str) or not _OID.fullmatch(value):
        raise UsageError("the event names no commit where one should stand")
    return value


def _text(title: object, body: object) -> str:
    said = [part for part in (title, body) if isinstance(part, str)]
    return "\n\n".join(said)[:MAX_TEXT_CHARS]
