"""Wiring of `pr-report`: the two ends, the report, and where a runner wants it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gitmem.app.opening import Opened
from gitmem.config import parse_committed
from gitmem.core.pr_markdown import format_report, percent_explained
from gitmem.core.pr_report import PrReport
from gitmem.core.pull_requests import MAX_COMMENT_CHARS, STICKY_MARK, PullRequest
from gitmem.errors import CannotWrite, RemoteError, UsageError
from gitmem.forges.connecting import open_forge
from gitmem.forges.events import find_pull_request
from gitmem.forges.runner import Annotation, format_annotations, write_outputs, write_summary
from gitmem.services.pr_report import PrAnswer, PrRequest, build_report
from gitmem.services.sticky import Published, publish
from gitmem.store.project_file import PROJECT_FILE

MAX_PROJECT_BYTES = 1024 * 1024
LIMIT_CHARS = MAX_COMMENT_CHARS - len(STICKY_MARK) - 1


class Ends(NamedTuple):
    """What is compared, and the pull request it belongs to (None: named by hand)."""

    base: str
    head: str
    pull_request: PullRequest | None = None


def find_ends(base: str | None, head: str | None, environ: Mapping[str, str]) -> Ends:
    """The ends as they were named, else as the runner's event names them. Raises UsageError."""
    if base and head:
        return Ends(base, head)
    found = find_pull_request(environ)
    if found is None:
        raise UsageError(
            "pr-report needs both ends",
            hint="For example: gitmem pr-report --base main --head HEAD",
        )
    return Ends(base or found.base, head or found.head, found)


def report_on(opened: Opened, ends: Ends) -> PrAnswer:
    """The report. What needs no explanation is said by the base: the head does not decide how
    it is looked at."""
    committed = parse_committed(_read_project(opened, ends.base))
    request = PrRequest(
        base=ends.base,
        head=ends.head,
        text=ends.pull_request.text if ends.pull_request else "",
        ignored_paths=committed.changelog_ignored_paths,
        ignored_types=committed.changelog_ignored_types,
    )
    return build_report(opened.workspace, request)


def _read_project(opened: Opened, revision: str) -> bytes:
    objects = opened.workspace.sources.objects
    commit = objects.find_commit(revision)
    oid = objects.find_oid(f"{commit}:{PROJECT_FILE}") if commit else None
    if oid is None:
        return b""
    return next(iter(objects.iter_blobs([oid], MAX_PROJECT_BYTES))).data or b""


def format_comment(report: PrReport) -> str:
    """The report as Markdown, of a size that every host takes."""
    return format_report(report, limit_chars=LIMIT_CHARS)


def publish_report(
    report: PrReport, ends: Ends, environ: Mapping[str, str], *, wants_comment: bool
) -> tuple[Published, list[str]]:
    """Give the runner summary and outputs, and the host its comment; what became of the
    comment, and annotations for the log. A token that may not write is no failure, and
    neither is a host that is not well: the summary has it all. Raises CannotWrite, UsageError."""
    text = format_comment(report)
    published = Published("none")
    if wants_comment and ends.pull_request is not None and ends.pull_request.number is not None:
        published = _comment(ends.pull_request, environ, None if report.is_empty else text)
    outputs = {
        "records-added": str(report.records_added),
        "coverage": str(percent_explained(report.coverage)),
        "conflicts": str(len(report.conflicts)),
        "comment-url": published.url,
    }
    try:
        write_summary(environ, text)
        write_outputs(environ, outputs)
    except OSError as error:
        raise CannotWrite(f"the runner's files cannot be written: {error.strerror}") from error
    return published, format_annotations(environ, list_annotations(report))


def _comment(pull_request: PullRequest, environ: Mapping[str, str], text: str | None) -> Published:
    forge = open_forge(pull_request, environ)
    if forge is None:
        return Published("denied", reason="there is no token to comment with")
    try:
        return publish(forge, text)
    except RemoteError as error:
        return Published("denied", reason=error.message)


def list_annotations(report: PrReport) -> list[Annotation]:
    """What stands beside the lines of the change: conflicts, and decisions passed over."""
    conflicts = [
        Annotation(
            title="Decisions in conflict",
            message=" / ".join(one.summaries),
            path=one.paths[0] if one.paths else "",
        )
        for one in report.conflicts
    ]
    passed = [
        Annotation(
            title=f"Decision {one.id[:7]} stands here",
            message=f"{one.summary} (neither superseded nor mentioned)",
            path=one.paths[0] if one.paths else "",
            line=one.line,
        )
        for one in report.contradicted
    ]
    return [*conflicts, *passed]
