"""Two projects of one company: `billing`, a peer, and `shop`, where questions are asked."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commandline import Clone, Done
from tests.support.servers import Server, serve_daemon

SHOP_URL = "https://example.com/acme/shop.git"


class Town:
    """The clones, the bare repository that `billing` pushes to, and the home of whoever asks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.billing = Clone(root / "billing")
        self.shop = Clone(root / "shop", "Grace")
        self.bare = root / "billing.git"

    @property
    def home(self) -> Path:
        return Path(os.environ["HOME"])

    @property
    def kept(self) -> Path:
        """What is kept of peers."""
        return self.home / ".cache" / "gitmem" / "peers"

    def peers(self, *words: str, **more: Any) -> Done:
        return self.shop.gitmem("peers", *words, **more)

    def list(self) -> list[dict[str, Any]]:
        rows = self.peers("list", "--json").data["peers"]
        assert isinstance(rows, list)
        return rows

    def why(self, *words: str, **more: Any) -> dict[str, Any]:
        done = self.shop.gitmem("--json", "why", *words, **more).ok()
        answer = json.loads(done.raw_out)
        assert isinstance(answer, dict)
        return answer

    def hits(self, *words: str, **more: Any) -> list[tuple[str, str]]:
        """(project, summary) of the decisions in an answer."""
        rows = self.why(*words, **more)["data"]["hits"]
        return [(row["project"], row["summary"]) for row in rows if row["kind"] == "decision"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The town, built once; tests work in copies."""
    root = tmp_path_factory.mktemp("town")
    home = root / "home"
    home.mkdir()
    for name in ("billing", "shop"):
        (root / name).mkdir()
    town = Town(root)
    for clone in (town.billing, town.shop):
        clone.env |= {
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        clone.git("init", "-q", "-b", "main")
    _build_billing(town)
    _build_shop(town)
    shutil.rmtree(home)
    return root


def _build_billing(town: Town) -> None:
    billing = town.billing
    billing.commit("Begin", {"src/app.py": "a\n", "secret_code.txt": "code of billing\n" * 50})
    billing.init()
    billing.decide("Cache keyed by tenant", "src/app.py", "--why", "Two tenants shared a row.")
    old = billing.decide("Use WAL", "src/store.py")
    billing.decide("Use one writer process", "src/store.py", "--supersedes", old)
    billing.decide("Round half even", "src/money.py", "--why", "As Acme_Shop does.")
    billing.decide(
        "Ask for totals", "src/client.py", "--why", "See [[example.com/acme/shop:src/total.py]]."
    )
    billing.git("checkout", "-q", "-b", "feat/x")
    billing.decide("Drop the cache", "src/app.py")
    billing.git("checkout", "-q", "main")
    billing.git("init", "-q", "--bare", "-b", "main", str(town.bare))
    billing.git("remote", "add", "origin", str(town.bare))
    billing.git("push", "-q", "origin", "main", "feat/x")
    billing.gitmem("push").ok()


def _build_shop(town: Town) -> None:
    shop = town.shop
    shop.commit(
        "Begin",
        {
            "pyproject.toml": '[project]\nname = "acme.shop"\n',
            "src/total.py": "t\n",
            "src/plain.py": "p\n",
        },
    )
    shop.init()
    shop.decide("Sessions in cookies", "src/app.py")
    shop.git("remote", "add", "origin", SHOP_URL)


@pytest.fixture
def town(built: Path, tmp_path: Path) -> Town:
    """A town of one's own. The file system's times are old, as those of real clones are."""
    root = tmp_path / "town"
    shutil.copytree(built, root, symlinks=True)
    made = Town(root)
    made.billing.git("remote", "set-url", "origin", str(made.bare))
    for path in [*root.rglob("*"), root]:
        os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
    return made


@pytest.fixture
def asked(town: Town) -> Town:
    """The same, with `billing` added by its path."""
    town.peers("add", str(town.billing.path)).ok()
    return town


@pytest.fixture
def server(town: Town, tmp_path: Path) -> Iterator[Server]:
    """The town's bare repositories, served by `git daemon`."""
    with serve_daemon(town.root, tmp_path / "server-home") as running:
        yield running
