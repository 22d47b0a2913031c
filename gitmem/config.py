"""Files, environment and defaults → one frozen `Settings`. The only reader of the environment.

Order: flags > `GITMEM_*` > clone > user > project > defaults; for sharing and the network the
strictest wins, and a committed file can name neither a command nor an address.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from gitmem.errors import UsageError

MAX_CONFIG_BYTES = 1024 * 1024
Share = Literal["none", "summary", "full"]
_SHARE_ORDER: tuple[Share, ...] = ("none", "summary", "full")

# key → (type, may a committed file set it?). What a committed file may not set names a place
# on this machine, an address, or what would leave it.
_KEYS: dict[str, tuple[type, bool]] = {
    "memory.detached": (bool, False),
    "memory.project_id": (str, False),
    "sync.remote": (str, False),
    "sync.refs": (str, True),
    "sync.transport": (str, False),
    "sync.timeout_seconds": (int, False),
    "history.background": (bool, False),
    "share.agents": (str, True),
    "share.vectors": (bool, False),
    "notes.folders": (list, True),
    "notes.hubs": (list, True),
    "embedding.model": (str, False),
    "embedding.folder": (str, False),
    "recall.enabled": (bool, True),
    "recall.max_excerpts": (int, True),
    "recall.max_tokens": (int, True),
    "recall.half_life_days": (int, True),
    "recall.min_similarity": (int, False),
    "guardrail.enabled": (bool, True),
    "guardrail.excluded_types": (list, True),
    "changelog.ignored_paths": (list, True),
    "changelog.ignored_types": (list, True),
    "federation.enabled": (bool, True),
    "federation.peer_timeout_ms": (int, False),
}
_WORDS: dict[type, str] = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    list: "a list of texts",
}
_PROJECT_OWN = frozenset({"format", "project_id", "name", "former_keys"})


class RecallSettings(msgspec.Struct, frozen=True):
    """How recall answers. `min_similarity`, per mille, replaces the measured gate."""

    is_enabled: bool = True
    max_excerpts: int = 3
    max_tokens: int = 600
    half_life_days: int = 30
    min_similarity: int | None = None


class Settings(msgspec.Struct, frozen=True):
    """Everything that can be set, resolved.

    `project_folders` are the folders of notes that the committed file names, which must lie
    inside the repository; `own_folders` are this user's and may lie anywhere.
    """

    is_detached: bool = False
    detached_project_id: str | None = None
    sync_remote: str | None = None
    sync_refs: Literal["custom", "branches"] = "custom"
    transport: Literal["auto", "git", "dulwich"] = "auto"
    timeout_seconds: int = 120
    history_background: bool = True
    share_agents: Share = "summary"
    share_vectors: bool = False
    project_folders: tuple[str, ...] = ()
    own_folders: tuple[str, ...] = ()
    hubs: tuple[str, ...] = ("MEMORY.md", "index.md", "_index.md")
    embedding_model: str | None = None
    embedding_folder: str | None = None
    recall: RecallSettings = RecallSettings()
    guardrail_is_enabled: bool = True
    guardrail_excluded_types: tuple[str, ...] = ("note", "chore", "test")
    changelog_ignored_paths: tuple[str, ...] = ()
    changelog_ignored_types: tuple[str, ...] = ()
    federation_is_enabled: bool = True
    peer_timeout_ms: int = 500
    fixed_now: str | None = None
    cache_home: Path | None = None
    peers_file: Path | None = None
    data_home: Path | None = None
    unknown: tuple[str, ...] = ()


def read_settings(
    *, clone_file: Path | None, project_file: Path | None, environ: Mapping[str, str]
) -> Settings:
    """Resolve the settings of one clone. Raises UsageError, naming file and key, for a value
    of the wrong kind; an unknown key is reported in `unknown` and harms nothing."""
    unknown: list[str] = []
    project = _read(project_file, unknown, is_committed=True)
    user = _read(user_config_file(environ), unknown)
    clone = _read(clone_file, unknown)
    environment_ = _from_environment(environ)
    merged = {**project, **user, **clone, **environment_}
    shares = [layer["share.agents"] for layer in (project, user, clone) if "share.agents" in layer]
    return Settings(
        is_detached=merged.get("memory.detached", False),
        detached_project_id=merged.get("memory.project_id"),
        sync_remote=merged.get("sync.remote"),
        sync_refs=_choice(merged, "sync.refs", ("custom", "branches"), "custom"),
        transport=_choice(merged, "sync.transport", ("auto", "git", "dulwich"), "auto"),
        timeout_seconds=max(1, merged.get("sync.timeout_seconds", 120)),
        history_background=merged.get("history.background", True)
        and not environ.get("GITMEM_NO_BACKGROUND"),
        share_agents=_strictest(shares),
        share_vectors=merged.get("share.vectors", False),
        project_folders=tuple(project.get("notes.folders", ())),
        own_folders=tuple({**user, **clone, **environment_}.get("notes.folders", ())),
        hubs=tuple(merged.get("notes.hubs", Settings().hubs)),
        embedding_model=merged.get("embedding.model"),
        embedding_folder=merged.get("embedding.folder"),
        recall=_recall(merged),
        guardrail_is_enabled=merged.get("guardrail.enabled", True),
        guardrail_excluded_types=tuple(
            merged.get("guardrail.excluded_types", Settings().guardrail_excluded_types)
        ),
        changelog_ignored_paths=tuple(merged.get("changelog.ignored_paths", ())),
        changelog_ignored_types=tuple(merged.get("changelog.ignored_types", ())),
        federation_is_enabled=all(
            layer.get("federation.enabled", True) for layer in (project, user, clone, environment_)
        ),
        peer_timeout_ms=max(1, merged.get("federation.peer_timeout_ms", 500)),
        fixed_now=environ.get("GITMEM_NOW") or None,
        cache_home=_cache_home(environ),
        peers_file=_peers_file(environ),
        data_home=_data_home(environ),
        unknown=tuple(unknown),
    )


def parse_committed(data: bytes) -> Settings:
    """What the bytes of a committed `project.toml` set, and nothing else does: for looking at a
    commit that is not checked out. What cannot be read sets nothing."""
    try:
        table = tomllib.loads(data[:MAX_CONFIG_BYTES].decode("utf-8"))
        layer = _check(table, Path("project.toml"), [], is_committed=True)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, UsageError):
        return Settings()
    return Settings(
        changelog_ignored_paths=tuple(layer.get("changelog.ignored_paths", ())),
        changelog_ignored_types=tuple(layer.get("changelog.ignored_types", ())),
    )


def _recall(merged: dict[str, Any]) -> RecallSettings:
    usual = RecallSettings()
    return RecallSettings(
        is_enabled=merged.get("recall.enabled", usual.is_enabled),
        max_excerpts=max(0, merged.get("recall.max_excerpts", usual.max_excerpts)),
        max_tokens=max(0, merged.get("recall.max_tokens", usual.max_tokens)),
        half_life_days=max(0, merged.get("recall.half_life_days", usual.half_life_days)),
        min_similarity=merged.get("recall.min_similarity"),
    )


def environment() -> Mapping[str, str]:
    """The process's environment; whoever else needs it gets it passed."""
    return os.environ


