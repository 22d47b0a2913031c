"""Any bytes at all: a value or a typed error, and what is written can be read."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.errors import Damaged, GitFailed
from gitmem.git.config_file import read_format
from gitmem.git.files import discover, fingerprint_refs, read_head
from gitmem.git.history_parse import parse_log
from gitmem.git.object_codec import RawEntry, decode_tree, encode_tree

NAMES = st.binary(min_size=1, max_size=20).filter(lambda raw: not set(raw) & {0, 47})


@given(st.dictionaries(NAMES, st.sampled_from([b"40000", b"100644", b"120000"])))
def test_a_tree_reads_back(names: dict[bytes, bytes]) -> None:
    for hash_bytes in (20, 32):
        entries = [RawEntry(mode, name, b"\x01" * hash_bytes) for name, mode in names.items()]
        assert sorted(decode_tree(encode_tree(entries), hash_bytes)) == sorted(entries)


@given(st.binary(max_size=200))
def test_no_bytes_upset_the_tree_reader(data: bytes) -> None:
    with contextlib.suppress(Damaged):
        assert encode_tree(decode_tree(data, 20)) is not None


@given(st.binary(max_size=300), st.integers(1, 50))
def test_no_bytes_upset_the_log_reader(data: bytes, size: int) -> None:
    data = data.replace(b"\x01", b"MARK\0")
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    with contextlib.suppress(GitFailed):
        for commit in parse_log(chunks, "MARK"):
            assert commit.message.encode()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=100), st.binary(max_size=100))
def test_no_bytes_upset_the_readers_of_files(config: bytes, head: bytes, ref: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        git_dir = Path(folder) / ".git"
        for name in ("objects", "refs/heads"):
            (git_dir / name).mkdir(parents=True)
        (git_dir / "config").write_bytes(b'[core]\n[extensions]\n[remote "x"]\n' + config)
        (git_dir / "refs/heads/main").write_bytes(ref)
        (git_dir / "packed-refs").write_bytes(ref)
        (git_dir / "commondir").write_bytes(head)
        read_format(git_dir, git_dir)
        discover(folder, os.environ)
        (git_dir / "commondir").unlink()
        for content in (head, b"ref: refs/heads/" + head, b"ref: refs/heads/main\n"):
            (git_dir / "HEAD").write_bytes(content)
            layout = discover(folder, os.environ)
            if layout is not None:
                read_head(layout)
                fingerprint_refs(layout)
