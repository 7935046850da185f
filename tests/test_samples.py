"""Tests that files written by an earlier version (tests/samples) are still read and lead to the same results.

One helper function below uses each part of the package. The keys that these functions write themselves do not change.
If a later version uses another word in its files, the samples stay unchanged, and the new word is added to
`NEW_WORDS` or `NEW_RECIPE_WORDS`; a new setting of recipes is added to `NEW_RECIPE_SETTINGS`, and
one of the window to `NEW_WINDOW_SETTINGS`.
"""

import csv
import hashlib
import json
import math
import shutil
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tetrion

SAMPLES = Path(__file__).parent / "samples"
RELATIVE_TOLERANCE = 1e-9
NEW_WORDS: dict[str, dict[str, str]] = {  # for each part: the word in the samples, and the present word
    "agents": {},  # features, modes, `measured`
    "runs": {  # columns of the metrics, keys of the result, names of parameters
        "judged": "validation",
        "most_pieces": "max_pieces",
        "error": "mean_abs_error",
        "numbers": "parameters",
        "as_played": "uncorrected",
    },
    "rules": {  # fields
        "hidden": "hidden_rows",
        "entry": "spawn_height",
        "lock": "lock_delay",
        "level": "start_level",
        "levels": "level_system",
        "over": "game_over",
        "frames": "frames_per_second",
        "entry_delay": "spawn_delay",
        "repeat_delay": "das",
        "repeat_every": "arr",
        "down_every": "soft_drop_interval",
        "thinking": "thinking_frames",
        "key_every": "frames_per_key",
    },
    "settings": {},  # fields and named values
    "bench": {},  # how games ended
}
NEW_RULE_VALUES: dict[
    str, dict[str, str]
] = {}  # for each present field: the value in the samples, and the present value
NEW_RECIPE_WORDS = {  # for each table
    "games": {
        "summed": "sum_games",
        "races": "halving_rounds",
        "deal": "piece_seed",
        "pieces": "max_pieces",
        "rise": "raise_share",
        "lines": "max_lines",
    },
    "stop": {"pieces": "total_pieces"},
    "judge": {"pieces": "max_pieces", "final": "final_games"},
    "crowd": {"share": "agreement"},
    "genetic": {"start": "initial_weights", "spread": "initial_range", "tournament": "tournament_size"},
    "cross-entropy": {"spread": "initial_deviation", "noise_steps": "noise_generations"},
    "harmony": {
        "memory": "memory_size",
        "consider": "memory_rate",
        "adjust": "adjust_rate",
        "spread": "initial_range",
    },
    "q-learning": {
        "pieces": "max_pieces",
        "budget": "total_pieces",
        "trace": "trace_decay",
        "constant": "bias",
        "alive": "initial_bias",
        "limit": "divergence_factor",
    },
}
NEW_RULES = {  # these are newer than the samples, with their defaults
    "half_turn_kicks": "none",
    "hold": 0,
    "spins": "none",
    "spin_kick": "any",
    "attack": "none",
    "garbage_rows": 0,
    "garbage_interval": 10,
    "garbage_delay": 0,
    "garbage_cap": 8,
    "garbage_messiness": 0,
    "lock_resets": 0,
    "initial_rotation": 0,
    "initial_hold": 0,
    "garbage_interval_unit": "pieces",
    "garbage_delay_unit": "pieces",
    "garbage_blocking": "combo",
    "garbage_clear_bonus": 0,
    "opener_pieces": 0,
    "attack_growth": 0,
    "attack_growth_start": 0,
    "placement_frames": 0,
    "clearing": "standard",
    "start_garbage": 0,
}
NEW_WINDOW_SETTINGS: dict[str, Any] = {
    "das": None,
    "arr": None,
    "window_width": 0,
    "window_height": 0,
    "is_maximised": False,
}
NEW_WINDOW_SETTINGS |= {"play_mode": "marathon", "soft_drop": None, "initial_rotation": None, "initial_hold": None}
NEW_RECIPE_SETTINGS: dict[str, dict[str, Any]] = {  # these are newer than the samples, with their defaults
    "crowd": {"weighting": "equal"},
    "agent": {"knots": [], "start": []},
    "q-learning": {"learn_lines": True, "bias_feature": 1.0},
}
AGENT_WORDS = ("measured", "weights", "second weights", "selector")  # keys of a description that contain stored words
RUN_WORDS = ("names", "metrics", "best", "result")


