"""The serving command: mcp."""

from __future__ import annotations

import importlib

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.errors import PartMissing

SERVING = "gitmem.mcp.serving"


@command("mcp")
@click.option("--http", "port", type=click.IntRange(1, 65535), metavar="PORT", help="Over HTTP.")
@click.option(
    "--tools",
    "sets",
    default="memory",
    show_default=True,
    metavar="SET[,SET]",
    help="Which tools: memory, wiki, research.",
)
def mcp(session: Session, port: int | None, sets: str) -> int:
    """Serve this repository's memory to agents over the Model Context Protocol.

    Over standard input and output, as agents start it; with --http on 127.0.0.1, for whoever
    has the token, which is printed on stderr (or set beforehand in GITMEM_MCP_TOKEN).

    \b
      gitmem -C path/to/repository mcp
      gitmem mcp --http 8765
    """
    try:
        serving = importlib.import_module(SERVING)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("gitmem"):
            raise
        raise PartMissing(
            f"serving agents needs {error.name}, which is not installed",
            hint="Install the part: pip install 'gitmem-sync[mcp]'",
        ) from None
    chosen = [name.strip() for name in sets.split(",") if name.strip()]
    if port is None:
        serving.serve_stdio(session.cwd, session.environ, chosen)
    else:
        serving.serve_http(session.cwd, session.environ, chosen, port=port)
    return 0
