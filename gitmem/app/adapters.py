"""Adapters that are loaded on first use: a name → module table, so that a command pays only
for what it touches, and what is not installed is missed only where it is needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from gitmem.errors import PartMissing

_TABLE = {
    "git": ("gitmem.git.process", "Git"),
    "git-version": ("gitmem.git.version", "get_git_version"),
    "objects-exec": ("gitmem.git.objects_exec", "ExecObjectReader"),
    "objects-pygit2": ("gitmem.git.objects_pygit2", "Pygit2ObjectReader"),
    "supports-pygit2": ("gitmem.git.objects_pygit2", "supports_pygit2"),
    "refs-exec": ("gitmem.git.refs_exec", "ExecRefStore"),
    "refs-files": ("gitmem.git.refs_files", "FileRefStore"),
    "refs-dulwich": ("gitmem.git.refs_dulwich", "DulwichRefStore"),
    "settings-exec": ("gitmem.git.settings_exec", "ExecSettings"),
    "settings-dulwich": ("gitmem.git.settings_dulwich", "DulwichSettings"),
    "history-exec": ("gitmem.git.history_exec", "ExecHistoryReader"),
    "tree-exec": ("gitmem.git.worktree_exec", "ExecWorkTree"),
    "ranges-exec": ("gitmem.git.range_exec", "ExecRangeReader"),
    "history-none": ("gitmem.git.history_absent", "AbsentHistory"),
    "transport-exec": ("gitmem.git.transport_exec", "ExecTransport"),
    "transport-dulwich": ("gitmem.git.transport_dulwich", "DulwichTransport"),
    "make-cache": ("gitmem.app.cache_making", "make_cache"),
    "drop-cache": ("gitmem.app.cache_making", "drop_cache"),
    "cache-projection": ("gitmem.cache.projection", "CacheProjection"),
    "cache-commits": ("gitmem.cache.commits", "CacheCommits"),
    "refresh": ("gitmem.services.grow", "refresh_memory"),
    "refresh-peer": ("gitmem.services.grow", "refresh_peer_memory"),
    "folder-transport": ("gitmem.git.folder_fetch", "FolderTransport"),
    "find-remote-key": ("gitmem.services.push", "find_remote_key"),
    "open-in-peer": ("gitmem.app.inside_peer", "open_inside"),
    "find-injecting": ("gitmem.app.asking_peers", "find_injecting"),
    "add-injected": ("gitmem.app.asking_peers", "add_injected"),
    "list-injected": ("gitmem.app.asking_peers", "list_injected"),
    "check-peers": ("gitmem.app.peer_checks", "check_peers"),
    "span-listing": ("gitmem.app.asking_peers", "span_listing"),
    "peer-mentions": ("gitmem.app.asking_peers", "find_peer_mentions"),
    "span-found": ("gitmem.app.asking_peers", "span_found"),
    "peers-of-range": ("gitmem.app.asking_peers", "find_range_peers"),
    "span-related": ("gitmem.app.asking_peers", "span_related_answer"),
    "span-why": ("gitmem.app.asking_peers", "span_why_answer"),
    "open-peer-index": ("gitmem.cache.peer_index", "open_peer_index"),
    "summarise-peer": ("gitmem.cache.peer_summary", "summarise"),
    "share-vectors": ("gitmem.services.share_vectors", "share_vectors"),
    "try-take-vectors": ("gitmem.services.take_vectors", "try_take_vectors"),
    "bring-peer-vectors": ("gitmem.services.peer_vectors", "bring_peer_vectors"),
    "note-unused-vectors": ("gitmem.services.peer_vectors", "note_unused"),
    "forget-withheld": ("gitmem.services.embedding", "forget_withheld"),
    "retire": ("gitmem.services.retire", "retire_writers"),
    "grow": ("gitmem.services.grow", "grow_history"),
    "background": ("gitmem.app.background", "start_growing"),
    "find-existing": ("gitmem.services.initialise", "find_existing"),
    "create-bare": ("gitmem.git.bare", "create_bare"),
    "read-schema": ("gitmem.schemas.check", "read_schema"),
    "check-record": ("gitmem.schemas.check", "check_record"),
    "hook-files": ("gitmem.app.hooks", "HookFiles"),
    "conflicts-exec": ("gitmem.git.conflicts_exec", "ExecConflictedIndex"),
    "suggest-decisions": ("gitmem.app.hook_message", "suggest_decisions"),
    "open-vaults": ("gitmem.app.finding", "open_vaults"),
    "locate-vaults": ("gitmem.vaults.locating", "locate_vaults"),
    "open-vectors": ("gitmem.app.embedding", "open_vectors"),
    "is-hosted": ("gitmem.app.embedding", "is_hosted"),
    "open-vectors-with": ("gitmem.app.embedding", "open_vectors_with"),
    "open-reranker": ("gitmem.app.embedding", "open_reranker"),
    "download-models": ("gitmem.app.embedding", "download_models"),
    "onnx-embedder": ("gitmem.retrieval.onnx_embedder", "OnnxEmbedder"),
    "fastembed-embedder": ("gitmem.retrieval.fastembed_embedder", "FastembedEmbedder"),
    "download-model": ("gitmem.retrieval.fastembed_embedder", "download_model"),
    "voyage-embedder": ("gitmem.retrieval.voyage_embedder", "VoyageEmbedder"),
    "exact-search": ("gitmem.retrieval.exact_search", "find_nearest"),
    "cross-encoder": ("gitmem.retrieval.cross_encoder", "CrossEncoder"),
    "download-cross-encoder": ("gitmem.retrieval.cross_encoder", "download_cross_encoder"),
    "pooled-bm25": ("gitmem.retrieval.pooled_bm25", "PooledBm25"),
    "cache-notes": ("gitmem.cache.notes", "CacheNotes"),
    "cache-full-text": ("gitmem.cache.full_text", "CacheFullText"),
    "cache-range-records": ("gitmem.cache.range_records", "CacheRangeRecords"),
    "cache-links": ("gitmem.cache.links", "CacheLinks"),
    "cache-documents": ("gitmem.cache.documents", "CacheDocuments"),
    "cache-segment-records": ("gitmem.cache.segment_records", "CacheSegmentRecords"),
    "browse": ("gitmem.cache.browse", "query_cache"),
}


def load(name: str) -> Any:
    """The class or function of that name. Raises PartMissing, naming what to install."""
    module, attribute = _TABLE[name]
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("gitmem"):
            raise
        raise PartMissing(
            f"this needs {error.name}, which is not installed",
            hint="Install gitmem whole: pip install gitmem-sync",
        ) from None


class Lazy:
    """Stands for an adapter until its first use, then is it.

    Typed as the port where it is passed: every attribute is the adapter's own."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)

    def close(self) -> None:
        """Closes the adapter if it was ever used and can be closed."""
        if self._made is not None and hasattr(self._made, "close"):
            self._made.close()
