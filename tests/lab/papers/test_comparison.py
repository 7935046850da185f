"""The comparison of learners: fair by its settings, and sentences that follow the numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion.evaluation import threads
from tetrion.lab.charts import Size
from tetrion.lab.papers.comparison.findings import (
    agreeing,
    choice,
    curve,
    luck,
    moved,
    no_worse,
    paired,
    table_rows,
    times,
    unlearnt,
)
from tetrion.lab.papers.comparison.paper import (
    CONSENSUS,
    CONTESTS,
    CROWD,
    EXPERT,
    HARMONY,
    NO_NOISE,
    ON_EIGHT,
    ON_FOUR,
    ONE_POINT,
    PAPER,
    Q_LEARNING,
    UNIFORM,
)
from tetrion.lab.reproduction.findings import listed
from tetrion.lab.reproduction.measuring import Laboratory, Training
from tetrion.lab.reproduction.reproducing import Reproduction
from tetrion.lab.reproduction.statistics import rank_correlation
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.recipe import Q_LEARNING as BY_Q_LEARNING
from tetrion.training.recipe import Recipe

SEEDS = (0.95, 1.0, 1.05, 0.97, 1.03)  # of the mean


def made_up(lines: Mapping[str, float] | None = None, judged: Sequence[float] = (10, 100, 90)) -> dict[str, Any]:
    """Results of every learner; those who are not named clear 100 lines."""
    known = {} if lines is None else lines
    return {
        f"{contest.name}-{row.training}": {
            "runs": [run_of(known, share, judged, row.training) for share in SEEDS],
            "time": {"seconds": [2.0]},
        }
        for contest in CONTESTS
        for row in contest.rows.values()
    }


def run_of(lines: Mapping[str, float], share: float, judged: Sequence[float], training: str) -> dict[str, Any]:
    by_name = {row.training: name for name, row in ON_FOUR.rows.items() if not row.member}
    crowd = {row.member: share * lines.get(name, 100) for name, row in ON_FOUR.rows.items() if row.member}
    mean = share * lines.get(by_name.get(training, ""), 100)
    return {
        "result": {"as_played": {"lines": {"mean": mean}}, "crowd": crowd | {"average expert": 50 * share}},
        "metrics": {
            "pieces": [0.4 * ON_FOUR.pieces, 0.3 * ON_FOUR.pieces, 0.31 * ON_FOUR.pieces],
            "judged": list(judged),
        },
    }


def recipes(quick: bool) -> dict[str, Recipe]:
    trainings = [measurement for measurement in PAPER.measurements if isinstance(measurement, Training)]
    return {training.name: Recipe.load(training.recipe, training.plan(quick)[1]) for training in trainings}


@pytest.mark.parametrize("quick", [False, True])
def test_everybody_has_the_same_features_games_budget_and_judge(quick: bool) -> None:
    for contest in CONTESTS:
        mine = {name: recipe for name, recipe in recipes(quick).items() if name.startswith(f"{contest.name}-")}
        assert {name.partition("-")[2] for name in mine} == {row.training for row in contest.rows.values()}
        evolving = [recipe for recipe in mine.values() if recipe.learner != BY_Q_LEARNING]
        assert {recipe.rules for recipe in mine.values()} == {"standard-10x10"}
        assert {(recipe.agent, recipe.games, recipe.stop) for recipe in evolving} == {
            (evolving[0].agent, evolving[0].games, evolving[0].stop)
        }
        assert evolving[0].agent.features == tuple(contest.features)
        budget = contest.quick if quick else contest.pieces
        assert evolving[0].stop.pieces == budget
        assert [r.settings.budget for r in mine.values() if r.learner == BY_Q_LEARNING] in ([], [budget])
        judges = [{key: value for key, value in asdict(r.judge).items() if key != "every"} for r in mine.values()]
        assert all(judge == judges[0] for judge in judges)


def test_a_favourite_is_judged_for_every_hundred_candidates() -> None:
    for recipe in recipes(quick=False).values():
        size = getattr(recipe.settings, "population", 40)  # harmony tries its memory and as many more
        if recipe.learner != BY_Q_LEARNING:
            assert recipe.judge.every == 100 // size


def test_a_ratio_says_what_it_can() -> None:
    few, many = np.array([100.0, 101.0, 99.0]), np.array([200.0, 202.0, 198.0])
    assert math.isclose(times(many, few).value or 0, 2)
    assert times(many, few).interval[0] > 1.9
    assert times(many[:2], few).ci95 is None
    assert paired(many, few).interval == pytest.approx((2, 2))
    assert paired(few, np.zeros(3)).value is None


def test_verdicts_follow_the_numbers() -> None:
    def row(results: Mapping[str, Any], claim: str) -> tuple[str, str]:
        rows = {row.claim: row for row in Reproduction(PAPER, 1, False, results, {}).rows}
        return rows[claim].verdict, rows[claim].ours

    worst = "one-point is the worst of four crossovers, four features"
    assert row(made_up({ONE_POINT: 40}), worst)[0] == "agrees"
    verdict, ours = row(made_up(), worst)
    assert verdict == "differs"
    assert "no difference found" in ours
    verdict, ours = row(made_up({ONE_POINT: 200}), worst)
    assert verdict == "differs"
    assert "fewer" in ours
    crowd = "a crowd is better than its average expert, eight features"
    assert row(made_up(), crowd)[0] == "agrees"
    assert row(made_up({CROWD: 30}), crowd)[0] == "differs"
    expert = "in some runs an expert is better than the crowd, eight features"
    assert row(made_up({EXPERT: 101}), expert) == ("agrees", "in 5 of 5 runs")
    assert row(made_up({EXPERT: 99}), expert)[0] == "differs"


def test_as_good_means_not_known_to_be_worse() -> None:
    same, worse, better = ({HARMONY: lines} for lines in (100, 60, 150))
    found = [no_worse(ON_FOUR, HARMONY, UNIFORM)(made_up(lines)).holds for lines in (same, worse, better)]
    assert found == [True, False, True]


def test_who_ends_with_less_than_half_has_unlearnt() -> None:
    assert unlearnt(ON_FOUR, Q_LEARNING)(made_up(judged=(10, 100, 49))).holds
    assert not unlearnt(ON_FOUR, Q_LEARNING)(made_up(judged=(10, 100, 51))).holds


def test_the_choice_names_who_cannot_be_told_apart() -> None:
    alone = choice(ON_FOUR, made_up({UNIFORM: 300}))
    assert alone.startswith("With four features genetic (uniform) clears the most lines (300 ")
    assert alone.endswith("more than every other.")
    some = choice(ON_FOUR, made_up({UNIFORM: 300, HARMONY: 299}))
    assert "no difference to it was found for harmony search, while" in some
    assert some.endswith("clear fewer.")
    assert choice(ON_FOUR, made_up()).count("fewer") == 0


def test_luck_and_features_in_sentences() -> None:
    results = made_up({UNIFORM: 300, HARMONY: 50})
    assert "the best learner's mean is 6.00 times that of the worst" in luck(ON_FOUR, results)
    assert "1.11 times the lines of its worst" in luck(ON_FOUR, results)
    assert "is much the same: the rank correlation is 1.00" in moved(ON_FOUR, ON_EIGHT, results)
    assert rank_correlation(np.array([1, 2, 3]), np.array([30, 20, 10])) == pytest.approx(-1)
    assert "no difference was found" in agreeing(ON_FOUR, made_up(), CONSENSUS, CROWD)
    assert "it clears more lines" in agreeing(ON_FOUR, made_up({CONSENSUS: 130}), CONSENSUS, CROWD)
    assert "it clears fewer lines" in agreeing(ON_FOUR, made_up({CONSENSUS: 70}), CONSENSUS, CROWD)
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a"]) == "a"


def test_the_table_tells_what_was_used() -> None:
    rows = {row[0]: row for row in table_rows(ON_FOUR, made_up({UNIFORM: 200}))}
    assert next(iter(rows)) == UNIFORM
    assert rows[NO_NOISE][2:7] == ["95.0", "105", f"{1.01 * ON_FOUR.pieces:,.0f}", "1 %", "3"]


def test_a_curve_is_the_last_judged_favourite() -> None:
    metrics: dict[str, list[float | None]] = {"pieces": [10.0, 10.0, 10.0, 10.0], "judged": [None, 5.0, math.nan, 7.0]}
    assert curve(metrics, [5, 20, 39, 40]).tolist()[1:] == [5, 5, 7]
    assert math.isnan(curve(metrics, [5])[0])


def test_every_figure_can_be_drawn() -> None:
    for drawing in PAPER.figures:
        assert drawing.draw(made_up({UNIFORM: 3000}), Size(560, 360)).axes


def test_a_learner_is_trained_and_read(tmp_path: Path) -> None:
    training = next(one for one in PAPER.measurements if one.name == "four-crowds")
    assert isinstance(training, Training)
    small = Training(
        training.name, training.recipe, 3, changes=(*training.plan(True)[1], "stop.pieces=3000", "final=5")
    )
    with threads(2) as team:
        found = small.take(Laboratory(tmp_path / "measurements", 1, False, team, Watcher()))
    results = {training.name: found}
    assert len(ON_FOUR.lines(results, CROWD)) == 3
    assert ON_FOUR.lines(results, CROWD, CONSENSUS).shape == (6,)
    assert all(sum(run["metrics"]["pieces"]) >= 3000 for run in found["runs"])
