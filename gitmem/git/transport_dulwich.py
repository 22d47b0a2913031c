"""The transport where there is no git executable: dulwich's protocol, our rules.

It runs no credential helper, pushes from no SHA-256 repository, and into no local repository
that has hooks; each of these is said, never passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dulwich.client import GitClient, HTTPProxyUnauthorized, HTTPUnauthorized
from dulwich.errors import NotGitRepository
from dulwich.file import FileLocked
from dulwich.refs import Ref
from dulwich.repo import Repo

from gitmem.errors import (
    AuthRefused,
    CannotWrite,
    Contended,
    GitmemError,
    RemoteUnreachable,
)
from gitmem.git.dulwich_clients import Deadline, build_client
from gitmem.git.fetch_dulwich import fetch_objects
from gitmem.git.push_dulwich import Push
from gitmem.git.refspecs import expand, has_wild, list_prefixes
from gitmem.git.remote_address import Address
from gitmem.git.remote_resolve import Remote, RemoteConfig
from gitmem.git.settings_dulwich import list_items, open_config, open_repository
from gitmem.git.transport_errors import build_remote_error, build_timeout, name_host
from gitmem.ports.transport import PushResult

TIMEOUT_SECONDS = 300


class DulwichTransport:
    """Implements ports.transport.Transport with dulwich. `timeout_seconds` bounds each call
    to another machine as a whole."""

    def __init__(
        self,
        git_dir: Path,
        environ: Mapping[str, str],
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._git_dir = git_dir.absolute()
        self._cwd = self._git_dir.parent if self._git_dir.name == ".git" else self._git_dir
        self._environ = dict(environ)
        self._timeout_seconds = timeout_seconds

    def list_refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Full ref name → oid on the remote, for refs that begin with one of the
        prefixes. Raises as ports.transport says."""
        with open_repository(self._git_dir) as repo:
            address = self._resolve(repo, remote).fetch
            with self._talk(repo, address) as (client, path):
                refs = client.get_refs(os.fsencode(path), protocol_version=0).refs
        found = {os.fsdecode(name): oid.decode("ascii") for name, oid in refs.items() if oid}
        return {
            name: oid
            for name, oid in sorted(found.items())
            if name.startswith("refs/") and name.startswith(prefixes) and not name.endswith("^{}")
        }

    def fetch(self, remote: str, refspecs: Sequence[tuple[str, str]]) -> None:
        """Fetch (source, destination) refs. Raises as ports.transport says."""
        if has_wild(refspecs):
            refspecs = expand(refspecs, self.list_refs(remote, *list_prefixes(refspecs)))
        if not refspecs:
            return
        with open_repository(self._git_dir) as repo:
            address = self._resolve(repo, remote).fetch
            sources = [Ref(os.fsencode(source)) for source, _ in refspecs]
            with self._talk(repo, address) as (client, path):
                tips = fetch_objects(repo, client, path, address, sources)
            for (_, target), source in zip(refspecs, sources, strict=True):
                try:
                    repo.refs[Ref(os.fsencode(target))] = tips[source]
                except FileLocked:
                    raise Contended(f"the ref {target} is being written") from None
                except (OSError, ValueError) as error:
                    raise CannotWrite(f"the ref {target} cannot be written: {error}") from None

    def push(self, remote: str, updates: Sequence[tuple[str, str]]) -> list[PushResult]:
        """Push (oid, full ref) pairs, never forced. Raises as ports.transport says."""
        if not updates:
            return []
        pushed = []
        with open_repository(self._git_dir) as repo:
            for address in self._resolve(repo, remote).push:
                with self._talk(repo, address) as (client, path):
                    pushed.append(Push(repo, client, path, address).update(updates))
        return [_pick_worst(results) for results in zip(*pushed, strict=True)]

    def delete(self, remote: str, ref: str, expected: str) -> PushResult:
        """Delete a remote ref with a lease on its value. Raises as ports.transport says."""
        pushed = []
        with open_repository(self._git_dir) as repo:
            for address in self._resolve(repo, remote).push:
                with self._talk(repo, address) as (client, path):
                    pushed.append(Push(repo, client, path, address).delete(ref, expected))
        return _pick_worst(pushed)

    def list_addresses(self, remote: str) -> set[str]:
        """Every address that a name or an address may stand for."""
        with open_repository(self._git_dir) as repo:
            return self._read_config(repo).list_addresses(remote)

    def _read_config(self, repo: Repo) -> RemoteConfig:
        return RemoteConfig(list_items(open_config(repo, self._environ)))

    def _resolve(self, repo: Repo, remote: str) -> Remote:
        return self._read_config(repo).resolve(remote)

    @contextmanager
    def _talk(self, repo: Repo, address: Address) -> Iterator[tuple[GitClient, str]]:
        """A client for the address; whatever goes wrong comes out as one of our errors."""
        config = open_config(repo, self._environ)
        with Deadline(self._timeout_seconds) as deadline:
            try:
                client, path = build_client(address, config, self._environ, deadline)
                # A relative path is meant from the top of the work tree.
                yield client, str(self._cwd / path) if address.is_local else path
            except GitmemError:
                raise
            except Exception as error:
                if deadline.is_over or isinstance(error, TimeoutError):
                    raise build_timeout(address, self._timeout_seconds) from None
                raise _translate(error, address) from None


def _translate(error: Exception, address: Address) -> GitmemError:
    """The error for whatever dulwich or urllib3 raised: a server that sends nonsense can make
    them raise nearly anything."""
    host = name_host(address)
    if isinstance(error, HTTPUnauthorized | HTTPProxyUnauthorized):
        return AuthRefused(f"{host} wants other credentials")
    if isinstance(error, NotGitRepository):
        return RemoteUnreachable(f"{host}: there is no such repository")
    if isinstance(error, FileLocked):
        return Contended(f"{host}: a ref is being written")
    if isinstance(error, OSError):
        return RemoteUnreachable(f"{host}: {error.strerror or error}")
    words = str(error) or type(error).__name__
    return build_remote_error(address, words)


def _pick_worst(results: Sequence[PushResult]) -> PushResult:
    """Of one ref at several push addresses: the first that did not take it."""
    return next((one for one in results if not one.is_accepted), results[0])
