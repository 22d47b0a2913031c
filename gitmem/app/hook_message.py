"""Wiring of the hook that prepares a commit's message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gitmem.app.hooking import list_staged_files
from gitmem.core.commit_template import add_suggestions, find_comment_mark
from gitmem.core.records import Decision
from gitmem.core.segments import MAX_SEGMENT_BYTES, SegmentRef, decode_segment
from gitmem.git.files import discover
from gitmem.git.process import Git

MAX_MESSAGE_BYTES = 1024 * 1024
# In these modes of `commit.cleanup` comments stay in the message.
_KEEPING = ("verbatim", "whitespace", "scissors")


def suggest_decisions(cwd: Path, message: Path, environ: Mapping[str, str]) -> int:
    """Add the summaries of what goes with this commit to its message, as comments; how many.
    Does nothing where comments would stay in it."""
    staged = list_staged_files(cwd, environ)
    summaries = _list_summaries(*staged) if staged is not None else []
    if staged is None or not summaries:
        return 0
    settings = _read_settings(cwd, environ)
    if settings.get("commit.cleanup", "default").lower() in _KEEPING:
        return 0
    file = cwd / message
    data = file.read_bytes()
    if len(data) > MAX_MESSAGE_BYTES:
        return 0
    text = data.decode("utf-8", "surrogateescape")
    named = settings.get("core.commentstring", settings.get("core.commentchar"))
    mark = find_comment_mark(text, named)
    if mark is None:
        return 0
    with_them = add_suggestions(text, mark, summaries)
    file.write_bytes(with_them.encode("utf-8", "surrogateescape"))
    return len(summaries)


def _list_summaries(work_tree: Path, paths: Sequence[str]) -> list[str]:
    summaries = []
    for path in paths:
        name = path.rpartition("/")[2]
        try:
            data = (work_tree / path).read_bytes()[:MAX_SEGMENT_BYTES]
        except OSError:
            continue
        for line in decode_segment(SegmentRef(name), data, name).lines:
            if isinstance(line.record, Decision):
                summaries.append(line.record.summary)
    return summaries


def _read_settings(cwd: Path, environ: Mapping[str, str]) -> dict[str, str]:
    layout = discover(cwd, environ)
    assert layout is not None
    git = Git(layout.git_dir, layout.work_tree, environ)
    names = r"^(core\.comment(char|string)|commit\.cleanup)$"
    done = git.query("config", "-z", "--get-regexp", names)
    found = {}
    for item in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = item.partition("\n")
        if key:
            found[key] = value
    return found
