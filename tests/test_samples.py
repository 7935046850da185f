"""Files of version 1.0, one of every format, are read, and lead to the same games and runs."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion
from tests.cli.command_runner import tetrion_here
from tetrion.app.game_storage import load_best_scores
from tetrion.app.window_settings import load_settings
from tetrion.papers.reproduction import read_json, to_json_value
from tetrion.training.run_writer import compute_arithmetic_hash

SAMPLES = Path(__file__).parent / "samples"
FILES = ("README.md", "write_samples.py", "expected.json")  # of the folder, which are not samples
BENCH = ("bench", "lee", "dellacherie", "--rules", "standard-10x10", "--games", "4", "--pieces", "100", "--seed", "9")
RELATIVE_TOLERANCE = 1e-9


@cache
def read_expected() -> dict[str, Any]:
    """Return the descriptions of all samples by the version that wrote them."""
    content: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
    return content


def play_games(agent: tetrion.Agent, rules: str) -> Any:
    """Return the pieces, lines and score of three games of an agent."""
    games = tetrion.evaluate(agent, rules, games=3, seed=5, max_pieces=150, workers=1).per_game
    return np.array([games["pieces"], games["lines"], games["score"]]).T.tolist()


def describe_agent(path: Path) -> dict[str, Any]:
    agent = tetrion.load_agent(path, allow_code=True)
    rules = str(agent.rules or "standard-10x10")
    return {"name": agent.name, "rules": rules, "games": play_games(agent, rules)}


def describe_recipe(path: Path) -> dict[str, Any]:
    recipe = tetrion.Recipe.load(path)
    settings = {name: value for name, value, _ in recipe.list_settings()}
    return {"name": recipe.name, "rules": recipe.rules, "seed": recipe.seed, "settings": settings}


def describe_run(folder: Path) -> dict[str, Any]:
    run = tetrion.Run(folder)
    described = {
        "recipe": repr(run.recipe),
        "status": run.meta["status"],
        "pieces": run.metrics["pieces"],
        "validation": run.metrics["validation"],
        "incumbents": run.incumbents,
        "best agent": play_games(run.best_agent, run.recipe.rules),
    }
    if run.has_population:
        described["fitness"] = [run.load_population(number).fitness for number in range(run.generation_count)]
    if run.is_finished and run.result:
        names = ("origin", "finalists", "crowd")
        described |= {name: run.result[name] for name in names}
        described["held-out lines"] = run.result["held_out"]["lines"]
    return described


def describe_resumed_run(folder: Path) -> dict[str, Any]:
    tetrion.resume(folder, workers=1, allow_other_versions=True)
    return describe_run(folder)


def describe_replay(path: Path) -> dict[str, Any]:
    replay = tetrion.Replay.load(path)
    game = replay.play()
    return {
        "rules": str(replay.rules),
        "seed": replay.seed,
        "agent": replay.agent,
        "mode": replay.mode,
        "key events": len(replay.key_events or ()),
        "result": dict(replay.result),
        "board": str(game.board).splitlines(),
    }


def describe_rules(path: Path) -> dict[str, Any]:
    """Return the text and the fields that differ from the default of each line."""
    standard = asdict(tetrion.Rules())
    return {
        text: {name: value for name, value in asdict(tetrion.Rules.parse(text)).items() if value != standard[name]}
        for text in path.read_text("utf-8").splitlines()
    }


def describe_window_file(path: Path) -> Any:
    """Return the settings or the best scores that the window loads from its folder."""
    content, problem = load_settings() if path.name == "settings.json" else load_best_scores()
    assert not problem
    return (
        asdict(content) if not isinstance(content, dict) else {name: list(map(list, content[name])) for name in content}
    )


def describe_bench(folder: Path) -> Any:
    """Measure the games of `bench.csv` and `bench.json` again, and return both without the speed."""
    tetrion_here(*BENCH, "--csv", str(folder / "bench.csv"), "--json", str(folder / "bench.json"))
    return read_bench(folder)


def read_bench(folder: Path) -> Any:
    entries = json.loads((folder / "bench.json").read_text("utf-8"))
    for entry in entries:
        del entry["pieces_per_second"]
    return {"csv": (folder / "bench.csv").read_text("utf-8").splitlines(), "json": entries}


def describe_sample(name: str, folder: Path) -> Any:
    """Return the description of a sample in a copy of their folder; a run named `… resumed` is resumed before."""
    path = folder / name.removesuffix(" resumed")
    if name.endswith(" resumed"):
        description: Any = describe_resumed_run(path)
    elif name.startswith("bench"):
        description = describe_bench(folder)
    elif name.startswith("measurement"):
        description = read_json(path)
    else:
        readers = {"agents": describe_agent, "runs": describe_run, "replays": describe_replay}
        readers |= {"window": describe_window_file, "rules": describe_rules, "recipe": describe_recipe}
        description = readers[path.relative_to(folder).parts[0].partition(".")[0]](path)
    return json.loads(json.dumps(to_json_value(description)))


def list_samples() -> list[str]:
    """Return the names of all samples; `bench` are two files, and unfinished runs are resumed as well."""
    paths = [path for path in sorted(SAMPLES.rglob("*")) if path.is_file() and "runs" not in path.parts]
    files = [path.relative_to(SAMPLES).as_posix() for path in paths if path.suffix != ".py" and path.name not in FILES]
    runs = [f"runs/{path.name}" for path in sorted((SAMPLES / "runs").iterdir())]
    resumed = [f"{name} resumed" for name in runs if "finished" not in name]
    return [*(name for name in files if not name.startswith("bench")), "bench", *runs, *resumed]


def check_same(actual: Any, wanted: Any, place: str = "") -> None:
    """Compare JSON values; floats may differ by the relative tolerance."""
    if isinstance(wanted, Mapping):
        assert set(actual) == set(wanted), place
        for key, value in wanted.items():
            check_same(actual[key], value, f"{place}/{key}")
    elif isinstance(wanted, list):
        assert len(actual) == len(wanted), place
        for number, value in enumerate(wanted):
            check_same(actual[number], value, f"{place}/{number}")
    elif isinstance(wanted, float):
        assert actual == pytest.approx(wanted, rel=RELATIVE_TOLERANCE), place
    else:
        assert actual == wanted, place


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of all samples, in which the window looks for its files."""
    for variable in ("TETRION_CONFIG_DIR", "TETRION_DATA_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "samples" / "window"))
    return Path(shutil.copytree(SAMPLES, tmp_path / "samples"))


@pytest.mark.parametrize("name", read_expected() if (SAMPLES / "expected.json").exists() else ())
def test_sample_is_read_as_by_the_version_that_wrote_it(name: str, samples: Path) -> None:
    if name == "arithmetic":
        return
    actual = describe_sample(name, samples)
    wanted = read_expected()[name]
    if name == "runs/cma resumed" and compute_arithmetic_hash() != read_expected()["arithmetic"]:
        # CMA-ES depends on the rounding of the processor: only what it had saved must be the same.
        assert actual["status"] == "finished"
        assert np.shape(actual["incumbents"]) == np.shape(wanted["incumbents"])
    else:
        check_same(actual, wanted)


def test_every_sample_is_expected() -> None:
    assert sorted([*list_samples(), "arithmetic"]) == sorted(read_expected())
    check_same(read_bench(SAMPLES), read_expected()["bench"])
