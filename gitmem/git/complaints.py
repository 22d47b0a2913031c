"""What git's complaints mean: its words on stderr, as the errors of this project."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from gitmem.errors import CannotWrite, GitFailed, NoRepository, RemoteUnreachable

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class OutOfTime(GitFailed):
    """git was ended because its time was up."""


def build_error(args: Sequence[str | bytes], stderr: bytes) -> Exception:
    """The error that git's words stand for."""
    text = stderr.decode("utf-8", "replace")
    lines = [_CONTROL.sub(" ", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    shown = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    shown = shown or (lines[0] if lines else "it gave no reason")
    if "dubious ownership" in text:
        place = re.search(r"dubious ownership in repository at '([^'\n]*)'", text)
        folder = _CONTROL.sub("?", place.group(1)) if place else "."
        return NoRepository(
            f"somebody else owns the repository at {folder}, so git does not trust it",
            hint=f"If you do: git config --global --add safe.directory '{folder}'",
        )
    if "promisor remote" in text:
        return RemoteUnreachable(
            f"what is missing from this partial clone could not be fetched: {shown[:300]}"
        )
    if "not a git repository" in text:
        return NoRepository(shown)
    if re.search(r"Permission denied|Read-only file system|No space left|quota exceeded", text):
        return CannotWrite(f"git {verb_of(args)}: {shown[:300]}")
    return GitFailed(f"git {verb_of(args)}: {shown[:300]}")


def verb_of(args: Sequence[str | bytes]) -> str:
    """The command among the words of a command line, for messages."""
    words = (os.fsdecode(arg) for arg in args)
    return next((word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)), "")
