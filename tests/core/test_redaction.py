"""Secrets are found by their shape; what merely looks like one stays.

Every token here is put together at run time, so that no file holds one.
"""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.redaction import find_secrets, redact_text
from tests.support.records import make_decision

BODY = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3"
UPPER = "ABCD2345EFGH67IJ"


def _join(*parts: str) -> str:
    return "".join(parts)


def _jwt() -> str:
    return ".".join((_join("ey", "J", BODY[:17]), _join("ey", "J", BODY), BODY + "-_"))


def _pem(kind: str = "RSA ", body: str = "MIIEpAIBAAKCAQEA" * 4) -> str:
    dashes = "-" * 5
    name = f"{kind}PRIVATE KEY"
    return f"{dashes}BEGIN {name}{dashes}\n{body}\n{dashes}END {name}{dashes}"


TOKENS: list[tuple[str, str]] = [
    *[("github-token", _join("gh", letter, "_", BODY[:36])) for letter in "pousr"],
    ("github-token", _join("github", "_pat_", BODY[:22], "_", BODY)),
    ("gitlab-token", _join("gl", "pat-", BODY[:20])),
    ("gitlab-token", _join("gl", "pat-", BODY[:10], "_-", BODY[:9])),
    ("anthropic-key", _join("sk-", "ant-", "api03-", BODY, "-", BODY, "AA")),
    ("openai-key", _join("sk", "-", BODY, BODY[:9])),
    ("openai-key", _join("sk-", "proj-", BODY, "_-", BODY)),
    ("aws-access-key", _join("AK", "IA", UPPER)),
    ("aws-access-key", _join("AS", "IA", UPPER)),
    *[("slack-token", _join("xo", "x", letter, "-1234567890-", BODY[:24])) for letter in "abprs"],
    ("google-key", _join("AI", "za", BODY[:35])),
    ("stripe-key", _join("sk", "_live_", BODY[:24])),
    ("stripe-key", _join("rk", "_live_", BODY[:24])),
    ("npm-token", _join("np", "m_", BODY[:36])),
    ("pypi-token", _join("py", "pi-", "AgEIcHlwaS5vcmc", BODY, BODY)),
    ("huggingface-token", _join("h", "f_", BODY[:34])),
    ("jwt", _jwt()),
    ("private-key", _pem()),
    ("private-key", _pem("")),
    ("private-key", _pem("OPENSSH ")),
    ("private-key", _pem("ENCRYPTED ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: A-256\n\nMIIE")),
]
FRAMES = [
    "{}",
    "see {} there",
    '"{}"',
    "'{}',",
    "`{}`",
    "({})",
    "key={}",
    "key: {}\n",
    "[{}]",
    "a,{},b",
    "\\n{}\\n",
    "https://example.com/?t={}&x=1",
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("kind", "token"), TOKENS)
def test_tokens_are_replaced_and_their_surroundings_kept(kind: str, token: str, frame: str) -> None:
    text, kinds = redact_text(frame.format(token))
    assert text == frame.format(f"[redacted:{kind}]")
    assert kinds == (kind,)


@pytest.mark.parametrize(("kind", "token"), TOKENS)
def test_tokens_are_found_in_the_stored_bytes_of_a_record(kind: str, token: str) -> None:
    line = make_decision(why=f"It said:\n{token}\nand failed.", summary="A failure")
    assert kind in find_secrets(line.raw)
    assert find_secrets(json.dumps({"why": f"a\t{token}"})) == find_secrets(f"a\t{token}")


