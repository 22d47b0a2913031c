"""The editor, as `git commit` opens it, on a template with comments."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gitmem.core.records import Rejected
from gitmem.errors import UsageError
from gitmem.services.capture import Draft

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


def parse_text(text: str) -> Draft:
    """A draft from text: the first line is the summary, the rest says why."""
    summary, _, rest = text.strip().partition("\n")
    why: list[str] = []
    rejected: list[Rejected] = []
    for line in rest.splitlines():
        if line.lower().startswith("rejected:"):
            rejected.append(parse_rejected(line.partition(":")[2]))
        else:
            why.append(line)
    return Draft(
        summary=summary.strip(), why="\n".join(why).strip() or None, rejected=tuple(rejected)
    )


def format_text(draft: Draft) -> str:
    """The text that `parse_text` reads back."""
    lines = [draft.summary]
    if draft.why:
        lines += ["", draft.why]
    if draft.rejected:
        lines.append("")
        lines += [
            f"rejected: {one.option} | {one.reason}" if one.reason else f"rejected: {one.option}"
            for one in draft.rejected
        ]
    return "\n".join(lines) + "\n"


def parse_rejected(text: str) -> Rejected:
    """`OPTION | REASON`. Raises UsageError for an empty option."""
    option, _, reason = text.partition("|")
    if not option.strip():
        raise UsageError(
            "--rejected needs an option", hint='Write it so: --rejected "OPTION | REASON"'
        )
    return Rejected(option.strip(), reason.strip())
