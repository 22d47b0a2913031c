"""The transcripts in examples/ are run, and print what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commandline import ROOT, environment

PAGES = sorted((ROOT / "examples").glob("*.md"))
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """(command, expected lines) of every console block; `> ` goes on with a command."""
    for block in _BLOCK.findall(text):
        command, expected = "", []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected
                command, expected = line[2:], []
            elif line.startswith("> ") and not expected:
                command += "\n" + line[2:]
            else:
                expected.append(line)
        yield command, expected


def _pattern(expected: list[str]) -> re.Pattern[str]:
    parts = []
    for line in expected:
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(map(re.escape, line.split("[..]"))) + "\n")
    return re.compile("".join(parts))


def _run(command: str, cwd: Path, environ: dict[str, str], mark: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", f'{command}\ncode=$?; pwd > "$MARK"; exit $code'],
        cwd=cwd,
        env={**environ, "MARK": str(mark)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    return done.returncode, done.stdout.decode()


def _put_on_path(folder: Path) -> dict[str, str]:
    """An environment in which `gitmem` is this source tree."""
    folder.mkdir()
    script = folder / "gitmem"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitmem "$@"\n')
    script.chmod(0o755)
    return environment({"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"})


@pytest.mark.skipif(os.name == "nt", reason="the transcripts are of a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_transcript_is_true(page: Path, tmp_path: Path) -> None:
    environ = _put_on_path(tmp_path / "bin")
    cwd = tmp_path / "work"
    cwd.mkdir()
    mark = tmp_path / "cwd"
    steps = list(_steps(page.read_text(encoding="utf-8")))
    assert steps
    for command, expected in steps:
        code, output = _run(command, cwd, environ, mark)
        told = f"$ {command}\n{output}"
        assert _pattern(expected).fullmatch(output), told + "\nexpected:\n" + "\n".join(expected)
        assert code == 0 or any(line.startswith("gitmem: ") for line in expected), told
        cwd = Path(mark.read_text().strip())


def test_there_is_a_transcript_of_the_main_flow() -> None:
    assert "main-flow" in {page.stem for page in PAGES}


def test_the_demo_runs_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = _put_on_path(tmp_path / "bin")
    environ["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    code, output = _run("gitmem demo", tmp_path, environ, tmp_path / "cwd")
    assert code == 0, output
    assert "ben$ gitmem why cache.py:2" in output and "Cache keyed by tenant" in output
    assert list((tmp_path / "tmp").iterdir()) == []
    code, output = _run("gitmem demo --json", tmp_path, environ, tmp_path / "cwd")
    assert code == 0 and output.startswith('{"schema_version":1,"kind":"demo"')
