"""Make link-rich sets: `python -m benchmarks.sets.make_chains FOLDER`.

A question names one note by a made-up name, and asks for what stands at the end of a chain of
one, two or three links from there. Nothing on the way shares a word with the question, but
decoys do: they have two of its words, and links of their own. In `chains` every page has two
links to it from decoys and none from it but the chain's; in `chains-branching` every page of a
chain links to a page beside it, too, and each page of a chain has one word of the question.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

ASKED = ("budget", "owner", "deadline", "region", "vendor", "policy")
VERBS = ("moved to", "was handed to", "runs on", "is described with", "was replaced by")
KINDS = ("service", "team", "cluster", "ledger")
CHAINS, DECOYS, MOST_HOPS = 60, 200, 3


class _Maker:
    def __init__(self, *, is_branching: bool) -> None:
        self._random = random.Random(20261130)
        self._is_branching = is_branching
        self.docs: list[dict[str, Any]] = []
        self.queries: list[dict[str, Any]] = []
        self.links: list[dict[str, str]] = []

    def make(self) -> None:
        decoys = [f"decoy-{number}" for number in range(DECOYS)]
        for number, decoy in enumerate(decoys):
            words = self._random.sample(ASKED, 2) if number % 2 or not self._is_branching else []
            about = " and ".join(words) or "filing"
            title = f"{self._name()} memo {number}"
            self._add(decoy, title, f"Notes on {about} matters from a routine meeting.")
            for _ in range(2):
                self._link(decoy, self._random.choice(decoys))
        for number in range(CHAINS):
            self._make_chain(number, decoys)
        self._random.shuffle(self.docs)

    def _make_chain(self, number: int, decoys: list[str]) -> None:
        hops = number % MOST_HOPS + 1
        pages = [f"chain-{number}-{place}" for place in range(hops + 1)]
        names = [f"{self._name()}{number}" for _ in pages]
        words = self._random.sample(ASKED, 3)
        for place, page in enumerate(pages):
            text = f"{names[place]} is a {self._random.choice(KINDS)}."
            if place == 0:
                text += f" Its {words[0]} and {words[1]} are on record elsewhere."
            elif self._is_branching:
                text += f" A word on {words[place % 3]}."
            if place < hops:
                text += f" It {self._random.choice(VERBS)} {names[place + 1]}."
                self._link(page, pages[place + 1])
            else:
                text += f" Settled: {self._random.randint(100, 999)}."
            self._add(page, names[place], text)
            self._link(self._random.choice(decoys), page)
            self._link(self._random.choice(decoys), page)
            if self._is_branching:
                self._link(page, self._random.choice(decoys[::2]))
        question = f"What is the {words[0]} and the {words[2]} behind {names[0]}?"
        self.queries.append({"query": question, "relevant": pages, "hops": hops})

    def _name(self) -> str:
        consonants, vowels = "bdfgklmnprstvz", "aeiou"
        pick = self._random.choice
        return "".join(pick(consonants) + pick(vowels) for _ in range(3)).capitalize()

    def _add(self, name: str, title: str, text: str) -> None:
        self.docs.append({"id": name, "title": title, "text": text})

    def _link(self, start: str, end: str) -> None:
        if start != end:
            self.links.append({"from": start, "to": end})


def make_chains(folder: Path, *, is_branching: bool) -> None:
    """Write the set; the same bytes each time."""
    maker = _Maker(is_branching=is_branching)
    maker.make()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("docs", "queries", "links"):
        rows = getattr(maker, name)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")


if __name__ == "__main__":
    make_chains(Path(sys.argv[1]) / "chains", is_branching=False)
    make_chains(Path(sys.argv[1]) / "chains-branching", is_branching=True)
