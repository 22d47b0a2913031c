"""What rests on a file, a decision, a source or a topic: who would notice a change of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal, cast

import msgspec

from gitmem.core.paths import fold_path
from gitmem.core.ranking import Neighbour, format_key, identity_of
from gitmem.core.records import Decision
from gitmem.errors import NotFound, UsageError
from gitmem.services.catch_up import CaughtUp, catch_up
from gitmem.services.documents import load_hits
from gitmem.services.hits import Hit, find_hits
from gitmem.services.paths import resolve_id
from gitmem.services.targets import Target, resolve_target
from gitmem.services.together import Together, list_together
from gitmem.services.workspace import Notice, Workspace

Kind = Literal["file", "decision", "source", "topic"]
KINDS: tuple[Kind, ...] = ("file", "decision", "source", "topic")
DEFAULT_LIMIT = 20
MAX_DECISIONS = 200
MAX_NEIGHBOURS = 50
MAX_FOUND = 500
_STANDING = {"current": 0, "conflict": 0, "superseded": 1, "reverted": 2, "retracted": 3}


class Dependent(msgspec.Struct, frozen=True):
    """Something that points at the target, or at a decision of it (`on`): by what kind of link,
    and what the link says."""

    hit: Hit
    link: str
    label: str
    on: str


class PeerMention(msgspec.Struct, frozen=True):
    """A peer whose memory speaks of the target."""

    project: str
    total: int


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What depends on a target. `hits` are its decisions, or itself; `together` files that
    change with it; `files` those that a decision governs; `commits` those it stands for.
    `more_decisions` counts what is not shown. Everything is bounded by the limit."""

    target: str
    kind: Kind
    hits: tuple[Hit, ...] = ()
    more_decisions: int = 0
    together: tuple[Together, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    supersedes: tuple[Hit, ...] = ()
    superseded_by: tuple[Hit, ...] = ()
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    peers: tuple[PeerMention, ...] = ()
    notices: tuple[Notice, ...] = ()


# Names of a target (paths, ids) → the peers that speak of it.
FindMentions = Callable[[Sequence[str]], Sequence[PeerMention]]


def find_none(names: Sequence[str]) -> Sequence[PeerMention]:
    """Where no peers are asked."""
    return ()


def find_impact(
    workspace: Workspace,
    text: str,
    *,
    kind: Kind | None = None,
    limit: int = DEFAULT_LIMIT,
    find_mentions: FindMentions = find_none,
) -> Impact:
    """What rests on TEXT: a path, an id, an address or a page's name. `kind` says what it is
    where the word alone does not. Raises NotFound, Ambiguous, UsageError."""
    if not text.strip():
        raise UsageError("an empty name says nothing", hint="For example: gitmem impact src/app.py")
    caught_up = catch_up(workspace)
    question = _Question(workspace, text, limit, caught_up, find_mentions)
    if kind == "decision":
        return question.about_record(resolve_id(workspace, text))
    if kind in ("source", "topic"):
        return question.about_subject(cast(Kind, kind))
    if kind is None and "://" in text:
        return question.about_subject("source")
    target = resolve_target(workspace, text)
    if target.kind == "record" and kind is None:
        return question.about_record(target.id)
    if target.kind == "commit" and kind is None:
        raise UsageError(f"{text} is a commit", hint=f"See what it decided: gitmem why {text}")
    if target.kind == "unknown" and kind is None and workspace.notes.find_notes(text):
        return question.about_subject("topic")
    return question.about_file(target)


class _Question:
    def __init__(
        self,
        workspace: Workspace,
        text: str,
        limit: int,
        caught_up: CaughtUp,
        find_mentions: FindMentions,
    ) -> None:
        self._workspace = workspace
        self._text = text
        self._limit = limit
        self._caught_up = caught_up
        self._find_mentions = find_mentions

    def about_file(self, target: Target) -> Impact:
        workspace = self._workspace
        spans = workspace.commits.list_names(target.name, workspace.place.worktree)
        paths = list(dict.fromkeys(fold_path(span.path) for span in spans))
        if target.kind == "folder":
            paths = [fold_path(target.name)]
        ids, total = workspace.records.list_by_paths(paths, limit=MAX_DECISIONS)
        hits = _rank(find_hits(workspace, ids))
        together = list_together(workspace, target.name, limit=self._limit)
        if not hits and not together and target.kind == "unknown":
            raise NotFound(f"nothing here is called {self._text}")
        current = [hit.id for hit in hits if hit.id and hit.state in ("current", "conflict")]
        return Impact(
            target=target.name,
            kind="file",
            hits=tuple(hits[: self._limit]),
            more_decisions=max(0, total - len(hits[: self._limit])),
            together=tuple(together),
            dependents=self._dependents(current, taken={hit.id for hit in hits}),
            peers=tuple(self._find_mentions([target.name])),
            notices=self._caught_up.notices,
        )

    def about_record(self, record_id: str) -> Impact:
        """A decision, or any record by its id."""
        workspace = self._workspace
        held = workspace.records.get_held([record_id], workspace.place.worktree)
        hits = find_hits(workspace, [record_id])
        if not held or not hits:
            raise NotFound(f"no record {self._text} is in this memory any more")
        record = held[0].record
        hit = hits[0]
        is_decision = isinstance(record, Decision) and hit.state != "redacted"
        decision = record if is_decision and isinstance(record, Decision) else None
        named = decision.commits if decision is not None else ()
        commits = dict.fromkeys((*named, *((hit.commit,) if hit.commit else ())))
        older = decision.supersedes if decision is not None else ()
        files = sorted({ref.path for ref in decision.paths}) if decision is not None else []
        related = {record_id, *older, *hit.superseded_by}
        return Impact(
            target=record_id,
            kind="decision",
            hits=(hit,),
            supersedes=tuple(find_hits(workspace, older)[: self._limit]),
            superseded_by=tuple(find_hits(workspace, hit.superseded_by)[: self._limit]),
            dependents=self._dependents([record_id], taken=related),
            files=tuple(files[: self._limit]),
            commits=tuple(commits)[: self._limit],
            peers=tuple(self._find_mentions([record_id])),
            notices=self._caught_up.notices,
        )

    def about_subject(self, kind: Kind) -> Impact:
        """A page or an address: what links to it, and the decisions that speak of it."""
        workspace = self._workspace
        pages = [] if "://" in self._text else workspace.notes.find_notes(self._text)
        keys = [format_key("note", chunk.id) for page in pages for chunk in page.chunks]
        found = workspace.text.rank(self._text, kinds=("record",), limit=MAX_FOUND)
        ids = [identity_of(one.key) for one in found]
        spoken = [hit for hit in find_hits(workspace, ids) if _speaks(hit, self._text)]
        hits = _rank(spoken)
        dependents = self._list_linked(keys, taken=set())
        if not hits and not dependents and not pages:
            raise NotFound(f"nothing here speaks of {self._text}")
        return Impact(
            target=self._text,
            kind=kind,
            hits=tuple(hits[: self._limit]),
            more_decisions=max(0, len(hits) - self._limit),
            dependents=dependents,
            peers=tuple(self._find_mentions([self._text])),
            notices=self._caught_up.notices,
        )

    def _dependents(
        self, ids: Sequence[str], *, taken: Collection[str | None]
    ) -> tuple[Dependent, ...]:
        return self._list_linked([format_key("record", one) for one in ids], taken=taken)

    def _list_linked(
        self, keys: Sequence[str], *, taken: Collection[str | None]
    ) -> tuple[Dependent, ...]:
        """Whatever points at the keys, by a link that somebody wrote, each once."""
        found: dict[str, tuple[Neighbour, str]] = {}
        linked = self._workspace.links.list_neighbours(keys, most=MAX_NEIGHBOURS)
        for key in keys:
            for neighbour in linked.get(key, ()):
                if neighbour.is_backward and neighbour.link in ("wikilink", "supersedes"):
                    found.setdefault(neighbour.key, (neighbour, key))
        hits = load_hits(self._workspace, found)
        dependents = [
            Dependent(hits[key], neighbour.link, neighbour.label, on.partition(":")[2])
            for key, (neighbour, on) in found.items()
            if key in hits and hits[key].id not in taken
        ]
        return tuple(dependents[: self._limit])


def _rank(hits: Sequence[Hit]) -> list[Hit]:
    """What stands first, then newest first."""
    return sorted(hits, key=lambda hit: (_STANDING.get(hit.state, 4), -hit.seq, hit.id or ""))


def _speaks(hit: Hit, text: str) -> bool:
    """Whether a decision's own words hold the text: an index finds its parts as well."""
    said = [hit.summary, hit.why or "", *hit.tags, *(ref.path for ref in hit.paths)]
    said += [word for one in hit.rejected for word in (one.option, one.reason)]
    return any(text.lower() in words.lower() for words in said)
