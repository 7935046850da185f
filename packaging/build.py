"""Build the standalone program and an archive of it: `python packaging/build.py [FOLDER]` (default: dist)."""

import platform
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

import PyInstaller.__main__

SPEC_FILE = Path(__file__).parent / "tetrion.spec"


def build_archive(folder: Path) -> Path:
    """Build the program and its archive into a folder; return the path of the archive."""
    work = folder.parent / "build"
    PyInstaller.__main__.run(
        ["--noconfirm", "--log-level", "WARN", "--distpath", str(folder), "--workpath", str(work), str(SPEC_FILE)]
    )
    name = f"tetrion-{version('tetrion')}-{platform.system()}-{platform.machine()}".lower()
    kind = "zip" if sys.platform == "win32" else "gztar"
    return Path(shutil.make_archive(str(folder / name), kind, folder, "tetrion"))


if __name__ == "__main__":
    archive = build_archive(Path(sys.argv[1] if len(sys.argv) > 1 else "dist").absolute())
    print(f"Built {archive.parent / 'tetrion'}")
    print(f"  and {archive}")
