"""pr-report: from two ends to a report, a comment and annotations."""

from __future__ import annotations

import sys

from gitmem.app.reporting import find_ends, format_comment, publish_report, report_on
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.core.pr_markdown import percent_explained
from gitmem.errors import UsageError
from gitmem.services.pr_report import PrAnswer
from gitmem.services.sticky import Published


def run_pr_report(
    session: Session,
    base: str | None,
    head: str | None,
    *,
    is_published: bool,
    wants_comment: bool,
    is_checked: bool,
) -> int:
    """Print the report; 1 only where a conflict was found and that was asked for."""
    ends = find_ends(base, head, session.environ)
    if is_published and ends.pull_request is None:
        raise UsageError(
            "--publish takes both ends from the runner's event",
            hint="Leave out --base and --head, in a workflow on: pull_request",
        )
    opened = open_for(session, heavy=True)
    try:
        answer = report_on(opened, ends)
    finally:
        opened.close()
    published = Published("none")
    annotations: list[str] = []
    if is_published:
        published, annotations = publish_report(
            answer.report, ends, session.environ, wants_comment=wants_comment
        )
    _print(session, answer, published)
    for line in annotations:
        # The runner reads them from standard output, so they follow the report.
        sys.stdout.write(line + "\n")
    if published.reason:
        session.note(f"gitmem: no comment was written: {published.reason}")
    session.warn(answer.notices)
    return 1 if is_checked and answer.report.conflicts else 0


def _print(session: Session, answer: PrAnswer, published: Published) -> None:
    report = answer.report
    if not session.is_json:
        session.text(format_comment(report))
        return
    data = {
        "report": report,
        "coverage_percent": percent_explained(report.coverage),
        "comment": {"action": published.action, "url": published.url},
    }
    session.data("pr-report", data, answer.notices)
