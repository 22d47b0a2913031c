"""Plain words of a hot command, parsed without click: anything unusual is left to it."""

from __future__ import annotations

import msgspec


class Spec(msgspec.Struct, frozen=True):
    """What a command takes. `flags`, `single` and `multiple` map spellings to names; `single`
    and `multiple` options take a value. At most `most` other words, at least `least`."""

    flags: dict[str, str]
    single: dict[str, str] = {}
    multiple: dict[str, str] = {}
    least: int = 0
    most: int = 1


class Plain(msgspec.Struct, frozen=True):
    """The words, sorted out."""

    flags: frozenset[str]
    values: dict[str, str]
    lists: dict[str, tuple[str, ...]]
    words: tuple[str, ...]


def parse_plain(words: list[str], spec: Spec) -> Plain | None:
    """The words of a command, or None where click's parser is needed: for unknown or joined
    options, a missing value, `--`, or too many or too few words."""
    flags: set[str] = set()
    values: dict[str, str] = {}
    lists: dict[str, list[str]] = {name: [] for name in spec.multiple.values()}
    rest: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word in spec.flags:
            flags.add(spec.flags[word])
        elif word in spec.single or word in spec.multiple:
            value = next(remaining, None)
            if value is None or value.startswith("-"):
                return None
            if word in spec.single:
                values[spec.single[word]] = value
            else:
                lists[spec.multiple[word]].append(value)
        elif word.startswith("-"):
            return None
        else:
            rest.append(word)
    if not spec.least <= len(rest) <= spec.most:
        return None
    return Plain(
        frozenset(flags), values, {name: tuple(v) for name, v in lists.items()}, tuple(rest)
    )
