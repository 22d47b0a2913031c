"""The type of what an agent did in one turn, by rules over whole words and the files changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

# In this order: what a change is for says more than how it was done. Each is a list of words
# and word stems as a regular expression; word ends are added, so that `docker` is no docs,
# `latest` no test and `address` no addition.
_WORDS: tuple[tuple[str, str], ...] = (
    (
        "security",
        r"security|vulnerabilit(?:y|ies)|vulnerable|cve-\d+-\d+|xss|csrf|ssrf"
        r"|(?:sql|code|command|shell|html|script|header|template|prompt|log) injections?"
        r"|sanitiz\w+|sanitis\w+|path traversal|privilege escalation|harden(?:ed|ing|s)?"
        r"|(?:leak|expos)\w* (?:of )?(?:secrets?|tokens?|passwords?|credentials?)",
    ),
    (
        "bugfix",
        r"fix(?:e[sd]|ing)?|bugs?|bug-?fix(?:es)?|broken|(?<!line )(?<!page )breaks?"
        r"|crash(?:e[sd]|ing)?|regressions?|hotfix(?:es)?|tracebacks?|wrong(?:ly)?|incorrect(?:ly)?|fails?|failing"
        r"|failed|deadlocks?|race conditions?|off[- ]by[- ]one|memory leaks?",
    ),
    (
        "perf",
        r"perf|performance|performant|speed(?: it)? up|speed-?ups?|faster"
        r"|slow(?:er|ly|ness)?|latency|throughput|optimi[sz](?:e[sd]?|ing|ations?)"
        r"|memory usage|bottlenecks?",
    ),
    (
        "refactor",
        r"refactor(?:s|ed|ing|ings)?|renam(?:e[sd]?|ing)|extract(?:s|ed|ing)?|restructur\w+"
        r"|simplif(?:y|ies|ied|ying|ication)|clean(?:s|ed|ing)?[- ]?up|cleanups?"
        r"|deduplicat\w+|reorgani[sz]\w+|split(?:s|ting)? (?:up|out|into)"
        r"|inlin(?:e[sd]?|ing) (?:the|a|an|this|that|all)"
        r"|mov(?:e[sd]?|ing) .{0,40} (?:to|into|out of)",
    ),
    (
        "feature",
        r"add(?:s|ed|ing)?|implement(?:s|ed|ing|ation)?|introduc(?:e[sd]?|ing)|support(?:s|ed)?"
        r"|features?|creat(?:e[sd]?|ing)|new|allow(?:s|ed)?|enabl(?:e[sd]?|ing)"
        r"|build(?:s|ing)? (?:a|an|out|me|us)",
    ),
    (
        "docs",
        r"docs?|document(?:s|ed|ing|ation)?|readme|docstrings?|changelog|tutorials?|typos?",
    ),
    (
        "test",
        r"tests?(?! (?:are |still |all |must |should )*(?:pass|run|green))|test(?:ed|ing)"
        r"|unit[- ]tests?|coverage|fixtures?|pytest",
    ),
    (
        "chore",
        r"chores?|bump(?:s|ed|ing)?|upgrad(?:e[sd]?|ing)|dependenc(?:y|ies)(?! injection)"
        r"|lint(?:s|ed|ing|er)?|reformat\w*|format(?:ting|ter)|ci|gitignore|licen[cs]es?"
        r"|(?:pin|rais|updat)\w* (?:the )?versions?",
    ),
)
_INVESTIGATION = (
    r"investigat(?:e[sd]?|ing|ions?)|find out|look into|understand|explain|analy[sz]e[sd]?"
    r"|research(?:ed|ing)?|compare[sd]?|debug(?:ged|ging)?|why|how (?:does|do|is|are|can|should)"
)
_DOC_PATH = re.compile(
    r"(?:^|/)(?:docs?|documentation)/|(?:^|/)(?:readme|changelog|contributing)[^/]*$"
    r"|\.(?:md|markdown|rst|adoc)$",
    re.IGNORECASE,
)
_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|(?:_test|\.test|\.spec|_spec)\.\w+$",
    re.IGNORECASE,
)
_CHORE_PATH = re.compile(
    r"(?:^|/)\.github/|(?:^|/)\.gitlab-ci|(?:^|/)\.(?:gitignore|editorconfig|pre-commit)"
    r"|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|go\.sum"
    r"|cargo\.lock|requirements[^/]*\.txt)$",
    re.IGNORECASE,
)
_PATHS = (("docs", _DOC_PATH), ("test", _TEST_PATH), ("chore", _CHORE_PATH))
MAX_CHARS = 2_000


def infer_type(request: str, summary: str, paths: Sequence[str]) -> str:
    """One of the decision types. Files decide where all are of one sort; then the words of
    the request, then those of the summary; where no word says anything it is a `decision`,
    and where no file changed an `investigation` or a `note`."""
    for kind, pattern in _PATHS:
        if paths and all(pattern.search(path) for path in paths):
            return kind
    if not paths:
        asked = _find(_INVESTIGATION, request) or "?" in request
        return "investigation" if asked else "note"
    for text in (request, summary):
        for kind, words in _WORDS:
            if _is_borne_out(kind, paths) and _find(words, text):
                return kind
    return "decision"


def _is_borne_out(kind: str, paths: Sequence[str]) -> bool:
    """Whether there is a file of the sort, where the type is about a sort of file."""
    patterns = dict(_PATHS)
    return kind not in ("docs", "test") or any(patterns[kind].search(path) for path in paths)


@cache
def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


def _find(words: str, text: str) -> bool:
    return _compiled(words).search(text[:MAX_CHARS]) is not None
