"""`project.toml` and the two files beside it: what makes a folder gitmem's.

The bytes that `init` writes are deterministic, so that two branches which both run it merge.
"""

from __future__ import annotations

import re
import tomllib

import msgspec

from gitmem.errors import Damaged, ForeignFolder, NewerFormat
from gitmem.store.paths import FOLDER

FORMAT = 1
PROJECT_NAME = "project.toml"
PROJECT_FILE = f"{FOLDER}/{PROJECT_NAME}"

ATTRIBUTES = (
    "* -text -ident !filter !eol !working-tree-encoding linguist-generated=true export-ignore\n"
)
IGNORE = "!*\n!*/\n"

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\"\\]*")


class Project(msgspec.Struct, frozen=True):
    """What `project.toml` says of identity; its settings are read by `config`."""

    project_id: str
    name: str = ""
    former_keys: tuple[str, ...] = ()


def format_project(project: Project) -> str:
    """The deterministic text that `init` writes."""
    name = project.name if _PLAIN.fullmatch(project.name) else ""
    return (
        "# This project's memory: why the code is as it is (gitmem). People may change the\n"
        "# settings below; the identity is for all clones and stays.\n"
        f"format = {FORMAT}\n"
        f'project_id = "{project.project_id}"\n'
        f'name = "{name}"\n'
        '# Keys of remotes this project lived at before, such as "example.com/old/name".\n'
        "former_keys = []\n"
        "\n"
        "[share]\n"
        '# What is shared of decisions that agents capture: "summary", "full" or "none".\n'
        'agents = "summary"\n'
    )


def parse_project(data: bytes) -> Project:
    """Read a `project.toml`.

    Raises ForeignFolder where it is not gitmem's (no `format` line), NewerFormat where it is of a
    later format, Damaged where it cannot be read.
    """
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Damaged(
            f"{PROJECT_FILE} cannot be read: {str(error).splitlines()[0]}",
            hint=f"Repair it by hand, or take the committed one: git checkout -- {PROJECT_FILE}",
        ) from None
    version = table.get("format")
    if version is None:
        raise not_ours()
    if not isinstance(version, int) or version < 1:
        raise Damaged(f"{PROJECT_FILE} has an impossible format: {version!r}")
    if version > FORMAT:
        raise NewerFormat(f"this memory has format {version}; this gitmem reads up to {FORMAT}")
    project_id = table.get("project_id")
    if not isinstance(project_id, str) or not _ID.fullmatch(project_id):
        raise Damaged(f"{PROJECT_FILE} has no valid project_id")
    name = table.get("name", "")
    keys = table.get("former_keys", [])
    return Project(
        project_id,
        name if isinstance(name, str) else "",
        tuple(k for k in keys if isinstance(k, str)) if isinstance(keys, list) else (),
    )


def not_ours() -> ForeignFolder:
    """The error for a `.gitmem/` that some other tool keeps."""
    return ForeignFolder(
        f"the folder {FOLDER}/ here is not gitmem's: its project.toml has no format line",
        hint="Move the other tool's folder away, or keep the memory outside the tree: "
        "gitmem init --detached",
    )