WORD = "hunter" + "2hunter2"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"https://{WORD}@example.com/o/r", "https://{u}@example.com/o/r"),
        (f"https://user:{WORD}@example.com:8443/o", "https://{u}@example.com:8443/o"),
        ("https://user:pa%40ss@example.com", "https://{u}@example.com"),
        ("https://a@b.c:word@example.com/", "https://{u}@example.com/"),
        (f"postgres://app:{WORD}@db.example.com/x", "postgres://{u}@db.example.com/x"),
        (f"redis://:{WORD}@[::1]:6379", "redis://{u}@[::1]:6379"),
        (f"ssh://git:{WORD}@example.com/o/r", "ssh://{u}@example.com/o/r"),
        (f"password={WORD}", "password={a}"),
        ("password=correcthorse", "password={a}"),
        (f"passwd: {WORD}", "passwd: {a}"),
        (f"DB_PASSWORD={WORD}", "DB_PASSWORD={a}"),
        (f'"password": "{WORD}",', '"password": "{a}",'),
        (f'\\"password\\": \\"{WORD}\\"', '\\"password\\": \\"{a}\\"'),
        (f"password := '{WORD}'", "password := '{a}'"),
        ("password = 'open!sesame'", "password = '{a}'"),
        (f"clientSecret: {WORD}", "clientSecret: {a}"),
        (f"?user=a&token={WORD}&x=1", "?user=a&token={a}&x=1"),
        (f"token = '{'0123456789abcdef' * 2}'", "token = '{a}'"),
        (f"api_key={WORD}", "api_key={a}"),
        (f"aws_secret_access_key = {BODY}/+", "aws_secret_access_key = {a}"),
        (f"AWS_SECRET_ACCESS_KEY={BODY}/", "AWS_SECRET_ACCESS_KEY={a}"),
        (f"Server=x;Password={WORD};", "Server=x;Password={a};"),
        (f"Authorization: Bearer {WORD}", "Authorization: Bearer {h}"),
        (f"authorization: basic {WORD}==", "authorization: basic {h}"),
        (f'"Authorization": "Bearer {BODY}"', '"Authorization": "Bearer {h}"'),
        (f"curl -H 'bearer {BODY}'", "curl -H 'bearer {h}'"),
    ],
)
def test_secrets_in_their_places_are_replaced_and_the_places_kept(before: str, after: str) -> None:
    expected = after
    for short, kind in (("u", "url-userinfo"), ("a", "assignment"), ("h", "authorization")):
        expected = expected.replace("{" + short + "}", f"[redacted:{kind}]")
    text, kinds = redact_text(before)
    assert text == expected
    assert len(kinds) == 1


