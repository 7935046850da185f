"""Measure the two commands of the README from a fresh clone without caches: python -m benchmarks.setup."""

import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS_FOLDER, ROOT, make_result, save_result

RESULT_FILE = RESULTS_FOLDER / "setup.json"


def main() -> None:
    """Clone the last commit, run both commands in the clone, and save times and sizes."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "tetrion"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        targets = {target: measure_target(target, clone, Path(folder)) for target in ("demo", "test")}
    save_result(RESULT_FILE, make_result("python -m benchmarks.setup", cores=os.cpu_count(), targets=targets))


def measure_target(target: str, clone: Path, folder: Path) -> dict[str, Any]:
    """Run a target of the Makefile; return its times, and the sizes of `.venv` and of all packages in it after it."""
    caches = {"TETRION_CACHE_DIR": str(folder / "cache"), "PIP_NO_CACHE_DIR": "1"}
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name} | caches
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(["make", target], cwd=clone, env=environment, check=True)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": round(seconds),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),
        "packages_mb": round(measure_packages(clone / ".venv" / "bin" / "python", folder / f"packages-{target}") / 1e6),
        "venv_mb": round(measure_folder(clone / ".venv") / 1e6),
    }


def measure_packages(python: Path, folder: Path) -> int:
    """Return the number of bytes to download for the packages that are installed beside Tetrion."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], check=True, capture_output=True, text=True)
    packages = frozen.stdout.split()
    subprocess.run([*pip, "download", "--quiet", "--no-deps", "--dest", str(folder), *packages], check=True)
    return measure_folder(folder)


def measure_folder(folder: Path) -> int:
    """Return the number of bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def format_setup(result: Any) -> str:
    """Return a sentence about the time and the space that the two commands need, from an empty clone and cache."""
    demo, test = (result["targets"][target] for target in ("demo", "test"))
    more_packages = test["packages_mb"] - demo["packages_mb"]
    return (
        f"On {result['cores']} cores, `make demo` takes {format_duration(demo['seconds'])} and downloads "
        f"{demo['packages_mb']:,} MB (`.venv`: {demo['venv_mb']:,} MB); `make test` takes "
        f"{format_duration(test['seconds'])} more and downloads another {more_packages:,} MB (`.venv`: "
        f"{test['venv_mb']:,} MB). Measured with `{result['command']}` ({result['processor']}, {result['date']}).\n"
    )


def format_duration(seconds: int) -> str:
    """Return a duration in whole minutes, rounded up, or in seconds below two minutes."""
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"


if __name__ == "__main__":
    main()
