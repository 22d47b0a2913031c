"""Which pending records go with the commit in hand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from gitmem.core.paths import fold_path
from gitmem.core.records import Decision, Line
from gitmem.core.redaction import find_secrets
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    encode_segment,
    is_segment_name,
    month_of,
    segment_name,
)
from gitmem.ports.holdings import FindHoldings
from gitmem.ports.staging import StagedChange, Staging
from gitmem.store.paths import RECORDS

MAX_LINES = 2000


class Where(msgspec.Struct, frozen=True):
    """The commit's surroundings: HEAD's commit and branch (None before the first commit, and
    where HEAD is detached); `has_branch` tells whether this clone has a branch of a name."""

    head: str | None
    branch: str | None
    has_branch: Callable[[str], bool]


class Choice(msgspec.Struct, frozen=True):
    """The records to stage, and those that a pattern for secrets holds back."""

    lines: tuple[Line, ...]
    withheld: tuple[str, ...]


class Taken(msgspec.Struct, frozen=True):
    """Ids and keys that HEAD's folder or the index has, of those asked for, and ids that are
    redacted: neither is to be added. The highest seq this clone is known to have seen; and
    the segments, wherever, that hold an id."""

    ids: frozenset[str]
    keys: frozenset[str]
    max_seq: int = 0
    segments: dict[str, frozenset[str]] = {}


def choose_lines(
    pending: Sequence[Line],
    changes: Sequence[StagedChange],
    taken: Taken,
    placed: Mapping[str, tuple[str, str]],
    staging: Staging,
    where: Where,
) -> Choice:
    """Of this work tree's pending records those that belong to the commit, oldest first.

    A decision belongs to it if it was captured on HEAD or an ancestor (or on a commit that
    was since rewritten), one of its paths is among the staged ones, or it has none, and no
    branch has it yet: what stands on one comes to another by a merge, and what was reverted
    stays so. `placed`: id → (path of a segment staged before, HEAD then)."""
    fresh = [line for line in pending if line.id not in taken.ids][:MAX_LINES]
    staged = _staged_paths(changes)
    fitting = [line for line in fresh if _meets(line, staged)]
    foreign = _list_foreign(fitting, staging, where)
    foreign |= _list_elsewhere(fitting, taken, placed, staging)
    keys = set(taken.keys)
    chosen: list[Line] = []
    withheld: list[str] = []
    for line in fitting:
        record = line.record
        if record.id in foreign:
            continue
        if isinstance(record, Decision):
            # An edit keeps the key and says what it replaces; without that it is a replay.
            if record.key in keys and not record.supersedes:
                continue
            keys.add(record.key)
        if find_secrets(line.raw):
            withheld.append(line.id)
        else:
            chosen.append(line)
    return Choice(tuple(chosen), tuple(withheld))


def find_taken(
    work_tree: Path,
    folder: dict[str, str],
    lines: Iterable[Line],
    keys: Collection[str],
    staging: Staging,
    find_holdings: FindHoldings,
    check_time: Callable[[], None],
) -> Taken:
    """What the segments of the folder (path → blob, HEAD's deleted ones included) already
    hold. Segments that the cache never read are looked through."""
    ids = {line.id for line in lines}
    wanted = set(keys) | {r.key for line in lines if isinstance(r := line.record, Decision)}
    holdings = find_holdings(ids, wanted)
    names = {path.rpartition("/")[2]: path for path in folder if path.startswith(RECORDS + "/")}
    names = {name: path for name, path in names.items() if is_segment_name(name)}
    here = names.keys()
    found_ids = {one for one, held in holdings.by_id.items() if not here.isdisjoint(held)}
    found_keys = {one for one, held in holdings.by_key.items() if not here.isdisjoint(held)}
    unknown = [names[name] for name in sorted(here - set(holdings.known))]
    for data in _read(work_tree, unknown, folder, staging):
        check_time()
        found_ids |= ids & _list_values(data, b'"id":"', 64)
        found_keys |= wanted & _list_values(data, b'"key":"', 16)
    found_ids |= set(holdings.redacted)
    segments = {one: frozenset(held) for one, held in holdings.by_id.items()}
    return Taken(frozenset(found_ids), frozenset(found_keys), holdings.max_seq, segments)


def _list_values(data: bytes, name: bytes, length: int) -> set[str]:
    """The values of a field in canonical lines; in a text the quotes would be escaped."""
    return {part[:length].decode("ascii", "replace") for part in data.split(name)[1:]}


def _read(
    work_tree: Path, paths: Sequence[str], folder: dict[str, str], staging: Staging
) -> Iterable[bytes]:
    """The bytes of segments: from the work tree where they are there, else from git."""
    absent = []
    for path in paths:
        try:
            with open(work_tree / path, "rb") as file:
                yield file.read(MAX_SEGMENT_BYTES)
        except OSError:
            absent.append(folder[path])
    if absent:
        yield from (data for data in staging.read_blobs(absent) if data is not None)


def _staged_paths(changes: Sequence[StagedChange]) -> list[str]:
    """Both names of everything staged, the records aside; folded and sorted."""
    both = {path for one in changes for path in (one.path, one.old_path) if path is not None}
    return sorted({fold_path(path) for path in both if not path.startswith(RECORDS + "/")})


def _meets(line: Line, staged: Sequence[str]) -> bool:
    """Whether a path of the record, or something under it, is among the staged ones."""
    record = line.record
    if not isinstance(record, Decision) or not record.paths:
        return True
    for ref in record.paths:
        path = fold_path(ref.path).rstrip("/")
        for wanted in (path, path + "/"):
            at = bisect_left(staged, wanted)
            if at < len(staged) and (staged[at] == path or staged[at].startswith(path + "/")):
                return True
    return False


def _list_foreign(lines: Sequence[Line], staging: Staging, where: Where) -> set[str]:
    """Ids of decisions that were captured on commits which HEAD does not come from."""
    by_base: dict[str, list[Decision]] = {}
    for line in lines:
        if isinstance(line.record, Decision) and line.record.base not in (None, "", where.head):
            by_base.setdefault(line.record.base or "", []).append(line.record)
    if not by_base:
        return set()
    not_reached = staging.list_not_reached(by_base)
    # An amended or rebased commit is no ancestor of its own successor: what was captured on
    # it goes with the branch of that name, or with any where that branch is gone.
    abandoned = staging.list_abandoned(not_reached) if not_reached else set()
    return {
        record.id
        for base in not_reached
        for record in by_base[base]
        if base not in abandoned or not _continues(record, where)
    }


def _list_elsewhere(
    lines: Sequence[Line],
    taken: Taken,
    placed: Mapping[str, tuple[str, str]],
    staging: Staging,
) -> set[str]:
    """Ids of records that a commit of some branch has added. Asked only about records that
    once were in a segment of more than the spool's."""
    paths: dict[str, set[str]] = {}
    since: set[str] = set()
    for line in lines:
        own = segment_name(encode_segment([line]))
        names = taken.segments.get(line.id, frozenset()) - {own}
        if line.id not in placed and not names:
            continue
        folder = f"{RECORDS}/{month_of(line.record.at)}"
        paths[line.id] = {f"{folder}/{name}" for name in names}
        base = getattr(line.record, "base", None)
        if line.id in placed:
            path, head = placed[line.id]
            paths[line.id].add(path)
            base = base or head
        since.add(base or "")
    if not paths:
        return set()
    asked = sorted(set().union(*paths.values()))
    committed = staging.list_committed(asked, () if "" in since else since)
    return {one for one, here in paths.items() if not here.isdisjoint(committed)}


def _continues(record: Decision, where: Where) -> bool:
    if record.branch == where.branch:
        return True
    return record.branch is not None and not where.has_branch(record.branch)
