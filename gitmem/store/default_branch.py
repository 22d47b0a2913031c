"""Which branch is the default one, as this clone last saw it."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.ports.repository import RefStore, RepositorySettings

_USUAL = ("main", "master")


def find_default_ref(refs: RefStore, settings: RepositorySettings) -> str | None:
    """The full ref of the default branch; None where there is no telling.

    The remote's HEAD; else (git does not always record it) the remote's branch with the name
    that `init.defaultBranch` says, or a usual one; else the local branch of such a name; else
    the only branch there is.
    """
    remotes = sorted(settings.list_remotes(), key=lambda name: (name != "origin", name))
    for remote in remotes:
        named = refs.find_symbolic(f"refs/remotes/{remote}/HEAD")
        if named is not None and refs.find_ref(named) is not None:
            return named
    configured = settings.find_config("init.defaultBranch")
    names = [configured, *_USUAL] if configured else [*_USUAL]
    folders = [f"refs/remotes/{remote}/" for remote in remotes]
    for folder in (*folders, "refs/heads/"):
        found = _first(refs, (folder + name for name in names))
        if found is not None:
            return found
    branches = list(refs.list_refs("refs/heads/"))
    return branches[0] if len(branches) == 1 else None


def _first(refs: RefStore, names: Iterable[str]) -> str | None:
    return next((name for name in names if refs.find_ref(name) is not None), None)
