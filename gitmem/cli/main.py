"""The command group: names, one line of help each, and the module that has the rest."""

from __future__ import annotations

import difflib
import importlib
import sys
from pathlib import Path
from typing import NamedTuple

import click

from gitmem import __version__
from gitmem.cli.boundary import Session, guarded, write_json
from gitmem.cli.overview import print_overview
from gitmem.cli.terminal import clean
from gitmem.core.peers import USER_ALIAS

PROGRAM = "gitmem"


class Entry(NamedTuple):
    """Where a command lives. `is_daily` puts it among the first in the help; `example` is what
    somebody is shown who left out a word."""

    module: str
    attribute: str
    help: str
    is_daily: bool = False
    example: str = ""


COMMANDS = {
    "init": Entry("setup", "init", "Start a memory here, or join the one that is there.", True),
    "capture": Entry("write", "capture", "Record a decision.", True),
    "why": Entry(
        "read",
        "why",
        "Why is this file, line, folder or commit as it is?",
        True,
        example="gitmem why src/app.py:120",
    ),
    "log": Entry("read", "log", "List decisions, newest first.", True),
    "search": Entry(
        "ask",
        "search",
        "Find decisions, commits and notes by words.",
        True,
        example="gitmem search connection pool",
    ),
    "status": Entry("read", "status", "What is here, what is pending, what is unshared.", True),
    "changelog": Entry("release", "changelog", "What a range of commits changed, and why.", True),
    "push": Entry("share", "push", "Publish this clone's records.", True),
    "pull": Entry("share", "pull", "Fetch everybody else's.", True),
    "recall": Entry(
        "ask",
        "recall",
        "What this memory has to say to a question.",
        example="gitmem recall why is the cache keyed by tenant",
    ),
    "query": Entry(
        "ask",
        "query",
        "Answer a question from this memory.",
        example="gitmem query --extract connection pool",
    ),
    "related": Entry(
        "ask",
        "related",
        "What is linked to a decision, note or file.",
        example="gitmem related src/app.py",
    ),
    "impact": Entry(
        "release",
        "impact",
        "What rests on a file, a decision or a page.",
        example="gitmem impact src/app.py",
    ),
    "note": Entry(
        "write",
        "note",
        "Record a note in one line.",
        example="gitmem note the load test needs an hour",
    ),
    "show": Entry("read", "show", "One record, whole.", example="gitmem show 4d41c9f"),
    "edit": Entry(
        "revise",
        "edit",
        "Say a decision better: a new record takes its place.",
        example="gitmem edit 4d41c9f",
    ),
    "supersede": Entry(
        "revise",
        "supersede",
        "Record a decision in place of an older one.",
        example='gitmem supersede 4d41c9f -m "Cache keyed by tenant and region"',
    ),
    "undo": Entry("revise", "undo", "Take back the last capture, while it is pending."),
    "retract": Entry(
        "revise",
        "retract",
        "Withdraw a record.",
        example='gitmem retract 4d41c9f -m "measured again: no gain"',
    ),
    "restore": Entry("revise", "restore", "Undo a retraction.", example="gitmem restore 4d41c9f"),
    "redact": Entry(
        "revise",
        "redact",
        "Remove a record's text for good.",
        example='gitmem redact 4d41c9f -m "held a password"',
    ),
    "peers": Entry(
        "peers",
        "peers",
        "Other projects' memories: add, list, rm, pull, trust.",
        example="gitmem peers add ../billing",
    ),
    "verify": Entry("upkeep", "verify", "Prove that every byte agrees with its hash."),
    "mcp": Entry("mcp", "mcp", "Serve the memory to agents over the Model Context Protocol."),
    "pr-report": Entry(
        "report",
        "pr_report",
        "What a pull request does to the memory, for reviewers and their bot.",
        example="gitmem pr-report --base main --head topic",
    ),
    "doctor": Entry("upkeep", "doctor", "Diagnose the installation, and say how to mend it."),
    "cache": Entry(
        "upkeep",
        "cache",
        "The derived index: rebuild, path, query, grow.",
        example="gitmem cache rebuild",
    ),
    "reindex": Entry("vectors", "reindex", "Embed what has no vector yet, for search by meaning."),
    "eval": Entry(
        "evaluation",
        "evaluation",
        "How good is retrieval, on a labelled set?",
        example="gitmem eval SET",
    ),
    "lint": Entry("lint", "lint", "Which links in notes and decisions lead nowhere?"),
    "schema": Entry("upkeep", "schema", "Print the JSON Schema of records."),
    "demo": Entry("setup", "demo", "See the whole flow in throw-away repositories."),
    "review": Entry("keep_up", "review", "Go through what agents captured."),
    "maintain": Entry("keep_up", "maintain", "Fold, settle, rewrite, retire: upkeep of a memory."),
    "hooks": Entry(
        "hooks",
        "hooks",
        "Let decisions go with their commits: git's hooks.",
        example="gitmem hooks status",
    ),
    "hook": Entry(
        "hooks",
        "hook",
        "What git's hooks run, and coding agents.",
        example="gitmem hook pre-commit",
    ),
    "agent": Entry(
        "agents",
        "agent",
        "Let coding agents read and write the memory: their settings.",
        example="gitmem agent install --agent claude",
    ),
    "completion": Entry(
        "setup",
        "completion",
        "Print a completion script for your shell.",
        example="gitmem completion bash",
    ),
    "uninstall": Entry("setup", "uninstall", "Remove gitmem's own data from this clone."),
}

