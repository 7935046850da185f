"""Mutated files of every format: each one loads, or raises a `TetrionError` that names the file, in time and memory.

A failure names the seed of its case; `python -m tests.fuzzing.test_fuzzing FAMILY SEED` repeats it.
"""

import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.fuzzing.child_processes import parametrise_cases
from tests.fuzzing.mutations import mutate
from tests.training.small_recipes import make_small_recipe
from tetrion.agents import WeightedAgent, load_agent
from tetrion.agents.agent_loading import find_code_file
from tetrion.agents.code_consent import CONSENT_FILE, has_consent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.app.game_storage import BEST_SCORES_FILE, load_best_scores
from tetrion.app.screens.evolution_screen import describe_run
from tetrion.app.screens.replays_screen import load_replay_summary
from tetrion.app.window_settings import get_settings_path, load_settings
from tetrion.errors import TetrionError
from tetrion.lab.run_summary import describe_status, get_best_parameters, get_final_result
from tetrion.papers.reproduction import read_json
from tetrion.replay import Replay
from tetrion.text_cleaning import clean_text
from tetrion.training.checkpoint import CHECKPOINT_FILES, HISTORY_FILES, restore_learner
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.user_folders import get_config_folder, get_data_folder

SAMPLES = Path(__file__).parent.parent / "samples"
LEARNERS = ("genetic", "cma", "q-learning", "cross-entropy", "harmony", "td")
RUN_FILES = ("config.toml", "meta.json", "result.json", "metrics.csv", "best.json", "population/generation_00001.csv")


@dataclass(frozen=True)
class FuzzTarget:
    """A file that is overwritten with mutated content, its original content, and what opens it."""

    path: Path
    original: bytes
    open: Callable[[], object]


def make_targets(family: str, folder: Path) -> list[FuzzTarget]:
    """Return the targets of a family of formats; their files are written into a folder."""
    targets = list(FORMAT_FAMILIES[family](folder))
    for target in targets:
        target.path.parent.mkdir(parents=True, exist_ok=True)
        target.path.write_bytes(target.original)
    return targets


def make_agent_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield agent files in JSON and TOML; one names a module of custom features, which must not run."""
    for sample in sorted((SAMPLES / "agents").glob("*.[jt][so][om]*")):
        path = folder / sample.name
        yield FuzzTarget(path, sample.read_bytes(), partial(open_agent, path))
    (folder / "own_feature.py").write_text("raise SystemExit('the module has run')\n", encoding="utf-8")
    (folder / "mine.py").write_text("raise SystemExit('the module has run')\n", encoding="utf-8")


def open_agent(path: Path) -> None:
    """Load an agent file, show the agent, and choose its features."""
    find_code_file(path)
    agent = load_agent(path)
    assert isinstance(agent, WeightedAgent)
    agent._repr_html_()
    make_engine_agent(agent)


def make_replay_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield saved games, which are verified and shown in the list of the window."""
    for sample in sorted((SAMPLES / "replays").glob("*.json")):
        path = folder / sample.name
        yield FuzzTarget(path, sample.read_bytes(), partial(open_replay, path))


def open_replay(path: Path) -> None:
    """Load a saved game as the window and the commands do."""
    load_replay_summary(path)
    Replay.load(path)._repr_html_()


def make_recipe_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield recipes."""
    for learner in LEARNERS:
        path = folder / f"{learner}.toml"
        yield FuzzTarget(path, make_small_recipe(learner).to_toml().encode(), partial(open_recipe, path))


def open_recipe(path: Path) -> None:
    """Load a recipe, show it and prepare its learner."""
    recipe = Recipe.load(path)
    recipe._repr_html_()
    recipe.learner_type(recipe)


def make_run_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the readable files of runs, all of which are in place while one is damaged."""
    for name in ("finished", "q-learning", "td"):
        shutil.copytree(SAMPLES / "runs" / name, folder / name)
    for run in sorted(folder.iterdir()):
        for file in RUN_FILES:
            if (run / file).exists():
                yield FuzzTarget(run / file, (run / file).read_bytes(), partial(open_run, run))


def open_run(folder: Path) -> None:
    """Read everything about a run that reports, plots and the window show."""
    assert describe_run(folder)
    run = Run(folder)
    repr(run)
    describe_status(run)
    run.to_records()
    run.list_facts()
    get_final_result(run)
    if run.generation_count:  # as reports require
        get_best_parameters(run)
    repr(run.best_agent)
    if run.has_population:
        run.load_population(0)


