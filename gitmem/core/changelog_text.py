"""Words of others as running text of a changelog: without effect, and still good to read.

A changelog is read as a file as often as it is rendered, so that only what has an effect inside
a line is escaped; balanced code spans stay, for nothing in them has one. (`core.markdown` is for
what is only ever rendered, beside people's comments, and lets nothing pass.)
"""

from __future__ import annotations

import re

from gitmem.core.markdown import BREAK
from gitmem.core.unsafe_text import clean_line

_CODE = re.compile(r"(?<![\\`])(`[^`]+`)(?!`)")
_MARKS = re.compile(r"([\\`*\[\]~|$]|(?<=\])\()|(?<![^\W_])_|_(?![^\W_])")
_ACTIVE = re.compile(r"[\\`*\[\]~|$_&<@]")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
# Hosts see a mention unless a letter of theirs, an ASCII one, stands before the sign.
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@(?=[\w-])")
_REQUEST = re.compile(r"(.*\S) \(#(\d{1,9})\)", re.DOTALL)
_END = (".", "!", "?", ":", ";", "…")


def format_words(text: str, *, most_chars: int) -> str:
    """The text in one line, cut at a word, without effect in Markdown, HTML or on a host."""
    line = " ".join(clean_line(text).split())
    if len(line) > most_chars:
        line = line[:most_chars].rpartition(" ")[0].rstrip(".,;: ") or line[:most_chars]
        line += " …"
    if _ACTIVE.search(line) is None:
        return line
    pieces = _CODE.split(line)
    return "".join(
        piece if place % 2 else escape_words(piece) for place, piece in enumerate(pieces)
    )


def escape_words(text: str) -> str:
    """One line of plain text as Markdown."""
    text = _MARKS.sub(lambda match: "\\" + match.group(0), text)
    text = _ENTITY.sub("&amp;", text).replace("<", "&lt;")
    return _MENTION.sub("@" + BREAK, text)


def end_sentence(text: str) -> str:
    """The text with a full stop, unless it ends in something of the kind."""
    return text if text.endswith(_END) else text + "."


def split_request(summary: str) -> tuple[str, str | None]:
    """A subject, and the number of the request that was merged by it, as hosts append it."""
    match = _REQUEST.fullmatch(summary)
    return (match[1], match[2]) if match else (summary, None)
