"""How `git log` is asked for raw changes, so that it says the same whatever is configured."""

from __future__ import annotations

RECORDS = ".gitmem/records"
LOG = (
    "log",
    "-z",
    "--raw",
    "--root",
    "--no-abbrev",
    "--no-color",
    "--no-decorate",
    "--no-notes",
    "--no-follow",
    "--no-mailmap",
    "--no-show-signature",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--no-diff-merges",
    "--ignore-submodules=none",
    "--encoding=UTF-8",
    "-l1000",
)
