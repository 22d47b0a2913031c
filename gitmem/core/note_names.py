"""What a page is called, and which page a link means.

A link says a page's name, or the end of its path at a slash; never a part of a name. Exact
before any other case, a name before an alias, the same vault before others, and the page that
is the fewest folders away. Several that are alike in all of this are ambiguous.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

ENDINGS = (".md", ".markdown")
MAX_DEPTH = 32
_ATTACHMENT_TEXT = (
    "png jpg jpeg gif svg webp bmp avif tif tiff ico pdf mp3 mp4 m4a wav ogg flac webm mov mkv"
    " canvas base excalidraw zip csv tsv xlsx docx pptx"
)
_ATTACHMENTS = frozenset(_ATTACHMENT_TEXT.split())


class Page(msgspec.Struct, frozen=True):
    """A page that a link may mean. `key` is whatever tells it apart for who asks."""

    key: int
    vault: str
    path: str
    aliases: tuple[str, ...] = ()


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def path_of(target: str, folder: str = "") -> str:
    """What a link's target says: NFC, with slashes. `./` and `../` begin at `folder`, a slash
    at the vault's root."""
    path = unicodedata.normalize("NFC", target).replace("\\", "/").strip()
    return "/" + _join(folder, path) if path.startswith(("./", "../")) else path


def name_of(target: str, folder: str = "") -> str:
    """The same without the ending of a page. A dot alone is no ending."""
    name = path_of(target, folder)
    for ending in ENDINGS:
        if name.lower().endswith(ending) and len(file_name(name)) > len(ending):
            return name[: -len(ending)].rstrip()
    return name


def fold_name(name: str) -> str:
    """A name for look-ups in any case."""
    folded = name if name.isascii() else unicodedata.normalize("NFC", name)
    folded = folded.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def link_name(target: str, folder: str = "") -> str:
    """The folded name under which pages that a link may mean are found."""
    return fold_name(name_of(target, folder).strip("/"))


def list_names(path: str) -> list[str]:
    """The folded names by which links find a page: its name, and each longer end of its
    path."""
    parts = link_name(path).split("/")[-MAX_DEPTH:]
    return ["/".join(parts[first:]) for first in reversed(range(len(parts)))]


def choose_pages(
    target: str, pages: Iterable[Page], *, vault: str = "", path: str = ""
) -> list[Page]:
    """Of pages whose folded names or aliases fit, those that a link on this page of this
    vault means, sorted: one where it is clear, none where none fits, several where it is
    ambiguous. A link that stands in no vault is at the root of all."""
    folder = path.rpartition("/")[0]
    name = name_of(target, folder)
    ranked = [
        (rank, page)
        for page in pages
        for rank in (_rank(name, page, vault, folder),)
        if rank is not None
    ]
    best = min((rank for rank, _ in ranked), default=None)
    return sorted(
        (page for rank, page in ranked if rank == best), key=lambda page: (page.vault, page.path)
    )


def rank_pages(target: str, pages: Iterable[Page]) -> list[Page]:
    """All that fit, best first."""
    name = name_of(target)
    ranked = [(_rank(name, page, "", ""), page) for page in pages]
    fitting = [(rank, page) for rank, page in ranked if rank is not None]
    fitting.sort(key=lambda pair: (pair[0], pair[1].vault, pair[1].path))
    return [page for _, page in fitting]


def is_attachment(target: str) -> bool:
    """Whether a link means a picture or another file that is no page."""
    return file_name(target).rpartition(".")[2].lower() in _ATTACHMENTS and "." in target


def _rank(name: str, page: Page, vault: str, folder: str) -> tuple[int, ...] | None:
    """How well a page fits, smaller is better; None where it does not."""
    from_root = name.startswith("/")
    name = name.strip("/")
    own = name_of(page.path)
    is_foreign = int(bool(vault) and page.vault != vault)
    if _ends_so(own, name, from_root):
        kind = 0
    elif name in page.aliases:
        kind = 1
    elif _ends_so(fold_name(own), fold_name(name), from_root):
        kind = 2
    elif fold_name(name) in (fold_name(alias) for alias in page.aliases):
        kind = 3
    else:
        return None
    start = folder if page.vault == vault else ""
    return (is_foreign, kind, _count_steps(start, page.path.rpartition("/")[0]))


def _ends_so(own: str, name: str, from_root: bool) -> bool:
    return own == name or (not from_root and own.endswith(f"/{name}"))


def _count_steps(start: str, end: str) -> int:
    """Folders up and down from one to the other."""
    one = start.split("/") if start else []
    other = end.split("/") if end else []
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return len(one) + len(other) - 2 * shared


def _join(folder: str, name: str) -> str:
    parts = folder.split("/") if folder else []
    for part in name.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def format_candidates(pages: Sequence[Page]) -> tuple[str, ...]:
    """Pages as a person is told of them: with their vaults where these differ."""
    vaults = {page.vault for page in pages}
    return tuple(page.path if len(vaults) == 1 else f"{page.vault}/{page.path}" for page in pages)
