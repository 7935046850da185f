"""The wheel, installed into an empty environment far from the clone, works as a user finds it."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["TETRION_CACHE_DIR"] = str(folder / "cache")
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel(tmp_path: Path) -> None:
    clean = tmp_path / "clean"  # a tree without what earlier builds left behind
    shutil.copytree(ROOT / "src", clean / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clean)
    sources = {path.relative_to(clean / "src").as_posix() for path in (clean / "src").rglob("*") if path.is_file()}
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, clean, folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == sources

    home = tmp_path / "home"
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=tmp_path)
    assert "landing_height" in run(programs / "tetrion", "list", "features", folder=tmp_path)
    printed = run(
        programs / "tetrion", "bench", "dellacherie", "--rules", "standard-10x10", "--games", "5", folder=tmp_path
    )
    assert "dellacherie" in printed
