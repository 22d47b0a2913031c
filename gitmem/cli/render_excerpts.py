"""Excerpts as text for people, with what explains their place."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from gitmem.cli.render_hits import Look, short
from gitmem.cli.terminal import clean, clean_line, style
from gitmem.core.fusion import Hop
from gitmem.core.ranking import identity_of, kind_of
from gitmem.core.wording import format_count
from gitmem.services.hits import Hit
from gitmem.services.recall import Excerpt, Explanation

_INDENT = " " * 4


def render_excerpt(excerpt: Excerpt, look: Look) -> list[str]:
    """Its first line with its standing and where it is from, and below it the rest."""
    first, _, rest = clean(excerpt.text).partition("\n")
    cited = style(_cite(excerpt.hit), "yellow", on=look.colour)
    standing = style(clean_line(excerpt.standing), "dim", on=look.colour)
    lines = [f"{first.strip()}  {standing}  {cited}"]
    for line in rest.split("\n"):
        # Others read lines; a person reads a terminal, which would break them within words.
        parts = wrap(line, max(20, look.width - 4)) if look.is_terminal else [line.rstrip()]
        lines += [f"{_INDENT}{part}" for part in parts if part.strip()]
    if excerpt.whole:
        lines.append(f"{_INDENT}whole: {clean_line(excerpt.whole)}")
    if excerpt.explain is not None:
        explained = _explain(excerpt.explain)
        lines += [_INDENT + style(line, "dim", on=look.colour) for line in explained]
    return lines


def render_excerpts(excerpts: Sequence[Excerpt], look: Look) -> str:
    blocks = ["\n".join(render_excerpt(one, look)) for one in excerpts]
    return "\n\n".join(blocks)


def format_count_of_tokens(tokens: int) -> str:
    return f"about {format_count(tokens, 'token')} (an estimate: UTF-8 bytes / 4)"


def _cite(hit: Hit) -> str:
    """The id of a decision, a commit, or file:line."""
    project = "" if hit.project == "." else f"[{clean_line(hit.project)}] "
    if hit.kind == "note" and hit.paths:
        return f"{project}{clean_line(hit.paths[0].path)}:{hit.line or 1}"
    return project + short(hit.commit if hit.kind == "commit" else hit.id)


def _explain(explained: Explanation) -> list[str]:
    lines = [f"place {explained.place}: {explained.reason}"]
    facts = [f"{vote.ranker} rank {vote.rank}, score {vote.score:.4f}" for vote in explained.votes]
    if explained.votes:
        facts.append(f"fused score {explained.score:.4f}")
    if explained.coverage is not None:
        facts.append(f"{explained.coverage}\u2030 of the question in words")
    facts.append(format_count(explained.tokens, "token"))
    lines.append("; ".join(facts))
    lines += [format_hop(hop) for hop in explained.chain]
    return lines


def format_hop(hop: Hop) -> str:
    neighbour = hop.neighbour
    label = f" ({clean_line(neighbour.label)})" if neighbour.label else ""
    arrow = (
        f"<-{neighbour.link}{label}-" if neighbour.is_backward else f"-{neighbour.link}{label}->"
    )
    return f"{_name(hop.start)} {arrow} {_name(neighbour.key)}"


def _name(key: str) -> str:
    return f"{kind_of(key)} {short(identity_of(key))}"
