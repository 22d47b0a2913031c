"""What of an agent's decisions may leave this clone, by the policy `share.agents`."""

from __future__ import annotations

from typing import Literal

from gitmem.core.records import Decision, Record

Share = Literal["none", "summary", "full"]

REQUEST_TAG = "request"
"""Marks an agent's decision that holds the person's request in full."""


def is_of_agent(record: Record) -> bool:
    """Whether an agent wrote it down."""
    return isinstance(record, Decision) and record.captured_by == "agent"


def may_share(record: Record, share: Share) -> bool:
    """Whether it may go with a commit, or be pushed. What people record always may; where the
    policy became stricter, what was captured before is held to it."""
    if not isinstance(record, Decision) or record.captured_by != "agent":
        return True
    return share == "full" or (share == "summary" and REQUEST_TAG not in record.tags)
