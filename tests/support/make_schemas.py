"""Writes the JSON Schemas to `schema/`, for people, and into the package, for the wheel.

Run it from the root of the repository: python -m tests.support.make_schemas
"""

from __future__ import annotations

from pathlib import Path

from gitmem.schemas.generate import build_schemas, format_schema

ROOT = Path(__file__).parent.parent.parent
FOLDERS = (ROOT / "schema", ROOT / "gitmem" / "schemas")

if __name__ == "__main__":
    for name, schema in build_schemas().items():
        for folder in FOLDERS:
            (folder / name).write_text(format_schema(schema), encoding="utf-8", newline="\n")
