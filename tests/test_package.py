"""The wheel, installed into an empty environment far from the clone, works as a user finds it."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    for data in (ROOT / "src").rglob("*"):
        if data.is_file() and "egg-info" not in str(data) and "__pycache__" not in str(data):
            assert data.relative_to(ROOT / "src").as_posix() in packed

    home = tmp_path / "home"
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=tmp_path)
    assert "landing_height" in run(programs / "tetrion", "list", "features", folder=tmp_path)
    printed = run(
        programs / "tetrion", "bench", "dellacherie", "--rules", "standard-10x10", "--games", "5", folder=tmp_path
    )
    assert "dellacherie" in printed