def make_checkpoint_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the checkpoints and histories of runs with each learner."""
    for name in LEARNERS:
        shutil.copytree(SAMPLES / "runs" / name, folder / name)
    for run in sorted(folder.iterdir()):
        paths = [run / name for name in (*CHECKPOINT_FILES, *HISTORY_FILES)]
        originals = {path: path.read_bytes() for path in paths if path.exists()}
        for path, content in originals.items():
            yield FuzzTarget(path, content, partial(open_checkpoint, run, originals))


def open_checkpoint(folder: Path, originals: Mapping[Path, bytes]) -> None:
    """Restore the learner of a run, which the other files make possible; then put back all files."""
    run = Run(folder)
    try:
        restore_learner(run, run.recipe)
    finally:
        for path, content in originals.items():
            path.write_bytes(content)


def make_window_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the files of the window: settings, best scores and consents."""
    os.environ["TETRION_CONFIG_DIR"] = str(folder / "config")
    os.environ["TETRION_DATA_DIR"] = str(folder / "data")
    for sample in sorted((SAMPLES / "window").glob("*.json")):
        if "scores" in sample.name:
            scores = get_data_folder() / BEST_SCORES_FILE
            yield FuzzTarget(scores, sample.read_bytes(), partial(open_and_clean, load_best_scores, scores))
        else:
            path = get_settings_path()
            yield FuzzTarget(path, sample.read_bytes(), partial(open_and_clean, load_settings, path))
    module = folder / "mine.py"
    module.write_text("x = 1\n", encoding="utf-8")
    consents = b'{"format": 1, "modules": {"' + b"0" * 64 + b'": "a.py"}}'
    yield FuzzTarget(get_config_folder() / CONSENT_FILE, consents, lambda: has_consent(module))


def open_and_clean(load: Callable[[], object], path: Path) -> None:
    """Load a file of the window, and delete the copies of damaged files that it keeps for the user."""
    load()
    for copy in path.parent.glob(f"{path.stem}.damaged-*"):
        copy.unlink()


def make_reproduction_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the file of a measurement."""
    measured = folder / "measured.json"
    content = b'{"format": 1, "by": {"games": 5}, "found": {"runs": [], "mean": 1.5, "name": "x"}}'
    yield FuzzTarget(measured, content, lambda: read_json(measured))


FORMAT_FAMILIES: dict[str, Callable[[Path], Iterator[FuzzTarget]]] = {
    "agents": make_agent_targets,
    "replays": make_replay_targets,
    "recipes": make_recipe_targets,
    "runs": make_run_targets,
    "checkpoints": make_checkpoint_targets,
    "window": make_window_targets,
    "reproduction": make_reproduction_targets,
}


MAX_SECONDS = 2.0  # of processor time, which does not depend on other programs
HANG_SECONDS = 60
MAX_BYTES = 500_000_000


@contextmanager
def end_hanging_calls() -> Iterator[None]:
    """Raise a TimeoutError in code that hangs, such as one that waits for a pipe."""

    def stop(number: int, frame: object) -> None:
        raise TimeoutError("the file was not read in time")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def get_peak_memory(*, reset: bool = False) -> int:
    """Return the largest memory that this process has used, in bytes; on Linux, since the last reset."""
    with suppress(OSError):
        if reset:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def check_case(target: FuzzTarget) -> str:
    """Open the present content of a file; return what is wrong with the outcome, or nothing."""
    memory = get_peak_memory(reset=True)
    start = time.process_time()
    try:
        with end_hanging_calls():
            target.open()
    except TetrionError as error:
        if clean_text(target.path.name) not in str(error) and target.path.parent.name not in str(error):
            return f"the message does not name the file: {error}"
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"[:500]
    if (seconds := time.process_time() - start) > MAX_SECONDS:
        return f"it took {seconds:.1f} seconds"
    if (used := get_peak_memory() - memory) > MAX_BYTES:
        return f"it took {used:,} bytes"
    return ""


def run_case(targets: Sequence[FuzzTarget], seed: int) -> str:
    """Mutate one of the files and open it; return what is wrong with the outcome, or nothing."""
    random = Random(seed)
    target = random.choice(targets)
    content = mutate(target.original, random)
    target.path.write_bytes(content)
    problem = check_case(target)
    target.path.write_bytes(target.original)
    return f"case {seed}, {target.path.name}: {problem}\n{content[:300]!r}" if problem else ""


@parametrise_cases(120, 100_000)
@pytest.mark.parametrize("family", FORMAT_FAMILIES)
def test_mutated_files(family: str, cases: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TETRION_CONFIG_DIR", "config")  # restored after the test; a family sets them
    monkeypatch.setenv("TETRION_DATA_DIR", "data")
    targets = make_targets(family, tmp_path)
    assert [problem for target in targets if (problem := check_case(target)) and "Python code" not in problem] == []
    assert list(islice(filter(None, (run_case(targets, seed) for seed in cases)), 10)) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary_folder:
        print(run_case(make_targets(sys.argv[1], Path(temporary_folder)), int(sys.argv[2])) or "no problem")
