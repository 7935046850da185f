"""The formats that are fuzzed: sample files, and everything that the program does when it opens one."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.training.small_recipes import make_small_recipe
from tetrion.agents import WeightedAgent, load_agent
from tetrion.agents.agent_loading import find_code_file
from tetrion.agents.code_consent import CONSENT_FILE, has_consent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.app.game_storage import BEST_SCORES_FILE, load_best_scores
from tetrion.app.screens.evolution_screen import describe_run
from tetrion.app.screens.replays_screen import load_replay_summary
from tetrion.app.window_settings import get_settings_path, load_settings
from tetrion.lab.run_summary import describe_status, get_best_parameters, get_final_result
from tetrion.papers.reproduction import read_json
from tetrion.replay import Replay
from tetrion.training.checkpoint import CHECKPOINT_FILES
from tetrion.training.gavrilov_text_files import import_text
from tetrion.training.history_files import HISTORY_FILES
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.run_changes import restore_learner
from tetrion.training.trainer import train
from tetrion.user_folders import get_config_folder, get_data_folder

SAMPLES = Path(__file__).parent.parent / "samples"
RUN_SAMPLES = ("genetic-crowds", "cma", "q-learning", "cross-entropy", "harmony")
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
    repr(agent)
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
    replay = Replay.load(path)
    repr(replay)
    replay._repr_html_()


def make_recipe_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield recipes and Gavrilov's text files."""
    for sample in sorted((SAMPLES / "recipes").glob("*.toml")):
        path = folder / sample.name
        yield FuzzTarget(path, sample.read_bytes(), partial(open_recipe, path))
    names = ("a", "b", "c", "d")
    path = folder / "text" / "population_generation_0.txt"
    yield FuzzTarget(path, b"0.1 0.2 -0.3 1e-5\n1 2 3 4\n", lambda: import_text(path.parent, names))


def open_recipe(path: Path) -> None:
    """Load a recipe, show it and prepare its learner."""
    recipe = Recipe.load(path)
    repr(recipe)
    recipe._repr_html_()
    recipe.learner_type(recipe)


def make_run_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the readable files of finished runs, all of which are in place while one is damaged."""
    for name in RUN_SAMPLES:
        shutil.copytree(SAMPLES / "runs" / "finished" / name, folder / name)
    train(make_small_recipe(), folder / "new")
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
    get_best_parameters(run)
    repr(run.best_agent)
    if run.has_population:
        run.load_population(0)


def make_checkpoint_targets(folder: Path) -> Iterator[FuzzTarget]:
    """Yield the checkpoints and histories of runs of earlier versions and of this one."""
    for name in RUN_SAMPLES:
        shutil.copytree(SAMPLES / "runs" / "stopped" / name, folder / name)
    for learner in ("genetic", "q-learning"):
        train(make_small_recipe(learner), folder / f"new-{learner}")
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
    for sample in sorted((SAMPLES / "settings").glob("*.json")):
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
