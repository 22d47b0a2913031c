"""The identity of a remote repository: host and path, whatever the spelling of its URL.

scp-like, ssh, https, http and git addresses of one repository give one key, whatever their
port, user-info, `.git` and trailing slashes: a host that serves ssh on one port and https on
another is still one host. A path or `file://` address has no host and gives no key. No
ssh-config alias is resolved.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_SCHEMES = frozenset({"ssh", "https", "http", "git"})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_SCP = re.compile(r"(?:([^/@\[\]\s]+)@)?(\[[0-9A-Fa-f:.%]+\]|[^/:@\[\]\s]+):(?!//)(.*)", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def build_remote_key(url: str) -> str | None:
    """`host/path` of a URL; None for local paths, helpers such as `ext::`, and what is not an
    address at all."""
    if not url or _CONTROL.search(url) or url.startswith("-") or _HELPER.match(url):
        return None
    match = _SCHEME.fullmatch(url)
    if match:
        return _from_url(match.group(1).lower(), match.group(2))
    if _DRIVE.match(url) or url.startswith(("/", ".", "~", "\\")):
        return None
    scp = _SCP.fullmatch(url)
    if not scp:
        return None
    return _build(scp.group(2), scp.group(3))


def strip_userinfo(url: str) -> str:
    """The URL without user and password, fit to be shown or stored. The user of an scp-like
    or ssh address is no secret, but is dropped as well: it names a person."""
    match = _SCHEME.fullmatch(url)
    if match:
        authority, slash, path = match.group(2).partition("/")
        return f"{match.group(1)}://{authority.rpartition('@')[2]}{slash}{path}"
    scp = _SCP.fullmatch(url)
    if scp and not _DRIVE.match(url):
        return f"{scp.group(2)}:{scp.group(3)}"
    return url


def _from_url(scheme: str, rest: str) -> str | None:
    scheme = scheme.removeprefix("git+").removesuffix("+git")
    if scheme not in _SCHEMES:
        return None
    authority, _, path = rest.partition("/")
    hostport = authority.rpartition("@")[2]
    if hostport.startswith("["):
        host, _, after = hostport[1:].partition("]")
        host, port = f"[{host}]", after.removeprefix(":")
    else:
        host, _, port = hostport.partition(":")
    if port and not port.isdigit():
        # ssh://git@host:org/repo.git: the mixed form people write; git refuses it, but
        # what is meant is plain.
        path = f"{port}/{path}"
    return _build(host, path.partition("?")[0].partition("#")[0])


def _build(host: str, path: str) -> str | None:
    host = host.lower().rstrip(".")
    parts = [part for part in unquote(path).split("/") if part not in ("", ".")]
    if parts:
        parts[-1] = parts[-1].removesuffix(".git")
    path = "/".join(part for part in parts if part)
    if not host or not path or " " in host or _CONTROL.search(path):
        return None
    return f"{host}/{path}"
