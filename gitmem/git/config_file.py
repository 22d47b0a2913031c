"""A tolerant look at the few lines of a repository's own config file that decide its format.

Only what git itself reads from that one file before anything else: no includes, no other
files. What does not parse is passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

_MAX_BYTES = 4 * 1024 * 1024
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|([^"#;]+)')
_TRUE = frozenset({"true", "yes", "on", "1"})


class RepositoryFormat(msgspec.Struct, frozen=True):
    """What the config file says of the format. Names of extensions are in lower case.

    `is_bare` and `work_tree` are None where it says nothing. `has_promisor`: some remote
    promises objects that are not here. `has_includes`: other files, not read here, may say
    more of what is not format. `has_filters`: some filter program may be configured.
    """

    version: int = 0
    extensions: dict[str, str] = {}
    is_bare: bool | None = None
    work_tree: str | None = None
    has_promisor: bool = False
    has_includes: bool = False
    has_filters: bool = False

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256` (or what a newer git may have)."""
        return self.extensions.get("objectformat", "sha1").lower()

    @property
    def ref_storage(self) -> str:
        """`files` or `reftable` (or what a newer git may have)."""
        return self.extensions.get("refstorage", "files").lower()

    @property
    def is_partial_clone(self) -> bool:
        return self.has_promisor or "partialclone" in self.extensions


def read_format(git_dir: Path, common_dir: Path) -> RepositoryFormat:
    """The format of a repository; where there is no readable file, git's defaults."""
    settings = _read_settings(common_dir / "config")
    if git_dir != common_dir:
        # What makes the main work tree bare, or places it elsewhere, is not ours.
        settings.pop("core.bare", None)
        settings.pop("core.worktree", None)
    if settings.get("extensions.worktreeconfig", "").lower() in _TRUE:
        settings |= _read_settings(git_dir / "config.worktree")
    bare = settings.get("core.bare")
    version = settings.get("core.repositoryformatversion", "0")
    return RepositoryFormat(
        version=int(version) if version.isdecimal() and len(version) < 9 else 0,
        extensions={
            name.removeprefix("extensions."): value
            for name, value in settings.items()
            if name.startswith("extensions.")
        },
        is_bare=None if bare is None else bare.lower() in _TRUE,
        work_tree=settings.get("core.worktree"),
        has_promisor=settings.get("remote.promisor", "").lower() in _TRUE,
        has_includes="include" in settings,
        has_filters="filter" in settings,
    )


def _read_settings(path: Path) -> dict[str, str]:
    """`section.key` → value of core, extensions and (any remote's) promisor."""
    try:
        # Opening a pipe would wait for a writer.
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    found: dict[str, str] = {}
    section = ""
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    for line in lines:
        line = line.strip(" \t\ufeff")
        match = _SECTION.match(line)
        if match:
            section = match.group(1).lower()
            line = line[match.end() :].strip()
            if section in ("include", "includeif"):
                found["include"] = "true"
            elif section.startswith("filter"):
                found["filter"] = "true"
        if section not in ("core", "extensions", "remote") or not line or line[0] in "#;":
            continue
        while line.endswith("\\") and not line.endswith("\\\\"):
            line = line[:-1] + next(lines, "")
        setting = _SETTING.match(line)
        if setting and "\0" not in line:
            name = setting.group(1).lower()
            value = "true" if setting.group(2) is None else _parse_value(setting.group(2))
            if section != "remote":
                found[f"{section}.{name}"] = value
            elif name == "promisor" and value.lower() in _TRUE:
                found["remote.promisor"] = value
    return found


def _parse_value(raw: str) -> str:
    """A value without comment, outer space and quotes."""
    out = []
    position = 0
    while match := _QUOTED.match(raw, position):
        position = match.end()
        out.append(match.group(2) if match.group(1) is None else match.group(1))
    return re.sub(r"\\(.)", r"\1", "".join(out).strip())
