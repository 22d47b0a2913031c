"""Makes a golden repository of the format: `python -m tests.support.make_golden NAME`.

Run once for each version of the format, and never again for that version: what stands in
`tests/golden/` is what readers must go on reading.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gitmem.core.codec import build_line
from gitmem.store.folder_writing import write_segments
from gitmem.store.project_file import parse_project
from tests.support.commandline import ROOT, Clone
from tests.support.records import decision_fields, make_decision

GOLDEN = ROOT / "tests" / "golden"
NOW = "2026-03-01T12:00:00.000Z"
QUESTIONS = {
    "log": ("log", "-n", "100"),
    "why": ("why", "src/cache.py", "--all"),
    "old-name": ("why", "cache.py", "--all"),
    "line": ("why", "src/cache.py:2"),
    "search": ("search", "tenants"),
    "verify": ("verify", "--strict"),
}
# What a later version may add is not compared, nor what depends on the machine.
FIELDS = ("id", "commit", "kind", "type", "summary", "why", "at", "state", "where", "tags",
          "rejected", "superseded_by", "superseded_elsewhere", "unreviewed")  # fmt: skip


def answer(clone: Clone) -> dict[str, Any]:
    """What the questions say of a repository, in the fields that stay."""
    found: dict[str, Any] = {}
    for name, words in QUESTIONS.items():
        data = clone.gitmem("--json", *words, env={"GITMEM_NOW": NOW}).data
        hits = [_pick(hit) for hit in data.get("hits", ())]
        found[name] = {"hits": hits} if "hits" in data else {"records": data["records"]}
        if "problems" in data:
            found[name]["problems"] = data["problems"]
    return found


def _pick(hit: dict[str, Any]) -> dict[str, Any]:
    """The fields that stay; the words for a withdrawal are ours, and may change."""
    picked = {field: hit.get(field) for field in FIELDS}
    if hit["kind"] == "tombstone":
        picked["summary"] = None
    return picked


def restore(bundle: Path, path: Path) -> Clone:
    """A repository with all refs of a bundle, main checked out."""
    path.mkdir(parents=True)
    clone = Clone(path)
    clone.git("init", "-q", "-b", "main")
    clone.git("fetch", "-q", "--update-head-ok", str(bundle), "+refs/*:refs/*")
    clone.git("reset", "-q", "--hard", "main")
    return clone


def build(path: Path) -> Clone:
    """Decisions here, pending, superseded, retracted and restored, redacted, on another
    branch; a rename; notes; every optional field; and a record of an unknown kind."""
    path.mkdir()
    ada = Clone(path)
    ada.git("init", "-q", "-b", "main")
    ada.commit("Add a cache", {"cache.py": "def key(url):\n    return url\n"})
    ada.init()
    first = ada.decide("Cache keyed by URL", "cache.py", "--tag", "cache")
    ada.git("mv", "cache.py", "src.py")
    (path / "src").mkdir()
    ada.git("mv", "src.py", "src/cache.py")
    ada.commit("Move the cache, because there will be more")
    ada.write("src/cache.py", "def key(tenant, url):\n    return tenant, url\n")
    words = ("--why", "Two tenants shared a row.", "--rejected", "global cache | leaks")
    ada.capture("Cache keyed by tenant", "--supersedes", first, *words, "--flush", "src/cache.py")
    ada.git("commit", "-q", "-a", "-m", "Key the cache by tenant")
    noted = ada.capture("Café: naïve, 漢字, 😀", "--type", "note", "--flush", "src/cache.py:1-2")
    secret = ada.capture("To be redacted", "--flush", "src/cache.py")
    _write_foreign(ada)
    ada.commit("Notes")
    ada.gitmem("retract", noted, "-m", "wrong").ok()
    ada.gitmem("restore", noted, "-m", "right after all").ok()
    ada.gitmem("redact", secret, "-m", "named a customer", "--yes").ok()
    ada.gitmem("capture", "--flush").ok()
    ada.commit("Withdrawals")
    ada.git("switch", "-q", "-c", "feature")
    ada.decide("Another key on a branch", "src/cache.py", "--supersedes", first)
    ada.git("switch", "-q", "main")
    ada.capture("Pending when the bundle was made", "src/cache.py")
    bare = path.parent / "remote.git"
    ada.git("init", "-q", "--bare", str(bare))
    ada.git("remote", "add", "origin", str(bare))
    ada.gitmem("push").ok()
    return ada


def _write_foreign(clone: Clone) -> None:
    """A segment as another implementation may write it: an unknown kind, unknown fields."""
    project = parse_project((clone.path / ".gitmem" / "project.toml").read_bytes()).project_id
    changes = {"project": project, "future": {"weight": 7}}
    lines = [
        make_decision(
            **changes, seq=40, summary="From elsewhere", paths=[{"path": "src/cache.py"}]
        ),
        build_line({**decision_fields(**changes, seq=41), "kind": "x-moon", "v": 3}),
    ]
    write_segments(clone.path, lines)


def main(name: str) -> None:
    folder = GOLDEN / name
    if folder.exists():
        raise SystemExit(f"{folder} exists; a golden repository is never made again")
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        os.environ.update(
            HOME=str(home),
            GIT_CONFIG_NOSYSTEM="1",
            GITMEM_NO_BACKGROUND="1",
            GITMEM_NOW="2026-02-03T04:05:06.789Z",
            GIT_AUTHOR_DATE="2026-02-03T04:05:06Z",
            GIT_COMMITTER_DATE="2026-02-03T04:05:06Z",
        )
        ada = build(Path(scratch) / "ada")
        bundle = folder / "all.bundle"
        ada.git("bundle", "create", "-q", str(bundle), "--all")
        restored = restore(bundle, Path(scratch) / "restored")
        expected = json.dumps(answer(restored), indent=1, ensure_ascii=False)
        (folder / "expected.json").write_text(expected + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.stderr) from error