def user_config_file(environ: Mapping[str, str]) -> Path | None:
    """`$XDG_CONFIG_HOME/gitmem/config.toml`, or its place on this system."""
    base = environ.get("XDG_CONFIG_HOME") or (
        environ.get("APPDATA") if sys.platform == "win32" else None
    )
    if base:
        return Path(base) / "gitmem" / "config.toml"
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home) / ".config" / "gitmem" / "config.toml" if home else None


def _cache_home(environ: Mapping[str, str]) -> Path | None:
    base = environ.get("XDG_CACHE_HOME") or (
        environ.get("LOCALAPPDATA") if sys.platform == "win32" else None
    )
    if base:
        return Path(base) / "gitmem"
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home) / ".cache" / "gitmem" if home else None


def _peers_file(environ: Mapping[str, str]) -> Path | None:
    """The registry of peers, beside the user's configuration."""
    config = user_config_file(environ)
    return config.with_name("peers.toml") if config is not None else None


def _data_home(environ: Mapping[str, str]) -> Path | None:
    """Where the user-wide memory lies: `$XDG_DATA_HOME/gitmem`, or its place on this system."""
    base = environ.get("XDG_DATA_HOME") or (
        environ.get("APPDATA") if sys.platform == "win32" else None
    )
    if base:
        return Path(base) / "gitmem"
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home) / ".local" / "share" / "gitmem" if home else None


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    layer: dict[str, Any] = {}
    for key, (kind, _) in _KEYS.items():
        text = environ.get("GITMEM_" + key.replace(".", "_").upper())
        if text is None or key.startswith("memory."):
            continue
        layer[key] = _from_text(key, kind, text)
    return layer


def _from_text(key: str, kind: type, text: str) -> Any:
    if kind is bool and text.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        return text.lower() in ("1", "true", "yes", "on")
    if kind is int and text.isdigit():
        return int(text)
    if kind is str:
        return text
    if kind is list:
        return [part.strip() for part in text.split(os.pathsep) if part.strip()]
    raise UsageError(
        f"the environment sets {key} to {text!r}, which is not {_WORDS[kind]}",
        hint=f"Correct or unset GITMEM_{key.replace('.', '_').upper()}",
    )


def _read(file: Path | None, unknown: list[str], *, is_committed: bool = False) -> dict[str, Any]:
    if file is None or (is_committed and file.is_symlink()):
        return {}
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        if is_committed:
            return {}  # whoever reads the project's identity reports it
        raise UsageError(f"{file}: {str(error).splitlines()[0]}", hint=f"Edit {file}") from None
    return _check(table, file, unknown, is_committed=is_committed)


def _check(
    table: dict[str, Any], file: Path, unknown: list[str], *, is_committed: bool
) -> dict[str, Any]:
    layer: dict[str, Any] = {}
    for key, value in _flatten(table):
        if is_committed and key in _PROJECT_OWN:
            continue
        kind, may_be_committed = _KEYS.get(key, (object, True))
        if key not in _KEYS or (is_committed and not may_be_committed):
            unknown.append(f"{file.name}: {key}")
        elif not _is_kind(value, kind):
            raise UsageError(f"{file}: {key} must be {_WORDS[kind]}, not {value!r}")
        else:
            layer[key] = value
    return layer


def _is_kind(value: Any, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return type(value) is kind


def _flatten(table: dict[str, Any]) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            rows.extend((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            rows.append((name, value))
    return rows


def _choice(layer: dict[str, Any], key: str, allowed: tuple[str, ...], default: str) -> Any:
    value = layer.get(key, default)
    if value not in allowed:
        raise UsageError(
            f"the setting {key} must be one of {', '.join(allowed)}, not {value!r}",
            hint="Settings, and where they come from: docs/configuration.md",
        )
    return value


def _strictest(values: list[str]) -> Share:
    for value in values:
        if value not in _SHARE_ORDER:
            raise UsageError(f"share.agents must be one of none, summary, full, not {value!r}")
    return min(values or ["summary"], key=lambda v: _SHARE_ORDER.index(v))  # type: ignore[arg-type]
