"""Tests of the sentences about the result of a run, which the window, the report and `tetrion train` share."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.lab.small_runs import render_report_without_pictures, train_small_run
from tetrion.cli.train_command import print_training_result
from tetrion.lab.run_summary import (
    describe_best_in_training,
    describe_held_out_games,
    describe_repeated_measurement,
    describe_selection,
    find_best_in_training,
    format_best_in_training,
    list_attack_rates,
)
from tetrion.lab.training_report import describe_result
from tetrion.training.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a finished run."""
    return train_small_run(tmp_path_factory.mktemp("runs") / "small")


def change_result(run: Run, **changes: Any) -> dict[str, Any]:
    """Return the result of a run with changed values."""
    assert run.result is not None
    return {**run.result, **changes}


def test_best_in_training_is_the_highest_fitness_of_all_generations(run: Run) -> None:
    best = find_best_in_training(run)
    highest = max(float(run.load_population(number).fitness.max()) for number in range(run.generation_count))
    assert best.fitness == highest
    assert float(run.load_population(best.step - 1).fitness.max()) == highest
    assert best.max_pieces == run.metrics["max_pieces"][best.step - 1]


@pytest.mark.parametrize(
    ("changes", "unit", "games"),
    [
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


def test_report_and_command_line_explain_the_result_with_the_same_words(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    print_training_result(run)
    page = render_report_without_pictures(run).decode()
    assert run.result is not None
    printed = " ".join(capsys.readouterr().out.split())
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
