"""Reading what `git log --raw -z` prints, in big pieces and with little work per commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gitmem.core.history import Commit, Touch
from gitmem.core.paths import decode_path
from gitmem.errors import GitFailed

FIELDS = ("%H", "%P", "%ct", "%an", "%ae", "%B")
_NO_TOUCHES: Mapping[str, tuple[Touch, ...]] = {}
_MAX_TIME = 2**53 - 1


def format_option(mark: str) -> str:
    """The `--format=` for `parse_log`. `mark` begins each commit: a word that nobody can
    foresee, so that no file name or message passes for the beginning of a commit."""
    return f"--format={mark}%x00" + "%x00".join(FIELDS)


def parse_log(
    chunks: Iterable[bytes],
    mark: str,
    *,
    shallow: frozenset[str] = frozenset(),
    merge_touches: Mapping[str, tuple[Touch, ...]] = _NO_TOUCHES,
) -> Iterator[Commit]:
    """The commits of `git log -z --raw`, as they come.

    Commits in `shallow` get no touches, merges those of `merge_touches`. Raises GitFailed
    where the output is not of that form.
    """
    for text, is_clean in iter_runs(chunks, mark.encode()):
        for piece in text.split(mark + "\0")[1:]:
            fields = piece.split("\0")
            if len(fields) < len(FIELDS):
                raise GitFailed("git log gave an answer that is none")
            if not is_clean:
                fields[3:6] = [mend(field) for field in fields[3:6]]
            oid, parents, at, author, email, message = fields[:6]
            touches: tuple[Touch, ...] = ()
            if " " in parents:
                touches = merge_touches.get(oid, ())
            elif len(fields) > 7 and oid not in shallow:
                touches = _parse_touches(fields, is_clean)
            yield Commit(
                oid,
                tuple(parents.split(" ")) if parents else (),
                min(int(at), _MAX_TIME) if at.isdecimal() else 0,
                author,
                email,
                message.rstrip("\n"),
                touches,
            )


def parse_combined(chunks: Iterable[bytes], mark: str, prefix: str) -> dict[str, tuple[Touch, ...]]:
    """Of `git log -c -z --raw`: merge → files under the prefix that it has and no parent."""
    found = {}
    for text, is_clean in iter_runs(chunks, mark.encode()):
        for piece in text.split(mark + "\0")[1:]:
            fields = piece.split("\0")
            touches = []
            # git ends the message once or twice, depending on what follows.
            start = skip_empty(fields)
            for meta, path in zip(fields[start::2], fields[start + 1 :: 2], strict=False):
                parts = meta.split(" ")
                if set(parts[-1]) == {"A"} and path.startswith(prefix):
                    touches.append(Touch("A", decode_touched(path, is_clean), None, parts[-2]))
            if touches:
                found[fields[0]] = tuple(touches)
    return found


def iter_runs(chunks: Iterable[bytes], mark: bytes) -> Iterator[tuple[str, bool]]:
    """Whole commits, many at a time; and whether they are valid UTF-8 (else bad bytes stand
    as surrogates)."""
    rest = b""
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        waiting.append(chunk)
        size += len(chunk)
        # Of a commit larger than any chunk, look again only when it has doubled.
        if size < len(rest) and mark not in chunk:
            continue
        data = rest + b"".join(waiting)
        waiting, size = [], 0
        cut = data.rfind(mark)
        if cut > 0:
            yield _decode(data[:cut])
        rest = data[max(cut, 0) :]
    data = rest + b"".join(waiting)
    if data:
        yield _decode(data)


def _decode(data: bytes) -> tuple[str, bool]:
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), False


def _parse_touches(fields: list[str], is_clean: bool) -> tuple[Touch, ...]:
    touches = []
    position = skip_empty(fields)
    end = len(fields) - 1
    while position < end:
        # `:old-mode new-mode old-oid new-oid status`, a line feed before the first.
        parts = fields[position].split(" ")
        path = fields[position + 1]
        status = parts[4][0]
        if status in "RC":
            new_path = fields[position + 2]
            if not is_clean:
                path, new_path = decode_touched(path, False), decode_touched(new_path, False)
            touches.append(Touch(status, new_path, path, parts[3]))
            position += 3
        else:
            if not is_clean:
                path = decode_touched(path, False)
            touches.append(Touch(status, path, None, parts[3]))
            position += 2
    return tuple(touches)


def skip_empty(fields: list[str]) -> int:
    """The place of the first change after the message."""
    place = len(FIELDS)
    return place + 1 if fields[place : place + 1] == [""] else place


def decode_touched(text: str, is_clean: bool) -> str:
    return text if is_clean else decode_path(text.encode("utf-8", "surrogateescape"))[0]


def mend(text: str) -> str:
    """Bad bytes become replacement characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
