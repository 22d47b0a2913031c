"""The SQLite cache: rows derived from records and history, and how they are asked.

Everything in it can be rebuilt: no path leads from here back to segments.
"""

from gitmem.cache.connection import CacheDamaged
from gitmem.cache.opening import Cache, discard_cache, open_cache, open_memory_cache

__all__ = ["Cache", "CacheDamaged", "discard_cache", "open_cache", "open_memory_cache"]
