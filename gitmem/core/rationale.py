"""From what was asked and what was answered: one line that says what, and the sentences why.

Nothing is put in other words: sentences are picked as they stand, by words that give a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MAX_SUMMARY_CHARS = 160
MAX_REASONS = 4
LEAST_WORDS = 3
MAX_REASON_CHARS = 400
MAX_CHARS = 32 * 1024

# Our own context, and what agents put around a person's words: none of it was said by anybody.
_WRAPPED = re.compile(
    r"<(?P<tag>gitmem-context-[0-9a-f]{12}|system-reminder|command-[a-z]{1,20}"
    r"|local-command-[a-z]{1,20}|task-notification|environment_context|user_instructions)\b"
    r"[^>]{0,200}>.*?(?:</(?P=tag)\s*>|\Z)",
    re.DOTALL,
)
_CODE_BLOCK = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s+")
_STYLED = re.compile(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_LINKED = re.compile(r"!?\[([^\]\[]{0,200})\]\([^()\s]{0,500}\)")
_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[`A-Z0-9])")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|resp)\.$", re.IGNORECASE)

_REASON = re.compile(
    r"\b(?:because|so that|so as to|in order to|to (?:avoid|prevent|keep|ensure|make sure)"
    r"|instead of|rather than|otherwise|due to|caused by|root cause|the (?:reason|cause|problem"
    r"|issue) (?:is|was)|(?:which|that)(?:'s| is) why|since (?:the|it|we|this|that|they|there|a"
    r"|an|both|only)\b|trade-?off|decided (?:to|on|against)|chose|chosen|prefer(?:red)? |must"
    r"|would (?:have|break|leak|lose|block|fail)|could not|cannot|never|no longer)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:because|so that|instead of|rather than|to (?:avoid|prevent)|root cause|caused by"
    r"|due to|the (?:reason|cause) (?:is|was)|decided (?:to|on|against)|trade-?off"
    r"|(?:which|that)(?:'s| is) why)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*[,;:\u2014-]?\s(?:because|so that|in order to)\b", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:done|all (?:set|done|good)|ok(?:ay)?|sure|great|perfect|yes|no|thanks?|hi|hello|please"
    r"|good|understood|got it|absolutely|certainly|of course|you'?re (?:absolutely )?right"
    r"|i'?ll|i will|i'?m going|let me|let'?s|now,? (?:i|let)|here(?:'s| is| are)|summary"
    r"|what (?:i )?(?:changed|did)|changes?(?: made)?|all (?:the )?tests? (?:now )?pass\w*"
    r"|the tests? (?:now )?pass\w*|tests? pass\w*|would you like|do you want|continue|go on)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?:I|We)(?:'ve|’ve| have)(?: now| also| just)? (?=[a-z]+(?:ed|t|n|e)\b)"
)


def clean_said(text: str) -> str:
    """What somebody said, without what machines wrapped around it, and with no wikilink that
    would be taken for one that a person made. Call it before anything else is done to it."""
    text = _WRAPPED.sub(" ", text[: MAX_CHARS * 2])
    return unlink(text).strip()


def unlink(text: str) -> str:
    """The text with every `[[` and `]]` taken apart."""
    while "[[" in text or "]]" in text:
        text = text.replace("[[", "[ [").replace("]]", "] ]")
    return text


def summarise(request: str, message: str, paths: Sequence[str]) -> str:
    """One line: the first sentence of the answer that says something, else of the request,
    else which files changed. Both texts cleaned before."""
    for text in (message, request):
        for sentence in _iter_sentences(text):
            if _says_something(sentence):
                return _shorten(_trim(sentence), MAX_SUMMARY_CHARS)
    names = ", ".join(path.rpartition("/")[2] for path in paths[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return _shorten(f"Changed {names}{more}", MAX_SUMMARY_CHARS) if names else ""


def pick_reasons(request: str, message: str, summary: str) -> tuple[str, ...]:
    """The sentences that give a reason, as they were said: the strongest of them, in the
    order in which they stand, the request's before the answer's; the summary is not said
    again."""
    found: list[tuple[int, int, str]] = []
    seen = {_key(summary)}
    for text in (request, message):
        for sentence in _iter_sentences(text):
            if _key(sentence) in seen or len(sentence) < 20 or sentence.endswith("?"):
                continue
            if _REASON.search(sentence):
                seen.add(_key(sentence))
                strength = 0 if _STRONG.search(sentence) else 1
                found.append((strength, len(found), sentence))
    best = sorted(found)[:MAX_REASONS]
    return tuple(
        _shorten(sentence, MAX_REASON_CHARS)
        for _, _, sentence in sorted(best, key=lambda row: row[1])
    )


def has_reason(message: str) -> bool:
    """Whether an answer gives a reason at all, strongly."""
    return any(_STRONG.search(sentence) for sentence in _iter_sentences(message))


def _iter_sentences(text: str) -> Iterator[str]:
    """Sentences of prose: code blocks, tables, headings' and bullets' marks are left out."""
    text = _CODE_BLOCK.sub("\n\n", text[:MAX_CHARS])
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        begins = _BULLET.match(line) is not None
        if (not bare or begins or bare.startswith("|")) and paragraph:
            yield from _split(" ".join(paragraph))
            paragraph = []
        if bare.startswith("#") or bare.startswith("|") or not bare:
            continue
        paragraph.append(_BULLET.sub("", line).strip())


def _split(paragraph: str) -> Iterator[str]:
    plain = _LINKED.sub(r"\1", _STYLED.sub(r"\2", paragraph))
    held = ""
    for part in _END.split(plain):
        held = f"{held} {part}".strip()
        if not _SHORT.search(held):
            yield held
            held = ""
    if held:
        yield held


def _says_something(sentence: str) -> bool:
    words = sentence.split()
    return (
        len(words) >= LEAST_WORDS
        and not _FILLER.match(sentence)
        and not sentence.endswith(":")
        and not sentence.endswith("?")
        and any(char.isalpha() for char in sentence)
    )


def _trim(sentence: str) -> str:
    """The sentence without what a summary need not have: who speaks, and the reason, which
    stands in the decision by itself."""
    clause = _CLAUSE.search(sentence)
    if clause is not None and len(sentence[: clause.start()].split()) >= LEAST_WORDS:
        sentence = sentence[: clause.start()]
    shorter = (
        _FIRST_PERSON.sub("", sentence, count=1) if _FIRST_PERSON.match(sentence) else sentence
    )
    if shorter.endswith(".") and not shorter.endswith("..."):
        shorter = shorter[:-1]
    return shorter[:1].upper() + shorter[1:]


def _key(sentence: str) -> str:
    return " ".join(sentence.casefold().split())[:120].rstrip(".")


def _shorten(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return text[: most - 1].rpartition(" ")[0].rstrip(",;:") + "…"
