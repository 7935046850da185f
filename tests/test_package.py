"""The package: what it contains, what it works with, and what it says where an optional library is missing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tetrion.extras import LIBRARIES

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOWEST_VERSIONS = ROOT / "packaging" / "lowest-versions.txt"
SMALL_RUN = "population=6 generations=1 validation.final_games=3 tournament_size=3"
BENCH = "bench lee --rules standard-10x10 --games 3"
TRAIN = f"train gavrilov --out run {' '.join(f'--set {change}' for change in SMALL_RUN.split())}"
RUN_COMMANDS = """
import sys
from tetrion.cli import main
for line in sys.argv[1:]:
    sys.argv = ["tetrion", *line.split()]
    print("$", line, flush=True)
    try:
        main()
    except SystemExit as stop:
        print("exit", stop.code, flush=True)
    sys.stdout.flush()
"""
IMPORT_EVERYTHING = """
import importlib, pkgutil, tetrion
for module in pkgutil.walk_packages(tetrion.__path__, "tetrion."):
    if not {"gpu", "stable_baselines", "__main__"} & set(module.name.replace("gpu_", "gpu.").split(".")):
        importlib.import_module(module.name)
"""
USE_AN_ENVIRONMENT = """
import gymnasium
env = gymnasium.make("tetrion.envs:tetrion/Placement-v0", render_mode="rgb_array")
env.reset(seed=1)
env.step(3)
assert env.render().shape[2] == 3
envs = gymnasium.make_vec("tetrion/Afterstates-v0", 8)
envs.reset(seed=1)
envs.step(envs.sample_actions())
"""


class Distributions(NamedTuple):
    """The built packages, and the names of the source files."""

    sdist: Path
    wheel: Path
    sources: set[str]


def run(*command: str | Path, folder: Path) -> str:
    """Run a command in a folder, check that it succeeds, and return its output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "COLUMNS": "200"}
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both packages: the source distribution, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("packages")
    clean = folder / "clean"  # a copy without the files of earlier builds
    shutil.copytree(ROOT / "src", clean / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clean)
    sources = {path.relative_to(clean / "src").as_posix() for path in (clean / "src").rglob("*") if path.is_file()}
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, clean, folder=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Distributions(sdist, wheel, sources)


class Environment:
    """A virtual environment without pip, into which the pip of the tests installs."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder)
        self.folder = folder
        self.python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def install(self, *arguments: str | Path) -> None:
        """Install with pip; bytecode is not written, because most modules are not imported."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        run(*pip, "install", "--quiet", "--no-compile", *arguments, folder=self.folder)

    def run_program(self, program: str, *arguments: str) -> str:
        """Run a Python program, and return its output."""
        return run(self.python, "-c", program, *arguments, folder=self.folder)

    def run_commands(self, *commands: str) -> dict[str, tuple[str, str]]:
        """Run commands of `tetrion` in one process; return the output and the exit code of each."""
        parts = re.findall(r"^\$ (.*)\n((?:.*\n)*?)exit (.*)$", self.run_program(RUN_COMMANDS, *commands), re.MULTILINE)
        assert [command for command, _, _ in parts] == list(commands)
        return {command: (output, code) for command, output, code in parts}


@pytest.fixture(scope="module")
def core(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and the libraries of the tests, of which the optional ones are hidden."""
    environment = Environment(tmp_path_factory.mktemp("core") / "environment")
    environment.install("--no-deps", distributions.wheel)
    (site,) = environment.folder.rglob("site-packages")
    libraries = Path(np.__file__).parents[1]
    hidden = [*LIBRARIES, "numba.cuda"]
    (site / "hidden_libraries.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({hidden}))\n", "utf-8")
    (site / "libraries.pth").write_text(f"{libraries}\nimport hidden_libraries\n", "utf-8")
    shutil.copy(ROOT / "docs" / "replays" / "medico.json", environment.folder)
    printed, code = environment.run_commands(TRAIN)[TRAIN]
    assert code == "0", printed
    return environment


def test_wheel_contains_all_source_files(distributions: Distributions) -> None:
    packed = {name for name in zipfile.ZipFile(distributions.wheel).namelist() if ".dist-info/" not in name}
    assert packed == distributions.sources


def test_core_plays_and_trains_without_optional_libraries(core: Environment) -> None:
    commands = ("list features", BENCH, "watch lee --text --pieces 3")
    results = core.run_commands(*commands)
    for command, (output, code) in results.items():
        assert code == "0", f"{command}: {output}"
    assert "landing_height" in results["list features"][0]
    assert (core.folder / "run" / "best.json").is_file()


@pytest.mark.parametrize(
    ("extra", "commands"),
    [
        (
            "window",
            (
                *("", "play", "watch lee", "versus lee du", "evolve gavrilov", "practice", "replay medico.json"),
                *("record lee --out game.mp4 --pieces 2", "record lee --out game.gif --pieces 2"),
            ),
        ),
        ("window|plots", ("report run",)),
        (
            "plots",
            (
                "plot run",
                "replay medico.json --html game.html",
                f"{BENCH} --plot lines.svg",
                "reproduce medico --quick --out paper",
            ),
        ),
        ("gpu", (f"{BENCH} --device cuda",)),
        ("cluster", ("train gavrilov --out other --cluster tcp://127.0.0.1:8786",)),
    ],
)
def test_commands_name_the_extra_that_they_need(core: Environment, extra: str, commands: tuple[str, ...]) -> None:
    for command, (output, code) in core.run_commands(*commands).items():
        errors = [line for line in output.splitlines() if line.strip()]
        assert len(errors) == 1, f"{command}: {output}"
        assert errors[0].startswith("Error: "), output
        assert re.search(rf'Install it: pip install "tetrion\[({extra})\]"$', errors[0]), output
        assert code == "2"


def list_requirements() -> list[str]:
    """Return the requirements of the core and of the extra `all`."""
    extras = PROJECT["optional-dependencies"]
    (combined,) = extras["all"]
    names = re.fullmatch(r"tetrion\[(.*)\]", combined)
    assert names
    return [*PROJECT["dependencies"], *(line for name in names[1].split(",") for line in extras[name])]


def test_lowest_versions_are_those_of_the_project() -> None:
    bounds = (re.match(r"([\w.-]+)>=([\w.]+)", line) for line in list_requirements())
    expected = {f"{bound[1]}=={bound[2]}" for bound in bounds if bound}
    lines = LOWEST_VERSIONS.read_text("utf-8").splitlines()
    assert sorted(lines[1:]) == sorted(expected), "update packaging/lowest-versions.txt"


def test_citation_has_the_version_of_the_project() -> None:
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "versions"), [("sdist", "newest"), ("wheel", "lowest")])
def test_everything_works_in_an_empty_environment(
    distributions: Distributions, tmp_path: Path, kind: str, versions: str
) -> None:
    if versions == "lowest" and sys.version_info >= (3, 12):
        pytest.skip("the lowest versions are those of Python 3.11")
    environment = Environment(tmp_path / "environment")
    constraints = ["--constraint", str(LOWEST_VERSIONS)] if versions == "lowest" else []
    environment.install(f"{getattr(distributions, kind)}[all]", *constraints)
    environment.run_program(IMPORT_EVERYTHING)
    environment.run_program(USE_AN_ENVIRONMENT)
    commands = (f"{BENCH} --plot lines.svg", TRAIN, "plot run", "report run", "record lee --out game.mp4 --pieces 2")
    for command, (output, code) in environment.run_commands(*commands).items():
        assert code == "0", f"{command}: {output}"
    assert (environment.folder / "run" / "report.html").is_file()
