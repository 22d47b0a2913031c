"""agent install, uninstall and status, as people run them: on real files, links and modes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.app.agent_setting_up import NAMES, Ground, install_agents
from gitmem.git.files import discover
from tests.conftest import Repo
from tests.support.commandline import Done, call_gitmem, start_gitmem

SETTINGS = ".claude/settings.json"
COMMENTED = (
    b'\xef\xbb\xbf{\r\n\t// what we allow\r\n\t"permissions": {"allow": ["Bash(ls:*)"]},'
    b' /* kept */\r\n\t"model": "x",\r\n}\r\n'
)
SECRET = b"[default]\nkey = not for anybody\n"

Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch, isolated: Path, tmp_path: Path) -> Path:
    """A `gitmem` on the PATH, and no agent's own variable."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gitmem").write_text("#!/bin/sh\nexit 0\n")
    (folder / "gitmem").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Start")
    return repo


def _agent(repo: Repo, *words: str, **environ: str | None) -> Done:
    return call_gitmem(repo.path, "agent", *words, env=environ)


def _snapshot(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file and link below a folder, git's own aside: digest, and permissions."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if name.split("/")[0] == ".git" or (file.is_dir() and not file.is_symlink()):
            continue
        data = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
        found[name] = (hashlib.sha256(data).hexdigest(), stat.S_IMODE(file.lstat().st_mode))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_is_installed_twice_the_same_and_goes_without_a_trace(
    project: Repo, name: str
) -> None:
    project.write("CLAUDE.md", "# Rules\nNo line end")
    before = _snapshot(project.path)
    assert _agent(project, "status", "--agent", name).code == 1
    _agent(project, "install", "--agent", name, "--yes").ok()
    installed = _snapshot(project.path)
    assert set(installed) > set(before)
    again = _agent(project, "install", "--agent", name).ok()
    assert "in place already" in again.out
    assert _snapshot(project.path) == installed
    _agent(project, "status", "--agent", name).ok()
    _agent(project, "uninstall", "--agent", name).ok()
    assert _snapshot(project.path) == before
    assert not (project.path / ".git/gitmem/agents").exists()


def test_comments_order_line_ends_mark_and_permissions_stay(project: Repo) -> None:
    file = project.write(SETTINGS, COMMENTED)
    file.chmod(0o640)
    _agent(project, "install", "--agent", "claude").ok()
    data = file.read_bytes()
    assert data.startswith(COMMENTED.removesuffix(b"}\r\n"))
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    _agent(project, "uninstall", "--agent", "claude").ok()
    assert file.read_bytes() == COMMENTED
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_the_first_state_is_kept_once(project: Repo) -> None:
    project.write(SETTINGS, '{"model": "x"}')
    _agent(project, "install", "--agent", "claude").ok()
    (kept,) = (project.path / ".git/gitmem/agents").glob("*settings.json")
    assert kept.read_text() == '{"model": "x"}'
    value = json.loads((project.path / SETTINGS).read_text())
    del value["hooks"]["Stop"]
    project.write(SETTINGS, json.dumps(value))
    _agent(project, "install", "--agent", "claude").ok()
    assert kept.read_text() == '{"model": "x"}'


@pytest.mark.parametrize(
    "text", ["{}", "{ }\n", '{"hooks": {}}', '{\n  "hooks": { "Stop": [] }\n}', ""]
)
def test_empty_structures_come_back_byte_for_byte(project: Repo, text: str) -> None:
    file = project.write(SETTINGS, text)
    _agent(project, "install", "--agent", "claude").ok()
    assert json.loads(file.read_text())["hooks"]["Stop"]
    _agent(project, "uninstall", "--agent", "claude").ok()
    assert file.read_text() == text


def test_a_dry_run_prints_the_diff_and_writes_nothing(project: Repo) -> None:
    project.write(SETTINGS, '{\n  "model": "x"\n}\n')
    before = _snapshot(project.path)
    done = _agent(project, "install", "--agent", "claude", "--dry-run").ok()
    assert _snapshot(project.path) == before
    patch = done.out
    check = subprocess.run(
        ["git", "apply", "-"], cwd=project.path, input=patch.encode(), capture_output=True
    )
    assert check.returncode == 0, check.stderr
    assert _agent(project, "status", "--agent", "claude").code == 0
    gone = _agent(project, "uninstall", "--dry-run").ok()
    assert "--- a/AGENTS.md\n+++ /dev/null\n" in gone.out


def test_what_will_be_committed_is_said_before_it_is_written(project: Repo) -> None:
    done = _agent(project, "install", "--agent", "claude").ok()
    assert "summary, reason and files" in done.err
    assert "request stays private" in done.err
    assert "share.agents = summary" in done.err


def test_on_a_terminal_it_asks_and_no_is_no(project: Repo) -> None:
    pty = pytest.importorskip("tests.support.terminal")
    before = _snapshot(project.path)
    words = ("agent", "install", "--agent", "claude")
    refused = pty.run_in_terminal(project.path, *words, typed=b"n\n")
    assert refused.code == 4
    assert refused.text.index("request stays private") < refused.text.index("Write them?")
    assert _snapshot(project.path) == before
    unasked = pty.run_in_terminal(project.path, "--no-input", *words)
    assert unasked.code == 0
    assert "Write them?" not in unasked.text
    assert (project.path / SETTINGS).is_file()


def test_a_project_that_shares_nothing_is_said_to(project: Repo) -> None:
    call_gitmem(project.path, "init", "--yes", "--no-hooks").ok()
    config = project.path / ".git/gitmem/config.toml"
    config.write_text('[share]\nagents = "none"\n')
    done = _agent(project, "install", "--agent", "claude").ok()
    assert "nothing of them is committed" in done.err
    data = _agent(project, "install", "--agent", "codex", "--json").data
    assert data["share_agents"] == "none"
    assert {file["action"] for file in data["files"]} == {"made"}


@pytest.mark.parametrize(
    "data", [b"{", b'{"hooks": []}', b'{"hooks": {"Stop": 1}}', b"\xff\xfe{}", b"{} {}"]
)
def test_what_cannot_be_parsed_is_refused_and_nothing_at_all_changes(
    project: Repo, data: bytes
) -> None:
    project.write(SETTINGS, data)
    before = _snapshot(project.path)
    done = _agent(project, "install", "--agent", "codex", "--agent", "claude").ends(4)
    assert SETTINGS in done.err
    assert "nothing was changed" in done.err
    assert len(done.err.splitlines()) == 2
    assert _snapshot(project.path) == before
    _agent(project, "uninstall", "--agent", "claude").ends(4)
    assert _snapshot(project.path) == before
    rows = json.loads(_agent(project, "status", "--agent", "claude", "--json").raw_out)
    assert rows["data"]["agents"][0]["state"] == "unreadable"


def _committed_link(project: Repo, link: str, target: Path) -> None:
    place = project.path / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    project.commit("A link")


@pytest.mark.parametrize("link", [".claude", SETTINGS, "AGENTS.md", "CLAUDE.md"])
def test_a_committed_link_out_of_the_project_is_neither_read_nor_written(
    project: Repo, isolated: Path, link: str
) -> None:
    home = isolated / "private"
    home.mkdir()
    (home / "settings.json").write_bytes(b'{"env": {"KEY": "not for anybody"}}')
    (home / "credentials").write_bytes(SECRET)
    target = {".claude": home, SETTINGS: home / "settings.json"}.get(link, home / "credentials")
    _committed_link(project, link, target)
    before, inside = _snapshot(isolated), _snapshot(project.path)
    for words in (["install", "--yes"], ["install", "--dry-run"], ["uninstall"]):
        done = _agent(project, *words, "--agent", "claude").ends(4)
        assert f"{link} is a symbolic link" in done.err
        assert "not for anybody" not in done.all
    _agent(project, "status", "--agent", "claude").ends(1)
    assert "not for anybody" not in call_gitmem(project.path, "doctor").all
    assert _snapshot(isolated) == before
    assert _snapshot(project.path) == inside


def test_a_link_to_nothing_outside_makes_no_file_there(project: Repo, isolated: Path) -> None:
    _committed_link(project, "AGENTS.md", isolated / ".profile")
    _agent(project, "install", "--agent", "codex", "--yes").ends(4)
    assert not (isolated / ".profile").exists()


@pytest.mark.parametrize("target", [".git", ".git/hooks"])
def test_a_link_into_gits_own_folder_is_refused(project: Repo, target: str) -> None:
    _committed_link(project, ".claude", project.path / target)
    done = _agent(project, "install", "--agent", "claude", "--yes").ends(4)
    assert "git's own folder" in done.err
    assert not list((project.path / ".git").rglob("settings.json"))


def test_links_within_the_project_lead_to_one_block(project: Repo) -> None:
    project.write("AGENTS.md", "# Rules\n")
    (project.path / "CLAUDE.md").symlink_to("AGENTS.md")
    _agent(project, "install", "--agent", "claude").ok()
    text = (project.path / "AGENTS.md").read_text()
    assert text.count("gitmem:start") == 1
    assert "gitmem why" in text
    _agent(project, "status", "--agent", "claude").ok()
    _agent(project, "uninstall").ok()
    assert (project.path / "AGENTS.md").read_text() == "# Rules\n"
    assert (project.path / "CLAUDE.md").is_symlink()


def test_a_read_only_file_is_one_clear_error(project: Repo) -> None:
    file = project.write(SETTINGS, "{}")
    file.chmod(0o444)
    done = _agent(project, "install", "--agent", "claude").ends(10)
    assert "read-only" in done.err
    assert len(done.err.splitlines()[-2:]) == 2
    assert file.read_text() == "{}"


@pytest.mark.parametrize("kind", ["folder", "fifo", "file above"])
def test_what_is_no_plain_file_is_refused(project: Repo, kind: str) -> None:
    place = project.path / SETTINGS
    if kind == "file above":
        project.write(".claude", "not a folder")
    else:
        place.parent.mkdir()
        place.mkdir() if kind == "folder" else os.mkfifo(place)
    done = _agent(project, "install", "--agent", "claude").ends(4)
    assert ".claude" in done.err


def test_two_installations_at_once_end_as_one(project: Repo) -> None:
    project.write(SETTINGS, COMMENTED)
    started = [
        start_gitmem(project.path, "agent", "install", "--agent", name, "--yes")
        for name in ("claude", "claude", "codex", "cursor")
    ]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    for name in ("claude", "codex", "cursor"):
        _agent(project, "status", "--agent", name).ok()
    assert (project.path / "AGENTS.md").read_text().count("gitmem:start") == 1
    assert not list(project.path.rglob("*.tmp"))
    _agent(project, "uninstall").ok()
    assert (project.path / SETTINGS).read_bytes() == COMMENTED


def test_the_instructions_go_with_the_last_agent(project: Repo) -> None:
    _agent(project, "install", "--agent", "claude", "--agent", "codex").ok()
    _agent(project, "uninstall", "--agent", "claude").ok()
    assert "gitmem:start" in (project.path / "AGENTS.md").read_text()
    _agent(project, "uninstall", "--agent", "codex").ok()
    assert not (project.path / "AGENTS.md").exists()


def test_a_linked_work_tree_has_settings_of_its_own(project: Repo, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    (linked.path / "src").mkdir()
    call_gitmem(linked.path / "src", "agent", "install", "--agent", "claude").ok()
    assert (linked.path / SETTINGS).is_file()
    assert not (project.path / SETTINGS).exists()


# --- the user's scope ---------------------------------------------------------------------


def test_own_settings_are_written_from_anywhere_and_come_back(
    isolated: Path, tmp_path: Path
) -> None:
    file = isolated / SETTINGS
    file.parent.mkdir()
    file.write_bytes(COMMENTED)
    before = _snapshot(isolated)
    call_gitmem(tmp_path, "agent", "install", "--agent", "claude", "--scope", "user").ok()
    assert (isolated / ".claude/settings.json.before-gitmem").read_bytes() == COMMENTED
    assert not (tmp_path / "AGENTS.md").exists()
    call_gitmem(tmp_path, "agent", "status", "--agent", "claude").ok()
    call_gitmem(tmp_path, "agent", "uninstall", "--scope", "user").ok()
    assert _snapshot(isolated) == before


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/plugins/gitmem.ts"),
    ],
)
def test_an_agents_own_variable_says_where(
    tmp_path: Path, isolated: Path, name: str, variable: str, file: str
) -> None:
    folder = tmp_path / "elsewhere"
    words = ("agent", "install", "--agent", name, "--scope", "user", "--yes")
    call_gitmem(tmp_path, *words, env={variable: str(folder)}).ok()
    assert (folder / file).is_file()
    assert not list(isolated.glob(f"**/*{Path(file).name}"))


