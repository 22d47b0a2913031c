"""What git's configuration says, read without the git executable.

The files and variables that git reads, in git's order; `include` and `includeIf hasconfig:`
as far as dulwich follows them, `includeIf gitdir:` only in the repository's own file. Nothing
is read from this process's environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dulwich.config import ConfigFile, StackedConfig, env_config
from dulwich.errors import NotGitRepository
from dulwich.repo import Repo, UnsupportedExtension, UnsupportedVersion

from gitmem.errors import GitFailed, NoRepository, UsageError
from gitmem.git.remote_resolve import RemoteConfig

_IDENTITY_HINT = (
    'git config --global user.name "Your Name"\ngit config --global user.email "you@example.com"'
)


@contextmanager
def open_repository(git_dir: Path) -> Iterator[Repo]:
    """The repository, closed at the end. Raises NoRepository, and GitFailed where dulwich
    does not know this kind of repository (a partial clone)."""
    try:
        repo = Repo(os.fspath(git_dir))
    except (NotGitRepository, FileNotFoundError):
        raise NoRepository(f"there is no git repository at {git_dir}") from None
    except (UnsupportedExtension, UnsupportedVersion) as error:
        raise GitFailed(
            f"this kind of repository cannot be used without the git program: {error}",
            hint="Install git, or put it on the PATH.",
        ) from None
    except (OSError, ValueError) as error:
        raise GitFailed(f"the repository at {git_dir} cannot be opened: {error}") from None
    with repo:
        yield repo


def open_config(repo: Repo, environ: Mapping[str, str]) -> StackedConfig:
    """The configuration, highest precedence first. Raises GitFailed where it is malformed."""
    try:
        local = repo.get_config()
        backends = [local]
        if local.get_boolean((b"extensions",), b"worktreeconfig", False):
            backends.insert(0, repo.get_worktree_config())
        override = env_config(environ)
        if override is not None:
            backends.insert(0, override)
        for path in _list_paths(environ):
            if path.is_file():
                backends.append(ConfigFile.from_path(path))
    except (OSError, ValueError, KeyError) as error:
        raise GitFailed(f"git's configuration cannot be read: {error}") from None
    return StackedConfig(backends)


def list_items(config: StackedConfig) -> list[tuple[str, str]]:
    """(full key, value) pairs, lowest precedence first."""
    found = []
    for backend in reversed(config.backends):
        for section in backend.sections():
            for name, value in backend.items(section):
                key = b".".join((*section, name))
                found.append((_text(key), _text(value)))
    return found


class DulwichSettings:
    """Implements ports.repository.RepositorySettings through dulwich."""

    def __init__(self, git_dir: Path, environ: Mapping[str, str]) -> None:
        self._git_dir = git_dir
        self._environ = dict(environ)

    def get_identity(self) -> tuple[str, str]:
        """(name, email) as git would take them: GIT_AUTHOR_*, author.*, user.*, EMAIL. Raises
        UsageError where there is none; names are never guessed from the machine's."""
        values = self._read()
        name = (
            self._environ.get("GIT_AUTHOR_NAME")
            or values.get("author.name")
            or values.get("user.name")
        )
        email = (
            self._environ.get("GIT_AUTHOR_EMAIL")
            or values.get("author.email")
            or values.get("user.email")
            or self._environ.get("EMAIL")
        )
        if not name or not email:
            raise UsageError("git does not know who you are", hint=_IDENTITY_HINT)
        return name, email

    def list_remotes(self) -> Mapping[str, str]:
        """Remote name → URL as configured, before insteadOf rewriting."""
        with open_repository(self._git_dir) as repo:
            return RemoteConfig(list_items(open_config(repo, self._environ))).list_remotes()

    def find_config(self, name: str) -> str | None:
        """One configuration value, the last one where there are several; None without one."""
        return self._read().get(_fold_key(name))

    def _read(self) -> dict[str, str]:
        with open_repository(self._git_dir) as repo:
            items = list_items(open_config(repo, self._environ))
        return {_fold_key(key): value for key, value in items}


def _list_paths(environ: Mapping[str, str]) -> list[Path]:
    """User and system files, highest precedence first."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if "GIT_CONFIG_GLOBAL" in environ:
        paths = [Path(environ["GIT_CONFIG_GLOBAL"])]
    elif home:
        shared = environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
        paths = [Path(home) / ".gitconfig", Path(shared) / "git" / "config"]
    else:
        paths = []
    if "GIT_CONFIG_SYSTEM" in environ:
        paths.append(Path(environ["GIT_CONFIG_SYSTEM"]))
    elif environ.get("GIT_CONFIG_NOSYSTEM", "0").lower() in ("0", "", "false", "no", "off"):
        paths.append(Path("/etc/gitconfig"))
    return paths


def _fold_key(key: str) -> str:
    """Section and name are the same in any case, what stands between them is not."""
    section, _, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{name.lower()}"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
