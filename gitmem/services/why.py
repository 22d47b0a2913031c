"""Why something is as it is: decisions first, then commits that carry a reason."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import msgspec

from gitmem.core.history import Commit, IndexedCommit, PathSpan
from gitmem.core.paths import decode_path, fold_path
from gitmem.core.reasons import has_reason
from gitmem.core.timestamps import format_at
from gitmem.errors import PartMissing
from gitmem.services.catch_up import CaughtUp, catch_up
from gitmem.services.hits import Hit, commit_hit, find_hits
from gitmem.services.targets import Target, resolve_target
from gitmem.services.workspace import Notice, Workspace

DEFAULT_LIMIT = 5
MANY = 1_000_000
MAX_DEPTH = 32
EXAMINED = 256
"""Of a file's decisions so many of the newest are looked at for those that stand."""
LOOK_COMMITS = 60
LOOK_SECONDS = 1.0
_RANKS = {
    "current": 0,
    "conflict": 0,
    "superseded": 2,
    "reverted": 3,
    "retracted": 4,
    "redacted": 5,
}


class LineOrigin(msgspec.Struct, frozen=True):
    """Who last changed the asked line; `commit` is None where it is not committed."""

    number: int
    commit: str | None
    at: str


class WhyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`hits` holds the decisions shown, then the commits shown; the counts say how many more
    there are. `commits` and `reasoned` count the target's commits, and those with a reason;
    `has_history` says whether they were asked for."""

    target: str
    kind: str
    path: str = ""
    line: LineOrigin | None = None
    hits: tuple[Hit, ...] = ()
    more_decisions: int = 0
    more_commits: int = 0
    commits: int = 0
    reasoned: int = 0
    is_known: bool = True
    has_history: bool = True
    notices: tuple[Notice, ...] = ()


def explain(
    workspace: Workspace,
    text: str,
    *,
    limit: int = DEFAULT_LIMIT,
    show_all: bool = False,
    with_history: bool = True,
) -> WhyAnswer:
    """Answer `why TEXT`. Raises what `resolve_target` raises; finding nothing is an answer."""
    caught_up = catch_up(workspace)
    target = resolve_target(workspace, text)
    question = _Question(workspace, target, caught_up, MANY if show_all else limit, show_all)
    if target.kind == "record":
        return question.about_record()
    if target.kind == "commit":
        return question.about_commit()
    return question.about_path(with_history=with_history)


class _Question:
    def __init__(
        self,
        workspace: Workspace,
        target: Target,
        caught_up: CaughtUp,
        limit: int,
        show_all: bool,
    ) -> None:
        self._workspace = workspace
        self._target = target
        self._limit = limit
        self._show_all = show_all
        self._is_complete = caught_up.is_complete
        self._notices = caught_up.notices

    def about_record(self) -> WhyAnswer:
        hits = find_hits(self._workspace, [self._target.id])
        return self._answer(hits=tuple(hits))

    def about_commit(self, *, path: str = "", line: LineOrigin | None = None) -> WhyAnswer:
        workspace = self._workspace
        oid = self._target.oid
        decisions = find_hits(workspace, workspace.records.list_by_commits([oid]))
        message = _message_hit(workspace, oid)
        hits = decisions if message is None else [*decisions, message]
        return self._answer(path=path, line=line, hits=tuple(hits))

    def about_path(self, *, with_history: bool) -> WhyAnswer:
        workspace, target = self._workspace, self._target
        spans = self._spans()
        first: list[Hit] = []
        line = None
        if target.kind == "line":
            line, first = self._about_line(spans)
        decisions, total = self._decisions(spans, {hit.id for hit in first})
        decisions = _rank([*first, *decisions]) if not first else [*first, *decisions]
        shown = [self._with_age(hit, spans) for hit in decisions[: self._limit]]
        commits: list[Hit] = []
        all_commits = reasoned = 0
        if with_history:
            named = {hit.commit for hit in shown if hit.kind == "decision"}
            if self._is_complete:
                commits = self._commits(spans, named)
                all_commits, reasoned = workspace.commits.count_commits(
                    spans, workspace.place.worktree
                )
            else:
                commits, all_commits, reasoned = self._look(named)
            if line is not None:
                commits = self._line_first(line, commits)
        count_of = all_commits if self._show_all else reasoned
        self._note_absence()
        return self._answer(
            path=target.name,
            line=line,
            hits=(*shown, *commits[: self._limit]),
            more_decisions=max(0, total - len(shown)),
            more_commits=max(0, max(count_of, all_commits) - len(commits[: self._limit])),
            commits=all_commits,
            reasoned=reasoned,
            has_history=with_history,
            is_known=bool(target.kind != "unknown" or decisions or commits or all_commits),
        )

    def _note_absence(self) -> None:
        """Say that a file is no longer here, and which file of that name is."""
        name, root = self._target.name, self._workspace.place.work_tree
        if root is None or self._target.kind != "path":
            return
        if os.path.lexists(root / self._target.path):
            return
        same = self._workspace.records.match_paths(name, limit=50)
        here = [path for path in same if os.path.lexists(root / path)]
        there = f"; did you mean {', '.join(here[:3])}?" if here else ""
        self._notices += (Notice("not-here", f"{name} is not in this work tree{there}"),)

    def _spans(self) -> list[PathSpan]:
        path, place = self._target.name, self._workspace.place
        if self._target.kind == "folder":
            return [PathSpan(path)]
        return self._workspace.commits.list_names(path, place.worktree)

    def _decisions(
        self, spans: Sequence[PathSpan], taken: set[str | None]
    ) -> tuple[list[Hit], int]:
        """The best decisions on these names: among the newest, those with the best standing."""
        workspace = self._workspace
        paths = list(dict.fromkeys(fold_path(span.path) for span in spans))
        if self._target.kind != "folder":
            paths += _folders_above(self._target.name)
        step = MANY if self._show_all else max(32, 2 * self._limit)
        hits: list[Hit] = []
        total = examined = live = 0
        while examined <= total and examined < EXAMINED and live < self._limit:
            ids, total = workspace.records.list_by_paths(paths, limit=step, offset=examined)
            found = [hit for hit in find_hits(workspace, ids) if hit.id not in taken]
            live += sum(standing_rank(hit) == 0 for hit in found)
            hits += found
            examined += step
        own = {fold_path(spans[0].path)} if spans else set()
        return _rank([_mark_via(hit, own, paths) for hit in hits]), total

    def _about_line(self, spans: Sequence[PathSpan]) -> tuple[LineOrigin | None, list[Hit]]:
        workspace, target = self._workspace, self._target
        try:
            blamed = workspace.history.blame_line(target.path, target.line) if target.line else None
        except PartMissing:
            return None, []  # a notice says already that history is not read
        if blamed is None:
            self._notices += (
                Notice(
                    "no-such-line",
                    f"{target.name} has no line {target.line} that git tracks; "
                    "this is about the whole file",
                ),
            )
            return None, []
        origin = LineOrigin(target.line, blamed.commit, format_at(blamed.at * 1000))
        if blamed.commit is None:
            return origin, []
        names = {fold_path(span.path) for span in spans} | {fold_path(blamed.original_path)}
        ids = workspace.records.list_by_commits([blamed.commit])
        hits = [
            hit
            for hit in find_hits(workspace, ids)
            if any(fold_path(ref.path) in names for ref in hit.paths)
        ]
        return origin, _rank(hits)

    def _commits(self, spans: Sequence[PathSpan], named: set[str | None]) -> list[Hit]:
        workspace = self._workspace
        found = workspace.commits.list_commits(
            spans,
            workspace.place.worktree,
            limit=self._limit + len(named),
            with_reason=not self._show_all,
        )
        return [
            commit_hit(commit, via=_via_commit(commit, self._target))
            for commit in found
            if commit.oid not in named
        ]

    def _look(self, named: set[str | None]) -> tuple[list[Hit], int, int]:
        """The path-limited look, while the index grows: the newest commits, at once."""
        commits = list(
            self._workspace.history.iter_path_commits(
                self._target.path or ".", limit=LOOK_COMMITS, deadline_seconds=LOOK_SECONDS
            )
        )
        reasoned = [commit for commit in commits if has_reason(commit)]
        chosen = commits if self._show_all else reasoned
        hits = [commit_hit(_as_indexed(c)) for c in chosen if c.oid not in named]
        return hits, len(commits), len(reasoned)

    def _line_first(self, line: LineOrigin, commits: list[Hit]) -> list[Hit]:
        """The line's own commit leads, whether or not its message carries a reason."""
        if line.commit is None:
            return commits
        rest = [hit for hit in commits if hit.commit != line.commit]
        own = [hit for hit in commits if hit.commit == line.commit]
        if not own:
            message = _message_hit(self._workspace, line.commit)
            own = [message] if message is not None else []
        return [*own, *rest]

    def _with_age(self, hit: Hit, spans: Sequence[PathSpan]) -> Hit:
        if hit.commit is None or not self._is_complete:
            return hit
        since = self._workspace.commits.count_since(
            hit.commit, spans, self._workspace.place.worktree
        )
        return msgspec.structs.replace(hit, commits_since=since)

    def _answer(self, **fields: Any) -> WhyAnswer:
        target = self._target
        return WhyAnswer(
            target=decode_path(target.text.encode("utf-8", "surrogateescape"))[0],
            kind=target.kind,
            notices=self._notices,
            **fields,
        )


