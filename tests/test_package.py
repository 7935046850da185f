"""The wheel contains all source files and works in a new environment without the repository."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    """Run a command in a folder, check that it succeeds, and return its standard output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["TETRION_CACHE_DIR"] = str(folder / "cache")
    completed = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def test_wheel_installs_and_runs(tmp_path: Path) -> None:
    clean = tmp_path / "clean"  # a copy without the files of earlier builds
    shutil.copytree(ROOT / "src", clean / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clean)
    sources = {path.relative_to(clean / "src").as_posix() for path in (clean / "src").rglob("*") if path.is_file()}
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, clean, folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == sources

    environment = tmp_path / "environment"
    venv.create(environment)
    programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        programs / "python",
        "--disable-pip-version-check",
    ]
    run(*pip, "install", "--quiet", "--no-compile", wheel, folder=tmp_path)  # bytecode of most modules is not needed
    load_template = "from tetrion.lab import page_templates as t; t.make_environment().get_template('page.html.jinja')"
    run(programs / "python", "-c", load_template, folder=tmp_path)
    assert "landing_height" in run(programs / "tetrion", "list", "features", folder=tmp_path)
    output = run(
        programs / "tetrion", "bench", "dellacherie", "--rules", "standard-10x10", "--games", "5", folder=tmp_path
    )
    assert "dellacherie" in output
