"""What a text says about projects: their names as words, and links such as `[[host/org/x:path]]`.

Names are compared as package indexes compare them: case, hyphens, dots and underscores are one.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

from gitmem.core.paths import fold_path

MAX_TEXT_CHARS = 200_000
MAX_LINKS = 1000
MIN_NAME_CHARS, MAX_NAME_CHARS = 3, 100

_WORD = re.compile(r"\w[\w.-]{0,200}")
_RUN = re.compile(r"[-_.]+")
_LINK = re.compile(r"\[\[([^\[\]|#\n]{3,1000})")
_LINE = re.compile(r":\d+(?:-\d+)?$")
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_VERSION = re.compile(r"v\d+")
_OID = re.compile(r"(?<![0-9a-z_])[0-9a-f]{7,64}(?![0-9a-z_])", re.IGNORECASE)

SHORT_OID = 7
"""So many digits of a commit's or record's id are the least that names it."""
MAX_OIDS = 1000


def fold_name(name: str) -> str:
    """A package's name as it is compared; "" for what is too short to tell anything."""
    folded = _RUN.sub("-", name.strip().strip("._-").lower())
    if not MIN_NAME_CHARS <= len(folded) <= MAX_NAME_CHARS or folded.isdigit():
        return ""
    return folded


def list_words(text: str) -> set[str]:
    """Every word that could be a package's name, folded."""
    words = set(map(_fold_word, _WORD.findall(text[:MAX_TEXT_CHARS])))
    words.discard("")
    return words


# Of thousands of texts most words are the same.
_fold_word = lru_cache(100_000)(fold_name)


def iter_project_links(text: str) -> Iterator[tuple[str, str]]:
    """(remote key in lower case, folded path or "") of every link to another project."""
    if "[[" not in text:
        return
    for number, match in enumerate(_LINK.finditer(text[:MAX_TEXT_CHARS])):
        if number == MAX_LINKS:
            return
        host, slash, rest = match.group(1).strip().partition("/")
        if not slash or ("." not in host.partition(":")[0] and host != "localhost"):
            continue
        key, _, path = rest.partition(":")
        key = key.strip("/").removesuffix(".git")
        if key:
            yield f"{host}/{key}".lower(), fold_path(_LINE.sub("", path).strip().strip("/"))


def list_oids(text: str) -> set[str]:
    """Whatever could be the id of a commit or a record, or its beginning, in lower case."""
    found = _OID.finditer(text[:MAX_TEXT_CHARS])
    return {match.group().lower() for _, match in zip(range(MAX_OIDS), found, strict=False)}


def cut_links(text: str) -> str:
    """The text without links: a link to one file is no word about another."""
    return _LINK.sub(" ", text) if "[[" in text else text


def parse_package_names(file: str, text: str) -> list[str]:
    """The names that a manifest gives its package; none where it does not parse."""
    if file == "go.mod":
        match = _MODULE.search(text)
        parts = match.group(1).split("/") if match else []
        while parts and _VERSION.fullmatch(parts[-1]):
            parts.pop()
        return parts[-1:]
    try:
        table = json.loads(text) if file == "package.json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(table, dict):
        return []
    tables = [table] if file == "package.json" else _manifest_tables(table)
    found = [one.get("name") for one in tables if isinstance(one, dict)]
    return [name.rpartition("/")[2] for name in found if isinstance(name, str)]


def _manifest_tables(table: dict[str, object]) -> list[object]:
    """Where pyproject.toml and Cargo.toml say a name."""
    tool = table.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return [table.get("project"), poetry, table.get("package")]
