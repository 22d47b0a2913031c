"""Patterns of paths as people know them from `.gitignore`, for settings."""

from __future__ import annotations

import re
from collections.abc import Iterable


class PathPatterns:
    """`*` and `?` stay within a folder, `**` does not; a pattern without a slash (other than a
    last one) matches at any depth; one that names a folder matches all in it."""

    def __init__(self, patterns: Iterable[str]) -> None:
        parts = [_translate(pattern) for pattern in patterns if pattern.strip("/")]
        self._regex = re.compile("|".join(parts)) if parts else None

    def match(self, path: str) -> bool:
        """Whether a path, relative to the root, is one of them."""
        return self._regex is not None and self._regex.fullmatch(path) is not None


def _translate(pattern: str) -> str:
    tidy = pattern.removeprefix("./")
    is_anchored = "/" in tidy.rstrip("/")
    body = tidy.strip("/")
    # One segment at a time, so that no run of stars can match in many ways.
    segments = body.split("/")
    built = "" if is_anchored else "(?:[^/]+/)*?"
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if segment == "**":
            if place and segments[place - 1] == "**":
                continue
            built += ".*" if is_last else "(?:[^/]+/)*?"
        else:
            built += _translate_segment(segment) + ("" if is_last else "/")
    return f"(?:{built}(?:/.*)?)"


def _translate_segment(segment: str) -> str:
    pieces = re.split(r"(\*+|\?)", segment)
    return "".join(
        "[^/]*" if piece.startswith("*") else "[^/]" if piece == "?" else re.escape(piece)
        for piece in pieces
    )