SHA1 = "3f2a91c0" * 5
SHA256 = "3f2a91c0" * 8
KEPT = [
    SHA1,
    SHA256,
    f"commit {SHA1} by Ada",
    f'"{SHA1}"',
    f"'{SHA256}'",
    f'{{"sha": "{SHA1}", "tree": "{SHA256}", "id":"{SHA256}"}}',
    f'{{"blob":"{SHA1}","base":"{SHA1}"}}',
    "123e4567-e89b-12d3-a456-426614174000",
    '"id": "123e4567-e89b-12d3-a456-426614174000"',
    "token: 123e4567-e89b-12d3-a456-426614174000",
    "integrity sha512-" + "aB3/+dE5" * 10 + "==",
    '"integrity": "sha512-' + "aB3/+dE5" * 10 + '=="',
    "sha256:" + SHA256,
    "slf4j-api:2.0.6=default",
    "v1.2.3-rc.1+build.5",
    "token: 1.2.3",
    "token: 12345678",
    "password: ${DB_PASSWORD_1}",
    'password: "${DB_PASSWORD_1}"',
    "PASSWORD=$DB_PASSWORD_1",
    "token: {{ var1_token_value }}",
    'token = "{{ var1 }}"',
    "token: ${{ secrets.TOKEN_2 }}",
    "https://${USER}:${TOKEN}@example.com/o/r",
    "https://{{ token }}@example.com/o/r",
    "https://{user}:{token}@example.com/o/r",
    "https://$USER:$TOKEN@example.com/o/r",
    "https://user:$TOKEN@example.com/o/r",
    "vaultKey: prod/service/database1",
    '"vaultKey": "my-vault-key-1234"',
    "example.com:xxx",
    "password=xxxxxxxx",
    "password: <your password 1>",
    "token=********",
    "git@example.com:org/repo.git",
    "ssh://git@example.com/org/repo.git",
    "ssh://ada@example.com/org/repo.git",
    "https://git@example.com/org/repo.git",
    "https://example.com/@scope/package",
    "https://example.com/a?b=c@d.e",
    "mail ada@example.com or see http://example.com",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + BODY + " ada@example.com",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----",
    "max_tokens=4096123",
    "token_count: 4096123",
    "def login(password: str, token: Optional[str] = None)",
    "login(password=password, token=self.token2, secret=get_secret2())",
    "token = os.environ['TOKEN_1']",
    "password = getpass.getpass1()",
    "passwordHash2: bcrypt",
    "The secret: tell nobody. The token: an opaque string.",
    '"token": "a string of 32 characters"',
    "The bearer authentication_of_the_service fails",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer <token>",
    "task-force-of-many-people-and-more-words-1",
    "sk-toggleable__content-of-a-class",
    "npm_config_registry_of_some_length_or_other",
    "eyJ is how such a token starts. eyJhbGciOi.and.so.on",
    "xoxo-love",
    "AKIA is a prefix",
    "pypi-server",
    "cache keyed by tenant",
    "",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact_text(text) == (text, ())
    assert find_secrets(text.encode()) == ()


def test_several_secrets_are_each_replaced_and_all_kinds_named() -> None:
    token = _join("gh", "p_", BODY[:36])
    text, kinds = redact_text(f"{token} {token} password={WORD}")
    assert text.count("[redacted:github-token]") == 2
    assert kinds == ("assignment", "github-token")
    assert BODY[:8] not in text
    assert WORD not in text


def test_a_token_given_to_a_password_is_named_once() -> None:
    token = _join("gh", "p_", BODY[:36])
    for frame in ("token={}", 'password: "{}"', "https://{}@example.com/", "bearer {}"):
        text, kinds = redact_text(frame.format(token))
        assert token not in text
        assert len(kinds) == 1


def test_a_private_key_that_was_cut_is_replaced_as_far_as_it_goes() -> None:
    whole = _pem(body="MIIEpAIBAAKCAQEA" * 4 + "\n" + "MIIEpAIBAAKCAQEA" * 4)
    cut = whole[: whole.index("-----END")]
    assert redact_text(cut) == ("[redacted:private-key]", ("private-key",))
    start = whole.partition("\n")[0]
    assert redact_text(f"{start} starts a block.")[0].endswith("starts a block.")


@given(st.text(max_size=200), st.sampled_from(TOKENS))
def test_redacting_twice_is_redacting_once(text: str, token: tuple[str, str]) -> None:
    once, _ = redact_text(f"{text} {token[1]} {text}")
    assert token[1] not in once
    assert redact_text(once) == (once, ())


# --- time -----------------------------------------------------------------------------------

WORST = {
    "spaces": " ",
    "a key and spaces": '"key"' + " " * 1000,
    "a password and spaces": "password" + " " * 1000,
    "a dash": "a-",
    "brackets": "[[",
    "one long line": "a",
    "digits": "0",
    "quotes": '"',
    "backslashes": "\\",
    "equals": "password=",
    "assignments": 'password="a',
    "tokens": "token:",
    "names": "secret_access_key",
    "addresses": "://",
    "addresses with users": "http://a:b@",
    "users": "://a" + "@" * 50,
    "schemes": "a+a.a-",
    "web tokens": "eyJ",
    "parts of web tokens": "eyJaaaaaaaa.",
    "bearers": "bearer ",
    "headers": "authorization: bearer",
    "dashes": "-",
    "begun keys": "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5,
    "begun keys with bodies": "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5 + "A" * 100 + "\n-",
    "names of keys": "-----BEGIN " + "A " * 20,
    "prefixes": "ghp_github_pat_glpat-sk-ant-sk-AKIAxoxb-AIzask_live_npm_pypi-hf_eyJ",
    "github": "github_pat_",
    "escapes": "\\nsk-",
}


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        redact_text(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("name", WORST)
def test_work_grows_with_the_text_and_no_faster(name: str) -> None:
    """Four times the text is about four times the work; of a quadratic pattern, sixteen."""
    size = 256 * 1024
    unit = WORST[name]
    text = unit * (size // len(unit))
    assert _seconds(text * 4) < 9 * _seconds(text) + 0.1
