"""Fetching one folder of a branch and nothing else, from a server that offers filters.

Level by level: the commit with its top tree, then the trees on the way to the folder, then all
blobs below it in one request. Read lazily, each of them would be a request of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.errors import Damaged, RefRefused, RemoteError
from gitmem.git.complaints import build_error
from gitmem.git.object_codec import is_oid
from gitmem.git.objects_exec import ExecObjectReader
from gitmem.git.process import Git
from gitmem.git.transport_errors import build_remote_error, name_host
from gitmem.git.transport_exec import ExecTransport
from gitmem.ports.repository import TreeEntry

REMOTE = "peer"
MAX_DEPTH = 8
MAX_BLOBS = 100_000
_FORMAT = (
    ("core.repositoryFormatVersion", "1"),
    ("extensions.partialClone", REMOTE),
    (f"remote.{REMOTE}.promisor", "true"),
)
_OPTIONS = (
    "--no-tags",
    "--no-write-fetch-head",
    "--refmap=",
    "--no-prune",
    "--no-recurse-submodules",
    "--no-auto-gc",
    "--no-progress",
    "--quiet",
)
_SYMREF = re.compile(r"ref: (refs/heads/\S+)\tHEAD")
# What is missing here is asked for below, level by level, and never by a read.
_NO_FETCHING = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


class FolderTransport(ExecTransport):
    """The git executable's transport, and the fetch of a folder into a mirror."""

    def find_default(self, address: str) -> str | None:
        """The full name of the branch that a server's HEAD is; None where it does not say.
        Raises as ports.transport says."""
        call = self._resolve(address)
        ended = self._run(
            call, call.remote.fetch, ["ls-remote", "--symref", "--", call.name, "HEAD"]
        )
        if ended.code != 0:
            raise build_remote_error(call.remote.fetch, ended.stderr.decode("utf-8", "replace"))
        match = _SYMREF.search(ended.stdout.decode("utf-8", "replace"))
        return match.group(1) if match else None

    def fetch_folder(self, address: str, ref: str, folder: str) -> None:
        """Fetch a branch's newest commit and what is under a folder of it, to a ref of the
        same name. Raises RefRefused where the server offers no filters, and as ports.transport
        says."""
        git = Git(self._git_dir, None, {**self._environ, **_NO_FETCHING})
        for name, value in _FORMAT:
            done = git.attempt("config", name, value)
            if done.code != 0:
                raise build_error(("config",), done.stderr)
        self._fetch_filtered(address, ["--depth=1", "--filter=tree:1"], [f"+{ref}:{ref}"])
        objects = ExecObjectReader(git)
        try:
            tree = objects.find_oid(f"{ref}^{{tree}}")
            for name in folder.split("/"):
                tree = self._enter(address, objects, tree, name.encode())
            if tree is not None:
                self._fetch_below(address, objects, tree)
        finally:
            objects.close()

    def _enter(
        self, address: str, objects: ExecObjectReader, tree: str | None, name: bytes
    ) -> str | None:
        """The tree of that name in a tree, fetched."""
        if tree is None:
            return None
        entry = next((e for e in self._list(objects, tree) if e.name == name), None)
        if entry is None or entry.kind != "tree":
            return None
        self._fetch_objects(address, [entry.oid])
        return entry.oid

    def _fetch_below(self, address: str, objects: ExecObjectReader, tree: str) -> None:
        level, blobs = [tree], []
        for _ in range(MAX_DEPTH):
            entries = [entry for oid in level for entry in self._list(objects, oid)]
            blobs += [entry.oid for entry in entries if entry.kind == "blob"]
            level = list(dict.fromkeys(e.oid for e in entries if e.kind == "tree"))[:MAX_BLOBS]
            if not level:
                break
            self._fetch_objects(address, level)
        self._fetch_objects(address, list(dict.fromkeys(blobs))[:MAX_BLOBS])

    def _list(self, objects: ExecObjectReader, tree: str) -> list[TreeEntry]:
        try:
            return objects.list_tree(tree)
        except Damaged:
            # It did not come: a reader that was asked in vain does not look again.
            objects.close()
            return []

    def _fetch_objects(self, address: str, oids: Sequence[str]) -> None:
        wanted = [oid for oid in oids if is_oid(oid)]
        if wanted:
            self._fetch_filtered(address, ["--filter=tree:1"], wanted)

    def _fetch_filtered(self, address: str, options: Sequence[str], wanted: Sequence[str]) -> None:
        call = self._resolve(address)
        settings = (
            f"remote.{REMOTE}.url={call.name}",
            "fetch.negotiationAlgorithm=noop",
        )
        call = call._replace(settings=(*call.settings, *settings))
        args = ["fetch", *_OPTIONS, *options, "--stdin", "--", REMOTE]
        stdin = "".join(f"{one}\n" for one in wanted).encode()
        ended = self._run(call, call.remote.fetch, args, stdin)
        said = ended.stderr.decode("utf-8", "replace")
        if "filtering not recognized by server" in said:
            raise RefRefused(
                f"{name_host(call.remote.fetch)} has no gitmem refs and offers no filters, so its "
                "memory cannot be fetched without its code",
                hint="Fetch its default branch, too: gitmem peers add --with-code",
            )
        if ended.code != 0:
            error: RemoteError = build_remote_error(call.remote.fetch, said)
            raise error
