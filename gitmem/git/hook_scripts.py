"""The lines that gitmem adds to git's hook files, and taking them out again, byte for byte.

The block stands first in the file, behind the line that names the shell, so that nothing
above can end before it; it reads no input, ends nothing and cannot fail.
"""

from __future__ import annotations

import re

BEGIN = "# >>> gitmem >>>"
END = "# <<< gitmem <<<"
SHEBANG = "#!/bin/sh\n"
HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "post-commit",
    "post-merge",
    "post-checkout",
    "post-rewrite",
)
MARKING_HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
PROBE = "GITMEM_PROBE"
PROBE_ANSWER = "gitmem-probe"

_MADE = "# (gitmem made this file, and removes it again)"
_ABOUT = "# Lets decisions go with their commit; stops none. Once without: GITMEM=0 git commit"
_SHELL = re.compile(
    rb"#![ \t]*(?:/usr/bin/env[ \t]+(?:-S[ \t]+)?)?(?:[^\s]*/)?(?:ba|da|k|z|a)?sh\b"
)
_BLOCK = re.compile(
    rb"(?P<before>\n?)" + BEGIN.encode() + rb".*?" + END.encode() + rb"(?P<after>\r?\n|\Z)",
    re.DOTALL,
)
_HARMLESS = re.compile(rb"(?:\s*(?:#[^\n]*)?\n)*\s*\Z")


def build_block(hook: str, python: str | None, *, is_made: bool = False) -> str:
    """The block of one hook, ended by a line feed. `python` is the interpreter to fall back
    on where gitmem is not on the PATH; None in a file that others may get."""
    body = _MARK if hook in MARKING_HOOKS else _RUN[hook]
    fall_back = ""
    # -P: modules are never looked for in the folder it is started in, the work tree.
    if python:
        word = quote(python)
        fall_back = f"elif [ -x {word} ]; then set -- {word} -P -m gitmem\n    "
    body = body.replace("@THEN@", _REPAIR if hook == "post-commit" else "")
    body = body.replace("@FALL_BACK@", fall_back)
    lines = [BEGIN, *([_MADE] if is_made else []), _ABOUT, _PROBE.format(hook), body + END, ""]
    return "\n".join(lines)


def quote(text: str) -> str:
    """A word for the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def insert_block(data: bytes | None, hook: str, python: str | None) -> bytes:
    """The file with an up-to-date block; a new one where there is none."""
    if data is None:
        return (SHEBANG + build_block(hook, python, is_made=True)).encode()
    if has_block(data):
        made = _MADE.encode() in data
        block = build_block(hook, python, is_made=made).encode()
        return _BLOCK.sub(lambda m: _replace(m, block), data, count=1)
    block = build_block(hook, python).encode()
    if not data.startswith(b"#!"):
        return block + data
    first, end, rest = data.partition(b"\n")
    if not end:
        return first + b"\n" + block.removesuffix(b"\n")
    return first + b"\n" + block + rest


def remove_block(data: bytes) -> bytes | None:
    """The file as it was; None where it was not there before."""
    made = _MADE.encode() in data
    left = _BLOCK.sub(lambda m: m["before"] if m["after"] else b"", data, count=1)
    if made and left in (SHEBANG.encode(), b""):
        return None
    return left


def has_block(data: bytes) -> bool:
    return _BLOCK.search(data) is not None


def is_first(data: bytes) -> bool:
    """Whether nothing but comments stands before the block."""
    return _HARMLESS.match(data, 0, data.find(BEGIN.encode())) is not None


def why_not(data: bytes, *, may_be_bare: bool = False) -> str | None:
    """Why lines of shell cannot be put into this hook; None where they can."""
    if b"\0" in data[:8000]:
        return "it is a program, not a script"
    if _SHELL.match(data):
        return None
    if data.startswith(b"#!"):
        line = data[2:200].partition(b"\n")[0].decode("utf-8", "replace").strip()
        return f"it is not a shell script ({line})"
    return None if may_be_bare else "it does not begin with #!, so that its language is unknown"


def line_by_hand(hook: str) -> str:
    """What a hook in another language is to run."""
    words = {"prepare-commit-msg": ' "$1" "$2"'}.get(hook, "")
    return f"gitmem hook {hook}{words} || true"


def _replace(match: re.Match[bytes], block: bytes) -> bytes:
    before: bytes = match["before"]
    return before + (block if match["after"] else block.removesuffix(b"\n"))


_PROBE = f'if [ -n "${{{{{PROBE}-}}}}" ]; then echo "{PROBE_ANSWER} {{}}"; exit 0; fi'

_CALL = """if command -v gitmem >/dev/null 2>&1; then set -- gitmem
    @FALL_BACK@else exit 0; fi
    said=$("$@" hook @WORDS@ 2>&1) ||
      said='gitmem: its @NAME@ hook failed and was passed over; see: @AGAIN@'
    [ -z "$said" ] || printf '%s\\n' "$said" >&2
"""
_RUN = {
    "pre-commit": """if [ "${GITMEM-}" != 0 ]; then
  (
    """
    + _CALL.replace("@WORDS@", "pre-commit")
    .replace("@NAME@", "pre-commit")
    .replace("@AGAIN@", "gitmem doctor; by hand: gitmem capture --flush")
    + """  ) </dev/null || :
fi
""",
    "prepare-commit-msg": """if [ "${GITMEM-}" != 0 ] && [ "${GIT_EDITOR-}" != : ]; then
  case "${2-}" in '' | template) (
    message=${1-}
    """
    + _CALL.replace("@WORDS@", 'prepare-commit-msg "$message"')
    .replace("@NAME@", "prepare-commit-msg")
    .replace("@AGAIN@", "gitmem doctor")
    + """  ) </dev/null || : ;; esac
fi
""",
}
_MARK = """if [ "${GITMEM-}" != 0 ]; then
  (
    home=$(git rev-parse --git-common-dir 2>/dev/null)/gitmem && [ -d "$home" ] || exit 0
    [ -d "$home/marks" ] || mkdir -p "$home/marks"
    : >|"$home/marks/changed"
@THEN@  ) </dev/null >/dev/null || :
fi
"""
_REPAIR = """    for mark in "$home/marks/repair-"*; do [ -e "$mark" ] || exit 0; break; done
    """ + _CALL.replace("@WORDS@", "post-commit").replace("@NAME@", "post-commit").replace(
    "@AGAIN@", "gitmem doctor"
)
