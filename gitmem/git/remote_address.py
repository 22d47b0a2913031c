"""Which remote addresses are safe to hand to git, and what of the other side's words to show.

An address comes from a configuration, a peers file or a command line: it is hostile. Only the
forms on the list below pass; everything else raises UnsafeRemote before a process starts.

    path                        /srv/x.git  ../x  C:\\x      kind "path"
    file://…                                                kind "file"
    git:// http:// https://     host[:port]/path
    ssh:// git+ssh:// ssh+git://  [user@]host[:port]/path   kind "ssh"
    [user@]host:path            scp-like                    kind "ssh"
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import unquote

import msgspec

from gitmem.core.remote_key import strip_userinfo
from gitmem.errors import UnsafeRemote

Kind = Literal["path", "file", "git", "ssh", "http", "https"]

_SCHEMES: dict[str, Kind] = {
    "file": "file",
    "git": "git",
    "ssh": "ssh",
    "git+ssh": "ssh",
    "ssh+git": "ssh",
    "http": "http",
    "https": "https",
}
_MAX_CHARACTERS = 4096
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_HOST = re.compile(r"[^\W_](?:[\w.-]*\w)?\.?")
_IPV6 = re.compile(r"\[[0-9A-Fa-f:]+(?:[.][0-9.]+)?(?:%[A-Za-z0-9_.-]+)?\]")
_SCP = re.compile(r"(?:([^/:@]+)@)?(\[[^\]/@]*\]|[^/:@\[\]]+):(?!//)(.+)", re.DOTALL)
_PORT = re.compile(r"[0-9]{1,5}")


class Address(msgspec.Struct, frozen=True):
    """A checked address. `host` is without brackets and empty for local kinds; `path` is as a
    server wants it: percent-decoded for all but http and https."""

    text: str
    kind: Kind
    path: str
    host: str = ""
    port: int | None = None
    user: str | None = None
    password: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether it names a folder of this machine."""
        return self.kind in ("path", "file")

    @property
    def shown(self) -> str:
        """The address fit for a message: no user-info."""
        return strip_userinfo(self.text)

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def parse_address(text: str) -> Address:
    """Check an address and take it apart. Raises UnsafeRemote."""
    if not text or len(text) > _MAX_CHARACTERS:
        raise UnsafeRemote("a remote address is empty or far too long")
    if _CONTROL.search(text) or _CONTROL.search(unquote(text)):
        raise UnsafeRemote(f"a remote address has control characters in it: {_show(text)}")
    if text.startswith("-"):
        raise UnsafeRemote(f"a remote address begins with a dash: {_show(text)}")
    if _HELPER.match(text):
        raise UnsafeRemote(f"a remote address names a helper program: {_show(text)}")
    match = _SCHEME.match(text)
    if match:
        return _parse_url(text, match.group(1), match.group(2))
    if _is_path(text):
        return Address(text=text, kind="path", path=text)
    return _parse_scp(text)


def _is_path(text: str) -> bool:
    before_colon, colon, _ = text.partition(":")
    if not colon or "/" in before_colon or text.startswith((".", "\\")):
        return True
    return _DRIVE.match(text) is not None


def _parse_url(text: str, scheme: str, rest: str) -> Address:
    kind = _SCHEMES.get(scheme)
    if kind is None:
        raise UnsafeRemote(f"a remote address of an unknown kind: {_show(text)}")
    authority, slash, tail = rest.partition("/")
    if kind == "file":
        if authority not in ("", "localhost") and not re.fullmatch(r"[A-Za-z]:", authority):
            raise UnsafeRemote(f"a file address with a host: {_show(text)}")
        drive = authority if authority != "localhost" else ""
        return Address(text=text, kind=kind, path=unquote(f"{drive}{slash}{tail}"))
    if "\\" in authority:
        raise UnsafeRemote(f"a remote address whose host is not plain: {_show(text)}")
    userinfo, at, hostport = authority.rpartition("@")
    host, port = _split_port(text, hostport)
    user, colon, password = userinfo.partition(":")
    path = slash + tail
    if kind not in ("http", "https"):
        path = unquote(path)
    if not path.strip("/"):
        raise UnsafeRemote(f"a remote address without a path: {_show(text)}")
    _refuse_dashes(text, unquote(user), path[1:] if kind in ("ssh", "git") else "")
    return Address(
        text=text,
        kind=kind,
        path=path,
        host=_check_host(text, host),
        port=port,
        user=unquote(user) if at else None,
        password=unquote(password) if colon else None,
    )


def _parse_scp(text: str) -> Address:
    match = _SCP.fullmatch(text)
    if not match:
        raise UnsafeRemote(f"not an address of a repository: {_show(text)}")
    user, host, path = match.groups()
    _refuse_dashes(text, user or "", path)
    return Address(text=text, kind="ssh", path=path, host=_check_host(text, host), user=user)


def _split_port(text: str, hostport: str) -> tuple[str, int | None]:
    bracketed = _IPV6.match(unquote(hostport))
    if bracketed:
        host, rest = bracketed.group(), unquote(hostport)[bracketed.end() :]
    else:
        host, colon, after = hostport.partition(":")
        rest = colon + after
    port = rest.removeprefix(":")
    if not rest or rest == ":":
        return host, None
    if not rest.startswith(":") or not _PORT.fullmatch(port) or not 0 < int(port) < 65536:
        raise UnsafeRemote(
            f"a remote address whose port is not a number: {_show(text)}",
            hint="Write ssh://host/path, ssh://host:port/path or host:path.",
        )
    return host, int(port)


def _check_host(text: str, host: str) -> str:
    """The host without brackets; percent-encoding could hide a dash, so it is refused."""
    if _IPV6.fullmatch(host):
        return host[1:-1]
    if not _HOST.fullmatch(host):
        raise UnsafeRemote(f"a remote address with no proper host: {_show(text)}")
    return host


def _refuse_dashes(text: str, user: str, path: str) -> None:
    if user.startswith("-") or path.startswith("-"):
        raise UnsafeRemote(f"a part of a remote address begins with a dash: {_show(text)}")


def _show(text: str) -> str:
    return repr(scrub(strip_userinfo(text))[:200])


# ── what may be shown ────────────────────────────────────────────────────────────────────────

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]{0,16}[0-~]?"
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
_SECRETS = (
    (re.compile(r"(://)[^\s/@:'\"<>]{0,256}:(?!\d+(?:/|\s|$))[^\s@]{0,512}@"), r"\1"),
    (re.compile(r"(://)[^\s/'\"<>]{0,768}@"), r"\1"),
    (re.compile(r"(?i)((?:proxy-)?authorization|(?:set-)?cookie)(\s*[:=])[^\n]*"), r"\1\2 ***"),
    (re.compile(r"(?i)([a-z-]{0,40}(?:token|secret|password))(\s*[:=]\s*)[^\s'\"&]+"), r"\1\2***"),
    (re.compile(r"(?i)(extraheader)[^\n]*"), r"\1 ***"),
    (re.compile(r"(?i)\b(basic|bearer)\s+[A-Za-z0-9+/_=.~-]{16,}"), r"\1 ***"),
)


def scrub(text: str) -> str:
    """The text without credentials in URLs and headers, and without anything that acts on a
    terminal: escape sequences, C0 and C1 controls, direction marks. CR becomes a line end."""
    text = _ESCAPES.sub("", text)
    text = _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    for pattern, shown in _SECRETS:
        text = pattern.sub(shown, text)
    return text
