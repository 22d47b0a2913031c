"""Writes the map of modules in ARCHITECTURE.md from the first sentences of their docstrings.

Run it from the root of the repository: python -m tests.support.make_architecture
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "gitmem"
START = "<!-- map: written by tests/support/make_architecture.py -->\n"
END = "<!-- end of map -->\n"


def iter_modules() -> Iterator[Path]:
    """Every module of the package, by path."""
    yield from sorted(PACKAGE.rglob("*.py"))


def read_charter(module: Path) -> str:
    """The first sentence of a module's docstring; empty where there is none."""
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    sentence, stop, _ = paragraph.partition(". ")
    return sentence + stop.rstrip()


def build_map() -> str:
    """The map: a heading for each room, a line for each module."""
    lines = []
    for module in iter_modules():
        name = module.relative_to(PACKAGE)
        if name.name == "__init__.py" and len(name.parts) > 1:
            lines.append(f"\n**`{name.parent.as_posix()}/`** {read_charter(module)}\n")
        else:
            lines.append(f"- `{name.as_posix()}`: {read_charter(module)}")
    return _join(lines)


def _join(lines: list[str]) -> str:
    top = [line for line in lines if line.startswith("- ") and "/" not in line.partition("`:")[0]]
    rest = [line for line in lines if line not in top]
    return "\n".join([*top, *rest]) + "\n"


def format_architecture(text: str) -> str:
    """The page with a fresh map between its two marks."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{build_map()}\n{END}{after}"


if __name__ == "__main__":
    page = format_architecture(FILE.read_text(encoding="utf-8"))
    FILE.write_text(page, encoding="utf-8", newline="\n")
