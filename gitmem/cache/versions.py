"""By what a cache is recognised, and the numbers that stand for words in its tables.

A change of the tables is a new SCHEMA_VERSION: caches are rebuilt, not migrated.
"""

from __future__ import annotations

SCHEMA_VERSION = 4
APPLICATION_ID = 0x67_6D_65_6D  # "gmem"

LISTED, READ, VERIFIED, ABSENT = 0, 1, 2, 3
"""States of a segment: known by name; its content read; and matching its name; or not to be
had when it was asked for."""

SUPERSEDES, RETRACTS, REDACTS = 1, 2, 3
"""Relations of `link`."""

KIND_LIST = "/kind/"
FOLDER_LIST = "/dir/"
