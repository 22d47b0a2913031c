"""From what was asked and what was answered: one line that says what, and the sentences why.

Nothing is put in other words: sentences are picked as they stand, by words that give a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MAX_SUMMARY_CHARS = 160
MAX_REASONS = 4
LEAST_WORDS = 3
LEAST_REQUEST_WORDS = 2
LEAST_REASON_CHARS = 20
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
_MARKED = re.compile(r"^[^\w\s`\"'(\[<*_/.~$@&-]+\s*")
# `__init__` is a name, not a style.
_STYLED = re.compile(r"(?<![\w`/.])(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1(?![\w`.])")
_LINKED = re.compile(r"!?\[([^\]\[]{0,200})\]\([^()\s]{0,500}\)")
_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[`\w])|(?<=[\u3002\uff01\uff1f])")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|resp)\.$", re.IGNORECASE)

_REASON = re.compile(
    r"\b(?:because|so that|so as to|in order to|to (?:avoid|prevent|keep|ensure|make sure)"
    r"|instead of|rather than|otherwise|due to|caused by|root cause|the (?:reason|cause|problem"
    r"|issue) (?:is|was)|(?:which|that)(?:'s| is) why|, (?:since|as)|since (?:the|it|we|this"
    r"|that|they|there|a|an|both|only)\b|trade-?offs?|avoids|prevents|considered|requires|we need"
    r"|consistent with|matches (?:how|what|the)|decided (?:to|on|against)|chose|chosen"
    r"|prefer(?:red)? |must|would (?:be|have|break|leak|lose|block|fail)|could not|cannot"
    r"|never|no longer"
    r"|weil|parce que|porque|\u043f\u043e\u0442\u043e\u043c\u0443 \u0447\u0442\u043e"
    r"|\u043f\u043e\u0441\u043a\u043e\u043b\u044c\u043a\u0443)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:because|so that|instead of|rather than|to (?:avoid|prevent)|root cause|caused by"
    r"|due to|the (?:reason|cause) (?:is|was)|decided (?:to|on|against)|trade-?offs?"
    r"|(?:which|that)(?:'s| is) why|weil|parce que|porque"
    r"|\u043f\u043e\u0442\u043e\u043c\u0443 \u0447\u0442\u043e"
    r"|\u043f\u043e\u0441\u043a\u043e\u043b\u044c\u043a\u0443)\b",
    re.IGNORECASE,
)
# A heading or label under which every sentence is a reason, whatever its words.
_REASONED = re.compile(
    r"\b(?:why|rationale|reasons?|reasoning|trade-?offs?|alternatives"
    r"|(?:key|design|main|important) (?:decisions?|choices?))\b",
    re.IGNORECASE,
)
# What was done, rather than what was found out on the way to it.
_CHANGE = re.compile(
    r"(?<!be )\b(?:added|adds|adjusted|bumped|cached|capped|changed|configured|converted|created"
    r"|deleted|disabled|dropped|enabled|extracted|fixed|fixes|implemented|introduced|kept|limited|made"
    r"|merged|migrated|moved|pinned|raised|refactored|removed|renamed|replaced|restored|reverted"
    r"|rewrote|rewritten|set|simplified|split|switched|updated|used|uses|wrapped|wrote)\b"
    r"|\bnow\b(?! (?:i|let|we)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*[,;:\u2014-]?\s(?:because|so that|in order to)\b", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:(?:i|we) (?:found|can see|see|looked|checked|verified|ran|need to|understand|think)"
    r"|(?:i'm|i am|i have|i've|everything|it|that|this)(?: is|'s)? (?:now )?(?:done|finished|works)"
    r"|(?:i've |i have |i )?(?:made|applied|implemented|completed|finished|addressed)"
    r" (?:the|all|your|those|these)(?: requested)? (?:changes?|fix(?:es)?|requests?|tasks?)"
    r"|[\w-]+ (?:is |are )?(?:now )?(?:complete|completed|done|finished|fixed)\W*$"
    r"|next steps?|nothing|done|all (?:set|done|good)|ok(?:ay)?|sure|great|perfect|yes|no|thanks?"
    r"|hi|hello|please|good|understood|got it|absolutely|certainly|of course"
    r"|you'?re (?:absolutely )?right"
    r"|i'?ll|i will|i'?m going|let me|let'?s|now,? (?:i|let)|here(?:'s| is| are)|summary"
    r"|what (?:i )?(?:changed|did)|changes?(?: made)?|(?:all |the |both |every |\d+ )*"
    r"(?:unit |integration )?tests? (?:suite )?(?:are |is )?(?:now |still |all )?(?:pass|green)\w*"
    r"|would you like|do you want|continue|go on)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?:I|We)(?:(?:'ve|’ve| have)(?: now| also| just)? (?=[a-z]+(?:ed|t|n|e)\b)"
    r"|(?: now| also| just)? (?=(?!need)[a-z]+ed\b))"
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
    """One line: where files changed, the first sentence of the answer that tells so, else that
    says something, else the request's, else which files changed. Both texts cleaned before."""
    said = [one for one in _list_sentences(message) if _says_something(one, LEAST_WORDS)]
    changes = (one for one in said if paths and _CHANGE.search(_trim(one)))
    asked = (one for one in _list_sentences(request) if _says_something(one, LEAST_REQUEST_WORDS))
    best = next(changes, None) or next(iter(said), None) or next(asked, None)
    if best is not None:
        return _shorten(_trim(best), MAX_SUMMARY_CHARS)
    names = ", ".join(path.rpartition("/")[2] for path in paths[:3])
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return _shorten(f"Changed {names}{more}", MAX_SUMMARY_CHARS) if names else ""


