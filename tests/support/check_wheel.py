"""Says which files of the package a wheel lacks: python -m tests.support.check_wheel FILE"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from tests.support.make_architecture import PACKAGE


def list_missing(wheel: Path) -> list[str]:
    """Files of the source tree, code and data, that the wheel does not carry; and the licence."""
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    wanted = {
        f"gitmem/{file.relative_to(PACKAGE).as_posix()}"
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    missing = sorted(wanted - held)
    if not any(name.endswith("/licenses/LICENSE") for name in held):
        missing.append("LICENSE")
    return missing


if __name__ == "__main__":
    gaps = [f"{wheel}: {gap}" for wheel in sys.argv[1:] for gap in list_missing(Path(wheel))]
    sys.exit("\n".join(gaps) or 0)
