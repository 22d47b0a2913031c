"""One comment that stays: found again, updated, and taken away when there is nothing to say."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitmem.core.pull_requests import MAX_COMMENT_CHARS, STICKY_MARK, Comment
from gitmem.errors import AuthRefused, RemoteError, RequestRejected
from gitmem.ports.forge import Forge

NOTHING_LEFT = "Nothing of the project's memory changes here any more."

Action = Literal["created", "updated", "unchanged", "removed", "none", "denied"]


class Published(msgspec.Struct, frozen=True):
    """What became of the comment. `reason` says why it was denied."""

    action: Action
    url: str = ""
    reason: str = ""


def publish(forge: Forge, body: str | None) -> Published:
    """Make the one comment say this; None takes it away. A token that may only read, as a
    fork's, is no failure: it is `denied`. Raises RemoteError where the host is not well."""
    try:
        return _publish(forge, body)
    except (AuthRefused, RequestRejected) as error:
        return Published("denied", reason=error.message)


def _publish(forge: Forge, body: str | None) -> Published:
    ours = [one for one in forge.iter_comments() if _is_sticky(one)]
    if body is None:
        return _take_away(forge, ours)
    text = f"{STICKY_MARK}\n{body}"
    if len(text) > MAX_COMMENT_CHARS:
        raise RemoteError(f"a report of {len(text):,} characters, more than a comment takes")
    if not ours:
        return Published("created", forge.create_comment(text).url)
    first, *repeats = ours
    for repeat in repeats:
        # Two runs at once may each have made one.
        forge.delete_comment(repeat.id)
    if first.body.replace("\r\n", "\n").strip() == text.strip():
        return Published("unchanged", first.url)
    return Published("updated", forge.update_comment(first.id, text).url)


def _is_sticky(comment: Comment) -> bool:
    """The mark alone proves nothing: anybody may write it."""
    return comment.is_ours and comment.body.lstrip().startswith(STICKY_MARK)


def _take_away(forge: Forge, ours: list[Comment]) -> Published:
    for one in ours:
        try:
            forge.delete_comment(one.id)
        except AuthRefused:
            # Some tokens may edit and not delete.
            forge.update_comment(one.id, f"{STICKY_MARK}\n{NOTHING_LEFT}")
    return Published("removed" if ours else "none")
