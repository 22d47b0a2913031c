"""Comments in the code that give a reason become decisions, once each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from gitmem.core.code_comments import MAX_COMMENTS, CodeComment, find_comments
from gitmem.core.codec import build_line
from gitmem.core.records import FORMAT_VERSION, MAX_SEQ, Actor, Line, PathRef
from gitmem.core.redaction import redact_text
from gitmem.core.timestamps import format_at
from gitmem.errors import BadRecord
from gitmem.ports.clock import Clock
from gitmem.ports.staging import AddedLines
from gitmem.services.commit_choice import Where

MAX_SUMMARY = 120


def list_comments(added: Sequence[AddedLines]) -> list[tuple[CodeComment, bool]]:
    """The comments among added lines, at most 50, each with whether its path is encoded."""
    found: dict[str, tuple[CodeComment, bool]] = {}
    for part in added:
        for comment in find_comments(part.path, part.rows):
            found.setdefault(comment.key, (comment, part.encoded))
            if len(found) == MAX_COMMENTS:
                return list(found.values())
    return list(found.values())


def build_comments(
    comments: Sequence[tuple[CodeComment, bool]],
    known: Collection[str],
    *,
    project_id: str,
    highest_seq: int,
    where: Where,
    clock: Clock,
    get_actor: Callable[[], Actor],
) -> list[Line]:
    """A decision of each comment whose key is not known yet. Raises UsageError where git does
    not know who is at work."""
    fresh = [(comment, encoded) for comment, encoded in comments if comment.key not in known]
    if not fresh:
        return []
    actor = get_actor()
    lines = []
    for number, (comment, encoded) in enumerate(fresh, 1):
        text = redact_text(comment.text)[0]
        summary = _summarise(text)
        fields = {
            "v": FORMAT_VERSION,
            "kind": "decision",
            "project": project_id,
            "at": format_at(clock.now_ms()),
            "seq": min(highest_seq + number, MAX_SEQ),
            "actor": actor,
            "key": comment.key,
            "type": "decision",
            "summary": summary,
            "why": text if summary != text else None,
            "paths": (
                PathRef(comment.path, lines=((comment.first, comment.last),), encoded=encoded),
            ),
            "tags": ("comment",),
            "branch": where.branch,
            "base": where.head or "",
            "captured_by": "human",
        }
        try:
            lines.append(build_line(fields))
        except BadRecord:
            continue  # a text that no record can hold, such as a lone surrogate
    return lines


def _summarise(text: str) -> str:
    """The first sentence, or as much of the text as a summary holds."""
    if len(text) <= MAX_SUMMARY:
        return text
    sentence, stop, _ = text.partition(". ")
    if stop and len(sentence) < MAX_SUMMARY:
        return sentence + "."
    return text[: MAX_SUMMARY - 1].rpartition(" ")[0] + "…"
