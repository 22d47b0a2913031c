"""From the words of git, ssh and servers to one of three errors.

The words are git's own in LC_ALL=C; lines that begin with `remote:` are the other side's and
never decide what an error is.
"""

from __future__ import annotations

import re

from gitmem.errors import AuthRefused, RemoteError, RemoteUnreachable
from gitmem.git.remote_address import Address, scrub

_SHOWN_LINES = 6
_SHOWN_CHARACTERS = 800

_AUTH = re.compile(
    r"Authentication failed"
    r"|could not read (?:Username|Password)"
    r"|unable to (?:read|get) (?:password|credential)"
    r"|Permission denied \([a-z-]+(?:,[a-z-]+)*\)"
    r"|Permission denied, please try again"
    r"|Host key verification failed"
    r"|Too many authentication failures"
    r"|No (?:more|supported) authentication methods"
    r"|Received HTTP code 407|Proxy Authentication Required"
    r"|returned error: (?:401|403|407)\b"
    r"|unexpected http resp (?:401|403|407)\b",
    re.IGNORECASE,
)
_UNREACHABLE = re.compile(
    r"Could(?:n't| not) (?:resolve|connect)"
    r"|unable to (?:look up|connect to)"
    r"|Name or service not known|Temporary failure in name resolution|nodename nor servname"
    r"|Connection (?:refused|timed out|reset|closed|was aborted)"
    r"|Operation (?:timed out|too slow)|timed out"
    r"|Failed to connect|Network is unreachable|No route to host"
    r"|Empty reply from server|transfer closed|early EOF|unexpected disconnect"
    r"|hung up unexpectedly|unexpectedly closed the connection"
    r"|SSL certificate|certificate verif|SSL connect|TLS"
    r"|does not appear to be a git repository|does not exist"
    r"|repository '[^'\n]*' not found|repository not exported|Repository not found"
    r"|returned error: 404|\b404 Not Found"
    r"|No such file or directory"
    r"|Could not read from remote repository",
    re.IGNORECASE,
)


def build_remote_error(address: Address, words: str) -> RemoteError:
    """The error for a failure whose words are git's standard error, or a library's."""
    shown = format_words(words)
    own = "\n".join(line for line in words.splitlines() if not line.startswith("remote:"))
    message = f"{name_host(address)}: {shown or 'it gave no reason'}"
    if _AUTH.search(own):
        return AuthRefused(message)
    if _UNREACHABLE.search(own):
        return RemoteUnreachable(message)
    return RemoteError(message)


def build_timeout(address: Address, timeout_seconds: float) -> RemoteUnreachable:
    """The error for a time that is up."""
    return RemoteUnreachable(
        f"{name_host(address)} did not answer within {timeout_seconds:g} seconds"
    )


def name_host(address: Address) -> str:
    """The host, or the whole of a local address."""
    return scrub(address.host or address.shown)


def format_words(text: str) -> str:
    """The last lines of what was said, scrubbed, each once, on one line."""
    lines = [line.strip() for line in scrub(text).splitlines()]
    lines = [line for line in dict.fromkeys(lines) if line and not _is_noise(line)]
    shown = "; ".join(lines[-_SHOWN_LINES:])
    return shown if len(shown) <= _SHOWN_CHARACTERS else shown[: _SHOWN_CHARACTERS - 1] + "…"


def list_remote_words(text: str) -> str:
    """Only what the other side itself said: the lines that git marks with `remote:`."""
    lines = re.split(r"[\r\n]+", text)
    return "\n".join(line[7:] for line in lines if line.startswith("remote:"))


def _is_noise(line: str) -> bool:
    return line.startswith(
        (
            "Warning: Permanently added",
            "Please make sure you have the correct access rights",
            "and the repository exists.",
            "error: failed to push some refs to",
            "hint:",
            "To ",
        )
    )
