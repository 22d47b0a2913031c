"""A transcript is read as leniently as can be: bad lines are counted, the rest is read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.agents import transcript
from gitmem.agents.transcript import read_last_exchange
from tests.agents.conftest import Agent, list_spooled


def user(text: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def assistant(text: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": text}, **fields}


def blocks(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def write(file: Path, *lines: dict[str, Any] | bytes) -> Path:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    file.write_bytes(b"".join(line + b"\n" for line in raw))
    return file


def test_the_last_request_and_the_last_answer_to_it(file: Path) -> None:
    write(
        file,
        user("first"),
        assistant("one"),
        user("second"),
        assistant(blocks("two", "and three")),
        {"type": "summary", "summary": "x"},
        assistant([{"type": "tool_use", "id": "t", "name": "Edit", "input": {}}]),
        user([{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]),
        assistant(blocks("done")),
    )
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.lines, said.bad) == ("second", "done", 8, 0)


def test_a_bad_line_hides_nothing_behind_it(file: Path) -> None:
    write(file, user("asked"), b'{"type": "user", "mess', b"\xff\xfe", b"[]", assistant("said"))
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.lines, said.bad) == ("asked", "said", 5, 3)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_lines_end_at_line_feeds_alone(file: Path, mark: str) -> None:
    text = f"before{mark}after"
    raw = json.dumps(user(text), ensure_ascii=False).encode()
    write(file, raw, assistant("said"))
    said = read_last_exchange(str(file))
    if ord(mark) >= 0x20:  # a control character is no JSON at all
        assert (said.prompt, said.bad) == (text, 0)
    assert said.message == "said"


def test_windows_line_ends_and_a_missing_last_one(file: Path) -> None:
    lines = [json.dumps(user("asked")), json.dumps(assistant("said"))]
    file.write_bytes("\r\n".join(lines).encode())
    assert read_last_exchange(str(file)).message == "said"


def test_lines_of_twelve_mebibytes(file: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 12 * 1024 * 1024}}
    write(
        file,
        user([image, *blocks("see the picture")]),
        assistant("seen"),
        user([image, *blocks("and this one")]),
        assistant("seen, too"),
    )
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.bad) == ("and this one", "seen, too", 0)


def test_a_line_without_end_is_counted_and_passed_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "MAX_LINE_BYTES", 1024 * 1024)
    write(file, user("asked"), b"x" * (5 * 1024 * 1024), assistant("said"))
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.lines, said.bad) == ("asked", "said", 3, 1)


def test_of_a_long_file_the_end_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "MAX_TAIL_BYTES", 4096)
    write(file, *(user(f"old {n}") for n in range(1_000)), user("new"), assistant("said"))
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.bad) == ("new", "said", 0)
    assert said.lines < 100


@pytest.mark.parametrize("content", [None, 7, {}, [], [None, 3, {"type": 9}], [{"text": 1}]])
def test_content_of_any_kind(file: Path, content: Any) -> None:
    write(file, user("asked"), assistant("said"), assistant(content), user(content))
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message, said.bad) == ("asked", "said", 0)


def test_what_is_not_of_the_conversation_is_left_out(file: Path) -> None:
    write(
        file,
        user("asked"),
        user("a caveat", isMeta=True),
        user("to a helper", isSidechain=True),
        assistant("by a helper", isSidechain=True),
        {"type": "file-history-snapshot", "message": "odd"},
        {"message": {"content": "nobody"}},
        assistant("said"),
    )
    assert read_last_exchange(str(file)).prompt == "asked"
    assert read_last_exchange(str(file), is_sidechain=True).prompt == "to a helper"


def test_another_agents_lines_read_the_same(file: Path) -> None:
    write(
        file,
        {"type": "session_meta", "payload": {"id": "x"}},
        {"payload": {"type": "message", "role": "user", "content": [_typed("input_text", "a")]}},
        {"payload": {"role": "assistant", "content": [_typed("output_text", "b")]}},
    )
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message) == ("a", "b")
    write(
        file,
        {"type": "session.start", "data": {"sessionId": "x"}},
        {"type": "user.message", "data": {"content": "c"}},
        {"type": "assistant.message", "data": {"content": "d", "toolRequests": []}},
        {"type": "tool.execution_complete", "data": {"content": "e"}},
    )
    said = read_last_exchange(str(file))
    assert (said.prompt, said.message) == ("c", "d")


def _typed(kind: str, text: str) -> dict[str, str]:
    return {"type": kind, "text": text}


def test_a_link_a_pipe_a_folder_or_nothing_is_not_read(file: Path, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", user("private"), assistant("key"))
    file.symlink_to(secret)
    os.mkfifo(tmp_path / "pipe")
    for path in (str(file), str(tmp_path / "pipe"), str(tmp_path), "/no/such", "", "a\0b"):
        assert read_last_exchange(path).lines == 0


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_are_read_without_a_complaint(file: Path, lines: list[bytes]) -> None:
    file.write_bytes(b"\n".join(lines))
    said = read_last_exchange(str(file))
    assert said.bad <= said.lines


def test_a_turn_whose_hooks_said_nothing_is_read_from_it(agent: Agent, file: Path) -> None:
    write(
        file,
        user("Please key the cache by tenant"),
        assistant("The cache is keyed by tenant, because rows were shared."),
    )
    agent.edit("src/cache.py", "x\n")
    agent.answer("stop", transcript_path=str(file))
    [record] = list_spooled(agent.clone)
    assert record["summary"].startswith("The cache is keyed by tenant")


def test_the_hooks_own_words_come_before_it(agent: Agent, file: Path) -> None:
    write(file, user("Please key the cache by tenant"), assistant("An older answer of it."))
    agent.edit("src/cache.py", "x\n")
    agent.stop("The newer answer stands.", transcript_path=str(file))
    assert list_spooled(agent.clone)[0]["summary"] == "The newer answer stands"
