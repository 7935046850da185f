"""Tests of the sentences about the result of a run, which the window, the report and `tetrion train` share."""

import json
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_runner import tetrion_here
from tests.lab.small_runs import render_report_without_pictures, train_small_run
from tetrion.evaluation.number_format import format_number
from tetrion.lab.run_summary import (
    describe_best_in_training,
    describe_held_out_games,
    describe_repeated_measurement,
    describe_selection,
    find_best_in_training,
    format_best_in_training,
    format_uncapped_estimate,
    list_attack_rates,
)
from tetrion.lab.training_report import describe_result, format_bench_command
from tetrion.training.run import RESULT_FILE, Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a finished run."""
    return train_small_run(tmp_path_factory.mktemp("runs") / "small")


def change_result(run: Run, **changes: Any) -> dict[str, Any]:
    """Return the result of a run with changed values."""
    assert run.result is not None
    return {**run.result, **changes}


def with_held_out_lines(run: Run, mean: float) -> dict[str, Any]:
    """Return the result of a run with another mean number of lines."""
    uncorrected = json.loads((run.folder / RESULT_FILE).read_text("utf-8"))["uncorrected"]
    uncorrected["lines"]["mean"] = mean
    return change_result(run, uncorrected=uncorrected)


def test_best_in_training_is_the_highest_fitness_of_all_generations(run: Run) -> None:
    best = find_best_in_training(run)
    highest = max(float(run.load_population(number).fitness.max()) for number in range(run.generation_count))
    assert best.fitness == highest
    assert float(run.load_population(best.step - 1).fitness.max()) == highest
    assert best.max_pieces == run.metrics["max_pieces"][best.step - 1]


def test_best_in_training_is_called_luck_only_if_it_exceeds_the_result(run: Run) -> None:
    best = find_best_in_training(run)
    above = describe_best_in_training(run, with_held_out_lines(run, best.fitness + 1))
    assert above == (
        f"The best in training, {best.fitness:.0f} lines in generation {best.step}, was measured on 1 game, "
        f"capped at {best.max_pieces} pieces."
    )
    below = describe_best_in_training(run, with_held_out_lines(run, best.fitness - 1), with_value=False)
    assert below == (
        "The best in training is the highest of all candidates, each measured on 1 game, so it is partly luck."
    )


def test_selection_names_the_agent_that_is_kept_and_the_reason(run: Run) -> None:
    finalists = {"generation 1": 3.0, "generation 3": 2.0}
    assert describe_selection(run, change_result(run, origin="generation 1", finalists=finalists)) == (
        "The agent of generation 1 is kept: of 2 finalists, selected by validation games, it scored best in 5 further "
        "games."
    )
    one = {"crowd (mean)": 3.0}
    assert describe_selection(run, change_result(run, origin="crowd (mean)", finalists=one)) == (
        "The crowd (mean) is kept: it scored best in the validation games."
    )


@pytest.mark.parametrize(
    ("changes", "unit", "games"),
    [
        (("games.fitness=lines-per-piece",), "lines per piece", "1 game"),
        (("games.fitness=hazard",), "lines per death", "1 game"),
        (("games.count=2", "games.sum_games=true"), "lines in 2 games", "2 games"),
        (("games.halving_rounds=1", "games.fitness=score"), "points", "1 to 2 games"),
    ],
)
def test_best_in_training_has_the_unit_of_the_fitness(
    tmp_path: Path, changes: tuple[str, ...], unit: str, games: str
) -> None:
    run = train_small_run(tmp_path / "run", generations=1, extra_changes=changes)
    assert run.result is not None
    assert format_best_in_training(run, find_best_in_training(run)).endswith(f" {unit}")
    assert f"measured on {games}" in describe_best_in_training(run, run.result)


def test_report_and_command_line_explain_the_result_with_the_same_words(tmp_path: Path) -> None:
    settings = ["--set", "population=6", "--set", "generations=2", "--set", "validation.final_games=5"]
    output = tetrion_here("train", "gavrilov", "--out", str(tmp_path / "run"), *settings).stdout
    run = Run(tmp_path / "run")
    page = render_report_without_pictures(run).decode()
    assert run.result is not None
    printed = " ".join(output.split())
    shown = " ".join(page.split())
    for sentence in (describe_selection(run, run.result), describe_best_in_training(run, run.result)):
        assert sentence in printed
        assert sentence in shown
    assert describe_held_out_games(run, run.result) in unescape(run._repr_html_())
    assert "Result on 5 held-out games" in printed
    assert "Result on 5 held-out games" in shown


def test_report_says_which_mean_the_command_prints(run: Run) -> None:
    assert run.result is not None
    held_out = {**run.result["held_out"], "games": 300, "capped": 286}
    held_out["lines"] = {**held_out["lines"], "mean": 133480.0, "ci95": [80000.0, 250000.0]}
    uncorrected = {**run.result["uncorrected"], "lines": {"mean": 6229.0, "ci95": [6135.0, 6323.0]}}
    capped = change_result(run, held_out=held_out, uncorrected=uncorrected)
    sentence = describe_repeated_measurement(capped, "lines")
    assert sentence == (
        "As the mean, this command prints the estimate without the cap, 133,480 −53,480 +116,520 lines per game; the "
        "mean above, 6,229 ± 94, which the command prints as “uncorrected mean”, is lower because it counts capped "
        "games (286 of 300) as if they had ended at the limit."
    )
    held_out["capped"] = 0
    assert describe_repeated_measurement(capped, "lines") == ""


def test_report_explains_the_command_below_it(run: Run) -> None:
    assert run.result is not None
    page = render_report_without_pictures(run).decode()
    sentence = describe_repeated_measurement(run.result, "lines")
    assert sentence
    assert sentence in page
    bench = tetrion_here(*shlex.split(format_bench_command(run, run.result["held_out"]))[1:]).stdout
    assert format_uncapped_estimate(run.result["held_out"], "lines") in bench
    assert f"uncorrected mean: {format_number(run.result['uncorrected']['lines']['mean'])} lines" in bench


def test_attack_and_spins_of_a_modern_run_are_listed(run: Run) -> None:
    assert run.result is not None
    assert list_attack_rates(run.result) == {}
    rates = {
        "attack per piece": {"mean": 0.25, "ci95": [0.2, 0.3]},
        "spin doubles": {"mean": 12.0, "ci95": None},
        "perfect clears": {"mean": 0.0, "ci95": [0.0, 0.0]},
    }
    held_out = {**run.result["held_out"], "modern": rates}
    assert list_attack_rates({"held_out": held_out}) == {
        "attack per piece": "0.25 ± 0.05",
        "spin doubles per 1,000 pieces": "12.0",
    }
    details = describe_result(run, change_result(run, held_out=held_out))["details"]
    assert details["Attack per piece"] == "0.25 ± 0.05"
