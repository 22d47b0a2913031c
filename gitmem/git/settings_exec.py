"""What git's configuration says, through the git executable, which alone knows all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from gitmem.errors import UsageError
from gitmem.git.process import Git

_IDENT = re.compile(r"(.*) <([^<>\n]*)> -?[0-9]+ [+-][0-9]{4}", re.DOTALL)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9-]*\.(?:[^\0\n]*\.)?[A-Za-z][A-Za-z0-9-]*")
_HINT = 'git config --global user.name "Your Name"\ngit config --global user.email you@example.com'


class ExecSettings:
    """RepositorySettings over `git config` and `git var`."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def get_identity(self) -> tuple[str, str]:
        # Without this git makes a name up from the user and host names.
        done = self._git.attempt("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
        match = _IDENT.fullmatch(done.stdout.decode("utf-8", "replace").rstrip("\n"))
        name = match.group(1).strip() if match else ""
        email = match.group(2).strip() if match else ""
        if done.code != 0 or not name or not email:
            raise UsageError("git does not know who you are", hint=_HINT)
        return name, email

    def list_remotes(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for key, values in self._values.items():
            name = key.removeprefix("remote.").removesuffix(".url")
            if key == f"remote.{name}.url" and name and values[0]:
                # Of several URLs git fetches from the first.
                found[name] = values[0]
        return found

    def find_config(self, name: str) -> str | None:
        if not _KEY.fullmatch(name):
            return None
        section, _, rest = name.partition(".")
        middle, dot, key = rest.rpartition(".")
        values = self._values.get(f"{section.lower()}.{middle}{dot}{key.lower()}")
        return values[-1] if values else None

    @cached_property
    def _values(self) -> dict[str, list[str]]:
        """All of the configuration, read once: key → its values, in git's order."""
        done = self._git.query("config", "-z", "--list")
        found: dict[str, list[str]] = {}
        for item in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
            key, line_end, value = item.partition("\n")
            if key:
                # A key alone, without `=`, means true.
                found.setdefault(key, []).append(value if line_end else "true")
        return found
