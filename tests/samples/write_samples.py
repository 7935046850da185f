"""Write the samples and what is read from them: python -m tests.samples.write_samples (before the release of 1.0 only).

The samples are the files that version 1.0 writes. After its release they are never written again.
"""

import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

import tetrion
from tests.cli.command_runner import tetrion_here
from tests.test_samples import BENCH, SAMPLES, describe_sample, list_samples
from tests.training.small_recipes import get_length_setting, make_small_recipe
from tetrion.agents.agent_loading import load_data_agent
from tetrion.app.game_storage import save_best_score
from tetrion.app.games.human_rules import MODES
from tetrion.app.window_settings import WindowSettings, save_settings
from tetrion.papers.reproduction import to_json_value, write_json
from tetrion.training.run import META_FILE
from tetrion.training.run_writer import compute_arithmetic_hash
from tetrion.training.training_progress import TrainingProgress

LEARNERS = ("genetic", "cross-entropy", "cma", "harmony", "q-learning", "td")
RULES = (
    "standard",
    "gavrilov",
    "nes:start_level=19",
    "guideline:attack=libtetris,garbage_rows=1",
    "tetrio:hold=0",
    "standard:height=12,preview=1,randomiser=script-TIJ,scoring=flat",
)

FEATURE = '''"""A custom feature, which `own_feature.json` uses."""

import tetrion


@tetrion.feature(max_value=9 * 27)
def cliffs(o: tetrion.Outcome) -> int:
    """Height differences of neighbouring columns beyond two."""
    found = 0
    for column in range(9):
        step = abs(o.heights[column] - o.heights[column + 1])
        if step > 2:
            found += step - 2
    return found
'''
FEATURE_AGENT = {
    "format": 1,
    "kind": "linear",
    "name": "cliffs",
    "features": "own_feature.py",
    "weights": {"holes": -8, "bumpiness": -1, "aggregate_height": -1, "lines": 2, "cliffs": -2},
}
TOML_AGENT = """# An agent written by hand
format = 1
kind = "linear"
name = "by-hand"

[weights]
holes = -4
bumpiness = -1
lines = 2.5
"""


def write_agents(folder: Path) -> None:
    """Write an agent file of every kind: weights, tables, two modes, options of the search, TOML, and a feature."""
    folder.mkdir()
    names = {"weights": "dellacherie", "tables": "becker", "modes": "medico", "search": "lee:depth=2,beam=5"}
    for file, name in (names | {"attack": "modern-1"}).items():
        tetrion.save_agent(load_data_agent(name), folder / f"{file}.json")
    (folder / "by-hand.toml").write_text(TOML_AGENT, encoding="utf-8")
    (folder / "own_feature.py").write_text(FEATURE, encoding="utf-8")
    (folder / "own_feature.json").write_text(json.dumps(FEATURE_AGENT, indent=2) + "\n", encoding="utf-8")


def stop_after_two(progress: TrainingProgress) -> None:
    if progress.done == 2:
        raise KeyboardInterrupt


def write_runs(folder: Path) -> None:
    """Write a run of each learner that was stopped after two of three steps, and a finished one."""
    for learner in LEARNERS:
        recipe = make_small_recipe(learner, f"{get_length_setting(learner)}=3")
        with suppress(KeyboardInterrupt):
            tetrion.train(recipe, folder / learner, workers=1, on_progress=stop_after_two)
    recipe = make_small_recipe("genetic", "stop.generations=3", "crowd.kind=both", seed=3)
    tetrion.train(recipe, folder / "finished", workers=1)
    for path in folder.rglob(META_FILE):
        meta = json.loads(path.read_text("utf-8")) | {"host": "example", "commit": ""}
        path.write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")


def play_keys(rules: str, keys: tuple[str, ...], seed: int) -> tetrion.Game:
    """Play a game in real time by pressing keys again and again, until twelve pieces are placed."""
    game = tetrion.Game(rules, seed=seed)
    number = 0
    while game.pieces < 12 and not game.is_over:
        key = keys[number % len(keys)]
        game.key_down(key)
        game.advance(0.1)
        game.key_up(key)
        game.advance(0.1)
        number += 1
    return game


def write_replays(folder: Path) -> None:
    """Write a game of placements, one with hold and spins, and games of a person in both kinds of rules."""
    folder.mkdir()
    for name, rules, agent in (("placements", "gavrilov", "dellacherie"), ("hold", "guideline", "modern-1")):
        player = load_data_agent(agent)
        game = tetrion.Game(rules, seed=4)
        while game.pieces < 30 and not game.is_over:
            game.place(player.choose(game.position))
        tetrion.Replay.from_game(game, agent).save(folder / f"{name}.json")
    for name, rules, keys in (
        ("keys", "nes", ("left", "rotate", "down", "right")),
        ("modern-keys", "guideline", ("left", "rotate", "drop", "hold", "right", "drop")),
    ):
        tetrion.Replay.from_game(play_keys(rules, keys, 6), "you", "sprint").save(folder / f"{name}.json")


def write_window_files(folder: Path) -> None:
    """Write the settings and the best scores of the window."""
    for variable in ("TETRION_CONFIG_DIR", "TETRION_DATA_DIR"):
        os.environ[variable] = str(folder)
    assert not save_settings(WindowSettings())
    for mode, seed in ((MODES["marathon"], 1), (MODES["sprint"], 2)):
        _, problem = save_best_score(play_keys("guideline", ("left", "drop", "right", "drop"), seed), mode)
        assert not problem


def main() -> None:
    """Replace all samples and their descriptions."""
    for path in SAMPLES.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    write_agents(SAMPLES / "agents")
    recipe = make_small_recipe("cross-entropy", "cross-entropy.noise=constant", "agent.depth=2", "rules=gavrilov")
    (SAMPLES / "recipe.toml").write_text(recipe.to_toml(), encoding="utf-8")
    write_runs(SAMPLES / "runs")
    write_replays(SAMPLES / "replays")
    write_window_files(SAMPLES / "window")
    (SAMPLES / "rules.txt").write_text("\n".join(RULES) + "\n", encoding="utf-8")
    measured = {"games": 5, "mean": 1.5, "death": np.inf, "lines": np.arange(3), "missing": None}
    write_json(SAMPLES / "measurement.json", to_json_value({"format": 1, "by": {"seed": 1}, "found": measured}))
    tetrion_here(*BENCH, "--csv", str(SAMPLES / "bench.csv"), "--json", str(SAMPLES / "bench.json"))
    expected = {"arithmetic": compute_arithmetic_hash()}
    for name in list_samples():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(shutil.copytree(SAMPLES, Path(temporary) / "samples"))
            for variable in ("TETRION_CONFIG_DIR", "TETRION_DATA_DIR"):
                os.environ[variable] = str(folder / "window")
            expected[name] = describe_sample(name, folder)
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (SAMPLES / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
