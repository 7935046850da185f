"""The record: results that a GPU measured, the README's tables, and the words of the page that stand for numbers."""

import json

import pytest

from benchmarks.paper_tables import RECORD_AGENTS, RECORD_COMPARISON, format_record
from benchmarks.papers import RESULTS_FOLDER, load_saved
from benchmarks.record_runs import DEFAULT_FILE, format_runs
from tetrion.papers.measured_values import MeasuredValue
from tetrion.papers.record import measure as record
from tetrion.papers.reproduction import Reproduction


@pytest.fixture(scope="module")
def saved() -> Reproduction:
    return load_saved("record")


def make_games(lines: float) -> dict[str, object]:
    return {"method": "splitting", "pieces_played": 1e6, "lines": {"mean": lines, "ci95": [0.9 * lines, 1.1 * lines]}}


def test_games_of_several_runs_are_joined_by_their_deaths() -> None:
    runs = record.games_on_gpu("tetrion-1")
    joined = record.whole_games("tetrion-1")
    assert joined.value == pytest.approx(sum(run["mean"] * run["deaths"] for run in runs) / 461)
    assert (str(joined), joined.basis) == ("510 −44 +50 M", "461 deaths; censored mean")


def test_factors_of_agents_are_relative_to_dt20() -> None:
    groups = {"dt20": {"10x10": make_games(50), "10x20": make_games(200)}, "du": {"10x20": make_games(100)}}
    own = {"10x10_10x10": make_games(150), "10x20": make_games(800)}
    rows = {row["agent"]: row for row in record.agents(own, **groups)}
    assert list(rows) == ["tetrion-1-10x10", "tetrion-1", "dt20", "du"]
    assert rows["tetrion-1-10x10"]["ten_factor"].value == pytest.approx(3)
    assert (rows["tetrion-1-10x10"]["twenty"], rows["du"]["deaths"]) == ("–", "–")
    assert rows["tetrion-1"]["twenty_factor"].value == pytest.approx(4)
    assert (str(rows["dt20"]["twenty_factor"]), rows["dt20"]["deaths"]) == ("1", 437)


def test_ablations_are_compared_with_the_run_that_has_everything() -> None:
    whole, *without = record.ablations()
    assert (whole["ratio"], len(without)) == ("1", 9)
    assert without[0]["without"] == "`surface_of_five`"
    assert without[-1]["without"] == "stages by free rows and rows with holes"
    assert all(row["ratio"].value < 1 for row in without)


def test_saved_training_runs_are_in_the_form_of_their_command() -> None:
    text = DEFAULT_FILE.read_text("utf-8")
    runs = json.loads(text)["runs"]
    assert format_runs(runs) == text
    assert len(runs) == len(record.training_runs()) + len(record.ablations()) - 1
    assert all(("lines_per_death" in run) != bool(run["changes"]) for run in runs)
    assert str(record.training_runs("record-two-pieces")[0]["lines"]).startswith("153,646")


def test_learner_example_has_the_mean_of_its_results() -> None:
    files = (RESULTS_FOLDER.parent / "learners").glob("afterstate-td-standard-10x10-20000000-*.json")
    means = [json.loads(file.read_text("utf-8"))["mean"] for file in files]
    assert record.independent_games("SiLU network", "10x10").value == pytest.approx(sum(means) / len(means), abs=1)


def test_words_of_the_page_agree_with_its_values(saved: Reproduction) -> None:
    """“about 500 million”, “eight to nine times”, “about 17,400”, “about twice”, “more than a billion pieces”."""
    games, split = (saved.evaluate(text) for text in ("whole_games('tetrion-1')", "mean_lines(tetrion_1_10x20)"))
    assert round(games.value, -8) == round(split.value, -8) == 5e8
    assert games.interval[0] * 2.5 > 1e9
    assert round(saved.evaluate("mean_lines(tetrion_1_10x10_10x10)").value, -2) == 17_400
    factors = [saved.evaluate(saved.paper.get_claim(name).measured[0]) for name in ("dt20-games", "dt20-splitting")]
    assert [round(factor.value) for factor in factors] == [8, 9]
    assert [round(row["factor"].value) for row in saved.evaluate(RECORD_COMPARISON)] == [2, 2]


def test_readme_has_tables_from_the_saved_values(saved: Reproduction) -> None:
    tables = format_record({"record": json.loads((RESULTS_FOLDER / "record.json").read_text("utf-8"))})
    rows: list[dict[str, MeasuredValue]] = saved.evaluate(RECORD_AGENTS)
    assert f"| `tetrion-1` | – | – | {rows[1]['twenty']} | {rows[1]['twenty_factor']} |" in tables
