"""What is shipped, and what README tells people to type first."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.check_wheel import list_missing
from tests.support.make_architecture import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _lines(pattern: str) -> list[str]:
    return re.findall(pattern, README, re.MULTILINE)


def test_readme_has_one_line_that_shows_and_one_that_tests() -> None:
    show = (
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/gitmem demo"
        " && .venv/bin/gitmem why gitmem/core/fold.py"
    )
    test = (
        "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/python -m pytest"
    )
    assert _lines(r"^python3 -m venv .*$") == [show, test]


@pytest.mark.skipif(os.name == "nt", reason="there is no mode bit")
def test_the_ci_script_runs_the_line_of_readme() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    (pattern,) = re.findall(r"grep -E '(.*)' README\.md", script.read_text())
    found = subprocess.run(["grep", "-E", pattern, ROOT / "README.md"], capture_output=True)
    assert found.stdout.decode().splitlines() == _lines(r"^python3 -m venv .* -m pytest$")


def test_links_of_the_pages_lead_somewhere() -> None:
    dead = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks/README.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                dead.append(f"{page.relative_to(ROOT)}: {target}")
    assert dead == []


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", project["version"])


def test_the_wheel_carries_code_data_and_licence(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "gitmem", source / "gitmem", ignore=skip)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = "import setuptools.build_meta as b, sys; print(b.build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, tmp_path], cwd=source, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    (wheel,) = tmp_path.glob("*.whl")
    assert list_missing(wheel) == []
