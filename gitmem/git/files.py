"""All that is read from git's own files without starting git: the way of the hot commands."""

from gitmem.git.config_file import RepositoryFormat
from gitmem.git.layout import (
    Layout,
    discover,
    is_owned_by_us,
    is_partial_clone,
    object_format,
)
from gitmem.git.object_files import estimate_objects
from gitmem.git.ref_files import (
    Head,
    RefsFingerprint,
    find_ref,
    fingerprint_refs,
    list_watched,
    read_head,
)

__all__ = [
    "Head",
    "Layout",
    "RefsFingerprint",
    "RepositoryFormat",
    "discover",
    "estimate_objects",
    "find_ref",
    "fingerprint_refs",
    "is_owned_by_us",
    "is_partial_clone",
    "list_watched",
    "object_format",
    "read_head",
]
