"""Names that leave the core: refs, keys of remotes, paths."""

from __future__ import annotations

import itertools
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.paths import decode_path, encode_path, fold_path
from gitmem.core.refnames import (
    FETCHED_PREFIX,
    format_fetched_prefix,
    format_fetched_ref,
    format_writer_ref,
    is_writer,
    parse_fetched_ref,
    parse_writer_ref,
)
from gitmem.core.remote_key import build_remote_key, strip_userinfo

WRITER = "0123456789abcdef"
REMOTES = [
    "",
    "origin",
    "Origin",
    "up-stream",
    "a_b",
    "-dash",
    "x--",
    "x--61",
    "y--61",
    "a/b",
    "a",
    "a.lock",
    "..",
    "@",
    "HEAD",
    "é",
    "\udce9",
    "a b",
    "~^:?*[\\",
    "x" * 199,
    "x" * 200,
    "x" * 201,
    "x" * 500,
    "git@example.com:org/repo.git",
    "https://example.com/org/repo.git",
    "https://example.com/" + "a" * 100,
    "https://example.com/" + "a" * 101,
    "file:///" + "very/long/folder/" * 40 + "repo.git",
    "C:\\repos\\a",
]
NAMES = st.sampled_from(REMOTES) | st.text(
    st.characters(exclude_categories=["Cs"])
    | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),
    max_size=250,
)


# --- refs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("as_branch", [False, True])
def test_writer_refs_round_trip(as_branch: bool) -> None:
    assert parse_writer_ref(format_writer_ref(WRITER, as_branch=as_branch)) == WRITER


@pytest.mark.parametrize(
    "ref",
    [
        "",
        "refs/gitmem/w/",
        "refs/gitmem/w/0123456789abcde",
        "refs/gitmem/w/0123456789ABCDEF",
        "refs/gitmem/w/0123456789abcdef/x",
        "refs/gitmem/w/0123456789abcdef\n",
        "refs/heads/0123456789abcdef",
        "refs/gitmem/x/0123456789abcdef",
        "x/refs/gitmem/w/0123456789abcdef",
    ],
)
def test_other_refs_are_no_writer_refs(ref: str) -> None:
    assert parse_writer_ref(ref) is None
    assert parse_fetched_ref(ref) is None


@pytest.mark.parametrize("writer", ["", "0" * 15, "0" * 17, "A" * 16, "g" * 16, "0" * 16 + "\n"])
def test_only_sixteen_hexadecimal_digits_are_a_writer(writer: str) -> None:
    assert not is_writer(writer)
    with pytest.raises(ValueError, match="not a writer id"):
        format_writer_ref(writer)
    with pytest.raises(ValueError, match="not a writer id"):
        format_fetched_ref("origin", writer)


@given(NAMES)
def test_fetched_refs_round_trip(remote: str) -> None:
    ref = format_fetched_ref(remote, WRITER)
    assert parse_fetched_ref(ref) == (remote, WRITER)
    assert ref.startswith(format_fetched_prefix(remote))
    assert parse_writer_ref(ref) is None


@given(NAMES, NAMES)
def test_no_two_remotes_share_a_folder_or_stand_in_one_another(one: str, two: str) -> None:
    first, second = format_fetched_prefix(one), format_fetched_prefix(two)
    if one != two:
        # Case-insensitive file systems count, too.
        assert not first.lower().startswith(second.lower())
        assert not second.lower().startswith(first.lower())


def test_no_two_of_the_awkward_remotes_share_a_folder() -> None:
    prefixes = [format_fetched_prefix(remote).lower() for remote in REMOTES]
    for one, two in itertools.permutations(prefixes, 2):
        assert not one.startswith(two)


@given(NAMES)
def test_every_component_fits_a_file_system(remote: str) -> None:
    ref = format_fetched_ref(remote, WRITER)
    assert ref.isascii()
    assert max(map(len, ref.split("/"))) <= 250


def test_git_takes_every_ref_we_make() -> None:
    for remote in REMOTES:
        ref = format_fetched_ref(remote, WRITER)
        assert subprocess.run(["git", "check-ref-format", ref]).returncode == 0, remote
    for as_branch in (False, True):
        ref = format_writer_ref(WRITER, as_branch=as_branch)
        assert subprocess.run(["git", "check-ref-format", ref]).returncode == 0


@pytest.mark.parametrize(
    "folder", ["x--6", "x--zz", "x--6F", "x--61", "y--61", "Origin", "a/b", "x--61/x--62", ""]
)
def test_another_spelling_of_a_remote_is_not_ours(folder: str) -> None:
    """Only what we would write ourselves is read: `x--61` would be a second name of `a`."""
    assert parse_fetched_ref(f"{FETCHED_PREFIX}{folder}/{WRITER}") is None


@given(st.text(max_size=80))
def test_any_text_is_a_fetched_ref_in_one_spelling_or_none(tail: str) -> None:
    ref = f"{FETCHED_PREFIX}{tail}/{WRITER}"
    parsed = parse_fetched_ref(ref)
    assert parsed is None or format_fetched_ref(*parsed) == ref


# --- keys of remotes --------------------------------------------------------------------------

