"""Bring the index of notes in step with the vaults, before a question: files decide."""

from __future__ import annotations

from gitmem.services.workspace import Notice, Workspace


def refresh_notes(workspace: Workspace) -> tuple[Notice, ...]:
    """Index what changed in the configured folders of notes; what could not be taken."""
    return ()