def test_outside_of_a_repository_there_is_no_project(tmp_path: Path) -> None:
    done = call_gitmem(tmp_path, "agent", "install", "--agent", "claude").ends(3)
    assert "--scope user" in done.err or "git repository" in done.err


# --- status, doctor, init, uninstall ------------------------------------------------------


def _row(done: Done) -> dict[str, object]:
    row = json.loads(done.raw_out)["data"]["agents"][0]
    assert isinstance(row, dict)
    return row


def test_status_names_what_is_outdated_partly_there_or_off(project: Repo) -> None:
    _agent(project, "install", "--agent", "claude").ok()
    file = project.path / SETTINGS
    whole = json.loads(file.read_text())

    def state_of(value: object) -> dict[str, object]:
        file.write_text(json.dumps(value))
        return _row(_agent(project, "status", "--agent", "claude", "--json").ends(1))

    part = json.loads(file.read_text())
    del part["hooks"]["SessionEnd"]
    assert state_of(part)["state"] == "partly"
    old = json.loads(json.dumps(whole).replace("; exit 0", ""))
    assert state_of(old)["state"] == "outdated"
    off = state_of({**whole, "disableAllHooks": True})
    assert (off["state"], off["shadowed"]) == ("installed", True)
    plugin = state_of({**whole, "enabledPlugins": {"gitmem@somewhere": True}})
    assert plugin["doubled"] is True
    assert "plugin" in str(plugin["reason"])
    file.write_text(json.dumps({**whole, "enabledPlugins": {"gitmem@somewhere": False}}))
    _agent(project, "status", "--agent", "claude").ok()


