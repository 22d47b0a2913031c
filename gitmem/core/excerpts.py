"""Excerpts: texts cut to a budget of tokens around the words that were asked for.

Tokens are an estimate, UTF-8 bytes / 4, rounded up: close enough to share a budget out, and
the same on every machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gitmem.core.words import list_words, prepare_text

BYTES_A_TOKEN = 4
ELLIPSIS = "..."
MAX_CHARS = 100_000
"""Of a text no more is looked at: it may be megabytes."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ies", "ed", "es", "er", "s", "e", "y")
_LEAST_ROOT = 4


def count_tokens(text: str) -> int:
    """An estimate of how many tokens a text has."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def find_roots(question: str) -> frozenset[str]:
    """The words of a question without their endings, to find lines that match."""
    return frozenset(_cut_ending(word.removesuffix("*")) for word in list_words(question))


def count_matches(line: str, roots: Collection[str]) -> int:
    """How many of these roots a line has."""
    words = prepare_text(line).lower()
    found = [root for root in roots if root in words]
    if not found:
        return 0
    starts = list_words(words)
    return sum(any(word.startswith(root) for word in starts) for root in found)


def find_lines(text: str, roots: Collection[str], *, most: int) -> list[str]:
    """The lines that match best, at most so many, in their order; the first ones where none
    does."""
    lines = [line.strip() for line in text[:MAX_CHARS].split("\n") if line.strip()]
    scored = [(-count_matches(line, roots), number) for number, line in enumerate(lines)]
    best = sorted(one for one in sorted(scored)[:most] if one[0] < 0)
    chosen = sorted(number for _, number in best) or range(min(most, len(lines)))
    return [lines[number] for number in chosen]


def cut_text(text: str, roots: Collection[str], *, max_tokens: int) -> str:
    """A text within a budget: as it is where it fits, else the first line, and of the rest
    what matches best, in its order, with `...` for what was left out."""
    if len(text) <= MAX_CHARS and count_tokens(text) <= max_tokens:
        return text
    lines = text[:MAX_CHARS].rstrip().split("\n")
    left = max_tokens * BYTES_A_TOKEN - len(ELLIPSIS) - 1
    first = _cut_line(lines[0], left)
    if first != lines[0]:
        return f"{first}{ELLIPSIS}"
    left -= len(first.encode("utf-8", "surrogatepass")) + 1
    scored = sorted((-count_matches(line, roots), n) for n, line in enumerate(lines) if n)
    kept = {0: first}
    for _, number in scored:
        # A gap costs a line of its own.
        size = len(lines[number].encode("utf-8", "surrogatepass")) + 2 + len(ELLIPSIS)
        if lines[number].strip() and size <= left:
            kept[number] = lines[number]
            left -= size
    if len(kept) == 1 and scored and left > 2 * len(ELLIPSIS):
        kept[scored[0][1]] = _cut_line(lines[scored[0][1]], left - len(ELLIPSIS) - 2)
    return "\n".join(_join(kept, len(lines)))


def share_budget(sizes: Sequence[int], total: int) -> list[int]:
    """How many of `total` tokens each text gets: what is short leaves room for the long."""
    shares = [0] * len(sizes)
    left = total
    order = sorted(range(len(sizes)), key=lambda at: (sizes[at], at))
    for position, at in enumerate(order):
        shares[at] = min(sizes[at], left // (len(order) - position))
        left -= shares[at]
    return shares


def _join(kept: dict[int, str], count: int) -> list[str]:
    joined: list[str] = []
    last = -1
    for number in sorted(kept):
        if number > last + 1:
            joined.append(ELLIPSIS)
        joined.append(kept[number])
        last = number
    if last < count - 1:
        joined.append(ELLIPSIS)
    return joined


def _cut_line(line: str, most_bytes: int) -> str:
    """At most so many bytes of a line, ending with a whole word where that is possible."""
    data = line.encode("utf-8", "surrogatepass")
    if len(data) <= most_bytes:
        return line
    text = data[: max(0, most_bytes)].decode("utf-8", "ignore")
    head, space, _ = text.rpartition(" ")
    return f"{head} " if space and len(head) > len(text) // 2 else text


def _cut_ending(word: str) -> str:
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_ROOT:
            return word[: -len(ending)]
    return word
