"""Publish this clone's records on its own ref, and be sure that they arrived."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.records import Line
from gitmem.core.redaction import find_secrets
from gitmem.core.refnames import format_fetched_ref, format_writer_ref
from gitmem.core.remote_key import build_remote_key, strip_userinfo
from gitmem.core.sharing import may_share
from gitmem.core.wording import format_count
from gitmem.errors import Contended, NotFastForward, RefRefused, RemoteError
from gitmem.ports.transport import PushResult, Transport
from gitmem.services.catch_up import catch_up
from gitmem.services.pending import drop_redacted, list_pending, list_settled
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.folder_writing import folder_files
from gitmem.store.own_ref import DefaultFolder, Publication, extend_own_ref
from gitmem.store.paths import RECORDS
from gitmem.store.project_file import PROJECT_FILE, Project
from gitmem.store.spool import iter_spooled, remove_spooled
from gitmem.store.stamps import list_spool_folders
from gitmem.store.writer import ensure_writer, find_writer, set_writer

if TYPE_CHECKING:
    from gitmem.services.share_vectors import Shared

MAX_TRIES = 6


class Pushed(msgspec.Struct, frozen=True, kw_only=True):
    """`pushed` records are newly confirmed on the remote; `withheld` ones look like they
    carry a secret and stayed here. `vectors` is of how many decisions vectors were published.
    `remote` is fit to be shown."""

    remote: str
    ref: str | None
    pushed: int
    confirmed: bool
    withheld: tuple[str, ...] = ()
    is_dry_run: bool = False
    vectors: int = 0
    notices: tuple[Notice, ...] = ()


PublishVectors = Callable[[Workspace, str, str], "Shared"]
"""(workspace, writer, tip) → what became of the vectors on this clone's ref."""


def push(
    workspace: Workspace,
    transport: Transport,
    remote: str,
    project: Project,
    *,
    as_branch: bool = False,
    is_dry_run: bool = False,
    publish_vectors: PublishVectors | None = None,
    reopen: Callable[[], Workspace],
) -> Pushed:
    """Write what is pending on this clone's ref, push it, and confirm the remote's oid.

    Private records are never looked at. A push that is not a fast-forward (a copied clone
    shares the writer) mints a new writer and goes again. Raises RemoteError and its kinds;
    then everything is still here.
    """
    workspace.get_memory()
    if not is_dry_run and _recover_own_ref(workspace, remote):
        workspace = reopen()
    catch_up(workspace, with_history=False)
    if not is_dry_run:
        drop_redacted(workspace)
    fresh, withheld = list_fresh(workspace)
    shown = strip_userinfo(remote)
    if is_dry_run:
        return Pushed(
            remote=shown,
            ref=None,
            pushed=len(fresh),
            confirmed=False,
            withheld=withheld,
            is_dry_run=True,
        )
    chain = extend_chain(workspace, project, fresh)
    if chain is None:
        return Pushed(remote=shown, ref=None, pushed=0, confirmed=True, withheld=withheld)
    writer, oid = chain
    before = _ids_at(workspace, remote, writer)
    vectors, lacking = 0, 0
    if publish_vectors is not None:
        now = reopen()
        catch_up(now, with_history=False)
        shared = publish_vectors(now, writer, oid)
        oid, vectors, lacking = shared.tip, shared.added, shared.lacking
    writer, oid = _send(workspace, transport, remote, writer, oid, as_branch)
    _note_confirmed(workspace, remote, writer, oid)
    after = reopen()
    catch_up(after, with_history=False)
    own = after.records.list_ids("own")
    empty_spool(after, own)
    return Pushed(
        remote=shown,
        ref=format_writer_ref(writer, as_branch=as_branch),
        pushed=len(own - before),
        confirmed=True,
        withheld=withheld,
        vectors=vectors,
        notices=(_note_lacking(lacking),) if lacking else (),
    )


def _note_lacking(count: int) -> Notice:
    return Notice(
        "vectors-unshared",
        f"{format_count(count, 'decision')} without a vector, so nothing of their segments is "
        "shared (make them, then push again: gitmem reindex)",
    )


def extend_chain(
    workspace: Workspace, project: Project, fresh: Sequence[Line]
) -> tuple[str, str] | None:
    """Write records on this clone's own ref; its writer and its tip. None where there is, and
    was, nothing to say."""
    clone = workspace.clone
    writer = find_writer(clone)
    if writer is None:
        if not fresh:
            return None
        writer = ensure_writer(clone, workspace.clock)
    tip = extend_own_ref(
        workspace.sources.memory_objects,
        workspace.sources.memory_refs,
        writer,
        fresh,
        build_publication(workspace, project),
        at_seconds=workspace.clock.now_ms() // 1000,
    )
    return None if tip is None else (writer, tip)


def _recover_own_ref(workspace: Workspace, remote: str) -> bool:
    """Put a lost own ref (`update-ref -d`, a pruning mirror fetch) back to what the remote was
    seen to have of it, so that the chain goes on; whether that was done."""
    writer = find_writer(workspace.clone)
    refs = workspace.sources.memory_refs
    if writer is None or refs.find_ref(format_writer_ref(writer)) is not None:
        return False
    seen = refs.find_ref(format_fetched_ref(remote, writer))
    if seen is None:
        return False
    with contextlib.suppress(Contended):  # another process did it first
        refs.update_ref(format_writer_ref(writer), seen, None)
    return True


