"""What `init` would add, for whoever asks history alone."""

from __future__ import annotations

INIT_HINT = (
    "This is from commit messages alone. `gitmem init` starts a memory, so that decisions "
    "can be recorded beside the code."
)
