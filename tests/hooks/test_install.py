"""Installing, proving and uninstalling hooks, beside whatever is there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gitmem.git.hook_scripts import HOOKS, insert_block, remove_block
from tests.hooks.conftest import MakeMemory, MemoryRepo


def _gitmem(repo: MemoryRepo, *words: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["gitmem", *words], cwd=repo.path, capture_output=True, timeout=60, encoding="utf-8"
    )
    return done.returncode, done.stdout, done.stderr


def _states(repo: MemoryRepo, action: str) -> tuple[int, dict[str, str]]:
    code, out, _ = _gitmem(repo, "hooks", action, "--json")
    return code, {hook["hook"]: hook["state"] for hook in json.loads(out)["data"]["hooks"]}


def _snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        file.name: (file.read_bytes(), file.stat().st_mode)
        for file in folder.iterdir()
        if file.is_file()
    }


@pytest.fixture
def bare_memory(make_memory: MakeMemory) -> MemoryRepo:
    """A memory whose hooks are not installed."""
    repo = make_memory()
    for name in HOOKS:
        (repo.path / ".git" / "hooks" / name).unlink()
    return repo


BODIES = [
    b"#!/bin/sh\necho mine\n",
    b"#!/bin/sh\necho no line end",
    b"#!/bin/sh",
    b"#!/usr/bin/env bash\n\n\nset -euo pipefail\n",
    b"#!/bin/sh\nprintf '\xff\\n'\n# >>> conda >>>\n",
]


@pytest.mark.parametrize("body", BODIES)
def test_uninstalling_restores_every_byte(bare_memory: MemoryRepo, body: bytes) -> None:
    folder = bare_memory.path / ".git" / "hooks"
    hook = folder / "pre-commit"
    hook.write_bytes(body)
    hook.chmod(0o750)
    before = _snapshot(folder)
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    installed = _snapshot(folder)
    assert set(installed) - set(before) == set(HOOKS) - {"pre-commit"}
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    assert _snapshot(folder) == installed
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert _snapshot(folder) == before


@pytest.mark.parametrize("body", [*BODIES, b"", b"no shebang\n"])
def test_the_block_is_put_in_and_taken_out_of_any_text(body: bytes) -> None:
    for hook in HOOKS:
        once = insert_block(body, hook, "/opt/it's here/python")
        assert insert_block(once, hook, "/opt/it's here/python") == once
        assert remove_block(once) == body
        assert remove_block(insert_block(once, hook, None)) == body
        assert b"\r" not in once


def test_what_a_person_wrote_into_a_file_of_ours_stays(bare_memory: MemoryRepo) -> None:
    _gitmem(bare_memory, "hooks", "install")
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook.read_text() + "echo mine\n")
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert hook.read_text() == "#!/bin/sh\necho mine\n"


def test_status_proves_that_hooks_fire(bare_memory: MemoryRepo) -> None:
    code, states = _states(bare_memory, "status")
    assert code == 1 and set(states.values()) == {"missing"}
    _gitmem(bare_memory, "hooks", "install")
    code, states = _states(bare_memory, "status")
    assert code == 0 and states == dict.fromkeys(HOOKS, "installed")


def test_status_runs_nothing_of_the_users(bare_memory: MemoryRepo) -> None:
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    _gitmem(bare_memory, "hooks", "install")
    assert _states(bare_memory, "status")[0] == 0
    assert not (bare_memory.path / "ran").exists()


@pytest.mark.parametrize("how", ["not executable", "elsewhere", "behind", "gone"])
def test_status_says_when_a_hook_does_not_fire(bare_memory: MemoryRepo, how: str) -> None:
    _gitmem(bare_memory, "hooks", "install")
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    if how == "not executable":
        hook.chmod(0o644)
    elif how == "elsewhere":
        (bare_memory.path / "empty").mkdir()
        bare_memory.git("config", "core.hooksPath", "empty")
    elif how == "behind":
        text = hook.read_text().replace("#!/bin/sh\n", "#!/bin/sh\ntouch ran; exit 0\n")
        hook.write_text(text)
    else:
        hook.unlink()
    code, states = _states(bare_memory, "status")
    assert code == 1
    assert states["pre-commit"] in ("silent", "missing")
    assert not (bare_memory.path / "ran").exists()


REFUSED = {
    "python": b"#!/usr/bin/env python3\nprint('x')\n",
    "program": b"\x7fELF\x02\x01\x01\0\0\0",
    "without a shebang": b"echo x\n",
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_a_hook_that_is_no_shell_script_is_refused_with_the_line(
    bare_memory: MemoryRepo, data: bytes
) -> None:
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_bytes(data)
    hook.chmod(0o755)
    code, out, _ = _gitmem(bare_memory, "hooks", "install")
    assert code == 4
    assert "gitmem hook pre-commit || true" in out
    assert hook.read_bytes() == data
    assert _states(bare_memory, "status")[1]["post-commit"] == "installed"


def test_a_hook_that_is_switched_off_stays_off(bare_memory: MemoryRepo) -> None:
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o644)
    code, states = _states(bare_memory, "install")
    assert code == 4 and states["pre-commit"] == "refused"
    assert hook.stat().st_mode & 0o777 == 0o644


def test_links_out_of_the_repository_are_refused(bare_memory: MemoryRepo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.sh"
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    (bare_memory.path / ".git" / "hooks" / "pre-commit").symlink_to(outside)
    code, states = _states(bare_memory, "install")
    assert code == 4 and states["pre-commit"] == "refused"
    assert outside.read_text() == "#!/bin/sh\n"


def test_a_link_within_the_repository_is_followed(bare_memory: MemoryRepo) -> None:
    script = bare_memory.write("scripts/check.sh", "#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    link = bare_memory.path / ".git" / "hooks" / "pre-commit"
    link.symlink_to("../../scripts/check.sh")
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    assert link.is_symlink()
    assert "hook pre-commit" in script.read_text()
    # The file can be committed: no path of this machine stands in it.
    assert "python" not in script.read_text()
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert script.read_text() == "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize("how", ["setting", "link"])
def test_a_hooks_folder_outside_is_never_written(
    bare_memory: MemoryRepo, tmp_path: Path, how: str
) -> None:
    outside = tmp_path / "all-hooks"
    outside.mkdir()
    if how == "setting":
        bare_memory.git("config", "--global", "core.hooksPath", str(outside))
    else:
        folder = bare_memory.path / ".git" / "hooks"
        folder.rename(tmp_path / "was")
        folder.symlink_to(outside)
    code, _, err = _gitmem(bare_memory, "hooks", "install")
    assert code == 4 and "gitmem hook pre-commit" in err
    assert list(outside.iterdir()) == []


def test_hooks_of_a_path_with_spaces_and_of_a_linked_work_tree(
    make_memory: MakeMemory, tmp_path: Path
) -> None:
    memory = make_memory("a b 'c'")
    memory.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "w t"))
    linked = MemoryRepo(tmp_path / "w t")
    assert _gitmem(linked, "hooks", "install")[0] == 0
    assert _states(linked, "status")[0] == 0
    linked.capture("Here", "a.py")
    linked.commit_file("a", "a.py", "a = 2\n")
    assert linked.added() == ["Here"]


def test_core_hooks_path_is_never_set(bare_memory: MemoryRepo) -> None:
    before = bare_memory.git("config", "--list")
    _gitmem(bare_memory, "hooks", "install")
    assert bare_memory.git("config", "--list") == before


def test_a_tracked_hooks_folder_gets_no_path_of_this_machine(bare_memory: MemoryRepo) -> None:
    (bare_memory.path / ".githooks").mkdir()
    bare_memory.git("config", "core.hooksPath", ".githooks")
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    texts = [file.read_text() for file in (bare_memory.path / ".githooks").iterdir()]
    assert len(texts) == len(HOOKS)
    assert not any("python" in text for text in texts)
    assert _states(bare_memory, "status")[0] == 0


# --- other keepers of hooks -----------------------------------------------------------------

_HUSKY = """#!/usr/bin/env sh
h="$(dirname -- "$0")/../$(basename -- "$0")"
[ -f "$h" ] || exit 0
sh -e "$h" "$@"
"""


def test_husky(bare_memory: MemoryRepo) -> None:
    """It sends git to .husky/_, whose hooks run those of .husky; these are to be written."""
    inner = bare_memory.path / ".husky" / "_"
    inner.mkdir(parents=True)
    for name in HOOKS:
        (inner / name).write_text(_HUSKY)
        (inner / name).chmod(0o755)
    own = bare_memory.write(".husky/pre-commit", "echo tests\n")
    bare_memory.git("config", "core.hooksPath", ".husky/_")
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    assert _states(bare_memory, "status")[0] == 0
    assert own.read_text().endswith("echo tests\n")
    assert "python" not in own.read_text()
    bare_memory.capture("Husky", "a.py")
    bare_memory.commit_file("a", "a.py", "a = 2\n")
    assert bare_memory.added() == ["Husky"]
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert own.read_text() == "echo tests\n"
    assert sorted(p.name for p in (bare_memory.path / ".husky").iterdir()) == ["_", "pre-commit"]


def test_lefthook(bare_memory: MemoryRepo) -> None:
    bare_memory.write("lefthook.yml", "pre-commit:\n  commands:\n    test:\n      run: true\n")
    local = bare_memory.path / "lefthook-local.yml"
    code, _, err = _gitmem(bare_memory, "hooks", "install")
    assert code == 0 and "lefthook install" in err
    text = local.read_text()
    assert "run: command -v gitmem >/dev/null 2>&1 || exit 0; gitmem hook pre-commit\n" in text
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    assert local.read_text() == text
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert not local.exists()
    local.write_text("output: false\n")
    assert _gitmem(bare_memory, "hooks", "install")[0] == 0
    assert local.read_text().startswith("output: false\n# >>>")
    assert _gitmem(bare_memory, "hooks", "uninstall")[0] == 0
    assert local.read_text() == "output: false\n"


def test_lefthook_with_settings_of_the_same_hook(bare_memory: MemoryRepo) -> None:
    bare_memory.write("lefthook.yml", "")
    local = bare_memory.write("lefthook-local.yml", "pre-commit:\n  parallel: true\n")
    code, _, err = _gitmem(bare_memory, "hooks", "install")
    assert code == 4 and "gitmem hook pre-commit" in err
    assert local.read_text() == "pre-commit:\n  parallel: true\n"


def test_the_pre_commit_framework(bare_memory: MemoryRepo) -> None:
    bare_memory.write(".pre-commit-config.yaml", "repos: []\n")
    hook = bare_memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/usr/bin/env bash\n# File generated by pre-commit\nexec true\n")
    hook.chmod(0o755)
    code, _, err = _gitmem(bare_memory, "hooks", "install")
    assert code == 0
    assert ".pre-commit-config.yaml" in err and "gitmem hook pre-commit" in err
    assert (bare_memory.path / ".pre-commit-config.yaml").read_text() == "repos: []\n"
    assert _states(bare_memory, "status")[0] == 0


# --- init and uninstall ---------------------------------------------------------------------


def test_init_installs_hooks_unless_told_not_to(repo: MemoryRepo, make_repo) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = _gitmem(MemoryRepo(repo.path), "init", "--yes")
    assert code == 0 and "pre-commit" in out and ".git/hooks" in out
    assert (repo.path / ".git" / "hooks" / "pre-commit").exists()
    other = MemoryRepo(make_repo("other").path)
    assert _gitmem(other, "init", "--yes", "--no-hooks")[0] == 0
    assert not (other.path / ".git" / "hooks" / "pre-commit").exists()
    assert _gitmem(MemoryRepo(repo.path), "uninstall", "--yes")[0] == 0
    assert not (repo.path / ".git" / "hooks" / "pre-commit").exists()


def test_a_dry_run_installs_nothing(repo: MemoryRepo) -> None:
    assert _gitmem(MemoryRepo(repo.path), "init", "--dry-run")[0] == 0
    assert not (repo.path / ".git" / "hooks" / "pre-commit").exists()


def test_a_detached_memory_has_no_hook_that_stages(repo: MemoryRepo) -> None:
    memory = MemoryRepo(repo.path)
    memory.write("a.py", "")
    assert _gitmem(memory, "init", "--detached", "--yes")[0] == 0
    folder = repo.path / ".git" / "hooks"
    assert (folder / "post-commit").exists() and not (folder / "pre-commit").exists()
    memory.capture("Apart", "a.py")
    assert _gitmem(memory, "hook", "pre-commit")[0] == 0
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.git("ls-files") == "a.py"


def test_a_hook_by_hand_never_fails(repo: MemoryRepo, tmp_path: Path) -> None:
    for words in (["pre-commit"], ["post-commit"], ["prepare-commit-msg"]):
        assert _gitmem(MemoryRepo(repo.path), "hook", *words)[0] == 0
        assert _gitmem(MemoryRepo(tmp_path), "hook", *words)[0] == 0
    assert _gitmem(MemoryRepo(repo.path), "hook", "prepare-commit-msg", "gone")[0] == 0
    assert os.access(repo.path, os.R_OK)
