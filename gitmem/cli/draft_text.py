"""A decision as text: as it stands in an editor, in a file, or after `--rejected`."""

from __future__ import annotations

from gitmem.core.records import Rejected
from gitmem.errors import UsageError
from gitmem.services.capture import Draft


def parse_text(text: str) -> Draft:
    """A draft from text: the first line is the summary, the rest says why."""
    summary, _, rest = text.strip().partition("\n")
    why: list[str] = []
    rejected: list[Rejected] = []
    for line in rest.splitlines():
        if line.lower().startswith("rejected:"):
            rejected.append(parse_rejected(line.partition(":")[2]))
        else:
            why.append(line)
    return Draft(
        summary=summary.strip(), why="\n".join(why).strip() or None, rejected=tuple(rejected)
    )


def format_text(draft: Draft) -> str:
    """The text that `parse_text` reads back."""
    lines = [draft.summary]
    if draft.why:
        lines += ["", draft.why]
    if draft.rejected:
        lines.append("")
        lines += [
            f"rejected: {one.option} | {one.reason}" if one.reason else f"rejected: {one.option}"
            for one in draft.rejected
        ]
    return "\n".join(lines) + "\n"


def parse_rejected(text: str) -> Rejected:
    """`OPTION | REASON`. Raises UsageError for an empty option."""
    option, _, reason = text.partition("|")
    if not option.strip():
        raise UsageError(
            "--rejected needs an option", hint='Write it so: --rejected "OPTION | REASON"'
        )
    return Rejected(option.strip(), reason.strip())
