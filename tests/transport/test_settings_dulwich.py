"""What dulwich makes of git's configuration agrees with git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import GitFailed, NoRepository, UsageError
from gitmem.git.settings_dulwich import DulwichSettings
from tests.conftest import Repo


def settings_of(repo: Repo, **environ: str) -> DulwichSettings:
    return DulwichSettings(repo.path / ".git", {**os.environ, **environ})


def test_the_identity_is_the_configured_one(repo: Repo) -> None:
    assert settings_of(repo).get_identity() == ("Ada", "ada@example.com")
    repo.git("config", "user.name", "Zoë Ångström")
    assert settings_of(repo).get_identity()[0] == "Zoë Ångström"
    grace = settings_of(repo, GIT_AUTHOR_NAME="Grace", GIT_AUTHOR_EMAIL="grace@example.com")
    assert grace.get_identity() == ("Grace", "grace@example.com")


def test_no_identity_is_made_up(repo: Repo, isolated: Path) -> None:
    (isolated / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    with pytest.raises(UsageError) as caught:
        settings_of(repo).get_identity()
    assert "git config --global user.email" in caught.value.hint


def test_remotes_are_given_as_configured(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@host:o/r.git")
    repo.git("remote", "add", "up.stream/x", "https://host/o/r")
    repo.git("config", "--add", "remote.origin.url", "git@mirror:o/r.git")
    repo.git("config", "url.https://host/.insteadOf", "git@host:")
    assert settings_of(repo).list_remotes() == {
        "origin": "git@host:o/r.git",
        "up.stream/x": "https://host/o/r",
    }


def test_the_last_value_counts_wherever_it_stands(
    repo: Repo, isolated: Path, tmp_path: Path
) -> None:
    (isolated / ".gitconfig").write_text('[A]\n\tB = global\n[Sub "X.y"]\n\tname = one\n')
    settings = settings_of(repo)
    assert settings.find_config("a.b") == "global"
    assert settings.find_config("sub.X.y.NAME") == "one"
    assert settings.find_config("sub.x.y.name") is None
    repo.git("config", "a.b", "local")
    repo.git("config", "--add", "a.b", "later")
    assert settings.find_config("A.B") == "later"
    (tmp_path / "more").write_text("[a]\n\tb = included\n")
    repo.git("config", "include.path", str(tmp_path / "more"))
    assert settings.find_config("a.b") == repo.git("config", "a.b") == "included"
    given = settings_of(
        repo, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="a.b", GIT_CONFIG_VALUE_0="environment"
    )
    assert given.find_config("a.b") == "environment"
    assert settings.find_config("no.such") is None
    elsewhere = settings_of(repo, GIT_CONFIG_GLOBAL=os.devnull)
    assert elsewhere.find_config("sub.X.y.name") is None


def test_what_is_not_readable_is_a_typed_error(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(NoRepository):
        DulwichSettings(tmp_path / "none", os.environ).find_config("a.b")
    with pytest.raises(GitFailed):
        settings_of(repo, GIT_CONFIG_COUNT="1").find_config("a.b")
    with open(repo.path / ".git" / "config", "a") as file:
        file.write("[broken\n")
    with pytest.raises(GitFailed):
        settings_of(repo).find_config("a.b")
