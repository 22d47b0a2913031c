"""eval: from a folder to a table of figures, and to a gate that is kept."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gitmem.app.evaluating import open_corpus
from gitmem.app.labelled_files import read_set
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.config import Settings, read_settings
from gitmem.core.wording import format_count
from gitmem.errors import CannotWrite, NoRepository
from gitmem.services.calibrate import Calibrated, calibrate
from gitmem.services.evaluate import ARMS, IN_USE, Evaluated, Figures, Run, evaluate
from gitmem.services.workspace import Notice

_COLUMNS = ("recall@5", "recall@10", "mrr", "ndcg@10", "all@8", "all@10")


def run_eval(session: Session, folder: str, arms: Sequence[str], run_file: str | None) -> int:
    wanted = [IN_USE if arm == "in_use" else arm for arm in arms] or list(ARMS)
    if run_file is not None and IN_USE not in wanted:
        wanted.append(IN_USE)
    labelled = read_set(session.cwd / folder)
    progress = session.progress()
    with open_corpus(labelled, _settings(session), session.environ, progress.report) as (
        corpus,
        _,
    ):
        done = evaluate(
            corpus,
            [arm for arm in ARMS if arm in wanted],
            clock=time.perf_counter,
            report=progress.report,
        )
    progress.end()
    if run_file is not None:
        _write_run(session.cwd / run_file, done.run)
    if session.is_json:
        data = msgspec.to_builtins(done)
        del data["run"], data["notices"]
        session.data("eval", data, done.notices)
    else:
        session.text(_format_table(done))
        session.warn(done.notices)
    return 0


def run_gate(session: Session, folder: str) -> int:
    labelled = read_set(session.cwd / folder)
    progress = session.progress()
    settings = _settings(session)
    with open_corpus(labelled, settings, session.environ, progress.report) as (corpus, vectors):
        if vectors is None:
            raise corpus.missing or AssertionError
        name = Path(folder).resolve().name
        measured = calibrate(corpus, vectors, name, progress.report)
    progress.end()
    notices = _keep_gate(session, measured)
    if session.is_json:
        session.data("eval-gate", measured, notices)
    else:
        session.text(_format_curve(measured))
        session.warn(notices)
    return 0


def _settings(session: Session) -> Settings:
    """Those of the repository here, else the user's: a set is measured anywhere."""
    try:
        opened = open_for(session)
    except NoRepository:
        return read_settings(clone_file=None, project_file=None, environ=session.environ)
    with contextlib.closing(opened):
        return opened.settings


def _keep_gate(session: Session, measured: Calibrated) -> tuple[Notice, ...]:
    """With the vectors of the repository here, where there is one."""
    try:
        opened = open_for(session)
    except NoRepository:
        return (Notice("gate-not-kept", "measured, but kept nowhere: no repository here"),)
    with contextlib.closing(opened):
        opened.workspace.vectors.set_gate(measured.chosen.per_mille, measured.how)
    return ()


def _write_run(file: Path, run: Sequence[Run]) -> None:
    try:
        file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in run))
    except OSError as error:
        raise CannotWrite(
            f"the run cannot be written: {(error.strerror or 'unknown').lower()}"
        ) from error


def _format_table(done: Evaluated) -> str:
    width = max(map(len, [*done.arms, "arm"])) + 2
    heads = [*_COLUMNS, "tokens", "ms/query"]
    lines = [
        f"{format_count(done.documents, 'document')}, {format_count(done.links, 'link')}, "
        f"{done.queries:,} queries; pasting everything: "
        f"{done.all_tokens:,} tokens (UTF-8 bytes / 4)",
        "",
        "arm".ljust(width) + "".join(head.rjust(11) for head in heads),
    ]
    for name, figures in done.arms.items():
        mark = " *" if name == done.in_use else ""
        lines.append((name + mark).ljust(width) + "".join(_cells(figures)))
    lines.append(f"* what recall uses ({done.in_use})")
    used = done.arms.get(done.in_use)
    if used is not None and len(used.hops) > 1:
        hops = ", ".join(
            f"{hops}: {one.all_8:.3f} of {one.queries}" for hops, one in used.hops.items()
        )
        lines.append(f"all evidence within 8, by hops: {hops}")
    return "\n".join(lines)


def _cells(figures: Figures) -> list[str]:
    values = msgspec.to_builtins(figures)
    cells = [f"{values[column]:.3f}" for column in _COLUMNS]
    cells += [f"{figures.tokens:,.0f}", f"{figures.ms_per_query:.1f}"]
    return [cell.rjust(11) for cell in cells]


def _format_curve(measured: Calibrated) -> str:
    chosen = measured.chosen
    lines = [
        f"gate {chosen.per_mille}‰ for {measured.stamp}",
        measured.how,
        "",
        "   gate   relevant kept   off-topic passing",
    ]
    for point in measured.curve:
        lines.append(f"{point.per_mille:6}‰ {point.kept:14}‰ {point.admitted:18}‰")
        if point.kept == 0:
            break
    return "\n".join(lines)
