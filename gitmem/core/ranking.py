"""What rankers say of documents: keys, scores, and the links between them. Values only.

A *document* is anything retrieval can find: a record, a commit, a chunk of a note, a page. Its
key is `<kind>:<id>`: `record:<64 hex>`, `commit:<oid>`, `note:<64 hex, the chunk's id>`.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

DocumentKind = Literal["record", "commit", "note", "article", "source"]
LinkKind = Literal["wikilink", "supersedes", "path", "same-note"]


class Ranked(msgspec.Struct, frozen=True, array_like=True):
    """One ranker's word on one document; higher is better, and only its own scores compare."""

    key: str
    score: float


class Neighbour(msgspec.Struct, frozen=True, array_like=True):
    """A document one link away. `label` is what the link says (its target as written, or the
    shared path); `is_backward` marks a link that is followed against its direction."""

    key: str
    link: LinkKind
    label: str = ""
    is_backward: bool = False


class Passage(msgspec.Struct, frozen=True, array_like=True):
    """A document's text, as it is embedded, ranked again and shown."""

    key: str
    text: str


class Stamp(msgspec.Struct, frozen=True):
    """The identity of an embedding space: vectors compare only under one stamp.

    `revision` pins the model's very bytes (a digest of model and tokenizer) and what is put
    before a text; `quantisation` is that of the model's weights."""

    model: str
    revision: str
    dimension: int
    quantisation: str

    def format(self) -> str:
        """One name, fit for a file or a tree entry: lower-case letters, digits, dots, hyphens."""
        text = f"{self.model}-{self.revision[:12]}-{self.dimension}-{self.quantisation}".lower()
        return "".join(char if char.isascii() and char.isalnum() else "-" for char in text)


def format_key(kind: DocumentKind, identity: str) -> str:
    return f"{kind}:{identity}"


def kind_of(key: str) -> str:
    return key.partition(":")[0]


def identity_of(key: str) -> str:
    return key.partition(":")[2]


def vector_id(key: str) -> str:
    """The 64 hexadecimal digits under which a document's vector is kept: a record's own id."""
    identity = identity_of(key)
    if kind_of(key) == "record":
        return identity
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
