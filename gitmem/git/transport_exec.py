"""The default transport: the git executable, which alone knows how this user reaches a remote.

Credential helpers, insteadOf, proxies, extra headers, ssh settings and `GIT_CONFIG_*` work as
in git. What a configuration says about *what* moves (refspecs, mirror, prune, tags, signed
pushes, filters) is switched off, call by call; nothing is written to the configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gitmem.errors import GitFailed, RemoteError, UsageError
from gitmem.git.process import build_environ, find_git
from gitmem.git.push_report import parse_push_report
from gitmem.git.refspecs import expand, has_wild, list_prefixes
from gitmem.git.remote_address import Address
from gitmem.git.remote_resolve import Remote, RemoteConfig
from gitmem.git.transport_errors import (
    build_remote_error,
    build_timeout,
    format_words,
    name_host,
)
from gitmem.git.transport_process import Ended, run_bounded
from gitmem.ports.transport import PushResult

TIMEOUT_SECONDS = 300
CONNECT_SECONDS = 20
_SILENCE_SECONDS = 60
_LIST_BYTES = 1 << 26
_PUSH_BATCH = 100
_CONFIG_KEYS = r"^(remote\..*\.(url|pushurl|vcs)|url\..*|core\.sshcommand)$"

_SAFE_CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    "push.pushOption=",
    "transfer.bundleURI=false",
)
_REMOTE_CONFIG = ("mirror=false", "followRemoteHEAD=never")
_FETCH_OPTIONS = (
    "--no-tags",
    "--no-write-fetch-head",
    "--refmap=",
    "--no-filter",
    "--no-prune",
    "--no-prune-tags",
    "--no-recurse-submodules",
    "--no-auto-gc",
    "--no-write-commit-graph",
    "--no-show-forced-updates",
    "--no-progress",
    "--quiet",
    "--stdin",
)
_DEEPEN_OPTIONS = tuple(option for option in _FETCH_OPTIONS if option != "--no-filter")
_PUSH_OPTIONS = (
    "--porcelain",
    "--no-verify",
    "--no-force",
    "--no-force-if-includes",
    "--no-follow-tags",
    "--no-signed",
    "--no-atomic",
    "--no-progress",
    "--no-recurse-submodules",
)
_LEFT_OUT = re.compile(r"^warning: rejected .* because shallow roots", re.MULTILINE)
_MEETING = re.compile(r"Cannot fetch both .* and .* to ")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class _Call(NamedTuple):
    """What one call needs: the remote, what git is to call it, and its settings."""

    remote: Remote
    name: str
    settings: tuple[str, ...]
    environ: Mapping[str, str]


class ExecTransport:
    """Implements ports.transport.Transport with the git executable (2.30 or newer).

    `timeout_seconds` bounds each call as a whole; at its end every process it started dies.
    """

    def __init__(
        self,
        git_dir: Path,
        environ: Mapping[str, str],
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._git_dir = git_dir.absolute()
        # git resolves a relative address from the top of the work tree.
        self._cwd = self._git_dir.parent if self._git_dir.name == ".git" else self._git_dir
        self._environ = _build_environ(environ)
        self._timeout_seconds = timeout_seconds
        self._git = find_git(environ)

    def list_addresses(self, remote: str) -> set[str]:
        return RemoteConfig(self._config).list_addresses(remote)

    def list_refs(self, remote: str, *prefixes: str) -> dict[str, str]:
        """Full ref name → oid on the remote, for refs that begin with one of the
        prefixes. Raises as ports.transport says."""
        call = self._resolve(remote)
        address = call.remote.fetch
        ended = self._run(call, address, ["ls-remote", "--refs", "--", call.name])
        if ended.code != 0 or ended.is_cut:
            raise build_remote_error(address, _text(ended.stderr))
        found = {}
        for line in _text(ended.stdout).splitlines():
            oid, tab, name = line.partition("\t")
            if not tab or not _OID.fullmatch(oid):
                raise RemoteError(f"{name_host(address)} sent no list of refs")
            if name.startswith(prefixes):
                found[name] = oid
        return found

    def fetch(self, remote: str, refspecs: Sequence[tuple[str, str]]) -> None:
        """Fetch (source, destination) refs. Raises as ports.transport says."""
        if not refspecs:
            return
        call = self._resolve(remote)
        wanted = "".join(f"+{source}:{target}\n" for source, target in refspecs)
        args = ["fetch", *_FETCH_OPTIONS, "--", call.name]
        ended = self._run(call, call.remote.fetch, args, os.fsencode(wanted))
        said = _text(ended.stderr)
        if ended.code != 0 and _MEETING.search(said) and has_wild(refspecs):
            # Two wild cards led to one destination, which git refuses: name each ref.
            there = self.list_refs(remote, *list_prefixes(refspecs))
            self.fetch(remote, expand(refspecs, there))
            return
        # A ref that only a shallow remote has is left out with a warning.
        if ended.code != 0 or _LEFT_OUT.search(said):
            raise build_remote_error(call.remote.fetch, said)

    def deepen(self, remote: str, *, is_shallow: bool) -> None:
        """Fetch all history and tags of a configured remote: `ports.range_reader`."""
        call = self._resolve(remote)
        if call.remote.name is None:
            raise UsageError(
                f"{remote!r} is no configured remote", hint="See them with: git remote -v"
            )
        shallow = ("--unshallow", "--filter=blob:none") if is_shallow else ("--no-filter",)
        args = ["fetch", *shallow, *_DEEPEN_OPTIONS, "--", call.name]
        wanted = f"+refs/heads/*:refs/remotes/{call.name}/*\nrefs/tags/*:refs/tags/*\n"
        ended = self._run(call, call.remote.fetch, args, os.fsencode(wanted))
        if ended.code != 0:
            raise build_remote_error(call.remote.fetch, _text(ended.stderr))

    def push(self, remote: str, updates: Sequence[tuple[str, str]]) -> list[PushResult]:
        """Push (oid, full ref) pairs, never forced. Raises as ports.transport says."""
        results = []
        for batch in _batched(updates, _PUSH_BATCH):
            refs = [ref for _, ref in batch]
            results += self._push(remote, refs, [f"{oid}:{ref}" for oid, ref in batch])
        return results

    def delete(self, remote: str, ref: str, expected: str) -> PushResult:
        """Delete a remote ref with a lease on its value. Raises as ports.transport says."""
        lease = f"--force-with-lease={ref}:{expected}"
        return self._push(remote, [ref], [f":{ref}"], lease)[0]

    def _push(
        self, remote: str, refs: Sequence[str], refspecs: Sequence[str], *options: str
    ) -> list[PushResult]:
        call = self._resolve(remote)
        address = call.remote.push[0]
        if call.remote.name is not None:
            # A push to a named remote also moves its remote-tracking refs: not for ours.
            ours = tuple(f"remote.{call.name}.fetch=^{ref}" for ref in refs)
            call = call._replace(settings=call.settings + ours)
        args = ["push", *_PUSH_OPTIONS, *options, "--", call.name, *refspecs]
        ended = self._run(call, address, args)
        said = _text(ended.stderr)
        results = parse_push_report(_text(ended.stdout), said, refs)
        if results is None or (ended.code != 0 and all(one.is_accepted for one in results)):
            raise build_remote_error(address, said)
        return results

    def _resolve(self, remote: str) -> _Call:
        items = self._config
        known = RemoteConfig(items).resolve(remote)
        environ = self._environ
        # Only where the user chose no ssh command: theirs is run as they wrote it.
        has_ssh = any(key == "core.sshcommand" for key, _ in items) or any(
            environ.get(name) for name in ("GIT_SSH_COMMAND", "GIT_SSH")
        )
        if not has_ssh:
            ssh = f"ssh -o BatchMode=yes -o ConnectTimeout={CONNECT_SECONDS}"
            environ = {**environ, "GIT_SSH_COMMAND": ssh}
        if known.name is not None:
            settings = tuple(f"remote.{known.name}.{setting}" for setting in _REMOTE_CONFIG)
            return _Call(known, known.name, settings, environ)
        name = known.given.text
        if known.given.kind == "path" and known.fetch == known.push[0] == known.given:
            # Absolute, so that git takes it for nothing but a path.
            name = str(self._cwd / name)
        return _Call(known, name, (), environ)

    @cached_property
    def _config(self) -> list[tuple[str, str]]:
        """git's settings of remotes, read once: a transport lives for one command."""
        command = [self._git, f"--git-dir={self._git_dir}", "config", "--null"]
        ended = run_bounded(
            [*command, "--get-regexp", _CONFIG_KEYS],
            cwd=self._cwd,
            environ=self._environ,
            stdin=b"",
            timeout_seconds=self._timeout_seconds,
            limit_bytes=_LIST_BYTES,
        )
        if ended.code not in (0, 1):
            raise GitFailed(f"git config: {format_words(_text(ended.stderr))}")
        pairs = (entry.partition("\n") for entry in _text(ended.stdout).split("\0") if entry)
        return [(key, value) for key, _, value in pairs]

    def _run(self, call: _Call, address: Address, args: Sequence[str], stdin: bytes = b"") -> Ended:
        settings = [*_SAFE_CONFIG, *call.settings]
        if "GIT_HTTP_LOW_SPEED_LIMIT" not in self._environ:
            settings += ["http.lowSpeedLimit=1", f"http.lowSpeedTime={_SILENCE_SECONDS}"]
        options = [word for setting in settings for word in ("-c", setting)]
        ended = run_bounded(
            [self._git, f"--git-dir={self._git_dir}", *options, *args],
            cwd=self._cwd,
            environ=call.environ,
            stdin=stdin,
            timeout_seconds=self._timeout_seconds,
            limit_bytes=_LIST_BYTES,
        )
        if ended.is_timed_out:
            raise build_timeout(address, self._timeout_seconds)
        return ended


def _build_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """No question reaches a person. A `GIT_ASKPASS` that was set on purpose (CI hands out
    tokens that way) still answers; the desktop's dialogs (`SSH_ASKPASS`) do not open."""
    built = build_environ(environ)
    for name in list(built):
        if name.startswith("GIT_TRACE") or name in ("GIT_CURL_VERBOSE", "SSH_ASKPASS"):
            del built[name]
    built["GIT_ASKPASS"] = environ.get("GIT_ASKPASS", "")
    built.setdefault("GCM_INTERACTIVE", "never")
    built["LANGUAGE"] = ""
    return built


def _batched(updates: Sequence[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    rest = iter(updates)
    while batch := list(islice(rest, size)):
        yield batch


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
