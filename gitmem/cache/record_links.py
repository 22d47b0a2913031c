"""The wikilinks in decisions' texts, as rows. Loaded only where a text has brackets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.cache.connection import Connection
from gitmem.core.note_names import link_name
from gitmem.core.notes import Link
from gitmem.core.records import Decision
from gitmem.core.wikilinks import parse_links

MAX_LINKS = 256
"""In one decision; a text of links says nothing by them."""


def insert_links(db: Connection, decisions: Iterable[tuple[int, Decision]]) -> None:
    """Inside a transaction: keep the links of new decisions, given with their rows."""
    db.insert_many(
        "INSERT INTO record_link (rid, position, name, target, heading, block) VALUES",
        [
            (rid, position, link_name(link.target), link.target, link.heading, link.block)
            for rid, decision in decisions
            for position, link in enumerate(list_links(decision))
        ],
    )


def list_links(decision: Decision) -> Sequence[Link]:
    """The links in its summary, its reason and what it rejects: each a text of its own, so
    that code which is never closed hides nothing but what follows in it."""
    texts = [decision.summary, decision.why or ""]
    for rejected in decision.rejected:
        texts += (rejected.option, rejected.reason)
    links = [link for text in texts for link in parse_links(text)]
    return list(dict.fromkeys(links))[:MAX_LINKS]
