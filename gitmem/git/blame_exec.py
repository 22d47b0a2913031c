"""Who last changed a line, by `git blame`; and keeping a repository's filters from running."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from gitmem.core.history import BlamedLine
from gitmem.core.paths import decode_path
from gitmem.errors import GitFailed
from gitmem.git.complaints import build_error
from gitmem.git.object_codec import is_oid
from gitmem.git.process import Done, Git

# The commit that gave a line its words is asked for, not one that indented or moved it.
_BLAME = ("blame", "--porcelain", "--no-textconv", "--encoding=UTF-8", "-w", "-M")
_NO_USER_CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_NOTHING = re.compile(
    rb"has only \d+ lines?|no such path|cannot stat path|no such ref|outside repository"
    rb"|no such file|is a directory|unsupported file type",
    re.IGNORECASE,
)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}


def blame_line(git: Git, path: bytes, line: int) -> BlamedLine | None:
    """Blame of one line (1-based) of the work tree's file, or of HEAD's in a bare repository;
    None where there is no such line, or git does not track the file."""
    done = _run_blame(git, path, line)
    if b"could not open object name list" in done.stderr:
        # The user's blame.ignoreRevsFile, meant for another repository: nothing but leaving
        # that configuration out makes git pass over it.
        crlf = git.query("config", "--get", "core.autocrlf").stdout.decode("ascii", "replace")
        done = _run_blame(git, path, line, crlf.strip() or "false", _NO_USER_CONFIG)
    if done.code != 0:
        if _NOTHING.search(done.stderr):
            return None
        raise build_error(_BLAME, done.stderr)
    return _parse_porcelain(done.stdout)


def list_filter_guards(git: Git) -> list[str]:
    """Options that switch off the filter programs which the repository's own configuration
    names; the user's own (git-lfs, say) stay."""
    if not git.may_have_filters():
        return []
    settings = git.list_own_settings(r"^filter\..*\.(clean|smudge|process)$")
    names = {name.removeprefix("filter.").rpartition(".")[0] for name in settings}
    options = []
    for name in sorted(names):
        if "=" in name or "\n" in name:
            raise GitFailed(f"the repository configures a filter of the odd name {name[:80]!r}")
        for setting in ("clean=", "smudge=", "process=", "required=false"):
            options += ["-c", f"filter.{name}.{setting}"]
    return options


def _run_blame(
    git: Git,
    path: bytes,
    line: int,
    crlf: str | None = None,
    extra: Mapping[str, str] | None = None,
) -> Done:
    options: list[str] = [] if crlf is None else ["-c", f"core.autocrlf={crlf}"]
    revision: list[str] = []
    if git.work_tree is None:
        revision.append("HEAD")
    else:
        options += list_filter_guards(git)
    words: list[str | bytes] = [*_BLAME, f"-L{line},{line}", *revision, "--", path]
    return git.attempt(*options, *words, extra=extra)


def _parse_porcelain(raw: bytes) -> BlamedLine | None:
    header, _, rest = raw.partition(b"\n")
    words = header.decode("ascii", "replace").split(" ")
    if len(words) < 3 or not is_oid(words[0]) or not words[1].isdecimal():
        return None
    facts: dict[bytes, bytes] = {}
    for row in rest.split(b"\n"):
        if row.startswith(b"\t"):
            break
        name, _, value = row.partition(b" ")
        facts.setdefault(name, value)
    at = facts.get(b"committer-time", b"0").decode("ascii", "replace")
    return BlamedLine(
        commit=words[0] if words[0].strip("0") else None,
        at=int(at) if at.isdecimal() else 0,
        author=facts.get(b"author", b"").decode("utf-8", "replace"),
        original_path=decode_path(unquote_path(facts.get(b"filename", b"")))[0],
        original_line=int(words[1]),
    )


def unquote_path(name: bytes) -> bytes:
    """A file name out of git's C-style quotes, which it puts around control characters."""
    if len(name) < 2 or name[:1] != b'"' or name[-1:] != b'"':
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match.group(1)
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code)

    return _ESCAPE.sub(plain, name[1:-1])
