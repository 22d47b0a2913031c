"""The Python interface: `gitmem.open_memory(path)`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from gitmem.app.adapters import load
from gitmem.app.changelogging import make_changelog
from gitmem.app.opening import Opened, open_repository
from gitmem.app.sharing import pull_memory, push_memory
from gitmem.config import environment
from gitmem.core.changelog_entries import Changelog
from gitmem.core.records import Rejected
from gitmem.services.asking import Depth
from gitmem.services.capture import Captured, Draft, capture
from gitmem.services.changelog import ChangelogRequest
from gitmem.services.impact import Impact, Kind, find_impact
from gitmem.services.paths import parse_path_refs, resolve_ids
from gitmem.services.pull import Pulled
from gitmem.services.push import Pushed
from gitmem.services.reading import Answer, Reader, answer, echo
from gitmem.services.recall import Compact, Recalled, RecallOptions, recall
from gitmem.services.related import Related, find_related
from gitmem.services.search import Found, Scope, parse_as_of, search
from gitmem.services.why import DEFAULT_LIMIT, WhyAnswer, explain

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Embedder, Ranker


class Plugs(NamedTuple):
    """Parts of retrieval that a caller brings in place of the built-in ones."""

    retriever: Ranker | None = None
    embedder: Embedder | None = None
    compactor: Compact | None = None
    reader: Reader | None = None


class OpenMemory:
    """The memory of one repository, open. Use it in a `with` statement, or close it.

    Every method sees the repository as it is when called. Not for use by several threads at
    once; open one for each. Raises what `gitmem.errors` defines and nothing else on purpose.
    """

    def __init__(self, path: Path, plugs: Plugs) -> None:
        self._path = path
        self._plugs = plugs
        self._opened: Opened | None = None

    def __enter__(self) -> OpenMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closing twice is fine."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def why(
        self,
        target: str,
        *,
        limit: int = DEFAULT_LIMIT,
        show_all: bool = False,
        with_history: bool = True,
        peers: bool = False,
    ) -> WhyAnswer:
        """Why a path, `PATH:LINE`, folder, commit or record is as it is: decisions first, then
        commits that give a reason. Works without a memory, from history alone. With `peers`
        also what other projects of this machine say, each hit with its `project`."""
        opened = self._open()
        found = explain(
            opened.workspace,
            target,
            limit=limit,
            show_all=show_all,
            with_history=with_history,
        )
        if peers and opened.has_peers(True):
            spanned: WhyAnswer = load("span-why")(opened, found, (), limit=limit, show_all=show_all)
            return spanned
        return found

    def capture(
        self,
        summary: str,
        *,
        why: str | None = None,
        type: str = "decision",
        paths: Sequence[str] = (),
        rejected: Sequence[tuple[str, str]] = (),
        supersedes: Sequence[str] = (),
        tags: Sequence[str] = (),
        private: bool = False,
    ) -> Captured:
        """Keep a decision, durably. `paths` are relative to the opened path, `PATH` or
        `PATH:A-B`; none means the staged files, else the modified ones. `rejected` holds
        (option, reason) pairs; `supersedes` ids or prefixes."""
        workspace = self._open().workspace
        workspace.get_memory()
        draft = Draft(
            summary=summary,
            why=why,
            type=type,
            rejected=tuple(Rejected(option, reason) for option, reason in rejected),
            paths=parse_path_refs(workspace, list(paths)),
            supersedes=resolve_ids(workspace, list(supersedes)),
            tags=tuple(tags),
            is_private=private,
        )
        return capture(workspace, draft)

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        scope: Scope = "all",
        depth: Depth = "standard",
        as_of: str | None = None,
        explain: bool = False,
    ) -> Found:
        """Decisions, commit messages and notes that say it or mean it, best first; any text
        will do. `as_of` is a date or a time of RFC 3339; raises UsageError for anything else."""
        until = None if as_of is None else parse_as_of(as_of)
        workspace, plugs = self._open().workspace, self._plugs
        return search(
            workspace,
            text,
            limit=limit,
            scope=scope,
            depth=depth,
            as_of=until,
            with_explain=explain,
            compact=plugs.compactor,
            rankers=() if plugs.retriever is None else (plugs.retriever,),
        )

    def recall(
        self,
        question: str,
        *,
        limit: int = 8,
        max_tokens: int = 2000,
        depth: Depth = "standard",
        gated: bool = False,
        explain: bool = False,
        seen: Collection[str] = (),
        peers: bool = False,
    ) -> Recalled:
        """Excerpts for a question, within a budget of tokens. `gated`: none where nothing is
        similar enough, as for prompts. `seen` are keys of excerpts that are not wanted again.
        With `peers` those of other projects of this machine stand among them, each hit with
        its `project`."""
        opened = self._open()
        options = self._options(
            opened, limit=limit, max_tokens=max_tokens, depth=depth, is_gated=gated
        )
        options = msgspec.structs.replace(options, with_explain=explain)
        found = recall(opened.workspace, question, options, seen)
        if not peers or not opened.has_peers(True):
            return found
        pooled = load("span-found")(
            opened,
            question,
            found.excerpts,
            (),
            limit=limit,
            max_tokens=max_tokens,
            is_floored=gated,
            seen=seen,
        )
        return Recalled(
            excerpts=pooled.excerpts,
            tokens=sum(one.tokens for one in pooled.excerpts),
            notices=(*found.notices, *pooled.notices),
        )

    def answer(self, question: str, *, limit: int = 8, max_tokens: int = 2000) -> Answer:
        """What the reader makes of the excerpts for a question; by default they themselves."""
        opened = self._open()
        options = self._options(opened, limit=limit, max_tokens=max_tokens)
        return answer(opened.workspace, question, options, self._plugs.reader or echo)

    def related(self, target: str, *, limit: int = 10) -> Related:
        """What is linked to a record, commit, note or file, by which hops; without links what
        is near. Raises NotFound, Ambiguous."""
        return find_related(self._open().workspace, target, limit=limit)

    def changelog(self, *words: str, tag: str | None = None, unreleased: bool = False) -> Changelog:
        """What a range of commits changed, and why. `words` are any range that `git rev-list`
        takes; none means since the last tag. Raises HistoryCut in a shallow clone that lacks
        some of it."""
        request = ChangelogRequest(words=words, tag=tag, is_unreleased=unreleased)
        return make_changelog(self._open(), request).changelog

    def impact(self, target: str, *, kind: Kind | None = None, limit: int = 20) -> Impact:
        """What rests on a path, an id, an address or a page's name. Raises NotFound."""
        return find_impact(self._open().workspace, target, kind=kind, limit=limit)

    def pull(self, remote: str | None = None) -> Pulled:
        """Fetch what everybody else recorded. Raises RemoteError and its kinds."""
        return pull_memory(self._open(), remote)

    def push(self, remote: str | None = None) -> Pushed:
        """Publish this clone's records. Raises RemoteError and its kinds; then everything is
        still here."""
        return push_memory(self._open(), remote)

    def _options(self, opened: Opened, **asked: Any) -> RecallOptions:
        settings, plugs = opened.settings.recall, self._plugs
        return RecallOptions(
            half_life_days=settings.half_life_days,
            min_similarity=settings.min_similarity,
            compact=plugs.compactor,
            rankers=() if plugs.retriever is None else (plugs.retriever,),
            **asked,
        )

    def _open(self) -> Opened:
        self.close()
        self._opened = open_repository(self._path, environment())
        embedder, home = self._plugs.embedder, self._opened.workspace.clone.home
        if embedder is not None:
            vectors = load("open-vectors-with")(embedder, home)
            self._opened.workspace = msgspec.structs.replace(
                self._opened.workspace, vectors=vectors
            )
        return self._opened


def open_memory(
    path: str | Path = ".",
    *,
    retriever: Ranker | None = None,
    embedder: Embedder | None = None,
    compactor: Compact | None = None,
    reader: Reader | None = None,
) -> OpenMemory:
    """Open the memory of the repository that holds `path`. Raises NoRepository.

    What is passed takes part in `recall`, `answer` and `search`: a `retriever` is asked beside
    the built-in ones (in place of one with its name), an `embedder` makes the vectors, a
    `compactor` shortens excerpts, a `reader` writes the answer from them."""
    plugs = Plugs(retriever, embedder, compactor, reader)
    memory = OpenMemory(Path(path).absolute(), plugs)
    memory._open()
    return memory