def test_the_same_hooks_in_both_scopes_would_run_twice(project: Repo) -> None:
    _agent(project, "install", "--agent", "claude", "--scope", "user").ok()
    done = _agent(project, "install", "--agent", "claude", "--scope", "project").ok()
    assert "run twice" in done.err
    assert _agent(project, "status").code == 1
    doctor = call_gitmem(project.path, "doctor", "--json")
    rows = [c for c in json.loads(doctor.raw_out)["data"]["checks"] if c["id"] == "agents"]
    assert rows
    assert all(row["state"] == "warning" for row in rows)
    _agent(project, "uninstall", "--scope", "user").ok()
    _agent(project, "status").ok()


def test_a_switch_in_ones_own_settings_shadows_the_projects(project: Repo, isolated: Path) -> None:
    _agent(project, "install", "--agent", "claude").ok()
    project.write(".claude/settings.local.json", '{"disableAllHooks": true} // for now')
    row = _row(_agent(project, "status", "--agent", "claude", "--json").ends(1))
    assert row["shadowed"] is True


def test_a_program_that_is_not_on_the_path_is_said(project: Repo, program: Path) -> None:
    shutil.rmtree(program)
    git = shutil.which("git")
    assert git is not None
    program.mkdir()
    (program / "git").symlink_to(git)
    done = _agent(project, "install", "--agent", "claude", PATH=str(program)).ok()
    assert "not on the PATH" in done.err
    assert "not on the PATH" in _agent(project, "status", PATH=str(program)).ends(1).err


