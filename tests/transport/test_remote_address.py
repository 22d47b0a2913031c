"""Which addresses are taken, how they are understood, and what of them is shown."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import UnsafeRemote, UsageError
from gitmem.git.remote_address import parse_address, scrub
from gitmem.git.remote_resolve import RemoteConfig

# The same in every process: it is part of the names of tests, which workers compare.
TOKEN = hashlib.sha256(b"no secret").hexdigest()[:24]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/o/r.git", ("https", None, "example.com", None, "/o/r.git")),
        ("http://u@example.com:8080/o", ("http", "u", "example.com", 8080, "/o")),
        ("https://[2001:db8::1]:8443/o/r", ("https", None, "2001:db8::1", 8443, "/o/r")),
        ("git://example.com/r", ("git", None, "example.com", None, "/r")),
        ("git://[::1]/r", ("git", None, "::1", None, "/r")),
        ("ssh://git@example.com:2222/o/r", ("ssh", "git", "example.com", 2222, "/o/r")),
        ("ssh://[::1]:22/r", ("ssh", None, "::1", 22, "/r")),
        ("ssh://[fe80::1%25eth0]/r", ("ssh", None, "fe80::1%eth0", None, "/r")),
        ("git+ssh://git@example.com/r", ("ssh", "git", "example.com", None, "/r")),
        ("ssh://example.com/~ada/r", ("ssh", None, "example.com", None, "/~ada/r")),
        ("ssh://example.com/a%20b", ("ssh", None, "example.com", None, "/a b")),
        ("git@example.com:o/r.git", ("ssh", "git", "example.com", None, "o/r.git")),
        ("git@example.com:2222/o/r", ("ssh", "git", "example.com", None, "2222/o/r")),
        ("example.com:/abs/r", ("ssh", None, "example.com", None, "/abs/r")),
        ("git@[::1]:r.git", ("ssh", "git", "::1", None, "r.git")),
        ("host:r@x", ("ssh", None, "host", None, "r@x")),
        ("file:///srv/a%20b.git", ("file", None, "", None, "/srv/a b.git")),
        ("file://localhost/srv/r", ("file", None, "", None, "/srv/r")),
        ("/srv/r.git", ("path", None, "", None, "/srv/r.git")),
        ("../r", ("path", None, "", None, "../r")),
        ("./a:b", ("path", None, "", None, "./a:b")),
        ("dir/a:b", ("path", None, "", None, "dir/a:b")),
        ("C:\\repos\\r", ("path", None, "", None, "C:\\repos\\r")),
        ("C:/repos/r", ("path", None, "", None, "C:/repos/r")),
        ("\\\\server\\share\\r", ("path", None, "", None, "\\\\server\\share\\r")),
        ("/srv/-r", ("path", None, "", None, "/srv/-r")),
    ],
)
def test_the_forms_that_are_understood(text: str, expected: tuple[object, ...]) -> None:
    address = parse_address(text)
    assert (address.kind, address.user, address.host, address.port, address.path) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 5000,
        "-oProxyCommand=touch x:y",
        "--upload-pack=touch x",
        "ssh://-oProxyCommand=x/y",
        "ssh://-oProxyCommand=x@host/y",
        "ssh://%2DoProxyCommand=x/y",
        "ssh://%2Dx@host/y",
        "ssh://host/-y",
        "ssh://host/%2Dy",
        "git://-host/y",
        "git://host/-y",
        "https://-host/y",
        "-host:y",
        "host:-y",
        "-u@host:y",
        "u@-host:y",
        "ext::sh -c id",
        "fd::17",
        "foo::https://host/x",
        "::x",
        "ftp://host/x",
        "ftps://host/x",
        "rsync://host/x",
        "HTTPS://host/x",
        "data://x/y",
        "javascript://x/y",
        "persistent-https://host/x",
        "https://host/x\ny",
        "https://host/x%0ay",
        "git://host/x%0d%0aGET",
        "/srv/a\x1b[2J",
        "/srv/a\x00b",
        "host:a\x9bb",
        "https:///x",
        "https://host",
        "https://host/",
        "ssh://host",
        "ssh://git@host:org/r.git",
        "ssh://host:0/x",
        "ssh://host:65536/x",
        "https://host:80:80/x",
        "https://ho st/x",
        "https://host\\@evil/x",
        "https://[::1/x",
        "https://[evil]/x",
        "ssh://[-oProxyCommand=x]/y",
        "[-oProxyCommand=x]:y",
        "[host:22]:y",
        "u@v@host:y",
        "host:",
        ":y",
        "host://y",
        "file://host/srv/r",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UnsafeRemote) as caught:
        parse_address(text)
    assert len(caught.value.message) < 400
    assert caught.value.message.isprintable()


def test_a_mixed_form_is_refused_with_the_forms_that_work() -> None:
    with pytest.raises(UnsafeRemote) as caught:
        parse_address("ssh://git@host:org/r.git")
    assert "host:path" in caught.value.hint


@pytest.mark.parametrize(
    "text", [f"https://ada:{TOKEN}@h/x", f"https://{TOKEN}@h/x", f"https://{TOKEN}@h:x/y"]
)
def test_no_form_of_showing_an_address_shows_its_secret(text: str) -> None:
    try:
        address = parse_address(text)
    except UnsafeRemote as error:
        assert TOKEN not in error.message
    else:
        assert TOKEN not in address.shown + repr(address) + str(address)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_unsafe(text: str) -> None:
    try:
        address = parse_address(text)
    except UnsafeRemote:
        return
    assert not text.startswith("-")
    assert not address.host.startswith("-")
    assert not (address.user or "").startswith("-")
    assert address.kind != "ssh" or not address.path.startswith("-")


@pytest.mark.parametrize(
    "text",
    [
        f"fatal: https://ada:{TOKEN}@h/x not found",
        f"fatal: https://{TOKEN}@h/x not found",
        f"fatal: https://ada:a/{TOKEN}@h/x not found",
        f"postgres://ada:p%40{TOKEN}@h/x",
        f"> Authorization: Basic {TOKEN}",
        f"> authorization: bearer {TOKEN}\nnext",
        f"Proxy-Authorization: Basic {TOKEN}",
        f"http.https://h/.extraheader=AUTHORIZATION: basic {TOKEN}",
        f"extraHeader {TOKEN}",
        f"PRIVATE-TOKEN: {TOKEN}",
        f"https://h/x?access_token={TOKEN}&y=1",
        f"Set-Cookie: session={TOKEN}",
        f"sent Bearer {TOKEN}",
    ],
)
def test_secrets_are_scrubbed(text: str) -> None:
    assert TOKEN not in scrub(text)


@pytest.mark.parametrize(
    "text",
    [
        "fatal: repository 'https://example.com:8443/o/r.git/' not found",
        "could not read Username for 'https://example.com': terminal prompts disabled",
        "npm package @scope/x at https://example.com/@scope/x",
        "git@example.com: Permission denied (publickey).",
        f"is at {'0' * 40} but expected {'1' * 40}",
        "tabs\tand\nline ends, and words in Zoë's own letters",
    ],
)
def test_what_is_no_secret_is_kept(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;aGk=\x1b\\b", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1bPdevice\x1b\\b", "ab"),
        ("50%\rdone\r\nend", "50%\ndone\nend"),
        ("a\x00\x08\x7fb", "ab"),
        ("a\u202eb\u200bc\u2028d\U000e0041e", "abcde"),
    ],
)
def test_what_would_act_on_a_terminal_is_gone(text: str, shown: str) -> None:
    assert scrub(text) == shown


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_nothing_scrubbed_has_control_characters(text: str) -> None:
    shown = scrub(text)
    assert all(
        char in "\n\t" or not (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0) for char in shown
    )
    assert scrub(shown) == shown


def test_the_longest_rewriting_wins_and_its_result_is_checked() -> None:
    config = RemoteConfig(
        [
            ("url.https://short/.insteadof", "gh:"),
            ("url.https://long/.insteadof", "gh:o/"),
            ("url.ssh://git@push/.pushinsteadof", "gh:"),
            ("url.ext::sh .insteadof", "evil:"),
            ("remote.origin.url", "gh:o/r"),
            ("remote.origin.url", "gh:p/mirror"),
            ("remote.with.dots.url", "gh:x"),
            ("remote.two.url", "gh:x"),
            ("remote.two.pushurl", "gh:y"),
        ]
    )
    origin = config.resolve("origin")
    assert origin.fetch.text == "https://long/r"
    assert [one.text for one in origin.push] == ["ssh://git@push/o/r", "ssh://git@push/p/mirror"]
    assert config.resolve("with.dots").fetch.text == "https://short/x"
    # A push URL of its own is not sent elsewhere by pushInsteadOf.
    assert [one.text for one in config.resolve("two").push] == ["https://short/y"]
    assert config.resolve("gh:z").push[0].text == "ssh://git@push/z"
    with pytest.raises(UnsafeRemote):
        config.resolve("evil:x")
    assert config.list_remotes() == {"origin": "gh:o/r", "with.dots": "gh:x", "two": "gh:x"}


def test_a_word_that_is_no_remote_is_not_taken_for_a_path() -> None:
    with pytest.raises(UsageError, match="no remote named 'upstrem'"):
        RemoteConfig([]).resolve("upstrem")


@pytest.mark.parametrize("name", ["-x", "a=b"])
def test_a_remote_with_a_name_that_git_would_misread(name: str) -> None:
    with pytest.raises(UnsafeRemote):
        RemoteConfig([(f"remote.{name}.url", "https://h/x")]).resolve(name)
