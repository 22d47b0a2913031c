"""Pushing with dulwich: which refs may move is decided here, before anything is sent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any

from dulwich.client import GitClient
from dulwich.graph import can_fast_forward
from dulwich.objects import ZERO_SHA, Commit, ObjectID
from dulwich.pack import UnpackedObject
from dulwich.refs import Ref
from dulwich.repo import Repo

from gitmem.errors import GitFailed
from gitmem.git.push_report import build_refusal
from gitmem.git.remote_address import Address
from gitmem.ports.transport import PushResult

_HOOKS = (
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "proc-receive",
)


_Chooser = Callable[[dict[Ref, ObjectID]], dict[Ref, ObjectID]]


class Push:
    """One push over one connection. Each ref is new, a fast-forward, or refused here; the
    server then compares with what it advertised, so that a race loses and is stale."""

    def __init__(self, repo: Repo, client: GitClient, path: str, address: Address) -> None:
        self._repo = repo
        self._client = client
        self._path = path
        self._address = address
        self._said: list[bytes] = []
        self._refused: dict[str, str] = {}

    def update(self, updates: Sequence[tuple[str, str]]) -> list[PushResult]:
        """One result for each (oid, full ref)."""
        changes = {ref: ObjectID(oid.encode()) for oid, ref in updates}

        def choose(theirs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            chosen = {}
            for ref, new in changes.items():
                old = theirs.get(Ref(os.fsencode(ref)))
                if old is None or old == new or self._is_forward(old, new):
                    chosen[Ref(os.fsencode(ref))] = new
                else:
                    here = old in self._repo.object_store
                    self._refused[ref] = "non-fast-forward" if here else "fetch first"
            return chosen

        return self._send(list(changes), choose)

    def delete(self, ref: str, expected: str) -> PushResult:
        """Delete a ref that still is `expected`."""
        name = Ref(os.fsencode(ref))

        def choose(theirs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            if theirs.get(name) != expected.encode():
                self._refused[ref] = "stale info"
                return {}
            return {name: ZERO_SHA}

        return self._send([ref], choose)[0]

    def _send(self, refs: list[str], choose: _Chooser) -> list[PushResult]:
        if self._repo.object_format.name != "sha1":
            raise GitFailed(
                "a SHA-256 repository cannot be pushed from without the git program",
                hint="Install git, or put it on the PATH.",
            )
        obstacle = _find_obstacle(self._path, refs) if self._address.is_local else None
        if obstacle is not None:
            return [build_refusal(ref, obstacle, "") for ref in refs]
        result = self._client.send_pack(
            os.fsencode(self._path),
            choose,
            self._pack,
            progress=self._said.append,
        )
        return [self._build_result(ref, result.ref_status) for ref in refs]

    def _pack(
        self, have: Set[ObjectID], want: Set[ObjectID], **options: Any
    ) -> tuple[int, Iterator[UnpackedObject]]:
        return self._repo.generate_pack_data(set(have), set(want), **options)

    def _build_result(self, ref: str, statuses: dict[bytes, str | None] | None) -> PushResult:
        if ref in self._refused:
            return build_refusal(ref, self._refused[ref], "")
        if statuses is None:
            return build_refusal(ref, "the remote does not say whether it took the ref", "")
        status = statuses.get(os.fsencode(ref))
        if status is None:
            return PushResult(ref=ref, is_accepted=True)
        if self._address.is_local:
            # dulwich itself compared, under the ref's lock, and found another value.
            status = f"stale info: {status}"
        return build_refusal(ref, status, b"".join(self._said).decode("utf-8", "replace"))

    def _is_forward(self, old: ObjectID, new: ObjectID) -> bool:
        store = self._repo.object_store
        if old not in store or not isinstance(store[old], Commit):
            return False
        return isinstance(store[new], Commit) and can_fast_forward(self._repo, old, new)


def _find_obstacle(path: str, refs: Sequence[str]) -> str | None:
    """Why git would have to do this: dulwich writes into a local repository itself, so its
    hooks would not run and its work tree would not be minded."""
    with Repo(path) as there:
        config = there.get_config_stack()
        folder = Path(there.controldir()) / "hooks"
        with contextlib.suppress(KeyError):
            folder = Path(there.path) / os.fsdecode(config.get((b"core",), b"hookspath"))
        for name in _HOOKS:
            if os.access(folder / name, os.X_OK):
                return f"the repository has a hook, {name}, which only the git program can run"
        head = there.refs.read_ref(Ref(b"HEAD")) or b""
        for ref in refs:
            if not there.bare and head == b"ref: " + os.fsencode(ref):
                return "the branch is checked out there"
    return None
