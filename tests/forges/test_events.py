"""What runners say: recorded events and variables, and hostile ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitmem.core.pull_requests import PullRequest
from gitmem.errors import UsageError
from gitmem.forges.connecting import open_forge
from gitmem.forges.events import find_pull_request
from gitmem.forges.github import GitHub
from gitmem.forges.gitlab import GitLab

EVENTS = Path(__file__).parent / "events"
GITLAB = {
    "GITLAB_CI": "true",
    "CI_MERGE_REQUEST_IID": "12",
    "CI_MERGE_REQUEST_PROJECT_ID": "345",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "345",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": "a" * 40,
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
    "CI_COMMIT_SHA": "b" * 40,
    "CI_MERGE_REQUEST_TITLE": "Key the cache",
    "CI_MERGE_REQUEST_PROJECT_URL": "https://lab.example/ada/code",
}


def _github(file: Path, name: str = "pull_request") -> dict[str, str]:
    return {
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_EVENT_NAME": name,
        "GITHUB_REPOSITORY": "ada/code",
    }


def test_a_pull_request_of_the_repository_itself() -> None:
    found = find_pull_request(_github(EVENTS / "pull_request.json"))
    assert found == PullRequest(
        repository="ada/code",
        number=7,
        base="1f" * 20,
        head="2e" * 20,
        text="Key the cache by tenant\n\nTwo tenants shared a row. Supersedes 4d41c9f.",
    )


def test_a_fork_is_told_apart_and_a_deleted_one_too() -> None:
    fork = find_pull_request(_github(EVENTS / "pull_request_fork.json"))
    assert fork is not None
    assert fork.is_fork


def test_a_merge_request() -> None:
    found = find_pull_request(GITLAB)
    assert found is not None
    assert (found.repository, found.number, found.base, found.head, found.is_fork) == (
        "345", 12, "a" * 40, "b" * 40, False,
    )  # fmt: skip
    assert find_pull_request({**GITLAB, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "9"}).is_fork  # type: ignore[union-attr]


def test_outside_of_any_runner_there_is_none() -> None:
    assert find_pull_request({}) is None
    with pytest.raises(UsageError):
        open_forge(PullRequest(repository="a/b", number=1, base="", head=""), {})


def _write(folder: Path, value: Any) -> Path:
    file = folder / "event.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


@pytest.mark.parametrize(
    "event",
    [
        "", "[", "[]", "[" * 100_000, "{}", '{"pull_request": 3}',
        {"pull_request": {"number": "7", "base": {"sha": "1f" * 20}, "head": {"sha": "2e" * 20}}},
        {"pull_request": {"number": 7, "base": {"sha": "--upload-pack=x"}, "head": {}}},
        {"pull_request": {"number": 7, "base": {"sha": "1f" * 20}, "head": {"sha": "HEAD"}}},
        {"pull_request": {"number": -7, "base": {"sha": "1f" * 20}, "head": {"sha": "2e" * 20}}},
    ],
)  # fmt: skip
def test_an_event_that_makes_no_sense_is_refused(tmp_path: Path, event: Any) -> None:
    with pytest.raises(UsageError):
        find_pull_request(_github(_write(tmp_path, event)))


def test_an_event_about_something_else_is_named() -> None:
    with pytest.raises(UsageError, match="about push"):
        find_pull_request(_github(EVENTS / "pull_request.json", "push"))


def test_a_merge_queue_asks_about_no_single_pull_request(tmp_path: Path) -> None:
    group = {"base_sha": "a" * 40, "head_sha": "b" * 40, "head_ref": "refs/heads/queue/main/pr-1"}
    file = _write(tmp_path, {"action": "checks_requested", "merge_group": group})
    request = find_pull_request(_github(file, "merge_group"))
    assert request is not None
    assert (request.number, request.base, request.head) == (None, "a" * 40, "b" * 40)
    file = _write(tmp_path, {"merge_group": {**group, "head_sha": "--all"}})
    with pytest.raises(UsageError):
        find_pull_request(_github(file, "merge_group"))


def test_a_repository_name_cannot_leave_its_place(tmp_path: Path) -> None:
    environ = {**_github(EVENTS / "pull_request.json"), "GITHUB_REPOSITORY": "ada/code/../../x"}
    with pytest.raises(UsageError):
        find_pull_request(environ)


def test_each_runner_has_its_host_and_without_a_token_there_is_none() -> None:
    github = _github(EVENTS / "pull_request.json")
    request = find_pull_request(github)
    assert request is not None
    token = "x" * 8
    assert isinstance(open_forge(request, {**github, "GITHUB_TOKEN": token}), GitHub)
    assert isinstance(open_forge(request, {**GITLAB, "GITLAB_TOKEN": token}), GitLab)
    assert open_forge(request, github) is None
    assert open_forge(request, GITLAB) is None
