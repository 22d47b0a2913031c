"""What peers' decisions say of files, commits and records of ours: links, ids, and our names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.mentions import SHORT_OID, iter_project_links, list_oids
from gitmem.core.peers import Peer, Sighting
from gitmem.errors import GitmemError
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.federate import MOST_MENTIONS, MOST_PEERS, find_mention, format_said
from gitmem.services.hits import Hit, iter_hits
from gitmem.services.our_names import OurNames
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation

MAX_KEYS = 20_000
"""Of so many files and commits together it is asked who speaks of them."""
_DIGITS = (SHORT_OID, 8, 9, 10, 12, 64)
"""As people shorten ids, and whole."""
MOST_SEARCHES = 200
"""So many full-text searches are made at one peer."""


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody may speak of: `paths` folded, `oids` of commits and records whole. With
    `with_names` a link to the project, or a name of its package, counts, too."""

    paths: tuple[str, ...] = ()
    oids: tuple[str, ...] = ()
    with_names: bool = False


class Speaking(msgspec.Struct, frozen=True):
    """Peers' decisions, each with its project and what of ours it names (`mention`), by project
    and id: `hits` link to a file or name an id, `others` just name us. And who kept silent."""

    hits: tuple[Hit, ...]
    others: tuple[Hit, ...]
    notices: tuple[Notice, ...]


def list_speaking(
    workspace: Workspace,
    federation: Federation,
    names: OurNames,
    spoken: Spoken,
    *,
    peer_timeout_ms: int,
) -> Speaking:
    """The decisions of peers that speak of something, whatever became of them. Never by dates:
    only what they say counts."""
    keys = _build_keys(names, spoken)
    if not keys:
        return Speaking((), (), ())
    asker = PeerAsker(workspace, federation, peer_timeout_ms)
    try:
        asker.bring_in_step()
        sightings = federation.find(keys)
    except GitmemError as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return Speaking((), (), (notice,))
    by_address: dict[str, list[Sighting]] = {}
    for one in sightings:
        by_address.setdefault(one.address, []).append(one)
    judge = _Judge(names, spoken)
    found: dict[str, Hit] = {}
    asked = [peer for peer in asker.list_asked() if peer.address in by_address]
    for peer in asked[:MOST_PEERS]:
        ask = partial(_ask_one, federation, peer, by_address[peer.address], keys, judge)
        for hit in asker.attempt(peer, ask) or ():
            found.setdefault(hit.id or "", hit)
    if workspace.memory is not None and found:
        for held in workspace.records.get_held(list(found), workspace.place.worktree):
            del found[held.record.id]
    hits = sorted(found.values(), key=lambda hit: (hit.project, hit.id or ""))
    notices = asker.list_notices()
    if len(asked) > MOST_PEERS:
        text = f"{len(asked)} peers speak of this, of which {MOST_PEERS} were asked"
        notices.append(Notice("peers-left-out", text))
    near = [hit for hit in hits if ":" in (hit.mention or "") or hit.mention in spoken.oids]
    others = [hit for hit in hits if hit not in near]
    return Speaking(tuple(near), tuple(others), tuple(notices))


def _build_keys(names: OurNames, spoken: Spoken) -> dict[str, str]:
    """Key of the index → the words by which full text finds what it stands for."""
    keys: dict[str, str] = {}
    if names.remote_key is not None:
        link = f"l:{names.remote_key.lower()}:"
        keys.update({link + path.rstrip("/"): path for path in spoken.paths if path})
        if spoken.with_names:
            keys[link] = names.remote_key.rpartition("/")[2]
    for oid in spoken.oids:
        keys[f"c:{oid[:SHORT_OID]}"] = " ".join(oid[:digits] for digits in _DIGITS)
    if spoken.with_names:
        keys.update({f"w:{name}": name for name in names.names})
    return dict(list(keys.items())[:MAX_KEYS])


class _Judge:
    """Says of a peer's decision what it names: an index finds hashes and words alone."""

    def __init__(self, names: OurNames, spoken: Spoken) -> None:
        self._names = names
        self._key = (names.remote_key or "").lower()
        self._paths = {path.rstrip("/") for path in spoken.paths} - {""}
        self._with_names = spoken.with_names
        self.oids = spoken.oids
        self._oids: dict[str, list[str]] = {}
        for oid in spoken.oids:
            self._oids.setdefault(oid[:SHORT_OID], []).append(oid)

    def find(self, hit: Hit, commits: Collection[str]) -> str | None:
        """What of ours it names, None for nothing; `commits` are those that it is about."""
        text = format_said(hit)
        if self._key:
            for key, path in iter_project_links(text):
                if key == self._key and path in self._paths:
                    return f"{key}:{path}"
        if self._oids:
            for word in sorted({*list_oids(text), *commits}):
                for oid in self._oids.get(word[:SHORT_OID], ()):
                    if oid.startswith(word):
                        return oid
        return find_mention(hit, self._names, sorted(self._paths)) if self._with_names else None


def _ask_one(
    federation: Federation,
    peer: Peer,
    sightings: Sequence[Sighting],
    keys: Mapping[str, str],
    judge: _Judge,
) -> list[Hit]:
    """The decisions of one peer: the best under each key, and where there are more, what its
    full text finds."""
    with federation.open(peer) as opened:
        ids: dict[str, None] = {}
        many = []
        for one in sightings:
            ids.update(dict.fromkeys(opened.records.resolve_prefix(one.prefix, limit=2)))
            many += [one.key] if one.total > 1 else []
        for key in many[:MOST_SEARCHES]:
            ranked = opened.text.rank(keys[key], kinds=("record",), limit=MOST_MENTIONS)
            ids.update(dict.fromkeys(row.key.partition(":")[2] for row in ranked))
        ids.update(dict.fromkeys(opened.records.list_by_commits(judge.oids)))
        about = {
            held.record.id: getattr(held.record, "commits", ())
            for held in opened.records.get_held(list(ids), opened.place.worktree)
        }
        found = []
        for hit in iter_hits(opened, ids):
            mention = judge.find(hit, about.get(hit.id or "", ()))
            if hit.kind == "decision" and mention is not None:
                found.append(msgspec.structs.replace(hit, project=peer.alias, mention=mention))
        return found
