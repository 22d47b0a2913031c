"""Secrets in text: found by their shape, and replaced before a byte is written.

Every pattern reads its input once: a run of characters is taken possessively, and what comes
before a run is bounded. A pattern is compiled only when one of its markers stands in the
text, so that importing this module costs nothing on a hot path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class _Rule(NamedTuple):
    """One shape. `markers`: lower-case texts of which one must be there. What is replaced is
    the group `s`; `is_secret` has the last word on a match."""

    kind: str
    markers: tuple[str, ...]
    pattern: str
    is_secret: Callable[[re.Match[str]], bool] | None = None


# A token starts where a word starts, or after an escape such as `\n` in a line of JSON.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))"

_PRIVATE_KEY = (
    r"(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,}+)*+))"
)
_USERINFO = r"(?P<scheme>[A-Za-z0-9+.-]{0,20})://(?P<s>[^\s/?#\"'`<>\\]+)@(?=[A-Za-z0-9\[])"
_JWT = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf]))"
    r"(?P<s>eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+)"
)
_AUTHORIZATION = (
    r"(?i:authorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:bearer|basic|token)\s{1,3})"
    r"(?P<s>[A-Za-z0-9._~+/=-]{8,}+)"
)
_BEARER = r"(?i:\bbearer\s{1,3})(?P<s>(?=[A-Za-z._~+/-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{20,}+)"
_ASSIGNMENT = (
    r"(?i:(?P<name>pass(?:word|wd|phrase)|secret(?:[_-]?(?:access)?[_-]?key)?|token|api[_-]?key))"
    r"\\?[\"']?(?P<sep>\s{0,3}(?::=|=>|[:=])\s{0,3})"
    r"(?P<quote>\\?[\"'])?(?P<s>(?(quote)[^\"'\n\\]|[^\s\"'`,;&<>()\[\]{}|\\]){6,}+)"
    r"(?P<call>[(\[{])?"
)


def _is_secret_userinfo(match: re.Match[str]) -> bool:
    """Whether the part before the host gives anything away: not a variable, and not the mere
    name of an ssh account."""
    text = match["s"]
    if "{" in text or ":$" in text or text.startswith("$") or "[redacted:" in text:
        return False
    return ":" in text or not (match["scheme"].lower().endswith("ssh") or text == "git")


_PLACEHOLDER = re.compile(
    r"[$<%*{\[]|\.\.\.|x+$|(?:self|this|cls|os|env|process|config|settings|secrets|args|options)\.",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+[A-Za-z0-9.+-]*|[0-9]+")
_NAMED = re.compile(r"pass(?:word|wd|phrase)|secret|token|key|none|null|true|false", re.IGNORECASE)


def _is_secret_value(match: re.Match[str]) -> bool:
    """Whether what is assigned to `password`, `token` … is a secret rather than code, a
    variable, a version or a word of prose."""
    value = match["s"].rstrip(".")
    if _PLACEHOLDER.match(value) or _UUID.fullmatch(value) or match["call"]:
        return False
    is_password = match["name"].lower().startswith("pass")
    if any(char.isspace() for char in value):
        return False
    if any(char.isdigit() for char in value):
        return is_password or not _VERSION.fullmatch(value)
    # Without a digit it may be a word, or the name of a variable.
    if not is_password or _NAMED.search(value):
        return False
    return match["quote"] is not None or (match["sep"] == "=" and value.isalpha())


_RULES = (
    _Rule("private-key", ("private key",), _PRIVATE_KEY),
    _Rule("url-userinfo", ("://",), _USERINFO, _is_secret_userinfo),
    _Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _START + r"(?P<s>gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+)",
    ),
    _Rule("gitlab-token", ("glpat-",), _START + r"(?P<s>glpat-[A-Za-z0-9_-]{20,}+)"),
    _Rule("anthropic-key", ("sk-ant-",), _START + r"(?P<s>sk-ant-[A-Za-z0-9_-]{20,}+)"),
    _Rule(
        "openai-key",
        ("sk-",),
        _START + r"(?P<s>sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}+|[A-Za-z0-9]{20,}+))",
    ),
    _Rule(
        "aws-access-key",
        ("akia", "asia"),
        _START + r"(?P<s>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])",
    ),
    _Rule("slack-token", ("xox",), _START + r"(?P<s>xox[abeprs]-[A-Za-z0-9-]{10,}+)"),
    _Rule("google-key", ("aiza",), _START + r"(?P<s>AIza[A-Za-z0-9_-]{35,}+)"),
    _Rule(
        "stripe-key",
        ("k_live_", "k_test_"),
        _START + r"(?P<s>[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+)",
    ),
    _Rule("npm-token", ("npm_",), _START + r"(?P<s>npm_[A-Za-z0-9]{36,}+)"),
    _Rule("pypi-token", ("pypi-",), _START + r"(?P<s>pypi-[A-Za-z0-9_-]{40,}+)"),
    _Rule("huggingface-token", ("hf_",), _START + r"(?P<s>hf_[A-Za-z0-9]{30,}+)"),
    _Rule("jwt", ("eyj",), _JWT),
    _Rule("authorization", ("authorization",), _AUTHORIZATION),
    _Rule("authorization", ("bearer",), _BEARER),
    _Rule(
        "assignment",
        ("password", "passwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey"),
        _ASSIGNMENT,
        _is_secret_value,
    ),
)


def redact_text(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `[redacted:<kind>]` for each secret, and the kinds found, sorted.

    What surrounds a secret stays: the host of an URL, the name that a password is given to.
    Call it on whole texts: a secret cut in two has no shape any more.
    """
    found: set[str] = set()
    lowered = text.lower()
    for rule in _RULES:
        if any(marker in lowered for marker in rule.markers):
            text = re.sub(rule.pattern, _replacement(rule, found), text)
    return text, tuple(sorted(found))


def _replacement(rule: _Rule, found: set[str]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        whole = match.group()
        if rule.is_secret and not rule.is_secret(match):
            return whole
        found.add(rule.kind)
        start, end = (place - match.start() for place in match.span("s"))
        return f"{whole[:start]}[redacted:{rule.kind}]{whole[end:]}"

    return replace


def find_secrets(raw: str | bytes) -> tuple[str, ...]:
    """The kinds of secrets in a text, or in the stored bytes of a record; sorted."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return redact_text(text)[1]
