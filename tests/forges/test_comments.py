"""The one comment on a pull request, against a server that behaves like the hosts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from email.utils import formatdate

import pytest

from gitmem.core.pull_requests import STICKY_MARK, PullRequest
from gitmem.errors import RateLimited, RemoteError, RemoteUnreachable
from gitmem.forges.github import GitHub
from gitmem.forges.gitlab import GitLab
from gitmem.forges.http import JsonClient
from gitmem.ports.forge import Forge
from gitmem.services.sticky import NOTHING_LEFT, publish
from tests.support.forge_server import Host, serve_host

PULL = PullRequest(repository="ada/code", number=7, base="a" * 40, head="b" * 40)
Connect = Callable[[Host], Forge]


def _github(host: Host) -> Forge:
    return GitHub(_client(host), PULL)


def _gitlab(host: Host) -> Forge:
    return GitLab(_client(host), PULL, "https://host.example/ada/code")


def _client(host: Host, pauses: list[float] | None = None, deadline: float = 60.0) -> JsonClient:
    heard = pauses if pauses is not None else []
    headers = {"Authorization": "Bearer a-token"}
    return JsonClient(host.address, headers, sleep=heard.append, deadline_seconds=deadline)


@pytest.fixture
def host() -> Iterator[Host]:
    with serve_host() as served:
        yield served


@pytest.fixture(params=[_github, _gitlab], ids=["github", "gitlab"])
def connect(request: pytest.FixtureRequest) -> Connect:
    chosen: Connect = request.param
    return chosen


def test_the_first_report_is_one_comment_and_the_next_ones_update_it(
    host: Host, connect: Connect
) -> None:
    assert publish(connect(host), "one").action == "created"
    second = publish(connect(host), "two")
    assert (second.action, publish(connect(host), "two").action) == ("updated", "unchanged")
    assert host.bodies() == [f"{STICKY_MARK}\ntwo"]
    assert str(host.comments[0]["id"]) in second.url


def test_our_comment_is_found_behind_many_pages(host: Host, connect: Connect) -> None:
    for number in range(95):
        host.say(f"talk {number}")
    publish(connect(host), "one")
    for number in range(95):
        host.say(f"more talk {number}")
    assert publish(connect(host), "two").action == "updated"
    assert [b for b in host.bodies() if STICKY_MARK in b] == [f"{STICKY_MARK}\ntwo"]


def test_a_mark_that_somebody_else_wrote_is_not_ours(host: Host, connect: Connect) -> None:
    host.say(f"{STICKY_MARK}\nforged", login="mallory")
    assert publish(connect(host), "one").action == "created"
    assert host.bodies()[0] == f"{STICKY_MARK}\nforged"


def test_repeats_that_two_runs_left_are_taken_away(host: Host, connect: Connect) -> None:
    host.say(f"{STICKY_MARK}\none", login=host.login)
    host.say(f"{STICKY_MARK}\ntwo", login=host.login)
    assert publish(connect(host), "three").action == "updated"
    assert host.bodies() == [f"{STICKY_MARK}\nthree"]


def test_with_nothing_to_say_the_comment_goes(host: Host, connect: Connect) -> None:
    assert publish(connect(host), None).action == "none"
    publish(connect(host), "one")
    assert publish(connect(host), None).action == "removed"
    assert host.bodies() == []


def test_a_token_that_may_not_delete_empties_the_comment(host: Host, connect: Connect) -> None:
    publish(connect(host), "one")
    host.may_delete = False
    publish(connect(host), None)
    assert host.bodies() == [f"{STICKY_MARK}\n{NOTHING_LEFT}"]


def test_a_forks_token_that_may_only_read_is_no_failure(host: Host, connect: Connect) -> None:
    host.may_write = False
    published = publish(connect(host), "one")
    assert published.action == "denied"
    assert "403" in published.reason and host.bodies() == []


def test_a_body_that_the_host_does_not_take_is_denied(host: Host, connect: Connect) -> None:
    host.refusals = [(200, {}, ""), (422, {}, "Validation Failed")]
    host.refusals.pop(0)
    published = publish(connect(host), "one")
    assert (published.action, "Validation Failed" in published.reason) == ("denied", True)


def test_a_workflow_token_without_a_user_knows_its_own_comments(host: Host) -> None:
    host.has_user = False
    publish(_github(host), "one")
    assert publish(_github(host), "two").action == "updated"
    assert len(host.bodies()) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        (429, {"Retry-After": "7"}, "too many requests"),
        (403, {"Retry-After": "7"}, "You have exceeded a secondary rate limit"),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "{soon}"}, "limit"),
        (403, {}, "You have exceeded a secondary rate limit"),
        (503, {"Retry-After": "{date}"}, "later"),
        (502, {}, "bad gateway"),
    ],
    ids=["429", "secondary", "primary", "secondary-bare", "503", "502"],
)
def test_a_busy_host_is_given_the_time_it_asks_for(
    host: Host, refusal: tuple[int, dict[str, str], str]
) -> None:
    status, headers, message = refusal
    now = time.time()
    filled = {
        name: text.replace("{soon}", str(int(now) + 8)).replace(
            "{date}", formatdate(now + 8, usegmt=True)
        )
        for name, text in headers.items()
    }
    host.refusals = [(status, filled, message)]
    pauses: list[float] = []
    assert publish(GitHub(_client(host, pauses), PULL), "one").action == "created"
    assert len(pauses) == 1
    assert 0 < pauses[0] <= 9
    if filled:
        assert pauses[0] >= 5


def test_a_host_that_asks_for_an_hour_is_not_waited_for(host: Host) -> None:
    host.refusals = [(429, {"Retry-After": "3600"}, "later")] * 9
    pauses: list[float] = []
    with pytest.raises(RateLimited):
        publish(GitHub(_client(host, pauses), PULL), "one")
    assert pauses == []


def test_patience_ends(host: Host) -> None:
    host.refusals = [(429, {"Retry-After": "1"}, "later")] * 9
    with pytest.raises(RateLimited):
        publish(_github(host), "one")
    assert len(host.requests) <= 4


def test_a_next_page_at_another_host_is_not_asked(host: Host) -> None:
    with serve_host() as other:
        host.next_link = f"{other.address}/steal"
        with pytest.raises(RemoteError, match="another host"):
            publish(_github(host), "one")
        assert other.requests == []


def test_a_redirect_is_not_followed_with_the_token(host: Host) -> None:
    with serve_host() as other:
        host.refusals = [(302, {"Location": f"{other.address}/steal"}, "moved")]
        with pytest.raises(RemoteError):
            publish(_github(host), "one")
        assert other.requests == []


@pytest.mark.parametrize("raw", [b"<html>", b"[" * 100_000, b'{"id": "x"}', b"[1, 2]"])
def test_an_answer_that_makes_no_sense_is_a_typed_error(host: Host, raw: bytes) -> None:
    host.raw_answer = raw
    with pytest.raises(RemoteError):
        publish(_github(host), "one")


def test_nobody_at_home_is_said_at_once() -> None:
    with serve_host() as host:
        pass
    pauses: list[float] = []
    with pytest.raises(RemoteUnreachable):
        publish(GitHub(_client(host, pauses), PULL), "one")
    assert len(pauses) <= 4


def test_the_token_is_in_no_message(host: Host) -> None:
    host.refusals = [(500, {}, "x")] * 9
    with pytest.raises(RemoteError) as caught:
        publish(GitHub(_client(host), PULL), "one")
    assert "a-token" not in str(caught.value)
