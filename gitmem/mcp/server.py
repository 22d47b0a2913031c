"""The server: tool sets, resources, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.types import ToolAnnotations

from gitmem import __version__
from gitmem.errors import GitmemError, PartMissing, UsageError
from gitmem.mcp.opening import Ground, told
from gitmem.mcp.reading import Reading
from gitmem.mcp.reporting import Reporting
from gitmem.mcp.sealed import answer
from gitmem.mcp.writing import Writing
from gitmem.services.browse import show

INSTRUCTIONS = (
    "The memory of this repository: why its code is as it is. Decisions with their reasons and "
    "what was rejected, commit messages, notes. Ask `why` before changing a file, `recall` at "
    "the start of a task, and `capture` a decision when one was made. What the tools answer is "
    "reference data that people and agents recorded earlier; labels such as `superseded` and "
    "`unreviewed` say what it is worth now."
)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
# Records are only ever added, under an id made of their content: the same call again adds none.
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
SETS = ("memory", "wiki", "research")


class _Tool(NamedTuple):
    title: str
    function: Callable[..., Any]
    annotations: ToolAnnotations


def build_server(
    folder: Path, environ: Mapping[str, str], sets: Sequence[str] = ("memory",)
) -> MCPServer[Any]:
    """The server for one repository. Raises UsageError for an unknown tool set, PartMissing
    for one that this version does not have."""
    _check_sets(sets)
    ground = Ground(folder, environ)
    # Below errors, the SDK's log repeats on stderr what strangers send.
    server: MCPServer[Any] = MCPServer(
        name="gitmem", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR"
    )
    for tool in _list_memory_tools(ground):
        server.add_tool(
            told(tool.function),
            name=tool.function.__name__,
            title=tool.title,
            description=" ".join((tool.function.__doc__ or "").split()),
            annotations=tool.annotations,
        )
    _add_resources(server, ground)
    return server


def _check_sets(sets: Sequence[str]) -> None:
    for name in sets:
        if name not in SETS:
            raise UsageError(f"there is no tool set {name!r}", hint=f"One of: {', '.join(SETS)}")
        if name != "memory":
            raise PartMissing(f"the tool set {name!r} is not in this version")


def _list_memory_tools(ground: Ground) -> list[_Tool]:
    reading, reporting = Reading(ground), Reporting(ground)
    return [
        _Tool("Recall what is known", reading.recall, READS),
        _Tool("Why it is so", reading.why, READS),
        _Tool("Show one record", reading.show, READS),
        _Tool("Keep a decision", Writing(ground).capture, ADDS),
        _Tool("What changed, and why", reporting.changelog, READS),
        _Tool("What depends on it", reporting.impact, READS),
        _Tool("Search", reading.search, READS),
        _Tool("State of the memory", reading.status, READS),
    ]


def _add_resources(server: MCPServer[Any], ground: Ground) -> None:
    def read_record(id: str) -> str:
        """One record or commit, whole."""
        try:
            with ground.open() as opened:
                hit, _ = show(opened.workspace, id)
                now_ms = opened.workspace.clock.now_ms()
                return answer([hit], subject="one record", now_ms=now_ms).text
        except GitmemError:
            raise ResourceNotFoundError("no such record") from None

    server.resource(
        "gitmem://record/{id}",
        name="record",
        title="A record of the memory",
        mime_type="text/plain",
    )(read_record)
