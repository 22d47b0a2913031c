"""The rooms, their walls and their sizes: what ARCHITECTURE.md promises."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.support.make_architecture import (
    FILE,
    PACKAGE,
    ROOT,
    format_architecture,
    iter_modules,
    read_charter,
)

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
VAGUE = {"utils", "util", "helpers", "helper", "common", "base", "misc", "manager", "managers"}

MODULES = list(iter_modules())
IDS = [module.relative_to(PACKAGE).as_posix() for module in MODULES]
each_module = pytest.mark.parametrize("module", MODULES, ids=IDS)


def _functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_the_layers_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [lint, "--config", ROOT / ".importlinter", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr


@each_module
def test_modules_are_of_a_size_one_can_read(module: Path) -> None:
    lines = module.read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_MODULE_LINES


@each_module
def test_functions_are_of_a_size_one_can_read(module: Path) -> None:
    long = [
        f"{function.name} ({lines} lines)"
        for function in _functions(module)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert long == []


@each_module
def test_imports_stand_at_the_top(module: Path) -> None:
    hidden = [
        f"{function.name}, line {node.lineno}"
        for function in _functions(module)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


@each_module
def test_modules_have_a_telling_name_and_a_charter_of_one_sentence(module: Path) -> None:
    assert module.stem not in VAGUE
    charter = read_charter(module)
    assert 10 <= len(charter) <= 200
    assert charter.endswith((".", ":"))


def test_no_two_modules_have_the_same_charter() -> None:
    charters = [read_charter(module) for module in MODULES]
    assert sorted(charters) == sorted(set(charters))


def test_the_page_names_every_room_and_module_with_its_charter() -> None:
    page = FILE.read_text(encoding="utf-8")
    assert page == format_architecture(page), "run: python -m tests.support.make_architecture"
    assert all(f"`{name}`" in page for name in IDS if not name.endswith("__init__.py"))


def test_every_room_has_a_charter_of_its_own_in_the_table_of_rooms() -> None:
    page = FILE.read_text(encoding="utf-8")
    rooms = {name.split("/")[0] + "/" for name in IDS if "/" in name}
    assert [room for room in sorted(rooms) if f"| `{room}` |" not in page] == []


# --- start-up -------------------------------------------------------------------------------

HEAVY = {
    "anthropic",
    "dulwich",
    "fastembed",
    "httpx",
    "importlib.metadata",
    "jsonschema",
    "numpy",
    "onnxruntime",
    "pygit2",
    "pypdf",
    "rank_bm25",
    "setuptools",
    "sqlite_utils",
    "tokenizers",
    "trafilatura",
}
# Command → what it must not import, on top of HEAVY. Add a row for each command that runs
# often; `{}` in a word is the path of the repository.
HOT: dict[tuple[str, ...], set[str]] = {
    ("why", "src.py"): {"click", "asyncio", "logging", "email", "http", "inspect"},
    ("why", "src.py", "--json"): {"click", "asyncio", "logging", "email", "http"},
    ("why", "src.py:1"): {"click", "asyncio", "logging"},
    ("capture", "-m", "Cache by tenant", "src.py"): {"asyncio", "logging"},
    ("recall", "--depth", "quick", "why", "this"): {"click", "asyncio", "logging", "email", "http"},
    ("hook", "pre-commit"): {"click", "asyncio", "logging", "email", "http"},
    ("changelog",): {"click", "asyncio", "logging", "email", "http"},
    ("status",): set(),
    ("log",): set(),
    ("--version",): {"subprocess"},
    ("--help",): {"subprocess"},
}
_PROBE = """
import json, sys
from gitmem.__main__ import main
try:
    code = main(sys.argv[2:])
except SystemExit as stop:
    code = stop.code
with open(sys.argv[1], "w") as out:
    json.dump([code or 0, sorted(sys.modules)], out)
"""


def _probe(repo: Repo, words: tuple[str, ...]) -> tuple[int, set[str]]:
    out = repo.path.parent / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, out, *words],
        cwd=repo.path,
        capture_output=True,
        text=True,
        timeout=60,
        encoding="utf-8",
    )
    assert out.exists(), done.stderr
    code, modules = json.loads(out.read_text())
    out.unlink()
    assert code == 0, done.stderr
    return code, set(modules)


@pytest.fixture
def remembered(make_repo: Callable[..., Repo], monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a commit and a memory; gitmem importable from anywhere."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    repo = make_repo()
    repo.write("src.py", "a = 1\n")
    repo.commit("Start, because nobody could say why")
    _probe(repo, ("init", "--yes"))
    return repo


@pytest.mark.parametrize("words", HOT, ids=" ".join)
def test_hot_commands_import_nothing_heavy(remembered: Repo, words: tuple[str, ...]) -> None:
    """Asked twice: the first may build what later ones find."""
    _probe(remembered, words)
    _, modules = _probe(remembered, words)
    assert modules & (HEAVY | HOT[words]) == set()


def test_why_starts_no_process_where_files_say_it_all(remembered: Repo) -> None:
    """Nothing changed since the last question: no git is run, so no `subprocess` is needed.

    The files are made old first: what changed a moment ago may change again unseen."""
    for file in (remembered.path / ".git").rglob("*"):
        os.utime(file, (10**9, 10**9))
    _probe(remembered, ("why", "src.py"))
    _, modules = _probe(remembered, ("why", "src.py"))
    assert "subprocess" not in modules
