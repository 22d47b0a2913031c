"""A server as an agent starts it, driven by the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.commandline import Clone, environment

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a memory and two decisions, one of which replaced another; made once."""
    path = tmp_path_factory.mktemp("built") / "repo"
    path.mkdir()
    clone = Clone(path)
    clone.git("init", "-q")
    clone.commit("Begin", {"cache.py": "1\n", "net.py": "1\n"})
    clone.init()
    old = clone.decide("Keyed by address", "cache.py")
    clone.gitmem(
        "supersede", old[:8], "-m", "Keyed by tenant", "--why", "Two tenants shared a row."
    ).ok()
    clone.commit("Key the cache by tenant, because two tenants shared a row")
    clone.decide("Retry five times", "net.py", "--why", "Three were not enough.")
    return path


@pytest.fixture
def ada(built: Path, tmp_path: Path) -> Clone:
    """A copy of that repository."""
    shutil.copytree(built, tmp_path / "repo", symlinks=True)
    return Clone(tmp_path / "repo")


@pytest.fixture
def bare_repository(tmp_path: Path) -> Clone:
    """A repository without a memory."""
    path = tmp_path / "plain"
    path.mkdir()
    clone = Clone(path)
    clone.git("init", "-q")
    clone.commit("Begin because it must", {"cache.py": "1\n"})
    return clone


def talk(clone: Clone, say: Talk, *words: str) -> Any:
    """Start `gitmem mcp` in the clone, and talk to it."""

    async def run() -> Any:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "gitmem", "mcp", *words],
            cwd=clone.path,
            env={**environment(), **clone.env, "GITMEM_NOW": "2030-01-01T00:00:00Z"},
        )
        with open(os.devnull, "w") as silence:
            async with Client(stdio_client(parameters, errlog=silence)) as client:
                return await say(client)

    return asyncio.run(asyncio.wait_for(run(), 120))


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's structured answer. Asserts that it did not fail."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def fail(client: Client, tool: str, **arguments: Any) -> str:
    """What the model is told of a call that fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))
