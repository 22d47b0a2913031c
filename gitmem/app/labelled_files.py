"""Reading a labelled set from its folder: which form it has, and no line without bound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gitmem.core.labelled_set import LabelledSet, parse_beir, parse_set
from gitmem.errors import UsageError

MAX_LINE_BYTES = 16 * 1024 * 1024
_FORM = "A set is a folder with docs.jsonl, queries.jsonl and, if any, links.jsonl."


def read_set(folder: Path) -> LabelledSet:
    """Raises UsageError, naming file and line, for what is missing or malformed."""
    if not folder.is_dir():
        raise UsageError(f"there is no such folder: {folder}", hint=_FORM)
    queries = folder / "queries.jsonl"
    if (folder / "corpus.jsonl").is_file():
        judged = sorted((folder / "qrels").glob("*.tsv")) or [folder / "qrels" / "test.tsv"]
        chosen = next((one for one in judged if one.stem == "test"), judged[0])
        return parse_beir(
            _iter_lines(folder / "corpus.jsonl"), _iter_lines(queries), _iter_lines(chosen)
        )
    links = folder / "links.jsonl"
    return parse_set(
        _iter_lines(folder / "docs.jsonl"),
        _iter_lines(queries),
        _iter_lines(links) if links.exists() else iter(()),
    )


def _iter_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open(file, "rb") as opened:
            number = 0
            while line := opened.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise UsageError(
                        f"{file.name}:{number}: longer than {MAX_LINE_BYTES // 1024 // 1024} MiB"
                    )
                yield number, line
    except OSError as error:
        why = (error.strerror or "unreadable").lower()
        raise UsageError(f"{file.name} cannot be read: {why}", hint=_FORM) from error