def test_nothing_set_up_is_said_with_the_next_command(project: Repo) -> None:
    done = _agent(project, "status").ends(1)
    assert "No agent is set up" in done.out
    assert "gitmem agent install --agent" in done.err
    assert "which agent" in _agent(project, "install").ends(2).err


def test_init_sets_agents_up_too(project: Repo) -> None:
    dry = call_gitmem(project.path, "init", "--dry-run", "--agent", "claude").ok()
    assert SETTINGS in dry.out
    assert not (project.path / ".claude").exists()
    call_gitmem(project.path, "init", "--yes", "--agent", "claude", "--agent", "cursor").ok()
    assert (project.path / ".gitmem/project.toml").is_file()
    for name in ("claude", "cursor"):
        _agent(project, "status", "--agent", name).ok()
    assert "coding agents: claude (project)" in call_gitmem(project.path, "doctor").out
    data = call_gitmem(project.path, "init", "--json", "--agent", "claude").data
    assert data["agent_files"] == []


def test_init_refuses_settings_it_cannot_parse_before_it_writes(project: Repo) -> None:
    project.write(SETTINGS, "{")
    call_gitmem(project.path, "init", "--yes", "--agent", "claude").ends(4)
    assert not (project.path / ".gitmem").exists()


def test_uninstall_takes_gitmem_out_of_the_projects_settings(project: Repo) -> None:
    call_gitmem(project.path, "init", "--yes", "--no-hooks").ok()
    project.write(SETTINGS, COMMENTED)
    project.write(".cursor/hooks.json", "{")
    _agent(project, "install", "--agent", "claude").ok()
    _agent(project, "install", "--agent", "claude", "--scope", "user").ok()
    done = call_gitmem(project.path, "uninstall", "--yes").ok()
    assert (project.path / SETTINGS).read_bytes() == COMMENTED
    assert not (project.path / "AGENTS.md").exists()
    assert "cursor are left alone" in done.err
    assert "--agent claude --scope user" in done.err
    assert (project.path / ".cursor/hooks.json").read_text() == "{"