SAME = {
    "example.com/org/repo": [
        "git@example.com:org/repo.git",
        "git@example.com:org/repo",
        "git@example.com:/org/repo.git",
        "example.com:org/repo.git/",
        "https://example.com/org/repo",
        "https://example.com/org/repo.git",
        "https://example.com/org/repo.git/",
        "https://example.com//org//repo.git",
        "HTTPS://Example.COM/org/repo.git",
        "https://user@example.com/org/repo.git",
        "https://user:pa%40ss@example.com/org/repo.git",
        "https://example.com:8443/org/repo.git",
        "https://example.com./org/repo.git",
        "https://example.com/org/repo.git?a=b#c",
        "http://example.com/org/repo.git",
        "git://example.com/org/repo",
        "git://example.com:9418/org/repo.git",
        "ssh://git@example.com/org/repo.git",
        "ssh://git@example.com:22/org/repo.git",
        "ssh://git@example.com:2222/org/repo.git/",
        "ssh://git@example.com:org/repo.git",
        "git+ssh://git@example.com/org/repo.git",
        "ssh+git://git@example.com/org/repo.git",
        "user:word@example.com:org/repo.git",
    ],
    "example.com/2222/org/repo": ["git@example.com:2222/org/repo.git"],
    "example.com/group/sub/repo": ["https://example.com/group/sub/repo.git"],
    "example.com/Org/Repo": ["git@example.com:Org/Repo.git"],
    "example.com/~ada/repo": ["ssh://example.com/~ada/repo", "example.com:~ada/repo"],
    "example.com/a b": ["https://example.com/a%20b.git", "https://example.com/a b.git"],
    "example.com/@scope/repo": ["example.com:@scope/repo"],
    "[::1]/org/repo": [
        "git@[::1]:org/repo.git",
        "[::1]:org/repo",
        "ssh://git@[::1]:22/org/repo.git",
        "ssh://[::1]/org/repo",
        "git://[::1]/org/repo",
    ],
    "[2001:db8::1]/o/r": ["https://[2001:db8::1]:8443/o/r", "https://[2001:DB8::1]/o/r.git"],
}


@pytest.mark.parametrize(("key", "url"), [(key, url) for key in SAME for url in SAME[key]])
def test_one_repository_has_one_key_in_every_spelling(key: str, url: str) -> None:
    assert build_remote_key(url) == key


@pytest.mark.parametrize(
    "url",
    [
        "",
        "origin",
        "repo.git",
        "/srv/git/repo.git",
        "./repo",
        "../repo",
        "~/repo",
        "a/b:c",
        "C:\\repos\\a",
        "C:/repos/a",
        "\\\\server\\share\\a",
        "file:///srv/git/repo.git",
        "file://host/srv/repo.git",
        "ext::sh -c id",
        "ext::sh",
        "fd::17",
        "::x",
        "-oProxyCommand=x:y",
        "--upload-pack=x",
        "https://example.com",
        "https://example.com/",
        "https://example.com/.git",
        "https:///org/repo",
        "example.com:",
        "https://example.com/a\nb",
        "https://example.com/a%0ab",
        "https://example.com/a%00b",
        "git@exa mple.com:org/repo",
        "https://exa mple.com/org/repo",
        "ftp://example.com/org/repo",
        "://x/y",
    ],
)
def test_what_has_no_host_or_is_no_address_has_no_key(url: str) -> None:
    assert build_remote_key(url) is None


@given(st.text(max_size=80))
def test_any_text_has_a_key_or_none(url: str) -> None:
    key = build_remote_key(url)
    assert key is None or 0 < key.find("/") < len(key) - 1


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:word@example.com/o/r.git", "https://example.com/o/r.git"),
        ("https://word@example.com:8443/o/r", "https://example.com:8443/o/r"),
        ("https://a@b:word@example.com/o/r", "https://example.com/o/r"),
        ("https://example.com/@scope/r", "https://example.com/@scope/r"),
        ("ssh://git@[::1]:22/o/r", "ssh://[::1]:22/o/r"),
        ("git@example.com:o/r.git", "example.com:o/r.git"),
        ("user:word@example.com:o/r.git", "example.com:o/r.git"),
        ("/srv/a@b", "/srv/a@b"),
        ("C:\\a@b", "C:\\a@b"),
        ("origin", "origin"),
    ],
)
def test_addresses_are_shown_without_user_and_password(url: str, shown: str) -> None:
    assert strip_userinfo(url) == shown


def test_no_key_carries_a_password() -> None:
    word = "hunter" + "2"
    for url in (f"https://u:{word}@h/o/r", f"https://{word}@h/o/r", f"u:{word}@h:o/r"):
        assert word not in (build_remote_key(url) or "")
        assert word not in strip_userinfo(url)


# --- paths ------------------------------------------------------------------------------------


@given(st.binary())
def test_any_bytes_of_git_round_trip(raw: bytes) -> None:
    text, encoded = decode_path(raw)
    assert encode_path(text, encoded=encoded) == raw
    text.encode("utf-8", "strict")


@pytest.mark.parametrize(
    ("raw", "text", "encoded"),
    [
        (b"src/app.py", "src/app.py", False),
        ("é/ü".encode(), "é/ü", False),
        (b"100%.txt", "100%.txt", False),
        (b"%41", "%41", False),
        (b"caf\xe9.py", "caf%E9.py", True),
        (b"%41\xff", "%2541%FF", True),
        ("é\udcff".encode("utf-8", "surrogateescape"), "é%FF", True),
    ],
)
def test_bad_bytes_are_percent_encoded_and_flagged(raw: bytes, text: str, encoded: bool) -> None:
    assert decode_path(raw) == (text, encoded)
    assert encode_path(text, encoded=encoded) == raw


def test_a_percent_sign_that_escapes_nothing_is_itself() -> None:
    assert encode_path("%+1%zz%4", encoded=True) == b"%+1%zz%4"


def test_paths_typed_on_any_system_meet() -> None:
    assert fold_path("cafe\u0301") == fold_path("caf\u00e9") == "caf\u00e9"
    assert fold_path("a/b") == "a/b"
