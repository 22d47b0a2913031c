"""Sections of ours in somebody's changelog file: put in, replaced, and nothing else touched.

A section stands between `<!-- gitmem: NAME -->` and `<!-- /gitmem: NAME -->`, each alone on its
line. What is outside of them is kept byte for byte.
"""

from __future__ import annotations

import re

from gitmem.errors import Refused

HEADER = "# Changelog\n\n"
UNRELEASED = "Unreleased"
_OPEN = re.compile(rb"(?m)^<!-- gitmem: ([^\r\n]{1,250}) -->[ \t]*\r?$")
# A version: any heading of the second level, or one of the first that begins with a number.
_VERSION = re.compile(
    rb"(?m)^(?:##[ \t]+\S|#[ \t]+\[?v?\d|[^\s#<>|\-=][^\r\n]*\r?\n-{3,}[ \t]*\r?$)"
)
_TITLE = re.compile(rb"(?m)\A\s*(?:#[ \t]+\S|[^\s#<>|\-=][^\r\n]*\r?\n=+[ \t]*\r?$)")
# A byte order mark, and what some page makers want first of all.
_FRONT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:---[ \t]*\r?\n(?:[^\r\n]*\r?\n)*?---[ \t]*\r?\n)?")


def place_section(file: bytes, name: str, section: str, *, is_release: bool = False) -> bytes:
    """The file with the section of that name: in its old place, else before the newest
    version's. A release takes the place of the unreleased section, which it was. The file's
    line ends are kept. Raises Refused where a marker has no end."""
    text = f"<!-- gitmem: {name} -->\n{section.strip()}\n<!-- /gitmem: {name} -->\n"
    data = text.encode("utf-8", "replace")
    if not file.strip():
        return HEADER.encode() + data
    end = b"\r\n" if file.count(b"\r\n") * 2 > file.count(b"\n") else b"\n"
    data = data.replace(b"\n", end)
    spans = _find_sections(file)
    chosen = spans.get(name.encode())
    if chosen is None and is_release:
        chosen = spans.get(UNRELEASED.encode())
    if chosen is not None:
        start, stop = chosen
        return file[:start] + data + file[stop:]
    if name != UNRELEASED and UNRELEASED.encode() in spans:
        stop = spans[UNRELEASED.encode()][1]
        return file[:stop] + end + data + file[stop:]
    place = _find_place(file, [start for start, _ in spans.values()])
    before, after = file[:place], file[place:]
    if before and not before.endswith(b"\n"):
        before += end
    gap = end if before and not before.endswith((b"\n\n", b"\n\r\n")) else b""
    return before + gap + data + (end if after.strip() else b"") + after


def _find_sections(file: bytes) -> dict[bytes, tuple[int, int]]:
    """Name → where its section begins and ends, markers and their line ends included."""
    found: dict[bytes, tuple[int, int]] = {}
    for match in _OPEN.finditer(file):
        name = match[1]
        closing = re.compile(rb"(?m)^<!-- /gitmem: " + re.escape(name) + rb" -->[ \t]*\r?(?:\n|\Z)")
        closed = closing.search(file, match.end())
        if closed is None:
            raise Refused(
                f"the section {name.decode('utf-8', 'replace')} in it has no end",
                hint=f"Put its last line back: <!-- /gitmem: {name.decode('utf-8', 'replace')} -->",
            )
        found.setdefault(name, (match.start(), closed.end()))
    return found


def _find_place(file: bytes, starts: list[int]) -> int:
    """Before the first version, ours or not; else after the title and what is said below it;
    else before everything but what must come first."""
    front = _FRONT.match(file)
    begin = front.end() if front else 0
    version = _VERSION.search(file, begin)
    candidates = [*starts, *([version.start()] if version else [])]
    if candidates:
        return min(candidates)
    return len(file) if _TITLE.search(file[begin:]) else begin
