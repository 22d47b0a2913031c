"""docs/configuration.md lists the settings that there are."""

from __future__ import annotations

import re

from gitmem import config
from tests.support.make_architecture import ROOT

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def _rows() -> dict[str, bool]:
    """Key → whether the page says that a committed file may set it."""
    found: dict[str, bool] = {}
    for keys, row in re.findall(r"^\| (`[a-z_.]+`(?:, `[a-z_.]+`)*) \|(.*)$", PAGE, re.MULTILINE):
        for key in re.findall(r"`([a-z_.]+)`", keys):
            found[key] = row.split("|")[2].strip() == "yes"
    return found


def test_every_setting_is_on_the_page_and_no_other() -> None:
    assert _rows() == {key: committed for key, (_, committed) in config._KEYS.items()}
