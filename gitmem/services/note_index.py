"""Bring the index of notes in step with the vaults, before a question: the files decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gitmem.errors import CannotWrite, Contended
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.core.notes import Note
    from gitmem.ports.notes import Vault

MEMO = "vaults"
"""The memo that says which vaults are in the index."""
BATCH = 200
STALE = "the cache could not grow, so notes that changed may be missing from this answer"


def refresh_notes(workspace: Workspace) -> tuple[Notice, ...]:
    """Index what changed in the configured folders of notes; what could not be taken. Where
    nothing changed, this only looks at the files' times."""
    vaults = workspace.vaults()
    names = "\n".join(sorted(vault.name for vault in vaults))
    if not vaults and not workspace.facts.get_memo(MEMO):
        return ()
    try:
        if workspace.facts.get_memo(MEMO) != names:
            workspace.notes.drop_vaults([vault.name for vault in vaults])
            workspace.facts.set_memo(MEMO, names)
        for vault in vaults:
            _refresh(workspace, vault)
    except (CannotWrite, Contended) as error:
        return (*_complaints(vaults), Notice("notes-stale", f"{STALE}: {error.message}"))
    return _complaints(vaults)


def _complaints(vaults: Sequence[Vault]) -> tuple[Notice, ...]:
    return tuple(
        Notice(complaint.code, complaint.message)
        for vault in vaults
        for complaint in vault.complaints
    )


def _refresh(workspace: Workspace, vault: Vault) -> None:
    stamps = vault.list_stamps()
    known = workspace.notes.get_stamps(vault.name)
    gone = [path for path in known if path not in stamps]
    changed = {path: stamp for path, stamp in stamps.items() if known.get(path) != stamp}
    if gone:
        workspace.notes.replace_notes(vault.name, (), sorted(gone))
    done = 0
    for batch in _batches(changed):
        notes = list(_iter_notes(vault, batch))
        lost = [path for path in batch if path in known and path not in {n.path for n in notes}]
        workspace.notes.replace_notes(vault.name, notes, lost)
        done += len(batch)
        if len(changed) > BATCH:
            workspace.report("indexing notes", done, len(changed))


def _batches(changed: Mapping[str, str]) -> Iterator[dict[str, str]]:
    paths = sorted(changed)
    for start in range(0, len(paths), BATCH):
        yield {path: changed[path] for path in paths[start : start + BATCH]}


def _iter_notes(vault: Vault, batch: Mapping[str, str]) -> Iterator[Note]:
    for path, stamp in batch.items():
        note = vault.read_note(path, stamp)
        if note is not None:
            yield note
