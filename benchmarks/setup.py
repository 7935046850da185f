"""Measure the two commands of the README from a fresh clone without caches: python -m benchmarks.setup."""

import json
import os
import re
import resource
import subprocess
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from tetrion.evaluation.machine import get_processor_name

ROOT = Path(__file__).parents[1]
RESULT_FILE = ROOT / "benchmarks" / "results" / "setup.json"
_DOWNLOAD = re.compile(r"Downloading \S+ \(([\d.]+) (bytes|kB|MB)\)")
_BYTES = {"bytes": 1, "kB": 1e3, "MB": 1e6}


def main() -> None:
    """Clone the last commit, run both commands in the clone, and save times and sizes."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "tetrion"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        results = {target: measure_target(target, clone, Path(folder)) for target in ("demo", "test")}
    content = {
        "command": "python -m benchmarks.setup",
        "date": date.today().isoformat(),
        "processor": get_processor_name(),
        "cores": os.cpu_count(),
        "targets": results,
    }
    RESULT_FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def measure_target(target: str, clone: Path, folder: Path) -> dict[str, Any]:
    """Run a target of the Makefile and return its times, what it downloads and the size of `.venv` after it."""
    caches = {"TETRION_CACHE_DIR": str(folder / "cache"), "PIP_NO_CACHE_DIR": "1"}
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name} | caches
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.run(["make", target], cwd=clone, env=environment, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - start
    print(process.stdout)
    if process.returncode:
        raise SystemExit(f"make {target} failed with exit code {process.returncode}; see its output above.")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    downloads = sum(float(number) * _BYTES[unit] for number, unit in _DOWNLOAD.findall(process.stdout))
    return {
        "seconds": round(seconds),
        "processor_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),
        "downloaded_mb": round(downloads / 1e6),
        "venv_mb": round(measure_folder(clone / ".venv") / 1e6),
    }


def measure_folder(folder: Path) -> int:
    """Return the number of bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def format_setup(result: Any) -> str:
    """Return two sentences about the time and the space that the two commands need."""
    demo, test = (result["targets"][target] for target in ("demo", "test"))
    return (
        f"`make demo` takes {format_minutes(demo['seconds'])} and downloads {demo['downloaded_mb']:,} MB "
        f"(`.venv`: {demo['venv_mb']:,} MB); `make test` takes {format_minutes(test['seconds'])} more and downloads "
        f"another {test['downloaded_mb']:,} MB. Measured with `{result['command']}` ({result['processor']}, "
        f"{result['cores']} cores, {result['date']}).\n"
    )


def format_minutes(seconds: int) -> str:
    """Return a duration in whole minutes, rounded up, or in seconds below two minutes."""
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"


if __name__ == "__main__":
    main()
