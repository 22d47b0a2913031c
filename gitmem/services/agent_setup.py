"""Setting coding agents up: what would be written, writing it, and taking it back."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from gitmem.errors import Refused
from gitmem.ports.agent_setup import FileState, ManagedFile
from gitmem.services.agent_files import (
    read_file,
    remove_empty_folders,
    replace_file,
    resolve_file,
)
from gitmem.store.durable import ensure_directory, remove_durably, write_durably


class Spot(msgspec.Struct, frozen=True):
    """A managed file in its place. `backups` is the folder that keeps what stood there
    before; None keeps it beside the file."""

    root: Path
    file: ManagedFile
    backups: Path | None

    def resolve(self) -> Path:
        """The file itself. Raises Refused where a link leads out."""
        return resolve_file(self.root, self.file.path)

    def find_backup(self, real: Path) -> Path:
        if self.backups is None:
            return real.with_name(real.name + ".before-gitmem")
        return self.backups / quote(self.file.path, safe="")


class Change(msgspec.Struct, frozen=True):
    """One file to write: `after` None removes it, `before` None makes it. `shown` is its
    path as people know it."""

    spot: Spot
    real: Path
    shown: str
    before: bytes | None
    after: bytes | None


def plan_installation(spots: Iterable[Spot]) -> list[Change]:
    """What installing would write; nothing is written. Raises Refused for the first file that
    cannot be taken apart, so that all are written or none."""
    changes: dict[Path, Change] = {}
    for spot in spots:
        real = spot.resolve()
        before = read_file(real)
        after = spot.file.install(before)
        if after != before and real not in changes:
            changes[real] = Change(spot, real, _show(spot, real), before, after)
    return list(changes.values())


def plan_removal(spots: Iterable[Spot]) -> list[Change]:
    """What uninstalling would write. Where what is there is what installing into the kept
    original gives, the original comes back byte for byte."""
    changes: dict[Path, Change] = {}
    for spot in spots:
        real = spot.resolve()
        before = read_file(real)
        if before is None or real in changes:
            continue
        original = read_file(spot.find_backup(real))
        after = spot.file.remove(before, original)
        if original is not None and after != before and spot.file.install(original) == before:
            after = original
        if after != before:
            changes[real] = Change(spot, real, _show(spot, real), before, after)
    return list(changes.values())


def install_changes(changes: Sequence[Change]) -> None:
    """Write what was planned, keeping what stands there the first time. Raises what
    `replace_file` raises."""
    for change in changes:
        backup = change.spot.find_backup(change.real)
        if change.before is not None and not os.path.lexists(backup):
            ensure_directory(backup.parent)
            write_durably(backup, change.before)
        replace_file(change.real, change.before, change.after)


def remove_changes(changes: Sequence[Change]) -> None:
    """Write what was planned, and forget what was kept."""
    for change in changes:
        replace_file(change.real, change.before, change.after)
        if change.after is None:
            remove_empty_folders(change.real, Path(os.path.realpath(change.spot.root)))
        backup = change.spot.find_backup(change.real)
        if os.path.lexists(backup):
            remove_durably(backup)
        if change.spot.backups is not None:
            with contextlib.suppress(OSError):
                change.spot.backups.rmdir()


def check_spot(spot: Spot) -> tuple[FileState | None, str]:
    """The state of a file, and why it would not work; None where it cannot be told."""
    try:
        data = read_file(spot.resolve())
        obstacle = spot.file.find_obstacle(data) if data is not None else ""
        return spot.file.check(data), obstacle
    except Refused as error:
        return None, error.message


def format_diff(change: Change) -> str:
    """The change as a unified diff."""
    before, after = (_lines(data) for data in (change.before, change.after))
    name = change.shown.lstrip("/")
    old = "/dev/null" if change.before is None else f"a/{name}"
    new = "/dev/null" if change.after is None else f"b/{name}"
    rows = difflib.unified_diff(before, after, old, new)
    return "".join(row if row.endswith("\n") else row + "\n" for row in rows)


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    *lines, last = text.split("\n")
    rows = [f"{line}\n" for line in lines]
    return [*rows, f"{last}\n\\ No newline at end of file\n"] if last else rows


def _show(spot: Spot, real: Path) -> str:
    """Relative to the project; a file of the user's own by its whole path."""
    if spot.backups is None:
        return str(real)
    return real.relative_to(os.path.realpath(spot.root)).as_posix()
