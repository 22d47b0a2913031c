"""The type of a turn: whole words and files, never parts of words."""

from __future__ import annotations

import pytest

from gitmem.core.records import DECISION_TYPES
from gitmem.core.turn_types import infer_type

CODE = ["src/app.py"]


@pytest.mark.parametrize(
    ("request_text", "kind"),
    [
        ("Fix the crash when the list is empty", "bugfix"),
        ("The tests fail on Windows", "bugfix"),
        ("Users report a regression in search", "bugfix"),
        ("Add a flag that hides the header", "feature"),
        ("Implement pagination", "feature"),
        ("Make the start-up faster", "perf"),
        ("Optimise the query, it is too slow", "perf"),
        ("Refactor the parser", "refactor"),
        ("Rename Widget to Gadget", "refactor"),
        ("Clean up the imports", "refactor"),
        ("Sanitize the file names, there is a path traversal", "security"),
        ("Close the vulnerability in the upload", "security"),
        ("Bump the dependencies", "chore"),
        ("Make it more performant", "perf"),
        ("Prevent an SQL injection in the filter", "security"),
        ("Update the docs and bump the client", "chore"),
        ("Build a page for settings", "feature"),
        ("Use the other parser", "decision"),
        ("", "decision"),
    ],
)
def test_words_of_the_request_decide(request_text: str, kind: str) -> None:
    assert infer_type(request_text, "", CODE) == kind


@pytest.mark.parametrize(
    "request_text",
    [
        "Put it behind docker",  # no docs
        "Use the latest parser",  # no test
        "Write the address to the envelope",  # no feature
        "Use the contest's prefix",  # neither test nor fix
        "Check the tokenizer's renewal",  # no security, nothing new
        "The performer sings",  # no perf
        "Use a fixture-like layout",  # no fix
        "Take the document database",  # no docs where no such file changed
        "Use the parser, and see that the tests pass",  # no test
        "Use dependency injection in the handlers",  # no security
        "Change the date format",  # no chore
        "Show the version in the footer",  # no chore
        "Keep the line breaks of the report",  # no bugfix
        "Show errors inline",  # no refactor
        "The build uses another image",  # no feature
        "\u0418\u0441\u043f\u043e\u043b\u044c\u0437\u0443\u0439 docker",  # not Latin
    ],
)
def test_a_part_of_a_word_decides_nothing(request_text: str) -> None:
    assert infer_type(request_text, "", CODE) == "decision"


@pytest.mark.parametrize(
    ("paths", "kind"),
    [
        (["README.md", "docs/start.rst"], "docs"),
        (["tests/test_app.py"], "test"),
        (["src/app.test.ts", "src/b_test.go"], "test"),
        ([".github/workflows/ci.yml", "poetry.lock"], "chore"),
        (["docs/a.md", "src/app.py"], "bugfix"),
        (["docker/app.py"], "bugfix"),
        (["src/latest.py"], "bugfix"),
    ],
)
def test_files_of_one_sort_decide(paths: list[str], kind: str) -> None:
    assert infer_type("Fix what is wrong", "", paths) == kind


def test_docs_and_tests_are_about_such_files() -> None:
    assert infer_type("Update the docs", "", CODE) == "decision"
    assert infer_type("Update the docs", "", ["README.md", "src/app.py"]) == "docs"


def test_tests_that_merely_pass_are_not_what_a_change_is_about() -> None:
    both = ["src/app.py", "tests/test_app.py"]
    assert infer_type("Use the parser; all tests must pass", "", both) == "decision"
    assert infer_type("Write tests of the parser", "", both) == "test"


def test_the_summary_counts_where_the_request_says_nothing() -> None:
    assert infer_type("Do it", "Fixed the crash", CODE) == "bugfix"


def test_without_files_it_is_an_investigation_or_a_note() -> None:
    assert infer_type("Why is it slow", "", []) == "investigation"
    assert infer_type("Is it slow?", "", []) == "investigation"
    assert infer_type("Remember the meeting", "", []) == "note"


def test_every_answer_is_a_type() -> None:
    for text in ("fix", "add", "docs", "test", "bump", "why", "x"):
        for paths in ([], CODE, ["a.md"], ["tests/a.py"]):
            assert infer_type(text, text, paths) in DECISION_TYPES
