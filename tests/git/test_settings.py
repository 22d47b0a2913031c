"""What git's configuration says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import UsageError
from gitmem.git.process import Git
from gitmem.git.settings_exec import ExecSettings
from tests.conftest import Repo


def settings_of(repo: Repo) -> ExecSettings:
    return ExecSettings(Git(repo.path / ".git", repo.path, os.environ))


def test_the_identity_is_the_configured_one(repo: Repo) -> None:
    assert settings_of(repo).get_identity() == ("Ada", "ada@example.com")
    repo.git("config", "user.name", "Zoë  Ångström")
    assert settings_of(repo).get_identity()[0] == "Zoë  Ångström"


def test_the_environment_may_name_the_author(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Grace")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "grace@example.com")
    assert settings_of(repo).get_identity() == ("Grace", "grace@example.com")


def test_no_identity_is_made_up(repo: Repo, isolated: Path) -> None:
    (isolated / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    with pytest.raises(UsageError) as caught:
        settings_of(repo).get_identity()
    assert "git config --global user.name" in caught.value.hint
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


def test_a_repository_without_remotes(repo: Repo) -> None:
    assert settings_of(repo).list_remotes() == {}


def test_values_are_the_users_own(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("config", "core.hooksPath", ".husky/_")
    repo.git("config", "--add", "x.y", "one")
    repo.git("config", "--add", "x.y", "two\nlines")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "from.environ")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "yes")
    settings = settings_of(repo)
    assert settings.find_config("core.hooksPath") == ".husky/_"
    assert settings.find_config("x.y") == "two\nlines"
    assert settings.find_config("from.environ") == "yes"
    assert settings.find_config("no.such") is None
    assert settings.find_config("--list") is None
    assert settings.find_config("nodot") is None


def test_variables_of_another_repository_are_not_followed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q")
    other.git("config", "here.name", "other")
    repo.git("config", "here.name", "ours")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    assert settings_of(repo).find_config("here.name") == "ours"
