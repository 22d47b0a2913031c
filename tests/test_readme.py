"""README shows what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.commandline import run_gitmem
from tests.support.make_architecture import ROOT


def _hide_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{7}\b", "_______", text)


def test_the_answer_in_readme_is_the_one_of_the_demo(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    command, _, answer = page.partition("```\n$ ")[2].partition("\n```")[0].partition("\n")
    steps = run_gitmem(tmp_path, "demo", "--json").ok().data["steps"]
    said = next(step["output"] for step in reversed(steps) if step["command"] == command)
    assert _hide_ids(answer) == _hide_ids(said.rstrip("\n"))


def test_the_pages_that_readme_names_are_there() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"\]\(([^)#]+)", page)
    assert names and all((ROOT / name).is_file() for name in names)
