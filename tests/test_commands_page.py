"""docs/commands.md lists the commands and options that there are."""

from __future__ import annotations

import re

import click
import pytest

from gitmem.cli.main import COMMANDS, cli
from tests.support.make_architecture import ROOT

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
HEAD, *PARTS = re.split(r"^### `gitmem ", PAGE, flags=re.MULTILINE)
SECTIONS = {re.split(r"[ `]", part, maxsplit=1)[0]: part for part in PARTS}
CONTEXT = click.Context(cli)
SHARED = {"--json", "-q", "--quiet"}


def _get_command(name: str) -> click.Command:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    return command


def _list_options(command: click.Command) -> set[str]:
    options = (one for one in command.params if isinstance(one, click.Option))
    return {spelling for option in options for spelling in option.opts}


def test_every_command_is_on_the_page_once_and_no_other() -> None:
    assert sorted(SECTIONS) == sorted(COMMANDS)
    assert len(PARTS) == len(COMMANDS)


def test_commands_of_a_day_come_first_on_the_page_as_in_the_help() -> None:
    daily = {name for name, entry in COMMANDS.items() if entry.is_daily}
    assert set(list(SECTIONS)[: len(daily)]) == daily


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_options_on_the_page_and_no_other(name: str) -> None:
    rows = re.findall(r"^\| (`-.*?) \| ", SECTIONS[name], re.MULTILINE)
    listed = {word for row in rows for word in re.findall(r"`(--?[a-zA-Z-]+)", row)}
    assert listed == _list_options(_get_command(name)) - SHARED


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_an_example_whose_words_it_takes(name: str) -> None:
    found = re.findall(rf"^    .*?\bgitmem ({name}\b.*?)\)?\"?$", SECTIONS[name], re.MULTILINE)
    assert len(found) == 1
    assert set(re.findall(r" (--?[a-z-]+)", found[0])) <= _list_options(_get_command(name))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_heading_names_the_words_that_a_command_takes(name: str) -> None:
    heading = SECTIONS[name].partition("\n")[0]
    for word in (one for one in _get_command(name).params if isinstance(one, click.Argument)):
        if isinstance(word.type, click.Choice) and name != "hook":
            assert "|".join(word.type.choices) in heading
        elif name != "hook":
            assert word.make_metavar(CONTEXT).strip("[]") in heading


def test_global_options_are_in_the_introduction() -> None:
    for spelling in _list_options(cli) | {"--help", "-h"}:
        assert f"`{spelling}`" in HEAD or f"`{spelling} " in HEAD, spelling
