"""The report as text: what weakens the memory leads, hostile words do nothing, size is bounded."""

from __future__ import annotations

import re

import msgspec
import pytest

from gitmem.core.changelog_entries import Coverage, Entry
from gitmem.core.pr_markdown import format_report, percent_explained
from gitmem.core.pr_report import GRAVITY, Conflict, Contradicted, PrReport, Weakened
from gitmem.core.records import Rejected

LIMIT = 65_000
HOSTILE = "<script>x</script> ![p](http://evil.example/p.png) @everyone \x1b[2J `` | fixes #3"


def _report(many: int, text: str = "words") -> PrReport:
    return PrReport(
        base="a" * 40,
        head="b" * 40,
        records_added=many,
        weakened=tuple(
            Weakened(how="redacted", id=f"{n:064x}", summary=text, by="c" * 64, by_author=text)
            for n in range(many)
        ),
        conflicts=tuple(
            Conflict(ids=(f"{n:064x}", "d" * 64), summaries=(text, text), paths=(text,))
            for n in range(many)
        ),
        contradicted=tuple(
            Contradicted(id=f"{n:064x}", summary=text, author=text, paths=(text,))
            for n in range(many)
        ),
        added=tuple(
            Entry(
                id=f"{n:064x}",
                type="decision",
                group="Changed",
                summary=text,
                why=text,
                rejected=(Rejected(text, text),),
                matched="containment",
            )
            for n in range(many)
        ),
        coverage=Coverage(files=4, decided=1, message_only=2, unexplained=1),
    )


def test_what_weakens_the_memory_comes_before_what_is_added() -> None:
    text = format_report(_report(1), limit_chars=LIMIT)
    order = [text.index(word) for word in ("weakens", "Conflicts", "neither", "What is added")]
    assert order == sorted(order)
    assert "Of 4 files changed: 1 with a decision, 2 with a commit message" in text


@pytest.mark.parametrize("how", GRAVITY)
def test_each_way_to_weaken_is_said_with_whose_and_what_instead(how: str) -> None:
    one = Weakened(
        how=how,  # type: ignore[arg-type]
        id="1" * 64,
        summary="Keyed by tenant",
        author="Ben",
        by="2" * 64,
        by_author="Ada",
        is_others=True,
    )
    text = format_report(PrReport(base="", head="", weakened=(one,)), limit_chars=LIMIT)
    assert "Keyed by tenant" in text
    assert how == "identity" or "1111111" in text
    assert how == "identity" or ("**Ada " in text and "by Ben (somebody else's)" in text)


def test_hostile_words_have_no_effect_anywhere() -> None:
    text = re.sub(
        r"(`+)(?!`).*?(?<!`)\1(?!`)", "", format_report(_report(1, HOSTILE), limit_chars=LIMIT)
    )
    assert "<" not in text and "![" not in text and "@everyone" not in text
    assert "\x1b" not in text and "http://" not in text and "#3" not in text


@pytest.mark.parametrize("length", [5, 300, 100_000])
def test_the_size_is_bounded_and_what_is_left_out_is_counted(length: int) -> None:
    text = format_report(_report(3000, "<" * length), limit_chars=LIMIT)
    assert len(text) <= LIMIT
    assert "… and 2," in text
    assert "What weakens the memory" in text


def test_the_last_sections_are_cut_first() -> None:
    text = format_report(_report(50, "w" * 300), limit_chars=50_000)
    weakens, added = text.split("#### Conflicts")[0], text.split("#### What is added")[1]
    assert weakens.count("\n- ") == 50 and "… and" not in weakens
    assert "… " in added


def test_one_huge_row_hides_nothing_that_weakens_the_memory() -> None:
    report = _report(20)
    huge = "w<" * 100_000
    options = tuple(Rejected(huge, huge) for _ in range(1000))
    added = Entry(
        type=huge, group="Changed", summary=huge, why=huge, rejected=options, matched="path"
    )
    rivals = Conflict(ids=("e" * 64,) * 5000, summaries=(huge,) * 5000, paths=(huge,) * 9)
    filled = msgspec.structs.replace(report, added=(added,) * 50, conflicts=(rivals,) * 50)
    text = format_report(filled, limit_chars=LIMIT)
    weakens = text.split("#### Conflicts")[0]
    assert len(text) <= LIMIT
    assert weakens.count("\n- **words redacts** ") == 20
    assert "… 50 that do not fit here" in text


def test_reasons_stay_lines_and_no_line_is_a_command_or_a_heading() -> None:
    why = "first\n===\n\n/close\n# H1"
    entry = Entry(id="1" * 64, type="t", group="Changed", summary="s", why=why, matched="path")
    text = format_report(PrReport(base="", head="", added=(entry,)), limit_chars=LIMIT)
    assert "\n  first\n  \\===\n  \\/close\n  \\# H1\n" in text


def test_an_empty_report_is_empty_and_coverage_alone_is_no_reason_to_comment() -> None:
    assert PrReport(base="", head="", coverage=Coverage(files=3, unexplained=3)).is_empty
    assert not _report(1).is_empty


def test_percent_of_nothing_is_all() -> None:
    assert percent_explained(Coverage()) == 100
    assert percent_explained(Coverage(files=3, decided=1, message_only=1, unexplained=1)) == 66
