"""recall, search and related: the right thing, with its standing, the same on every machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitmem
from gitmem.cli.render_excerpts import render_excerpt
from gitmem.cli.render_hits import Look
from gitmem.errors import NotFound
from gitmem.services.recall import Excerpt, Recalled
from gitmem.services.search import Found
from tests.support.commandline import Clone, Team, call_gitmem, start_python

THEN, LATER, NOW = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z"
ODD = [
    "sha-256", "don't", "foo.py", '"x', "a:b", "NOT", "*", "(", "src/**/x", "c++", "", " ", "\0",
    "\U0001f602", "\ud800", "NEAR(a b)", "-", "^a", "{x} : y", "the why of it", "\u200b",
    " ".join(f"word{n}" for n in range(10_000)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_NOW", NOW)


@pytest.fixture
def decided(ada: Clone) -> Clone:
    """A decision, the one that took its place, and one about something else."""
    old = call_gitmem(
        ada.path, "--json", "capture", "-m", "Cache keyed by tenant",
        "--why", "Tenants shared a row.", "--rejected", "global cache | leaks",
        "app.py", env={"GITMEM_NOW": THEN},
    ).data["id"]  # fmt: skip
    call_gitmem(
        ada.path, "supersede", old, "-m", "Cache keyed by tenant and region",
        "--why", "Laws of regions.", env={"GITMEM_NOW": LATER},
    ).ok()  # fmt: skip
    words = ("Queue in PostgreSQL", "--why", "One store less to look after.", "queue.py")
    call_gitmem(ada.path, "capture", "-m", *words).ok()
    return ada


def ask(clone: Clone, question: str, **options: Any) -> tuple[Excerpt, ...]:
    with gitmem.open_memory(clone.path) as memory:
        found: Recalled = memory.recall(question, depth="quick", **options)
        return found.excerpts


def find(clone: Clone, text: str, **options: Any) -> tuple[Excerpt, ...]:
    with gitmem.open_memory(clone.path) as memory:
        found: Found = memory.search(text, depth="quick", **options)
        return found.excerpts


def summaries(excerpts: tuple[Excerpt, ...]) -> list[str]:
    return [one.hit.summary for one in excerpts]


def test_what_something_took_the_place_of_comes_after_it_and_says_so(decided: Clone) -> None:
    found = ask(decided, "how is the cache keyed by tenant")
    assert summaries(found)[:2] == ["Cache keyed by tenant and region", "Cache keyed by tenant"]
    assert found[0].standing == "(decision · 92 d ago · pending)"
    assert found[1].standing == "(decision · 151 d ago · superseded · pending)"
    assert "rejected: global cache (leaks)" in found[1].text


def test_the_past_is_answered_from_what_was_current_then(decided: Clone) -> None:
    (then,) = find(decided, "cache keyed", as_of="2026-02-01", scope="decisions")
    assert (then.hit.summary, then.hit.state) == ("Cache keyed by tenant", "current")
    assert find(decided, "cache keyed", as_of="2025-12-31", scope="decisions") == ()
    assert find(decided, "cache keyed", as_of="2026-01-01")[0].hit.state == "current"


@pytest.mark.parametrize("date", ["yesterday", "2026-13-01", "", "2026-02-30", "99999-01-01"])
def test_a_bad_date_is_one_clear_line(ada: Clone, date: str) -> None:
    done = ada.gitmem("search", "--as-of", date, "cache").ends(2)
    assert "is not a date" in done.err and "2026-11-30" in done.err


def test_withdrawn_is_shown_by_search_alone_and_redacted_by_none(decided: Clone) -> None:
    ids = {one.hit.summary: one.hit.id for one in find(decided, "queue cache keyed")}
    call_gitmem(
        decided.path, "retract", str(ids["Queue in PostgreSQL"]), "-m", "measured again"
    ).ok()
    assert ask(decided, "queue postgresql store") == ()
    (shown,) = find(decided, "queue postgresql store")
    assert "retracted" in shown.standing
    call_gitmem(decided.path, "redact", str(ids["Queue in PostgreSQL"]), "--yes").ok()
    assert find(decided, "queue postgresql store") == ()


def test_an_unmerged_decision_of_somebody_else_is_labelled(team: Team) -> None:
    ada = team.start()
    ben = team.clone("Ben")
    ben.capture("Retry five times", "--why", "The gateway drops calls.", "app.py")
    ben.gitmem("push").ok()
    ada.gitmem("pull").ok()
    (found,) = ask(ada, "retry gateway calls")
    assert "not merged · unreviewed" in found.standing


def test_a_prompt_about_something_else_gets_nothing(decided: Clone) -> None:
    for prompt in ("write a haiku about unicorns", "what is the weather in the region"):
        assert ask(decided, prompt, gated=True) == ()
    assert ask(decided, "is the cache keyed by tenant", gated=True) != ()


def test_nothing_is_shown_twice_in_a_session(decided: Clone) -> None:
    first = ask(decided, "cache keyed by tenant", limit=1)
    rest = ask(decided, "cache keyed by tenant", limit=9, seen=[one.key for one in first])
    assert {one.key for one in first}.isdisjoint(one.key for one in rest) and rest


def test_what_was_shortened_says_how_to_get_the_whole(ada: Clone) -> None:
    record_id = ada.capture("Pool of ten", "--why", "\n".join(f"Line {n}." for n in range(99)))
    (short,) = ask(ada, "pool of ten", max_tokens=30)
    assert short.tokens <= 30 and short.text.endswith("...")
    assert short.whole == f"gitmem show {record_id[:12]}"
    (whole,) = ask(ada, "pool of ten")
    assert whole.whole == "" and "Line 98." in whole.text


def test_age_counts_and_a_clock_ahead_gains_nothing(ada: Clone) -> None:
    for summary, at in (("Ahead", "2027-01-01T00:00:00Z"), ("Old", THEN), ("New", NOW)):
        words = ("capture", "-m", f"{summary} pool size", "--why", "measured")
        call_gitmem(ada.path, *words, env={"GITMEM_NOW": at}).ok()
    found = {one.hit.summary.split()[0]: one for one in ask(ada, "pool size", explain=True)}
    factors = {name: one.explain.factor for name, one in found.items() if one.explain}
    assert factors == {"Ahead": 1.0, "New": 1.0, "Old": 0.5}
    assert summaries(tuple(found.values()))[-1] == "Old pool size"


def test_any_text_is_a_question(decided: Clone) -> None:
    with gitmem.open_memory(decided.path) as memory:
        for text in ODD:
            memory.recall(text, depth="quick")
            memory.search(text, depth="quick")
        both = memory.search("sha-256 \ud800 queue", depth="quick")
        assert [hit.summary for hit in both.hits] == ["Queue in PostgreSQL"]


def test_words_are_found_in_other_languages_and_inside_names(ada: Clone) -> None:
    said = {
        "ru": ("Кэширование по арендаторам", "кэш арендатора"),
        "zh": ("我们把数据库缓存起来", "缓存"),
        "ja": ("新しいキャッシュの設計", "キャッシュ"),
        "fr": ("Séparer les résumés", "resume"),
        "name": ("Drop parseHttpHeader from net/old_parser.py", "header parser"),
        "hidden": ("Use re\u200bdis here", "redis"),
    }
    for summary, _ in said.values():
        call_gitmem(ada.path, "capture", "-m", summary).ok()
    for summary, question in said.values():
        assert summary in summaries(find(ada, question)), question


def test_history_answers_before_there_is_a_memory(bare_history: Clone) -> None:
    oid = bare_history.commit("Use WAL, because readers must not wait", {"db.py": "x"})
    done = bare_history.gitmem("search", "--depth", "quick", "readers wait").ok()
    assert oid[:7] in done.out and "(commit · " in done.out
    assert ask(bare_history, "readers wait")[0].hit.commit == oid


def test_query_needs_a_part_that_is_not_there_unless_it_extracts(decided: Clone) -> None:
    done = call_gitmem(decided.path, "query", "cache").ends(9)
    assert "--extract" in done.err
    extracted = call_gitmem(
        decided.path, "query", "--extract", "--depth", "quick", "cache", "--json"
    ).data
    searched = call_gitmem(decided.path, "search", "--depth", "quick", "cache", "--json").data
    assert extracted == searched and extracted["hits"]


def test_what_hides_or_reorders_is_shown_as_an_escape(ada: Clone) -> None:
    ada.capture("Pool \u202ereversed\u200b", "--why", "red \x1b[31mtext")
    done = ada.gitmem("recall", "--depth", "quick", "--explain", "pool reversed").ok()
    assert "\\u202e" in done.out and not {"\u202e", "\u200b", "\x1b"} & set(done.out)


def test_a_note_is_cited_by_file_and_line_and_linked(ada: Clone) -> None:
    ada.write("docs/adr/queue.md", "# Queue\n\n## Context\n\nKafka was too heavy. See [[pool]].\n")
    ada.write("docs/adr/pool.md", "# Pool\n\nTen connections.\n")
    (ada.home / "config.toml").write_text('[notes]\nfolders = ["docs/adr"]\n')
    found, linked_to = find(ada, "kafka heavy", scope="notes", explain=True)
    assert linked_to.explain is not None and linked_to.explain.chain
    assert found.standing == "(note · docs/adr/queue.md § Context)"
    out = ada.gitmem("search", "--depth", "quick", "kafka heavy").ok().out
    assert "docs/adr/queue.md:" in out
    with gitmem.open_memory(ada.path) as memory:
        for target in ("docs/adr/queue.md", "queue"):
            linked = memory.related(target)
            assert not linked.is_near, target
            assert any(one.hit.heading == "Pool" for one in linked.excerpts), target


def test_related_goes_both_ways_and_says_how(decided: Clone) -> None:
    with gitmem.open_memory(decided.path) as memory:
        (old, new) = sorted(memory.search("cache keyed", depth="quick").hits, key=lambda h: h.at)
        for start, other, is_backward in ((old, new, True), (new, old, False)):
            found = {one.hit.id: one for one in memory.related(str(start.id)).excerpts}
            explain = found[other.id].explain
            assert explain is not None
            hop = explain.chain[0].neighbour
            assert (hop.link, hop.is_backward) == ("supersedes", is_backward)
        of_file = memory.related("app.py")
        assert {hit.hit.summary for hit in of_file.excerpts} >= {new.summary, old.summary}
        with pytest.raises(NotFound):
            memory.related("no-such-thing")


def test_the_answer_is_the_same_on_every_machine(team: Team, tmp_path: Path) -> None:
    ada = team.start()
    for number in range(3):
        ada.decide(f"Pool {number % 2} sized by load", f"pool{number}.py")
    ada.git("push", "-q")
    ben = team.clone("Ben")
    words = ("recall", "--explain", "--depth", "quick", "pool sized by load")
    answers = {call_gitmem(ada.path, *words).ok().raw_out for _ in range(3)}
    for locale in ("C", "C.UTF-8", "tr_TR.UTF-8"):
        env = {"LC_ALL": locale, "PYTHONUTF8": "1", "PYTHONHASHSEED": "7"}
        answers.add(ben.gitmem(*words, env=env).ok().raw_out)
    assert len(answers) == 1
    folder = ada.path / ".gitmem" / "records"
    segments = sorted(folder.rglob("*.ndjson"))
    for order in (segments, segments[::-1]):
        # Each order of arrival is a cache of its own: other row ids, the same answer.
        shutil.rmtree(folder)
        for file in ada.home.glob("cache.db*"):
            file.unlink()
        for segment in order:
            ada.git("checkout", "-q", "HEAD", "--", str(segment.relative_to(ada.path)))
            call_gitmem(ada.path, "status").ok()
        answers.add(call_gitmem(ada.path, *words).ok().raw_out)
    assert len(answers) == 1
    assert b"Pool" in answers.pop()


@pytest.mark.parametrize("said", [b"\xff\xfe", b"caf\xe9 queue", b"\xed\xa0\x80 queue"], ids=str)
def test_bytes_that_are_not_utf8_are_a_question_too(decided: Clone, said: bytes) -> None:
    text = os.fsdecode(said)
    for words in (["recall"], ["recall", "--json"], ["search", "--json"], ["search"]):
        done = call_gitmem(decided.path, *words, "--depth", "quick", text).ok()
        assert ("Queue in PostgreSQL" in done.out) == (b"queue" in said)
    for words in (["related"], ["--json", "related"]):
        call_gitmem(decided.path, *words, text).ends(4)


def test_a_word_or_two_are_looked_for_without_a_model(decided: Clone) -> None:
    for question in ("queue", "/compact the queue", "!ls queue"):
        done = decided.gitmem("recall", "--json", question).ok()
        assert (done.json["warnings"], len(done.data["excerpts"])) == ([], 1)
    probe = (
        "import sys; from gitmem.__main__ import main; main(['recall', 'queue'])\n"
        "assert not {'numpy', 'onnxruntime', 'click'} & set(sys.modules)"
    )
    _, err = (running := start_python(decided.path, probe)).communicate(timeout=60)
    assert running.returncode == 0, err


def test_long_lines_are_wrapped_for_a_terminal_and_whole_in_a_pipe(ada: Clone) -> None:
    ada.capture("Pool of ten", "--why", "measured " * 40)
    (found,) = ask(ada, "pool of ten")
    for is_terminal, longest in ((True, 80), (False, 400)):
        lines = render_excerpt(found, Look(80, False, 0, is_terminal=is_terminal))
        assert max(map(len, lines)) <= longest and "\n".join(lines).count("measured") == 40
        assert (len(lines) == 2) == (not is_terminal)
