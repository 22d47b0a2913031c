"""`gitmem demo`: the whole flow, for real, in a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gitmem.cli.boundary import Session
from gitmem.cli.terminal import clean
from gitmem.errors import GitFailed

CALL_SECONDS = 60

_CACHE_V1 = """def key(url):
    return url
"""
_CACHE_V2 = """def key(tenant, url):
    return tenant, url
"""

# (folder, words, file written before, its text)
_STEPS: tuple[tuple[str, str, str, str], ...] = (
    (".", "git init -q --bare remote.git", "", ""),
    (".", "git clone -q remote.git ada", "", ""),
    ("ada", "git switch -q -c main", "", ""),
    ("ada", "git add cache.py", "cache.py", _CACHE_V1),
    ("ada", "git commit -q -m 'Add a cache'", "", ""),
    ("ada", "gitmem init --yes", "", ""),
    ("ada", "git add .gitmem", "", ""),
    ("ada", "git commit -q -m 'Start a memory'", "", ""),
    ("ada", "git add cache.py", "cache.py", _CACHE_V2),
    (
        "ada",
        "gitmem capture -m 'Cache keyed by tenant'"
        " --why 'Two tenants shared a row when it was keyed by URL.'"
        " --rejected 'global cache | leaks between tenants' cache.py",
        "",
        "",
    ),
    ("ada", "git commit -q -m 'Key the cache by tenant'", "", ""),
    ("ada", "git push -q origin main", "", ""),
    (
        "ada",
        "gitmem capture -m 'Entries live five minutes' --why 'Prices change.' cache.py",
        "",
        "",
    ),
    ("ada", "gitmem push", "", ""),
    (".", "git clone -q -b main remote.git ben", "", ""),
    ("ben", "gitmem pull", "", ""),
    ("ben", "gitmem why cache.py", "", ""),
    ("ben", "gitmem why cache.py:2", "", ""),
)
_IDENTITIES = {"ada": ("Ada", "ada@example.com"), "ben": ("Ben", "ben@example.com")}


def run_demo(session: Session, *, keep: bool) -> int:
    """Run every step, showing each as it could be typed; the folder goes unless kept."""
    root = Path(tempfile.mkdtemp(prefix="gitmem-demo-"))
    shown: list[dict[str, str]] = []
    try:
        for folder, words, file, text in _STEPS:
            if file:
                (root / folder / file).write_text(text, encoding="utf-8", newline="\n")
                _show(session, f"$ edit {folder}/{file}")
            _show(session, f"{folder if folder != '.' else ''}$ {words}")
            output = _run(session, root, folder, words)
            shown.append({"folder": folder, "command": words, "output": output})
            if output.strip():
                _show(session, clean(output.rstrip("\n")))
        if session.is_json:
            session.data("demo", {"steps": shown, "folder": str(root) if keep else None})
        else:
            session.text("")
            session.text("That is all: now try it in a repository of yours: gitmem why FILE")
            if keep:
                session.text(f"The repositories are in {root}")
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)
    return 0


def _show(session: Session, text: str) -> None:
    if not session.is_json:
        session.text(text)
        sys.stdout.flush()


def _run(session: Session, root: Path, folder: str, words: str) -> str:
    name, email = _IDENTITIES.get(folder, _IDENTITIES["ada"])
    environ = {
        **{k: v for k, v in session.environ.items() if not k.startswith("GIT_") and k != "GITMEM"},
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
        "GIT_TERMINAL_PROMPT": "0",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "GITMEM_NO_BACKGROUND": "1",
    }
    command = _split(words)
    if command[0] == "gitmem":
        command = [sys.executable, "-m", "gitmem", *command[1:]]
    # Wherever this runs from, the child, or git's hook, finds the same package.
    package_root = str(Path(__file__).resolve().parents[2])
    paths = [package_root, *filter(None, [environ.get("PYTHONPATH")])]
    environ["PYTHONPATH"] = os.pathsep.join(paths)
    done = subprocess.run(
        command,
        cwd=root / folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CALL_SECONDS,
        check=False,
    )
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    if done.returncode != 0:
        raise GitFailed(f"the demo stopped at `{words}`: {output.strip()}")
    return output


def _split(words: str) -> Sequence[str]:
    """The words of a step: spaces part them, single quotes keep them together."""
    parts: list[str] = []
    for index, piece in enumerate(words.split("'")):
        parts.extend([piece] if index % 2 else piece.split())
    return parts
