"""The editor, as `git commit` opens it, on a template with comments."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gitmem.app.opening import Opened
from gitmem.cli.boundary import Session
from gitmem.cli.draft_text import format_text, parse_text
from gitmem.errors import UsageError
from gitmem.services.capture import Draft

MAX_DIFF_LINES = 200

TEMPLATE = """{text}
# Say what was decided in the first line, then, after an empty line, why.
# A line `rejected: OPTION | REASON` names what was not taken. Lines with # are left out;
# an empty text records nothing.
"""


def edit_text(text: str, comments: str, environ: Mapping[str, str], editor: str) -> str:
    """What the user made of the text, comments taken out.

    Raises UsageError where no editor can be run, or it failed."""
    commented = "".join(f"# {line}\n" for line in comments.splitlines())
    handle, name = tempfile.mkstemp(prefix="gitmem-", suffix=".txt")
    file = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(TEMPLATE.format(text=text) + commented)
        command = f"{editor} {shlex.quote(name)}"
        # The editor is the user's own shell command, as git runs it.
        code = subprocess.call(command, shell=True, env=dict(environ))  # noqa: S602
        if code != 0:
            raise UsageError(
                f"the editor ended with code {code}; nothing was recorded",
                hint='Say it on the command line: gitmem capture -m "…"',
            )
        edited = file.read_text(encoding="utf-8", errors="replace")
    finally:
        file.unlink(missing_ok=True)
    kept = [line for line in edited.splitlines() if not line.startswith("#")]
    return "\n".join(kept).strip()


def ask_editor(session: Session, opened: Opened, start: Draft) -> Draft:
    """What the user makes of a draft in their editor, the diff shown as comments.

    Raises UsageError where there is no terminal, or nothing was left."""
    if not session.may_ask or session.is_json:
        raise UsageError(
            "a decision needs a summary, and there is no terminal to ask on",
            hint='Say it in one line: gitmem capture -m "…"',
        )
    text = edit_text(
        format_text(start) if start.summary else "",
        "\n".join(opened.workspace.tree.read_diff(MAX_DIFF_LINES)),
        session.environ,
        opened.workspace.tree.get_editor(),
    )
    if not text:
        raise UsageError("an empty text: nothing was recorded")
    said = parse_text(text)
    return msgspec.structs.replace(
        start, summary=said.summary, why=said.why, rejected=said.rejected
    )
