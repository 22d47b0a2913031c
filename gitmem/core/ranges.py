"""What a person types for a range of commits, as far as it can be told without a repository.

Every word means what it means to `git rev-list`: `A..B`, `A...B`, `^A B`, `HEAD~3`, `A^!`. Which
commits these are is git's to say; here is only what must be refused, and what is said of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitmem.errors import UsageError

MAX_WORDS = 100
MAX_WORD_BYTES = 4096


class Split(msgspec.Struct, frozen=True):
    """`older..newer`, or `older...newer` where symmetric; an end left out is HEAD."""

    older: str
    newer: str
    is_symmetric: bool = False


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words, fit for a command line of git. Raises UsageError for what looks like an
    option, is empty, or holds what no revision can hold."""
    if len(words) > MAX_WORDS:
        raise UsageError(f"a range of more than {MAX_WORDS} words")
    for word in words:
        if not word.strip():
            raise UsageError("an empty word is no range", hint="For example: v1.0..HEAD")
        if word.startswith("-"):
            raise UsageError(
                f"{word[:80]!r} looks like an option, not like a range",
                hint="A ref of such a name: refs/heads/NAME",
            )
        if "\0" in word or "\n" in word or len(word.encode("utf-8", "replace")) > MAX_WORD_BYTES:
            raise UsageError("a range is one line of at most 4096 bytes, without a NUL")
    return tuple(words)


def split_range(word: str) -> Split | None:
    """The two ends of a word that has two, by git's rule: the first two dots divide it."""
    older, dots, newer = word.partition("..")
    if not dots or word == "..":
        return None
    is_symmetric = newer.startswith(".")
    newer = newer[1:] if is_symmetric else newer
    return Split(older or "HEAD", newer or "HEAD", is_symmetric)


def list_names(words: Sequence[str]) -> list[str]:
    """Every revision that the words name, in order, each once."""
    names: list[str] = []
    for word in words:
        split = split_range(word)
        names += [split.older, split.newer] if split else [word.removeprefix("^")]
    return list(dict.fromkeys(names))