def pick_reasons(request: str, message: str, summary: str) -> tuple[str, ...]:
    """The sentences that give a reason, as they were said: the strongest of them, in the
    order in which they stand, the request's before the answer's; the summary is not said
    again. Under a heading such as "Why" or "Key decisions" every sentence gives one."""
    found: list[tuple[int, int, str]] = []
    seen = {_key(summary)}
    for text in (request, message):
        for sentence, is_under_why in _iter_sentences(text):
            if _key(sentence) in seen or len(sentence) < LEAST_REASON_CHARS:
                continue
            is_reason = is_under_why and not _FILLER.match(sentence)
            if (is_reason or _REASON.search(sentence)) and not sentence.endswith(("?", ":")):
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
    return any(_STRONG.search(sentence) for sentence in _list_sentences(message))


def _list_sentences(text: str) -> list[str]:
    return [sentence for sentence, _ in _iter_sentences(text)]


def _iter_sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Sentences of prose, and whether a heading or label over them asks why: code blocks,
    tables, headings' and bullets' marks are left out."""
    text = _CODE_BLOCK.sub("\n\n", text[:MAX_CHARS])
    paragraph: list[str] = []
    is_under_why = False
    for line in [*text.split("\n"), ""]:
        bare = line.strip()
        begins = _BULLET.match(line) is not None
        is_label = bare.startswith("#") or (bare.rstrip("*_").endswith(":") and not begins)
        if (not bare or begins or is_label or bare.startswith("|")) and paragraph:
            for sentence in _split(" ".join(paragraph)):
                yield sentence, is_under_why
            paragraph = []
        if is_label:
            is_under_why = _REASONED.search(bare) is not None
        elif bare and not bare.startswith("|"):
            paragraph.append(_BULLET.sub("", line).strip())


def _split(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph: one begins with no small letter, and none after "e.g."."""
    plain = _LINKED.sub(r"\1", _STYLED.sub(r"\2", _MARKED.sub("", paragraph)))
    held = ""
    for part in _END.split(plain):
        if held and not part[:1].islower() and not _SHORT.search(held):
            yield held
            held = ""
        held = f"{held} {part}".strip()
    if held:
        yield held


def _says_something(sentence: str, least_words: int) -> bool:
    words = sentence.split()
    return (
        len(words) >= least_words
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
