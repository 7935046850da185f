"""Tests of the claims of Hindi et al.: each check holds, does not hold and is undecided for suitable results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.papers.hindi_runs import (
    FALLING,
    FLAT,
    OUTCOMES,
    RISING,
    Scores,
    add_lines,
    make_curves,
    make_run,
    make_runs,
    spread,
)
from tetrion.evaluation.workers import start_threads
from tetrion.lab.papers.hindi.hindi_comparisons import (
    check_harmony_search,
    check_reinforcement_learning,
    check_removed_features,
    check_summed_games,
)
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    FIGURE_7_CONFIGURATION,
    HINDI_PUBLISHED_FIGURES,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    SIGNED_CONFIGURATIONS,
    STRONG_SCORE,
    SWAP_CONFIGURATIONS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
)
from tetrion.lab.papers.hindi.hindi_evolution import (
    check_best_score_drops,
    check_first_generations,
    check_larger_populations,
    check_late_improvement,
    check_luck_explains_swings,
    check_most_improve,
    check_signed_mutation_improves,
    check_signed_mutation_strength,
    check_signed_mutation_trend,
    check_steadiest_configuration,
    check_success,
    has_late_climb,
    make_drop_check,
)
from tetrion.lab.papers.hindi.hindi_figures import format_command
from tetrion.lab.papers.hindi.hindi_games import (
    REMOVED_WEIGHTS,
    measure_first_generations,
    measure_weight_removal,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    FEATURE_REMOVAL_TRAININGS,
    SUMMED_GAMES_TRAININGS,
)
from tetrion.lab.papers.hindi.hindi_published_agents import (
    check_height_outweighs_lines,
    check_lookahead_agents,
    check_negative_line_weights,
    check_scores_are_sums,
    check_strongest_agent,
    make_last_generation_reader,
    make_weight_reader,
)
from tetrion.lab.papers.hindi.hindi_training_effects import (
    check_crossover_influence,
    check_lookahead_average,
    check_lookahead_scores,
    check_settings_influence,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.lab.reproduction.published_values import PublishedSample, Verdict


def make_grid(scores: Mapping[int, Scores]) -> dict[str, Any]:
    """Return results of all configurations, with held-out scores by population size."""
    return {configuration.name: make_runs(scores[configuration.population]) for configuration in CONFIGURATION_GRID}


@pytest.mark.parametrize(
    ("scores", "expected"), list(zip(([2e4] * 16, [5e3] * 16, [5e3, 2e4] * 8), OUTCOMES, strict=True))
)
def test_success_needs_decent_agents_in_most_runs(scores: Scores, expected: bool | None) -> None:
    results = {row.configuration.name: make_runs(scores) for row in TABLE_I_AGENTS}
    assert check_success(results).holds is expected


@pytest.mark.parametrize(("counts", "expected"), list(zip(([3] * 100, [2] * 100, [2, 3] * 50), OUTCOMES, strict=True)))
def test_a_few_decent_agents_are_three(counts: Sequence[int], expected: bool | None) -> None:
    results = {"first-generations": {"decent": dict.fromkeys(("20", "50", "100"), counts)}}
    assert check_first_generations(results).holds is expected


def test_first_generations_are_counted(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        decent = measure_first_generations(MeasurementContext(tmp_path, 1, True, workers))["decent"]
    assert [len(counts) for counts in decent.values()] == [20, 20, 20]
    assert sum(decent["20"]) < sum(decent["50"]) < sum(decent["100"])


DROPPING = [9, 4, 9, 9]


@pytest.mark.parametrize(
    ("curves", "expected"), list(zip(([DROPPING] * 16, [FLAT] * 16, [DROPPING, FLAT] * 8), OUTCOMES, strict=True))
)
def test_drops_must_occur_in_most_runs(curves: Sequence[Scores], expected: bool | None) -> None:
    results = {configuration.name: make_curves(curves) for configuration, _ in HINDI_PUBLISHED_FIGURES.values()}
    assert check_best_score_drops(results).holds is expected
    assert make_drop_check("other")({"other": make_curves(curves)}).holds is expected


@pytest.mark.parametrize(("change", "expected"), list(zip((1.0, 8.0, 4.0), OUTCOMES, strict=True)))
def test_luck_explains_swings_if_more_games_make_them_smaller(change: float, expected: bool | None) -> None:
    def make_swings(size: float) -> dict[str, Any]:
        return make_curves(
            [[100 + size * (-1) ** number * (1 + seed / 4) for number in range(25)] for seed in range(4)]
        )

    results = {MAIN_CONFIGURATION.name: make_swings(4), "luck": make_swings(change)}
    assert check_luck_explains_swings(results).holds is expected


@pytest.mark.parametrize(("large", "expected"), list(zip((5e4, 2e5, 1e5), OUTCOMES, strict=True)))
def test_larger_populations(large: float, expected: bool | None) -> None:
    assert check_larger_populations(make_grid({20: spread(1e5), 50: spread(1e5), 100: spread(large)})).holds is expected


@pytest.mark.parametrize(
    ("main", "others", "expected"),
    [([RISING], [FALLING], True), ([FALLING], [RISING], False), ([RISING, FLAT], [RISING, FLAT], None)],
)
def test_steadiest_configuration(main: list[Scores], others: list[Scores], expected: bool | None) -> None:
    curves = {MAIN_CONFIGURATION: main}
    results = {
        configuration.name: make_curves(curves.get(configuration, others) * 4) for configuration in CONFIGURATION_GRID
    }
    assert check_steadiest_configuration(results).holds is expected


@pytest.mark.parametrize(
    ("curves", "expected"), list(zip(([RISING] * 16, [FALLING] * 16, [RISING, FALLING] * 8), OUTCOMES, strict=True))
)
def test_most_combinations_improve(curves: Sequence[Scores], expected: bool | None) -> None:
    results = {configuration.name: make_curves(curves) for configuration in CONFIGURATION_GRID}
    assert check_most_improve(results).holds is expected


def test_signed_mutations_improve_in_every_run() -> None:
    results = {configuration.name: make_curves([RISING] * 4) for configuration in SIGNED_CONFIGURATIONS}
    assert check_signed_mutation_improves(results).holds
    results[SIGNED_CONFIGURATIONS[0].name] = make_curves([RISING, FALLING])
    assert check_signed_mutation_improves(results).holds is False


@pytest.mark.parametrize(("first", "expected"), list(zip((200, 50, 100), OUTCOMES, strict=True)))
def test_signed_configurations_are_compared_by_seed(first: float, expected: bool | None) -> None:
    noise = [(-1) ** seed for seed in range(8)]
    results = {
        SIGNED_CONFIGURATIONS[1].name: make_runs([first + change for change in noise]),
        SIGNED_CONFIGURATIONS[2].name: make_runs([100.0] * 8),
    }
    assert check_signed_mutation_strength(results).holds is expected


def test_signed_trends_are_compared() -> None:
    steady, stagnant = make_curves([RISING] * 3), make_curves([FLAT] * 3)
    names = [SIGNED_CONFIGURATIONS[2].name, SIGNED_CONFIGURATIONS[1].name]
    assert check_signed_mutation_trend(dict(zip(names, (steady, stagnant), strict=True))).holds
    assert check_signed_mutation_trend(dict(zip(names, (stagnant, steady), strict=True))).holds is False


LATE_CLIMB = [1.0] * 8 + list(range(1000, 18_000, 1000))


def test_late_climb_begins_with_the_ninth_generation() -> None:
    assert has_late_climb(make_run(LATE_CLIMB, 20_000))
    assert not has_late_climb(make_run(LATE_CLIMB, 9_000))
    assert not has_late_climb(make_run([1.0] * 5 + [5000.0] + LATE_CLIMB[6:], 20_000))


@pytest.mark.parametrize(("late", "expected"), list(zip((50, 0, 5), OUTCOMES, strict=True)))
def test_late_climbs_must_occur_in_one_of_twenty_runs(late: int, expected: bool | None) -> None:
    runs = [make_run(LATE_CLIMB if number < late else FLAT, 20_000) for number in range(100)]
    assert check_late_improvement({FIGURE_7_CONFIGURATION.name: {"runs": runs}}).holds is expected


def make_lookahead_results(lookahead: Scores, single: Scores) -> dict[str, Any]:
    """Return results of the configurations with the next piece and without; scores are also the last averages."""
    trainings = {}
    for configuration in LOOKAHEAD_CONFIGURATIONS:
        for each, scores in ((configuration, lookahead), (configuration._replace(kind="one-gene"), single)):
            trainings[each.name] = {"runs": [make_run([0, score], score) for score in scores]}
    return trainings


@pytest.mark.parametrize(("lookahead", "expected"), list(zip((2e5, 5e4, 1e5), OUTCOMES, strict=True)))
def test_lookahead_must_raise_the_average(lookahead: float, expected: bool | None) -> None:
    results = make_lookahead_results(spread(lookahead), spread(1e5)[::-1])
    assert check_lookahead_average(results).holds is expected


@pytest.mark.parametrize(("lookahead", "expected"), list(zip((2e5, 1.1e5, 1.25e5), OUTCOMES, strict=True)))
def test_markedly_better_is_a_quarter_more(lookahead: float, expected: bool | None) -> None:
    results = make_lookahead_results(spread(lookahead), spread(1e5)[::-1])
    assert check_lookahead_scores(results).holds is expected


def make_published(means: Sequence[float], margin: float = 100) -> dict[str, Any]:
    """Return the results of the published agents with these means."""
    rows = (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    return {
        "published": {
            row.agent: {"mean": mean, "ci95": [mean - margin, mean + margin], "games": 10}
            for row, mean in zip(rows, means, strict=True)
        }
    }


def test_published_lookahead_agents_are_compared() -> None:
    assert check_lookahead_agents(make_published([1000] * 4 + [5000] * 3)).holds
    assert check_lookahead_agents(make_published([1000] * 7)).holds is False
    assert check_lookahead_agents(make_published([1000] * 4 + [1250] * 3)).holds is None


@pytest.mark.parametrize(
    ("means", "expected"), list(zip(([1, 2, 9e3, 3], [1, 9e3, 2, 3], [1e4] * 4), OUTCOMES, strict=True))
)
def test_strongest_agent_is_that_of_row_three(means: Sequence[float], expected: bool | None) -> None:
    assert check_strongest_agent(make_published([*means, 0, 0, 0])).holds is expected


@pytest.mark.parametrize(("fitting_count", "expected"), list(zip((5, 1, 0), OUTCOMES, strict=True)))
def test_scores_are_sums_if_more_of_them_fit(fitting_count: int, expected: bool | None) -> None:
    def make_range(row: Any, count: int) -> dict[str, float]:
        fits = count == fitting_count
        return {"low": row.score - 1 if fits else -2, "high": row.score + 1 if fits else -1}

    published = {
        row.agent: {"best": {str(count): make_range(row, count) for count in (1, 2, 3, 5)}}
        for row in (*TABLE_I_AGENTS, *TABLE_II_AGENTS)
    }
    assert check_scores_are_sums({"published": published}).holds is expected


def add_weights(training: dict[str, Any], weights: Mapping[str, Scores]) -> dict[str, Any]:
    """Add the weights of the last incumbents to the runs of a training."""
    for number, run in enumerate(training["runs"]):
        run["metrics"] |= {f"incumbent {name}": [0.0, values[number]] for name, values in weights.items()}
    return training


@pytest.mark.parametrize(
    ("lines", "expected"), list(zip(([-1.0] * 10, [1.0] * 10, [-1.0, 1.0] * 5), OUTCOMES, strict=True))
)
def test_lines_weights_of_strong_agents(lines: Scores, expected: bool | None) -> None:
    other = [-0.5] * 10
    weights = {"bumpiness": other, "holes": other, "aggregate_height": other, "full_rows": lines}
    strong = {row.configuration.name: add_weights(make_curves([[0, 30_000]] * 10), weights) for row in TABLE_I_AGENTS}
    assert check_negative_line_weights(strong).holds is expected
    assert make_weight_reader("holes", "aggregate_height")(strong).interval == pytest.approx((-1, -1))


@pytest.mark.parametrize(("height", "expected"), list(zip((9, 1, 4), OUTCOMES, strict=True)))
def test_far_greater_impact_is_twice_the_change(height: float, expected: bool | None) -> None:
    noise = np.array([1, -1] * 50)
    changes = dict(zip(REMOVED_WEIGHTS, ((height + noise).tolist(), [2.0] * 100), strict=True))
    assert check_height_outweighs_lines({"weights-set-to-zero": {"changes": changes}}).holds is expected


def test_weights_are_set_to_zero(tmp_path: Path) -> None:
    with start_threads(1) as workers:
        removal = measure_weight_removal(MeasurementContext(tmp_path, 1, True, workers))
    means = removal["means"]["hindi-3"]
    assert means["all"] > means["full_rows"]
    assert means["all"] > means["aggregate_height"]
    assert np.mean(removal["changes"]["aggregate_height"]) > 0


def test_range_of_runs_needs_39_runs() -> None:
    row = TABLE_I_AGENTS[2]
    reader = make_last_generation_reader(row)
    few, many = (reader({row.configuration.name: make_curves([[0, row.score]] * count)}) for count in (38, 39))
    published = PublishedSample(value=row.score)
    assert published.compare(few).verdict == Verdict.UNDECIDED
    assert "needs at least 39" in published.compare(few).reason
    assert published.compare(many).verdict == Verdict.AGREES


@pytest.mark.parametrize(("other", "expected"), list(zip((5e4, 2e5, 1e5), OUTCOMES, strict=True)))
def test_crossovers_are_compared_by_seed(other: float, expected: bool | None) -> None:
    runs = add_lines({name: make_runs(spread(other)[::-1]) for name in ("crossover-uniform", "crossover-one-point")})
    assert check_crossover_influence({MAIN_CONFIGURATION.name: make_runs(spread(1e5)), **runs}).holds is expected


def test_influence_of_settings() -> None:
    by_population = {20: [1.0] * 4, 50: [50.0] * 4, 100: [99.0] * 4}
    assert check_settings_influence(make_grid(by_population)).holds
    by_seed = {size: [1.0, 50, 99, 150] for size in by_population}
    assert check_settings_influence(make_grid(by_seed)).holds is False
    assert (
        check_settings_influence(make_grid({size: scores[:1] for size, scores in by_population.items()})).holds is None
    )


@pytest.mark.parametrize(("genetic", "expected"), list(zip((2e5, 5e4, 1e5), OUTCOMES, strict=True)))
def test_other_learners_are_compared(genetic: float, expected: bool | None) -> None:
    learners = add_lines({MAIN_CONFIGURATION.name: make_runs(spread(genetic)), "harmony": make_runs(spread(1e5))})
    assert check_harmony_search(learners).holds is expected
    q_learning = {"score": {"played": 1e5, "played_ci95": [0.9e5, 1.1e5]}, "games": 9}
    assert check_reinforcement_learning({**learners, "reinforcement": q_learning}).holds is expected
    five, one = SUMMED_GAMES_TRAININGS["hindi"]
    games = {five: make_runs(spread(genetic)), one: make_runs(spread(1e5)[::-1])}
    assert check_summed_games(games).holds is expected
    removals = {name: make_runs(spread(1e5)[::-1]) for name in FEATURE_REMOVAL_TRAININGS.values()}
    removals[FEATURE_REMOVAL_TRAININGS["full_rows"]] = make_runs(spread(genetic))
    assert check_removed_features({**learners, **add_lines(removals)}).holds is expected


def test_commands_change_only_what_differs_from_the_recipe() -> None:
    assert format_command(MAIN_CONFIGURATION.make_training(1, 1)) == "tetrion train hindi-one-game"
    assert format_command(LOOKAHEAD_CONFIGURATIONS[0].make_training(1, 1)) == "tetrion train hindi-lookahead-one-game"
    assert format_command(SWAP_CONFIGURATIONS[1].make_training(1, 1)) == (
        "tetrion train hindi-one-game --set genetic.mutation=swap --set genetic.mutation_rate=0.01"
    )


def test_strong_agents_are_those_of_table_i() -> None:
    assert STRONG_SCORE == 26_260