@cache
def expected(part: str) -> dict[str, Any]:
    """Return the results of the version that wrote the samples, by sample."""
    content: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))[part]
    return content


def in_new_words(part: str, value: Any) -> Any:
    """Return a value of the samples with the present words, in keys and in texts such as `left+right`."""
    words = NEW_WORDS[part]
    if part == "rules" and value is not None:  # a value such as `entry` may also be the former name of a field
        fields = {words.get(key, key): inner for key, inner in value.items()}
        return {key: NEW_RULE_VALUES.get(key, {}).get(inner, inner) for key, inner in fields.items()} | NEW_RULES
    if isinstance(value, dict):
        return {words.get(key, key): in_new_words(part, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [in_new_words(part, inner) for inner in value]
    if isinstance(value, str):
        return words.get(value, "+".join(words.get(word, word) for word in value.split("+")))
    return value


def recipe_in_new_words(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a recipe with the present words."""
    updated = {}
    for section, table in recipe.items():
        words = NEW_RECIPE_WORDS.get(section, {})
        renamed = {words.get(key, key): value for key, value in table.items()} if isinstance(table, dict) else table
        if isinstance(renamed, dict) and renamed.get("fitness") == "lines-a-piece":
            renamed["fitness"] = "lines-per-piece"
        if isinstance(renamed, dict):
            renamed |= NEW_RECIPE_SETTINGS.get(section, {})
        updated["validation" if section == "judge" else section] = renamed
    return updated


def parts_in_new_words(part: str, value: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the description of a sample with the present words in the values of these keys."""
    return {key: in_new_words(part, inner) if key in keys else inner for key, inner in value.items()}


def check_same(actual: Any, wanted: Any, path: str = "") -> None:
    """Compare JSON values; floats may differ by the relative tolerance."""
    if isinstance(wanted, dict):
        assert isinstance(actual, dict), path
        assert set(actual) == set(wanted), path
        for key, inner in wanted.items():
            check_same(actual[key], inner, f"{path}/{key}")
    elif isinstance(wanted, list):
        assert len(actual) == len(wanted), path
        for number, inner in enumerate(wanted):
            check_same(actual[number], inner, f"{path}/{number}")
    elif isinstance(wanted, float):
        assert actual == pytest.approx(wanted, rel=RELATIVE_TOLERANCE), path
    else:
        assert actual == wanted, path


def as_json(value: Any) -> Any:
    """Return a value as JSON: lists for tuples and arrays, None for NaN and infinity."""
    if isinstance(value, dict):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [as_json(inner) for inner in value]
    if isinstance(value, np.generic):
        return as_json(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def digest(value: Any) -> str:
    """Return a hash of a JSON value."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


# One helper function for each part of the package. Descriptions use the words of the samples.


def describe_rules(text: str) -> dict[str, Any]:
    """Return all fields of rules that are given as a text."""
    return asdict(tetrion.Rules.parse(text))


def describe_agent(agent: Any) -> dict[str, Any]:
    """Return the content of an agent file, without the rules."""
    second_mode = agent.second_mode
    described: dict[str, Any] = as_json(
        {
            "name": agent.name,
            "source": agent.source,
            "family": agent.family,
            "depth": agent.depth,
            "expect": agent.expect,
            "beam": agent.beam,
            "measured": agent.measured,
            "weights": agent.weights,
            "modes": second_mode and second_mode.names,
            "second weights": second_mode and second_mode.weights,
            "selector": second_mode and second_mode.selector,
            "threshold": second_mode and second_mode.threshold,
        }
    )
    return described


def rules_of_agent(agent: Any) -> dict[str, Any] | None:
    """Return the rules stored in an agent file; None if there are none."""
    return describe_rules(agent.rules) if agent.rules else None


def load_agent(name: str) -> Any:
    """Return an agent of the samples; `name` may end in a colon and the name of a class."""
    return tetrion.load_agent(str(SAMPLES / name), allow_code=True)


def play_games(agent: Any, rules: str, games: int, seed: int, pieces: int) -> Any:
    """Evaluate an agent."""
    return tetrion.evaluate(agent, rules, games, seed, max_pieces=pieces, workers=1)


def describe_games(evaluation: Any) -> list[list[int]]:
    """Return pieces, lines and score of each game."""
    return [[int(game[name]) for name in ("pieces", "lines", "score")] for game in evaluation.per_game]


def describe_csv(evaluation: Any) -> list[list[Any]]:
    """Return the rows of the CSV file of `tetrion bench`: number of the game, how it ended, and its counts."""
    from tetrion.evaluation.game_statistics import GAME_STATUS_NAMES

    return [
        [
            int(number),
            GAME_STATUS_NAMES[int(game["status"])],
            *(int(game[name]) for name in ("pieces", "lines", "score")),
            *(int(count) for count in game["clears"]),
            int(game["frames"]),
        ]
        for number, game in zip(evaluation.game_numbers, evaluation.per_game, strict=True)
    ]


def describe_summary(summary: Any) -> dict[str, Any]:
    """Return the summary of lines, score or pieces in the JSON file of `tetrion bench`."""
    names = ("mean", "ci95", "median", "q1", "q3", "min", "max")
    described: dict[str, Any] = as_json({name: getattr(summary, name) for name in names})
    return described


def describe_evaluation(evaluation: Any, first: Any) -> dict[str, Any]:
    """Return the entry of an agent in the JSON file of `tetrion bench`, without its speed."""
    difference = evaluation.compare_to(first) if first else None
    plain = ("agent", "seed", "games", "deaths", "capped", "points_per_line", "normalised_variance", "tetris_rate")
    return {
        **{name: as_json(getattr(evaluation, name)) for name in plain},
        **{name: describe_summary(getattr(evaluation, name)) for name in ("lines", "score", "pieces")},
        "difference_to_first": difference and as_json({"mean": difference.mean, "ci95": difference.ci95}),
    }


def describe_recipe(path: Path) -> dict[str, Any]:
    """Return all settings of a recipe."""
    return tomllib.loads(tetrion.Recipe.load(path).to_toml())


def describe_run(folder: Path) -> dict[str, Any]:
    """Return the metrics, the last generation, the best agent and the result of a run."""
    run = tetrion.Run(folder)
    fitness = games = None
    if run.has_population and run.generation_count:
        _, fitness, games = run.load_population(run.generation_count - 1)
    metrics = {name: column for name, column in run.metrics.items() if not name.startswith("incumbent")}
    described: dict[str, Any] = as_json(
        {
            "finished": run.is_finished,
            "generations": run.generation_count,
            "names": run.parameter_names,
            "metrics": metrics,
            "favourites": run.incumbents,
            "fitness": fitness,
            "games": games,
            "best": describe_weights(run.best_agent) if run.generation_count else None,
            "result": run.result,
        }
    )
    return described


def describe_weights(agent: Any) -> list[Any]:
    """Return the weights of an agent in both modes."""
    return [agent.weights, agent.second_mode and agent.second_mode.weights]


def recipe_of_run(folder: Path) -> dict[str, Any]:
    """Return all settings of a run."""
    return tomllib.loads(tetrion.Run(folder).recipe.to_toml())


def resume_run(folder: Path) -> None:
    """Resume a run to its end, although the versions of code and libraries differ."""
    tetrion.resume(folder, workers=1, allow_other_versions=True)


def runs_of_seeds(folder: Path) -> list[str]:
    """Return the names of the runs in a folder of several seeds."""
    from tetrion.agents.run_folders import find_run_folders

    return [path.name for path in find_run_folders(folder)]


def get_arithmetic() -> str:
    """Return a hash of the arithmetic that CMA-ES depends on; it differs between kinds of processors."""
    from tetrion.training.run_writer import compute_arithmetic_hash

    return compute_arithmetic_hash()


def describe_texts(folder: Path, names: tuple[str, ...]) -> list[list[float]]:
    """Return the last population of a folder of text files."""
    from tetrion.training.gavrilov_text_files import import_text

    population: list[list[float]] = import_text(folder, names).tolist()
    return population


def describe_replay(path: Path) -> dict[str, Any]:
    """Return the content of a replay and the end of its game."""
    replay = tetrion.Replay.load(path)
    game = replay.play()
    placements = [[p.piece, p.rotation, p.column, p.row] for p in game.placements_made]
    keys = None if replay.key_events is None else len(replay.key_events)
    return {
        **{"seed": replay.seed, "game": replay.number, "agent": replay.agent, "keys": keys},
        **{
            "pieces": game.pieces,
            "lines": game.lines,
            "score": game.score,
            "frames": game.frames,
            "over": game.is_over,
        },
        "board": list(game.board.columns),
        "cells": digest(sorted([list(cell) for cell in p.cells] for p in replay.placements)),
        "placements": digest(placements),
    }


def rules_of_replay(path: Path) -> dict[str, Any]:
    """Return the rules of a replay."""
    return asdict(tetrion.Replay.load(path).rules)


def describe_settings() -> dict[str, Any]:
    """Return the settings of the window, after checking that they are the same when saved and loaded again."""
    from tetrion.app.window_settings import load_settings, save_settings

    settings, problem = load_settings()
    assert not problem
    assert not save_settings(settings)
    assert load_settings() == (settings, "")
    return asdict(settings)


def describe_scores() -> dict[str, list[list[Any]]]:
    """Return the best scores by the names of their lists."""
    from tetrion.app.game_storage import load_best_scores

    scores, problem = load_best_scores()
    assert not problem
    return {rules: [[s.score, s.lines, s.pieces, s.date] for s in entries] for rules, entries in scores.items()}


def format_rules(text: str) -> str:
    """Return rules as the present version writes them."""
    return str(tetrion.Rules.parse(text))


@pytest.mark.parametrize("sample", expected("rules"))
def test_rules_of_samples(sample: str) -> None:
    wanted = in_new_words("rules", expected("rules")[sample])
    check_same(describe_rules(sample), wanted)
    check_same(describe_rules(format_rules(sample)), wanted)


def test_samples_change_every_field_of_the_rules() -> None:
    standard, *others = expected("rules").values()
    same = {field for field in standard if all(rules[field] == standard[field] for rules in others)}
    assert not same


@pytest.mark.parametrize("sample", expected("agents"))
def test_agents_of_samples(sample: str) -> None:
    wanted = expected("agents")[sample]
    agent = load_agent(f"agents/{sample}")
    if wanted["said"]:
        check_same(describe_agent(agent), parts_in_new_words("agents", wanted["said"], AGENT_WORDS))
        check_same(rules_of_agent(agent), in_new_words("rules", wanted["made_for"]))
    played = play_games(agent, wanted["rules"], len(wanted["games"]), wanted["seed"], wanted["most_pieces"])
    assert describe_games(played) == wanted["games"]


@pytest.mark.parametrize("sample", expected("recipes"))
def test_recipes_of_samples(sample: str) -> None:
    check_same(describe_recipe(SAMPLES / "recipes" / sample), recipe_in_new_words(expected("recipes")[sample]))


@pytest.mark.parametrize("sample", expected("runs"))
def test_runs_of_samples(sample: str) -> None:
    wanted = expected("runs")[sample]
    folder = SAMPLES / "runs" / sample
    check_same(describe_run(folder), parts_in_new_words("runs", wanted["read"], RUN_WORDS))
    check_same(recipe_of_run(folder), recipe_in_new_words(wanted["recipe"]))
    if wanted["played"]:
        rules, games, seed, pieces = wanted["played"]
        played = play_games(load_agent(f"runs/{sample}"), rules, len(games), seed, pieces)
        assert describe_games(played) == games


@pytest.mark.parametrize("sample", expected("runs"))
def test_resumed_runs_end_with_the_same_results(sample: str, tmp_path: Path) -> None:
    wanted = expected("runs")[sample]
    folder = tmp_path / Path(sample).name
    shutil.copytree(SAMPLES / "runs" / sample, folder)
    resume_run(folder)
    end = wanted["resumed"] or wanted["read"]  # a finished run is unchanged
    end = parts_in_new_words("runs", end, RUN_WORDS)
    actual = describe_run(folder)
    if wanted["arithmetic"] in (None, get_arithmetic()):
        check_same(actual, end)
    else:  # the numbers differ after the run was resumed
        stopped = wanted["read"]["generations"]
        assert (actual["finished"], actual["generations"]) == (True, end["generations"])
        check_same(actual["favourites"][:stopped], end["favourites"][:stopped])
        for name, column in end["metrics"].items():
            check_same(actual["metrics"][name][:stopped], column[:stopped])


def test_finished_run_continues_with_more_generations(tmp_path: Path) -> None:
    wanted = expected("longer")
    folder = tmp_path / "run"
    shutil.copytree(SAMPLES / "runs" / wanted["run"], folder)
    config = folder / "config.toml"
    config.write_text(config.read_text("utf-8").replace(*wanted["change"]), encoding="utf-8")
    resume_run(folder)
    check_same(describe_run(folder), parts_in_new_words("runs", wanted["resumed"], RUN_WORDS))


def test_runs_of_several_seeds_are_found() -> None:
    assert runs_of_seeds(SAMPLES / "runs" / "seeds") == ["seed-0", "seed-1"]


def test_text_files_are_imported() -> None:
    wanted = expected("texts")
    check_same(describe_texts(SAMPLES / "texts", tuple(wanted["names"])), wanted["population"])


@pytest.mark.parametrize("sample", expected("replays"))
def test_replays_of_samples(sample: str) -> None:
    path = SAMPLES / "replays" / sample
    wanted = expected("replays")[sample]
    check_same(describe_replay(path), wanted["played"])
    check_same(rules_of_replay(path), in_new_words("rules", wanted["rules"]))


@pytest.fixture
def window_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy the samples to the folders where the window looks for its files."""
    shutil.copytree(SAMPLES / "settings", tmp_path / "window")
    for variable in ("TETRION_CONFIG_DIR", "TETRION_DATA_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "window"))
    for variable in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(variable, "dummy")


@pytest.mark.usefixtures("window_folders")
def test_settings_of_samples() -> None:
    described = as_json(describe_settings())
    keys = described["keys"]
    described["keys"] = {
        action: [name for name in names if not name.startswith("pad ")] for action, names in keys.items()
    }
    for action, key in (("half", "g"), ("hold", "c")):  # actions that are newer than the samples have their defaults
        assert described["keys"].pop(action) == [key]
    wanted = in_new_words("settings", expected("settings")) | NEW_WINDOW_SETTINGS
    del wanted["level"]  # the start level is part of the rules now
    wanted["keys"] = {action: [name] for action, name in wanted["keys"].items()}  # one key per action in the samples
    check_same(described, wanted)


@pytest.mark.usefixtures("window_folders")
def test_best_scores_of_samples() -> None:
    from tetrion.app.game_storage import get_list_name

    wanted = {get_list_name(tetrion.Rules.parse(rules)): scores for rules, scores in expected("scores").items()}
    check_same(describe_scores(), wanted)


@pytest.mark.parametrize("sample", expected("bench"))
def test_bench_files_are_reproduced(sample: str) -> None:
    """The package does not read these files; their numbers must be reproduced."""
    written = json.loads((SAMPLES / f"{sample}.json").read_text("utf-8"))
    with (SAMPLES / f"{sample}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first = None
    for entry in written:
        played = play_games(entry["agent"], entry["rules"], entry["games"], entry["seed"], expected("bench")[sample])
        actual = describe_evaluation(played, first)
        check_same(actual, {key: entry[key] for key in actual})
        first = first or played
        counts = ("pieces", "lines", "score", "one", "two", "three", "four", "frames")
        wanted_rows = [
            [int(row["game"]), in_new_words("bench", row["ended"]), *(int(row[name]) for name in counts)]
            for row in rows
            if row["agent"] == entry["agent"]
        ]
        assert describe_csv(played) == wanted_rows
