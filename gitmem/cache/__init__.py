"""The SQLite cache: rows derived from records and history, and how they are asked.

Everything in it can be rebuilt: no path leads from here back to segments.
"""
