"""The action's own script, run as a runner runs it, and the GitLab component beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitmem.cli.commands.report import pr_report
from tests.support.commandline import ROOT, Clone
from tests.support.forge_server import serve_host
from tests.support.run_action import ACTION, read_script, run_action

COMPONENT = ROOT / "templates" / "pr-report.yml"
OPTIONS = {option for parameter in pr_report.params for option in parameter.opts}


@pytest.mark.slow
def test_the_action_reports_on_a_pull_request_and_runs_nothing_of_it(
    ada: Clone, tmp_path: Path
) -> None:
    ada.decide("Keyed by tenant", "cache.py")
    ada.git("switch", "-q", "-c", "topic")
    # What Python or pip might pick up from the folder they are started in.
    for name in ("sitecustomize.py", "gitmem.py", "pip.py", "venv.py"):
        ada.write(name, "raise SystemExit('run from the head')\n")
    ada.write("cache.py", "changed\n")
    ada.commit("Change everything")
    folder = tmp_path / "runner"
    folder.mkdir()
    ends = (ada.git("rev-parse", "main"), ada.head())
    with serve_host() as host:
        step = run_action(ada.path, *ends, folder, api=host.address)
        assert step.code == 0, step.log
        assert "run from the head" not in step.log
        assert len(host.bodies()) == 1
    assert "Keyed by tenant" in step.summary
    assert step.outputs["records-added"] == "0"
    assert step.outputs["comment-url"].startswith("https://")
    assert "::warning file=cache.py" in step.log


def test_no_input_is_pasted_into_the_script() -> None:
    """What somebody typed reaches the script through its environment alone."""
    assert "${{" not in read_script()


@pytest.mark.parametrize("file", [ACTION, COMPONENT], ids=["github", "gitlab"])
def test_the_options_that_runners_use_are_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    used = set(re.findall(r"(?<= )--(?:publish|no-comment|check)\b", text))
    assert "--publish" in used
    assert used <= OPTIONS
    assert re.findall(r"--[a-z-]+", text.split("pr-report", 1)[1])


def test_a_failure_of_the_report_fails_the_job_and_no_link_of_the_head_is_written_through() -> None:
    """A shell without pipefail takes the end of a pipe for all of it."""
    script = COMPONENT.read_text(encoding="utf-8").partition("  script:")[2].partition("  art")[0]
    assert "|" not in script
    assert not re.search(r"(?:>|tee) *\"\$CI_PROJECT_DIR", script)


def test_outputs_of_the_action_are_those_of_its_step() -> None:
    text = ACTION.read_text(encoding="utf-8")
    named = set(re.findall(r"^  ([a-z-]+):\n    description: .*\n    value:", text, re.MULTILINE))
    given = set(re.findall(r"steps\.report\.outputs\.([a-z-]+)", text))
    assert named == given == {"records-added", "coverage", "conflicts", "comment-url"}
