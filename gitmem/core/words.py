"""Words as full-text search has them: one way to prepare a text, and a question about it.

The index's own tokenizer cuts at what is no letter or digit, folds case and accents, and takes
English endings off. What it cannot do is done here, to both sides alike: characters that show
nothing are dropped and look-alikes folded, names such as `camelCase` get their parts beside
them, Cyrillic words lose their endings, and runs of scripts without spaces become overlapping
pairs.
"""

from __future__ import annotations

import re
import unicodedata

MAX_WORDS = 64
"""Of a question so many different words are looked up."""
MAX_QUESTION_CHARS = 20_000
_MAX_WORD_CHARS = 200
_MAX_TITLE_CHARS = 200
"""A longer first line is no title, but a text without line breaks."""

_STOP_TEXT = (
    "a about after all also an and any are as at be because been before but by can could did do"
    " does for from had has have he her his how i if in into is it its just may me more most my"
    " no not of on one only or other our out over she should so some such than that the their"
    " them then there these they this those to too up us was we were what when where which who"
    " why will with would you your d ll re s t ve"
)
STOP_WORDS = frozenset(_STOP_TEXT.split())

# Capitals right after a small letter or digit; the capital first, which is searched for fast.
_HUMP = re.compile(r"[A-Z](?<=[a-z0-9].)")
# Runs are matched from their beginning alone: else a long one that does not match is tried from
# each of its characters, in quadratic time.
_HUMPED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# What a reader does not see: soft hyphen, joiners, fillers, bidirectional and tag characters,
# variation selectors.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
_LONE = re.compile("[\ud800-\udfff]")
_CYRILLIC = "\u0400-\u052f"
_MIXED = re.compile(
    rf"(?<![A-Za-z])[A-Za-z]+[{_CYRILLIC}]\w*|(?<![{_CYRILLIC}])[{_CYRILLIC}]+[A-Za-z]\w*"
)
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0410\u0412\u0415\u041a\u041c"
    "\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u04cf\u0501\u051b",
    "aeopcyxijsABEKMHOPCTXIJSldq",
)
_CYRILLIC_WORD = re.compile(rf"[{_CYRILLIC}]{{4,}}")
_SOFT = frozenset("аеёиоуыэюяіїєйьъ")
_AFTER_VOWEL = frozenset("мхв")
_LEAST_STEM, _MOST_ENDING = 3, 3

# Scripts that put no spaces between words (and Hangul, which puts particles at their ends).
_RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]+"
)
_WORD = re.compile(
    r"[^\x00-/:-@\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u206f"
    r"\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030\ufe10-\ufe6f]+"
)


def make_storable(text: str) -> str:
    """A text that UTF-8 can hold: bytes of a command line that are none, which Python hands on
    as lone surrogates, become replacement characters."""
    return text if text.isascii() else _LONE.sub("\N{REPLACEMENT CHARACTER}", text)


def stress_title(text: str) -> str:
    """A document whose first line, its title, counts three times: what it is about says more
    than what it mentions (measured on four sets: docs/evaluation.md)."""
    title = text.partition("\n")[0][:_MAX_TITLE_CHARS]
    return f"{title}\n{title}\n{text}"


def prepare_text(text: str) -> str:
    """A text as it is given to the index; one of plain ASCII words stays as it is."""
    if not text.isascii():
        text = _fold(text)
        text = _RUN.sub(lambda run: _pair(run[0], is_indexed=True), text)
    if _HUMP.search(text):
        parts = [" ".join(_PARTS.findall(word)) for word in _HUMPED.findall(text)]
        return "\n".join((text, *parts))
    return text


def list_words(question: str) -> list[str]:
    """The words of a question, each once, in its order; stop words left out unless nothing
    else is asked. A word that ends in `*` stands for all that begin so."""
    text = question[:MAX_QUESTION_CHARS]
    if not text.isascii():
        text = _RUN.sub(lambda run: _pair(run[0], is_indexed=False), _fold(text))
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        for word in _spell(match[0][:_MAX_WORD_CHARS]):
            is_start = text.startswith("*", match.end()) and _RUN.fullmatch(word) is not None
            found[word.lower() + ("*" if is_start else "")] = None
        if len(found) >= 4 * MAX_WORDS:
            break
    telling = [word for word in found if word not in STOP_WORDS]
    return (telling or list(found))[:MAX_WORDS]


def _spell(word: str) -> list[str]:
    """A word, and the parts of a name that is made of several."""
    if not any(char.isalnum() for char in word):
        return []
    parts = [part for part in word.split("_") if part]
    words = [word] if len(parts) < 2 else [word, *parts]
    for part in parts:
        if _HUMP.search(part):
            words += _PARTS.findall(part)
    return [one for one in words if len(one) > 1 or len(words) == 1]


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", _UNSEEN.sub("", text))
    text = _MIXED.sub(lambda word: word[0].translate(_LOOK_ALIKES), text)
    return _CYRILLIC_WORD.sub(lambda word: _stem(word[0].lower()), text)


def _stem(word: str) -> str:
    """A Cyrillic word without its ending: at most three letters that endings are made of."""
    end = len(word)
    least = max(_LEAST_STEM, end - _MOST_ENDING)
    while end > least:
        last, before = word[end - 1], word[end - 2]
        if last not in _SOFT and not (last in _AFTER_VOWEL and before in _SOFT):
            break
        end -= 1
    return word[:end]


def _pair(run: str, *, is_indexed: bool) -> str:
    """Overlapping pairs of a run. The index has its last character, too, so that one that is
    asked for alone is the beginning of something wherever it stands."""
    if len(run) == 1:
        return f" {run} " if is_indexed else f" {run}* "
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    if is_indexed:
        pairs.append(run[-1])
    return f" {' '.join(pairs)} "
