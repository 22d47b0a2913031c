"""Front matter: the few lines of YAML above a page's text, as far as a note needs them.

Read by hand and tolerantly: title, aliases and tags as scalars, quoted or not, as inline lists
or as lists of lines. Whatever else stands there is passed over; nothing is executed.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

MAX_CHARS = 65_536
MAX_VALUES = 100
MAX_VALUE_CHARS = 300

_NAMES = {"title": "title", "aliases": "aliases", "alias": "aliases", "tags": "tags", "tag": "tags"}


class FrontMatter(msgspec.Struct, frozen=True):
    """`end` is the offset at which the page's text begins: 0 where there is no front matter."""

    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    end: int = 0


def parse_front_matter(text: str) -> FrontMatter:
    """What stands between `---` on the first line and the next `---` or `...`. Where there is
    no such end within 65,536 characters, or no key, all of it is the page's text."""
    end, lines = _cut(text)
    if not end or not any(_split_key(line) for line in lines):
        return FrontMatter()
    values: dict[str, list[str]] = {"title": [], "aliases": [], "tags": []}
    for name, said in _iter_values(lines):
        room = MAX_VALUES - len(values[name])
        values[name] += [value[:MAX_VALUE_CHARS] for value in said if value][:room]
    tags = [part for value in values["tags"] for part in value.replace(",", " ").split()]
    return FrontMatter(
        title=values["title"][0] if values["title"] else "",
        aliases=tuple(dict.fromkeys(values["aliases"])),
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in tags if tag.strip("#")))[:MAX_VALUES],
        end=end,
    )


def _cut(text: str) -> tuple[int, list[str]]:
    """The offset behind the closing line, and the lines before it; 0 where there is none."""
    lines: list[str] = []
    at = 0
    while at < min(len(text), MAX_CHARS):
        stop = text.find("\n", at)
        end = len(text) if stop == -1 else stop + 1
        line = text[at:end].rstrip()
        if not lines and line != "---":
            return 0, []
        if lines and line in ("---", "..."):
            return end, lines[1:]
        lines.append(line)
        at = end
    return 0, []


def _split_key(line: str) -> tuple[str, str] | None:
    """Key and value of a line at the outermost level."""
    key, colon, value = line.partition(":")
    if not colon or not key or key != key.strip() or key[0] in "-#[{\"'&*!|>%@`":
        return None
    if value and value[0] not in " \t":
        return None
    return key.lower(), value.strip()


def _iter_values(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(what it says, the values) for each line that says one of what is asked for."""
    name: str | None = None
    for line in lines:
        pair = _split_key(line)
        if pair is not None:
            name = _NAMES.get(pair[0])
            if name is not None and pair[1]:
                is_list = pair[1].startswith("[") and name != "title"
                yield name, _parse_list(pair[1]) if is_list else [_parse_scalar(pair[1])]
        elif name is not None and line.lstrip().startswith("- "):
            yield name, [_parse_scalar(line.lstrip()[2:].strip())]


def _parse_scalar(text: str) -> str:
    quote = text[:1]
    if quote in ("'", '"'):
        end = _find_quote(text, 1, quote)
        return _unquote(text[1:end], quote)
    if text in ("|", ">", "|-", ">-", "~", "null"):
        return ""
    return text.partition(" #")[0].strip()


def _parse_list(text: str) -> list[str]:
    """The values of `[a, "b, c", 'd']`; what follows the bracket is passed over."""
    values: list[str] = []
    at = 1
    while at < len(text):
        if text[at] in " \t,":
            at += 1
        elif text[at] == "]":
            break
        elif text[at] in "'\"":
            end = _find_quote(text, at + 1, text[at])
            values.append(_unquote(text[at + 1 : end], text[at]))
            at = end + 1
        else:
            end = min((p for p in (text.find(",", at), text.find("]", at)) if p != -1), default=-1)
            end = len(text) if end == -1 else end
            values.append(text[at:end].strip())
            at = end
        if len(values) == MAX_VALUES:
            break
    return values


def _find_quote(text: str, at: int, quote: str) -> int:
    """Where a quoted text ends: at the quote that is not escaped, else at the end."""
    while at < len(text):
        if text[at] == "\\" and quote == '"':
            at += 2
        elif text[at] == quote:
            if quote == '"' or text[at + 1 : at + 2] != quote:
                return at
            at += 2
        else:
            at += 1
    return len(text)


def _unquote(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("''", "'").strip()
    return text.replace('\\"', '"').replace("\\\\", "\\").strip()