def _rank(hits: Sequence[Hit]) -> list[Hit]:
    """Standing first, what is here before what is elsewhere, then newest first."""
    return sorted(
        hits,
        key=lambda hit: (standing_rank(hit), _is_of_folder(hit), -hit.seq, hit.id or ""),
    )


def _is_of_folder(hit: Hit) -> bool:
    """Whether it was found through a folder: what names the file itself comes first."""
    return hit.via is not None and hit.via.endswith("/")


def standing_rank(hit: Hit) -> int:
    """0 for what stands in the view; higher for what does not."""
    return _RANKS[hit.state] + (hit.where == "elsewhere")


def _mark_via(hit: Hit, own: set[str], names: Sequence[str]) -> Hit:
    """Name the former path through which a decision was found."""
    folded = [fold_path(ref.path) for ref in hit.paths]
    if not own or any(path in own for path in folded) or any(n.endswith("/") for n in own):
        return hit
    if "" in own:
        return hit
    former = [path for path in folded if path in names or f"{path}." in names]
    return msgspec.structs.replace(hit, via=former[0]) if former else hit


def _folders_above(path: str) -> list[str]:
    """The folders a file is in, each by itself: what is decided of them holds for it."""
    parts = fold_path(path).split("/")[:-1]
    return ["/".join(parts[:depth]) + "/." for depth in range(1, min(len(parts), MAX_DEPTH) + 1)]


def _via_commit(commit: IndexedCommit, target: Target) -> str | None:
    if target.kind == "folder" or fold_path(commit.path) == fold_path(target.name):
        return None
    return commit.path or None


def _message_hit(workspace: Workspace, oid: str) -> Hit | None:
    found = workspace.commits.find_commits(oid, limit=1)
    if found:
        return commit_hit(found[0])
    read = workspace.history.get_commits([oid])
    return commit_hit(_as_indexed(read[0])) if read else None


def _as_indexed(commit: Commit) -> IndexedCommit:
    path = commit.touches[0].path if commit.touches else ""
    return IndexedCommit(
        oid=commit.oid,
        order=0,
        at=commit.at,
        author=commit.author,
        message=commit.message,
        has_reason=has_reason(commit),
        is_merge=len(commit.parents) > 1,
        path=path,
    )
