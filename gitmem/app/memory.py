"""The Python interface: `gitmem.open_memory(path)`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from gitmem.app.opening import Opened, open_repository
from gitmem.app.sharing import pull_memory, push_memory
from gitmem.config import environment
from gitmem.core.records import Rejected
from gitmem.services.capture import Captured, Draft, capture
from gitmem.services.paths import parse_path_refs, resolve_ids
from gitmem.services.pull import Pulled
from gitmem.services.push import Pushed
from gitmem.services.search import Found, search
from gitmem.services.why import DEFAULT_LIMIT, WhyAnswer, explain


class OpenMemory:
    """The memory of one repository, open. Use it in a `with` statement, or close it.

    Every method sees the repository as it is when called. Not for use by several threads at
    once; open one for each. Raises what `gitmem.errors` defines and nothing else on purpose.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
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
    ) -> WhyAnswer:
        """Why a path, `PATH:LINE`, folder, commit or record is as it is: decisions first, then
        commits that give a reason. Works without a memory, from history alone."""
        return explain(
            self._open().workspace,
            target,
            limit=limit,
            show_all=show_all,
            with_history=with_history,
        )

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

    def search(self, text: str, *, limit: int = 10) -> Found:
        """Decisions and commit messages that say it, best first; any text will do."""
        return search(self._open().workspace, text, limit=limit)

    def pull(self, remote: str | None = None) -> Pulled:
        """Fetch what everybody else recorded. Raises RemoteError and its kinds."""
        return pull_memory(self._open(), remote)

    def push(self, remote: str | None = None) -> Pushed:
        """Publish this clone's records. Raises RemoteError and its kinds; then everything is
        still here."""
        return push_memory(self._open(), remote)

    def _open(self) -> Opened:
        self.close()
        self._opened = open_repository(self._path, environment())
        return self._opened


def open_memory(path: str | Path = ".") -> OpenMemory:
    """Open the memory of the repository that holds `path`. Raises NoRepository."""
    memory = OpenMemory(Path(path).absolute())
    memory._open()
    return memory
