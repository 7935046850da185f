"""Files of an earlier version (tests/samples): read today, they mean what they meant and lead to the same results.

Each part of the package is used in one helper function below. The keys that these functions write themselves stay
as they are. Where a later version has another word in its files, the samples stay, and the new word is added to
`NEW_WORDS`.
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
CLOSE = 1e-9  # relative difference of equal numbers
NEW_WORDS: dict[str, dict[str, str]] = {  # by part: the word of the samples, and today's word
    "agents": {},  # features, modes, `measured`
    "runs": {},  # columns of the metrics, keys of the result, names of a candidate's numbers
    "rules": {  # fields and named values
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
NEW_RECIPE_WORDS = {  # by table
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
AGENT_WORDS = ("measured", "weights", "second weights", "selector")  # where words of files are in a description
RUN_WORDS = ("names", "metrics", "best", "result")


@cache
def expected(part: str) -> dict[str, Any]:
    """The results of the version that wrote the samples, by sample."""
    content: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))[part]
    return content


def in_new_words(part: str, value: Any) -> Any:
    """A value of the samples with today's words, in keys and in texts such as `left+right`."""
    words = NEW_WORDS[part]
    if isinstance(value, dict):
        return {words.get(key, key): in_new_words(part, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [in_new_words(part, inner) for inner in value]
    if isinstance(value, str):
        return words.get(value, "+".join(words.get(word, word) for word in value.split("+")))
    return value


def recipe_in_new_words(recipe: dict[str, Any]) -> dict[str, Any]:
    """The tables of a recipe with today's words."""
    updated = {}
    for section, table in recipe.items():
        words = NEW_RECIPE_WORDS.get(section, {})
        renamed = {words.get(key, key): value for key, value in table.items()} if isinstance(table, dict) else table
        if isinstance(renamed, dict) and renamed.get("fitness") == "lines-a-piece":
            renamed["fitness"] = "lines-per-piece"
        updated["validation" if section == "judge" else section] = renamed
    return updated


def parts_in_new_words(part: str, value: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The description of a sample, with today's words below these of its keys."""
    return {key: in_new_words(part, inner) if key in keys else inner for key, inner in value.items()}


def check_same(found: Any, wanted: Any, place: str = "") -> None:
    """Compare values of JSON, numbers that are not whole up to a tiny difference."""
    if isinstance(wanted, dict):
        assert isinstance(found, dict), place
        assert set(found) == set(wanted), place
        for key, inner in wanted.items():
            check_same(found[key], inner, f"{place}/{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), place
        for number, inner in enumerate(wanted):
            check_same(found[number], inner, f"{place}/{number}")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=CLOSE), place
    else:
        assert found == wanted, place


def as_json(value: Any) -> Any:
    """A value as JSON has it: lists for tuples and arrays, None for numbers that are not known."""
    if isinstance(value, dict):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [as_json(inner) for inner in value]
    if isinstance(value, np.generic):
        return as_json(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def digest(value: Any) -> str:
    """A hash of a value of JSON."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


# The package, one helper function for each part of it. Descriptions have the words of the samples.


def describe_rules(text: str) -> dict[str, Any]:
    """Every field of rules that are given as a text."""
    return asdict(tetrion.Rules.parse(text))


def describe_agent(agent: Any) -> dict[str, Any]:
    """What an agent file says, but for the rules."""
    second = agent.second_mode
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
            "modes": second and second.names,
            "second weights": second and second.weights,
            "selector": second and second.selector,
            "threshold": second and second.threshold,
        }
    )
    return described


def rules_of_agent(agent: Any) -> dict[str, Any] | None:
    """The rules that an agent was made for, if its file says so."""
    return describe_rules(agent.rules) if agent.rules else None


def load_agent(name: str) -> Any:
    """An agent of the samples; a class stands behind a colon."""
    return tetrion.load_agent(str(SAMPLES / name))


def play_games(agent: Any, rules: str, games: int, seed: int, pieces: int) -> Any:
    """An evaluation of an agent."""
    return tetrion.evaluate(agent, rules, games, seed, max_pieces=pieces, workers=1)


def describe_games(evaluation: Any) -> list[list[int]]:
    """Pieces, lines and score of every game."""
    return [[int(game[name]) for name in ("pieces", "lines", "score")] for game in evaluation.per_game]


def describe_csv(evaluation: Any) -> list[list[Any]]:
    """What a row of the bench's CSV file says of every game: its number, how it ended, and its counts."""
    from tetrion.cli.bench_results import GAME_STATUS_NAMES

    return [
        [
            int(number),
            GAME_STATUS_NAMES[int(game["status"])],
            *(int(game[name]) for name in ("pieces", "lines", "score")),
            *(int(count) for count in game["clears"]),
            int(game["frames"]),
        ]
        for number, game in zip(evaluation.numbers, evaluation.per_game, strict=True)
    ]


def describe_summary(summary: Any) -> dict[str, Any]:
    """What the bench's JSON file says of lines, score or pieces."""
    names = ("mean", "ci95", "median", "q1", "q3", "min", "max")
    described: dict[str, Any] = as_json({name: getattr(summary, name) for name in names})
    return described


def describe_evaluation(evaluation: Any, first: Any) -> dict[str, Any]:
    """What the bench's JSON file says of an agent, but for its speed."""
    difference = evaluation.difference_to(first) if first else None
    plain = ("agent", "seed", "games", "deaths", "capped", "points_per_line", "normalised_variance", "tetris_rate")
    return {
        **{name: as_json(getattr(evaluation, name)) for name in plain},
        **{name: describe_summary(getattr(evaluation, name)) for name in ("lines", "score", "pieces")},
        "difference_to_first": difference and as_json({"mean": difference.mean, "ci95": difference.ci95}),
    }


def describe_recipe(path: Path) -> dict[str, Any]:
    """Every setting of a recipe."""
    return tomllib.loads(tetrion.Recipe.load(path).to_toml())


def describe_run(folder: Path) -> dict[str, Any]:
    """What a run's folder says: its figures by generation, its last generation, its best agent and its result."""
    run = tetrion.Run(folder)
    fitness = games = None
    if run.has_population and run.generation_count:
        _, fitness, games = run.load_population(run.generation_count - 1)
    figures = [name for name in run.metrics if not name.startswith("favourite")]
    described: dict[str, Any] = as_json(
        {
            "finished": run.is_finished,
            "generations": run.generation_count,
            "names": run.parameter_names,
            "metrics": {name: run.metrics[name] for name in figures},
            "favourites": run.incumbents,
            "fitness": fitness,
            "games": games,
            "best": describe_weights(run.best_agent) if run.generation_count else None,
            "result": run.result,
        }
    )
    return described


def describe_weights(agent: Any) -> list[Any]:
    """The weights of an agent in both modes."""
    return [agent.weights, agent.second_mode and agent.second_mode.weights]


def recipe_of_run(folder: Path) -> dict[str, Any]:
    """Every setting of a run."""
    return tomllib.loads(tetrion.Run(folder).recipe.to_toml())


def resume_run(folder: Path) -> None:
    """Train to the end, although code and libraries are others now."""
    tetrion.resume(folder, workers=1, allow_other_versions=True)


def runs_of_seeds(folder: Path) -> list[str]:
    """The runs within a folder of several seeds."""
    from tetrion.training.run import find_run_folders

    return [path.name for path in find_run_folders(folder)]


def arithmetic() -> str:
    """What CMA-ES depends on to the last bit: another kind of processor has another value."""
    from tetrion.training.versions import compute_arithmetic_hash

    return compute_arithmetic_hash()


def describe_texts(folder: Path, names: tuple[str, ...]) -> list[list[float]]:
    """The last population of a folder of text files."""
    from tetrion.training.gavrilov_text_files import import_text

    population: list[list[float]] = import_text(folder, names).tolist()
    return population


def describe_replay(path: Path) -> dict[str, Any]:
    """A replay, and where it leads to."""
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
    """The rules of a replay."""
    return asdict(tetrion.Replay.load(path).rules)


def describe_settings() -> dict[str, Any]:
    """The window's settings, which could all be read, and are the same when they are written and read once more."""
    from tetrion.app.window_settings import load_settings, save_settings

    settings, problem = load_settings()
    assert not problem
    assert not save_settings(settings)
    assert load_settings() == (settings, "")
    return asdict(settings)


def describe_scores() -> dict[str, list[list[Any]]]:
    """The best scores by the text of their rules."""
    from tetrion.app.game_storage import load_best_scores

    scores, problem = load_best_scores()
    assert not problem
    return {rules: [[s.score, s.lines, s.pieces, s.date] for s in entries] for rules, entries in scores.items()}


def rules_text(text: str) -> str:
    """Rules as today's version writes them."""
    return str(tetrion.Rules.parse(text))


# The tests.


@pytest.mark.parametrize("sample", expected("rules"))
def test_rules(sample: str) -> None:
    wanted = in_new_words("rules", expected("rules")[sample])
    check_same(describe_rules(sample), wanted)
    check_same(describe_rules(rules_text(sample)), wanted)


def test_every_field_of_the_rules_is_changed_in_a_sample() -> None:
    standard, *others = expected("rules").values()
    same = {field for field in standard if all(rules[field] == standard[field] for rules in others)}
    assert not same


@pytest.mark.parametrize("sample", expected("agents"))
def test_agents(sample: str) -> None:
    wanted = expected("agents")[sample]
    agent = load_agent(f"agents/{sample}")
    if wanted["said"]:
        check_same(describe_agent(agent), parts_in_new_words("agents", wanted["said"], AGENT_WORDS))
        check_same(rules_of_agent(agent), in_new_words("rules", wanted["made_for"]))
    played = play_games(agent, wanted["rules"], len(wanted["games"]), wanted["seed"], wanted["most_pieces"])
    assert describe_games(played) == wanted["games"]


@pytest.mark.parametrize("sample", expected("recipes"))
def test_recipes(sample: str) -> None:
    check_same(describe_recipe(SAMPLES / "recipes" / sample), recipe_in_new_words(expected("recipes")[sample]))


@pytest.mark.parametrize("sample", expected("runs"))
def test_runs(sample: str) -> None:
    wanted, folder = expected("runs")[sample], SAMPLES / "runs" / sample
    check_same(describe_run(folder), parts_in_new_words("runs", wanted["read"], RUN_WORDS))
    check_same(recipe_of_run(folder), recipe_in_new_words(wanted["recipe"]))
    if wanted["played"]:
        rules, games, seed, pieces = wanted["played"]
        played = play_games(load_agent(f"runs/{sample}"), rules, len(games), seed, pieces)
        assert describe_games(played) == games


@pytest.mark.parametrize("sample", expected("runs"))
def test_resumed_runs(sample: str, tmp_path: Path) -> None:
    wanted, folder = expected("runs")[sample], tmp_path / Path(sample).name
    shutil.copytree(SAMPLES / "runs" / sample, folder)
    resume_run(folder)
    end = wanted["resumed"] or wanted["read"]  # a finished run stays as it is
    found, end = describe_run(folder), parts_in_new_words("runs", end, RUN_WORDS)
    if wanted["arithmetic"] in (None, arithmetic()):
        check_same(found, end)
    else:  # other numbers, but as many, and those from before it was stopped
        stopped = wanted["read"]["generations"]
        assert (found["finished"], found["generations"]) == (True, end["generations"])
        check_same(found["favourites"][:stopped], end["favourites"][:stopped])
        for name, column in end["metrics"].items():
            check_same(found["metrics"][name][:stopped], column[:stopped])


def test_a_finished_run_that_goes_on(tmp_path: Path) -> None:
    wanted = expected("longer")
    folder = tmp_path / "run"
    shutil.copytree(SAMPLES / "runs" / wanted["run"], folder)
    config = folder / "config.toml"
    config.write_text(config.read_text("utf-8").replace(*wanted["change"]), encoding="utf-8")
    resume_run(folder)
    check_same(describe_run(folder), parts_in_new_words("runs", wanted["resumed"], RUN_WORDS))


def test_runs_of_several_seeds() -> None:
    assert runs_of_seeds(SAMPLES / "runs" / "seeds") == ["seed-0", "seed-1"]


def test_text_files() -> None:
    wanted = expected("texts")
    check_same(describe_texts(SAMPLES / "texts", tuple(wanted["names"])), wanted["population"])


@pytest.mark.parametrize("sample", expected("replays"))
def test_replays(sample: str) -> None:
    path, wanted = SAMPLES / "replays" / sample, expected("replays")[sample]
    check_same(describe_replay(path), wanted["played"])
    check_same(rules_of_replay(path), in_new_words("rules", wanted["rules"]))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies of the samples where the window looks for its files."""
    shutil.copytree(SAMPLES / "settings", tmp_path / "window")
    for variable in ("TETRION_CONFIG_DIR", "TETRION_DATA_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "window"))
    for variable in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(variable, "dummy")


@pytest.mark.usefixtures("folders")
def test_settings() -> None:
    check_same(as_json(describe_settings()), in_new_words("settings", expected("settings")))


@pytest.mark.usefixtures("folders")
def test_best_scores() -> None:
    wanted = {rules_text(rules): scores for rules, scores in expected("scores").items()}
    check_same(describe_scores(), wanted)


@pytest.mark.parametrize("sample", expected("bench"))
def test_bench(sample: str) -> None:
    """Nothing reads these files; their numbers must come out again."""
    written = json.loads((SAMPLES / f"{sample}.json").read_text("utf-8"))
    with (SAMPLES / f"{sample}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first = None
    for entry in written:
        played = play_games(entry["agent"], entry["rules"], entry["games"], entry["seed"], expected("bench")[sample])
        found = describe_evaluation(played, first)
        check_same(found, {key: entry[key] for key in found})
        first = first or played
        counts = ("pieces", "lines", "score", "one", "two", "three", "four", "frames")
        of_games = [
            [int(row["game"]), in_new_words("bench", row["ended"]), *(int(row[name]) for name in counts)]
            for row in rows
            if row["agent"] == entry["agent"]
        ]
        assert describe_csv(played) == of_games
