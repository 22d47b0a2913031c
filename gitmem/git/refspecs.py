"""Refspecs with a wild card: `refs/a/*` to `refs/b/*` stands for all refs under them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

WILD = "*"


def has_wild(refspecs: Iterable[tuple[str, str]]) -> bool:
    return any(source.endswith(WILD) for source, _ in refspecs)


def list_prefixes(refspecs: Iterable[tuple[str, str]]) -> list[str]:
    """What to ask a remote for, to expand these."""
    return [source.removesuffix(WILD) for source, _ in refspecs]


def expand(refspecs: Sequence[tuple[str, str]], there: Mapping[str, str]) -> list[tuple[str, str]]:
    """Refspecs without wild cards, for the refs that are there. Where two would meet in one
    destination, the one that was named first wins."""
    found: dict[str, str] = {}
    for source, target in refspecs:
        if not source.endswith(WILD):
            found.setdefault(target, source)
            continue
        prefix, place = source.removesuffix(WILD), target.removesuffix(WILD)
        for name in sorted(there):
            if name.startswith(prefix) and len(name) > len(prefix):
                found.setdefault(place + name[len(prefix) :], name)
    return [(source, target) for target, source in found.items()]
