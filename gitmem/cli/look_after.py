"""verify, doctor, cache and schema: from words to a report."""

from __future__ import annotations

import json

from gitmem.app.adapters import load
from gitmem.app.doctor import examine, exit_code_of
from gitmem.app.upkeep import grow, rebuild_cache, verify_memory
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.errors import Damaged, UsageError
from gitmem.services.catch_up import catch_up

MAX_SHOWN = 50
_MARKS = {"ok": "  ", "warning": "! ", "problem": "x "}


def run_verify(session: Session, strict: bool) -> int:
    opened = open_for(session, heavy=True)
    try:
        report = verify_memory(opened, strict=strict)
        if session.is_json:
            session.data("verify", report)
        else:
            for problem in report.problems[:MAX_SHOWN]:
                line = f":{problem.line}" if problem.line else ""
                record = f" (record {problem.id[:12]})" if problem.id else ""
                session.text(
                    f"{clean_line(problem.place)}{line}: {clean_line(problem.detail)}"
                    f" [{problem.code}]{record}"
                )
            if len(report.problems) > MAX_SHOWN:
                session.text(f"... {len(report.problems) - MAX_SHOWN} more")
            verdict = "all good"
            if report.problems:
                verdict = format_count(len(report.problems), "problem")
            records = format_count(report.records, "record")
            segments = format_count(report.segments, "segment")
            session.text(f"{records} in {segments}: {verdict}")
        return Damaged.exit_code if report.problems else 0
    finally:
        opened.close()


def run_doctor(session: Session) -> int:
    checks = examine(session.cwd, session.environ)
    if session.is_json:
        session.data("doctor", {"checks": checks})
    else:
        for check in checks:
            session.text(f"{_MARKS[check.state]}{check.id}: {clean_line(check.message)}")
            if check.fix:
                session.text(f"    {clean_line(check.fix)}")
    return exit_code_of(checks)


def run_cache(session: Session, action: str, sql: str | None) -> int:
    if sql is not None and action != "query":
        raise UsageError(f"`cache {action}` takes no SQL statement")
    opened = open_for(session)
    try:
        path = opened.workspace.clone.cache
        if action == "path":
            return _tell(session, {"path": str(path)}, str(path))
        if action == "grow":
            added = grow(opened)
            return _tell(session, {"commits": added}, f"Indexed {format_count(added, 'commit')}.")
        if action == "rebuild":
            records = rebuild_cache(opened)
            return _tell(
                session, {"records": records}, f"Rebuilt: {format_count(records, 'record')}."
            )
        catch_up(opened.workspace)
        rows = load("browse")(path, sql or "")
    finally:
        opened.close()
    if session.is_json:
        session.data("cache", {"rows": rows})
    else:
        session.text("\n".join(json.dumps(row, ensure_ascii=True) for row in rows))
    return 0


def _tell(session: Session, data: dict[str, object], sentence: str) -> int:
    if session.is_json:
        session.data("cache", data)
    else:
        session.text(sentence)
    return 0


def run_schema(session: Session, kind: str) -> int:
    schema = load("read-schema")(f"{kind}.schema.json")
    if session.is_json:
        session.data("schema", schema)
    else:
        session.text(json.dumps(schema, indent=2))
    return 0