# What may be asked of a peer, in which one stands only to read.
IN_PEER = frozenset(
    {"why", "log", "show", "search", "recall", "related", "query", "status", "changelog", "impact"}
)


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"gitmem.cli.commands.{entry.module}")
        command: click.Command = getattr(module, entry.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, daily in (("Every day", True), ("More", False)):
            rows = [(n, e.help) for n, e in COMMANDS.items() if e.is_daily is daily]
            with formatter.section(title):
                formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("-C", "directory", metavar="DIR", help="Run as if started in DIR.")
@click.option("--in", "peer", metavar="ALIAS", help="Read a peer as if you stood in it.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Show a traceback with an error.")
@click.option("--no-input", is_flag=True, help="Never ask; take the default or fail.")
@click.version_option(__version__, "--version", prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def cli(
    ctx: click.Context,
    directory: str | None,
    peer: str | None,
    is_json: bool,
    quiet: bool,
    verbose: bool,
    no_input: bool,
) -> None:
    """Why is the code as it is? gitmem keeps the reasons in git, beside the code.

    Works in any repository from the first minute: try `gitmem why FILE`.
    """
    cwd = Path.cwd()
    if directory is not None:
        cwd = cwd / directory
        if not cwd.is_dir():
            raise click.UsageError(f"-C: there is no folder {directory}", ctx)
    name = ctx.invoked_subcommand
    if peer is not None and peer != USER_ALIAS and name is not None and name not in IN_PEER:
        raise click.UsageError(
            f"{name} is not for a peer, which is only read: {', '.join(sorted(IN_PEER))}", ctx
        )
    ctx.obj = Session(
        cwd,
        peer=peer,
        is_json=is_json,
        is_quiet=quiet,
        is_verbose=verbose,
        may_ask=not no_input and sys.stdin is not None and sys.stdin.isatty(),
    )
    if ctx.invoked_subcommand is None:
        session: Session = ctx.obj
        ctx.exit(guarded(lambda: print_overview(session), is_json=is_json, is_verbose=verbose))


def run(words: list[str]) -> int:
    """Run the command line through click; the exit code."""
    try:
        code = cli.main(args=words, prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        sys.stderr.write("\ninterrupted\n")
        return 130
    except click.ClickException as error:
        return _usage(error, is_json="--json" in words)
    return code if isinstance(code, int) else 0


def _usage(error: click.ClickException, *, is_json: bool) -> int:
    """A wrong word: what is wrong, and where the right ones stand."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else PROGRAM
    hint = f"See: {command} --help"
    message = error.format_message()
    if isinstance(error, click.MissingParameter) and error.param is not None:
        message = f"{command.removeprefix(PROGRAM).strip()} needs {_name(error.param, context)}"
        entry = COMMANDS.get(command.removeprefix(f"{PROGRAM} "))
        if entry is not None and entry.example:
            hint = f"For example: {entry.example}\n  {hint}"
    if is_json:
        failure = {"code": "usage", "message": message, "hint": hint.replace("\n  ", ". ")}
        write_json({"schema_version": 1, "error": failure})
    else:
        sys.stderr.write(f"gitmem: {clean(message)}\n  {hint}\n")
    return 2


def _name(parameter: click.Parameter, context: click.Context | None) -> str:
    """What a word is called, or what it may be."""
    if isinstance(parameter.type, click.Choice):
        return f"one of {', '.join(parameter.type.choices)}"
    name = parameter.make_metavar(context) if context is not None else parameter.name or ""
    return name.rstrip(".").strip("[]")