# --- what agents do with it ---------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="sh is asked")
@pytest.mark.parametrize("shell", [["sh", "-c"], ["bash", "-c"]])
def test_a_missing_program_ends_well_and_prints_nothing(
    project: Repo, shell: list[str], tmp_path: Path
) -> None:
    ground = Ground(discover(project.path, {}), os.environ)
    install_agents(ground, ["claude"], "project")
    empty = tmp_path / "empty"
    empty.mkdir()
    hooks = json.loads((project.path / SETTINGS).read_text())["hooks"]
    command = hooks["Stop"][0]["hooks"][0]["command"]
    program = shutil.which(shell[0])
    assert program is not None
    done = subprocess.run(
        [program, shell[1], command], env={"PATH": str(empty)}, input=b"{}", capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_program_gets_its_words_and_what_the_agent_says(
    project: Repo, program: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    (program / "gitmem").write_text(f'#!/bin/sh\n(echo "$@"; cat) > {seen}\nexit 2\n')
    ground = Ground(discover(project.path, {}), os.environ)
    install_agents(ground, ["claude"], "project")
    hooks = json.loads((project.path / SETTINGS).read_text())["hooks"]
    command = hooks["PreToolUse"][0]["hooks"][0]["command"]
    done = subprocess.run(["sh", "-c", command], input=b'{"a": 1}', capture_output=True)
    assert done.returncode == 0
    assert seen.read_text() == 'hook pre-tool-use --agent claude\n{"a": 1}'