def list_fresh(workspace: Workspace) -> tuple[list[Line], tuple[str, ...]]:
    """Pending records that the own ref lacks; those that a pattern flags are withheld, not
    edited, for that would change their id. What the policy for agents keeps here is left out."""
    memory = workspace.get_memory()
    own = workspace.records.list_ids("own")
    fresh: dict[str, Line] = {}
    withheld: set[str] = set()
    for folder in list_spool_folders(memory.clone):
        for spooled in iter_spooled(folder):
            line = spooled.line
            if line.id in own or line.record.project != memory.project_id:
                continue
            if not may_share(line.record, workspace.share):
                continue
            if find_secrets(line.raw):
                withheld.add(line.id)
            else:
                fresh[line.id] = line
    return list(fresh.values()), tuple(sorted(withheld))


def build_publication(workspace: Workspace, project: Project) -> Publication:
    sources = workspace.sources
    default = None
    if not workspace.is_detached:
        ref = workspace.facts.get_memo("default-ref")
        commit = sources.refs.find_ref(ref) if ref else None
        if commit is not None:
            default = DefaultFolder(commit, sources.objects.find_oid(f"{commit}:{RECORDS}"))
    return Publication(folder_files(project)[PROJECT_FILE], find_remote_key(workspace), default)


def find_remote_key(workspace: Workspace) -> str | None:
    """The identity of the code's remote: origin's, else the first one's by name."""
    remotes = workspace.sources.settings.list_remotes()
    url = remotes.get("origin") or next((remotes[name] for name in sorted(remotes)), None)
    return build_remote_key(url) if url else None


def _send(
    workspace: Workspace, transport: Transport, remote: str, writer: str, oid: str, branch: bool
) -> tuple[str, str]:
    """Push and confirm; the writer whose ref it became, and what that holds. Other processes
    of this clone may push the same chain meanwhile: who comes later is content with more."""
    objects, refs = workspace.sources.memory_objects, workspace.sources.memory_refs
    seen: set[str] = set()
    for _ in range(MAX_TRIES):
        ref = format_writer_ref(writer, as_branch=branch)
        result = transport.push(remote, [(oid, ref)])[0]
        there = transport.list_refs(remote, ref).get(ref)
        if there is not None and (there == oid or objects.is_ancestor(oid, there)):
            return writer, oid
        if result.is_accepted:
            raise RemoteError(
                f"{strip_userinfo(remote)} took the push, but its {ref} is {there or 'absent'}",
                hint="Nothing was lost; push again, and tell the host's owner if it stays so.",
            )
        ours = refs.find_ref(format_writer_ref(writer))
        if ours is not None and ours != oid and objects.is_ancestor(oid, ours):
            oid = ours
        elif there is not None and there not in seen and objects.is_ancestor(there, oid):
            seen.add(there)  # somebody else's push came between: ours still fits on top
        elif result.is_stale:
            writer = _mint_anew(workspace, writer, oid)
        else:
            raise _refused(result, branch)
    raise NotFastForward(f"{strip_userinfo(remote)} refuses again and again as not fast-forward")


def _mint_anew(workspace: Workspace, old: str, oid: str) -> str:
    """A new writer that goes on from what the old one, which another clone has too, wrote."""
    refs = workspace.sources.memory_refs
    writer = workspace.clock.random_hex(16)
    # The ref first: a writer without one would hide what only the old one holds.
    refs.update_ref(format_writer_ref(writer), oid, None)
    set_writer(workspace.clone, writer)
    with contextlib.suppress(Contended):  # what came to it meanwhile is in the spool still
        refs.delete_ref(format_writer_ref(old), oid)
    return writer


def _refused(result: PushResult, branch: bool) -> RefRefused:
    hint = None
    if not branch:
        hint = (
            "If this host refuses refs of its own kind, use branches: "
            'in .git/gitmem/config.toml, [sync] refs = "branches"'
        )
    return RefRefused(f"the remote refused {result.ref}: {result.reason}", hint=hint)


def _note_confirmed(workspace: Workspace, remote: str, writer: str, oid: str) -> None:
    """Remember what the remote has of ours, beside what it has of others'."""
    objects, refs = workspace.sources.memory_objects, workspace.sources.memory_refs
    name = format_fetched_ref(remote, writer)
    for _ in range(MAX_TRIES):
        old = refs.find_ref(name)
        if old == oid or (old is not None and objects.is_ancestor(oid, old)):
            return
        with contextlib.suppress(Contended):
            refs.update_ref(name, oid, old)


def _ids_at(workspace: Workspace, remote: str, writer: str) -> set[str]:
    return workspace.records.list_ids(f"fetched:{remote}/{writer}")


def empty_spool(workspace: Workspace, own: set[str]) -> int:
    """How many records left the spool. They do once they stand in two safe places: on the own
    ref, and in a commit of a branch; in a detached memory the own ref is enough."""
    if workspace.is_detached:
        settled = list_pending(workspace, everywhere=True)
    else:
        settled = list_settled(workspace)
    done = [one.spooled for one in settled if one.spooled.line.id in own]
    remove_spooled(done)
    return len(done)
