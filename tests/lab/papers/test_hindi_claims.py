"""Tests of the claims of Hindi et al.: each check holds, does not hold and is undecided for suitable results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
)
from tetrion.lab.papers.hindi.hindi_evolution import (
    check_first_generations,
    check_fluctuations,
    check_late_improvement,
    check_most_improve,
    check_signed_mutation_improves,
    check_signed_mutation_strength,
    check_signed_mutation_trend,
    check_spikes,
    check_steadiest_configuration,
    check_success,
    check_success_with_five_games,
    has_late_climb,
    is_better_than_first_generation,
    make_figures_drop_check,
)
from tetrion.lab.papers.hindi.hindi_figures import format_command
from tetrion.lab.papers.hindi.hindi_games import (
    measure_first_generations,
)
from tetrion.lab.papers.hindi.hindi_measurements import (
    FEATURE_REMOVAL_TRAININGS,
    FIVE_GAMES_LOOKAHEAD_TRAINING,
    FIVE_GAMES_TRAINING,
    SHARED_PIECES_VARIANT,
    SUMMED_GAMES_TRAININGS,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_populations import (
    check_single_runs,
    make_population_check,
    select_common_settings,
)
from tetrion.lab.papers.hindi.hindi_statistics import get_held_out_means
from tetrion.lab.papers.hindi.hindi_training_effects import (
    check_crossover_influence,
    check_lookahead_average,
    check_lookahead_average_of_five_games,
    check_lookahead_average_of_same_generation,
    check_lookahead_scores,
    check_lookahead_scores_of_five_games,
    check_lookahead_time,
    check_settings_influence,
    get_averages,
    pair_lookahead_runs,
)
from tetrion.lab.reproduction.measurements import MeasurementContext


def make_grid(scores: Mapping[int, Scores]) -> dict[str, Any]:
    """Return results of all configurations, with held-out scores by population size."""
    return {configuration.name: make_runs(scores[configuration.population]) for configuration in CONFIGURATION_GRID}


def make_evolved_run(held_out: float, weight: float = 1.0) -> dict[str, Any]:
    """Return a run whose first generation's best has the weight 0.5 and 100 points in validation games."""
    run = make_run([0, 1], held_out)
    run["metrics"] |= {"validation": [100.0, 200.0], "incumbent holes": [0.5, weight]}
    run["result"]["parameters"] = {"holes": weight}
    return run


@pytest.mark.parametrize(
    ("scores", "expected"), list(zip(([200] * 16, [50] * 16, [50, 200] * 8), OUTCOMES, strict=True))
)
def test_success_is_a_better_agent_than_that_of_the_first_generation(scores: Scores, expected: bool | None) -> None:
    training = {"runs": [make_evolved_run(score) for score in scores]}
    assert check_success({row.configuration.name: training for row in TABLE_I_AGENTS}).holds is expected
    assert check_success_with_five_games({FIVE_GAMES_TRAINING: training}).holds is expected


def test_agent_of_the_first_generation_is_not_better() -> None:
    assert is_better_than_first_generation(make_evolved_run(200))
    assert not is_better_than_first_generation(make_evolved_run(200, weight=0.5))


@pytest.mark.parametrize(("counts", "expected"), list(zip(([3] * 100, [2] * 100, [2, 3] * 50), OUTCOMES, strict=True)))
def test_a_few_decent_agents_are_three(counts: Sequence[int], expected: bool | None) -> None:
    enough = {"20": [3] * 100, "50": [3] * 100, "100": counts}
    assert check_first_generations({"first-generations": {"decent": enough}}).holds is expected


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
    assert make_figures_drop_check("mean")(results).holds is expected
    assert make_figures_drop_check("max")(results).holds is expected
    results[format_variant_name(SHARED_PIECES_VARIANT)] = make_curves([DROPPING, FLAT, DROPPING])
    assert check_spikes(results).holds is expected
    assert "2 of 3 runs" in check_spikes(results).evidence


@pytest.mark.parametrize(("change", "expected"), list(zip((1.0, 8.0, 4.0), OUTCOMES, strict=True)))
def test_fluctuations_shrink_if_more_games_make_them_smaller(change: float, expected: bool | None) -> None:
    def make_swings(size: float) -> dict[str, Any]:
        return make_curves(
            [[100 + size * (-1) ** number * (1 + seed / 4) for number in range(25)] for seed in range(4)]
        )

    results = {name: make_swings(4) for name in (MAIN_CONFIGURATION.name, FIVE_GAMES_TRAINING)}
    results["luck"] = make_swings(change)
    assert check_fluctuations(results).holds is expected


@pytest.mark.parametrize(("large", "expected"), list(zip((1e5, 2e5, 1.1e5), OUTCOMES, strict=True)))
def test_positive_effect_of_populations_is_a_tenth(large: float, expected: bool | None) -> None:
    results = make_grid({20: spread(1e5), 50: spread(1e5)[::-1], 100: spread(large)[::-1]})
    assert make_population_check(get_held_out_means, "points")(results).holds is expected


def test_populations_are_compared_with_the_same_settings() -> None:
    results = make_grid({20: spread(1e5), 50: spread(1e5), 100: spread(1e5)})
    assert len(select_common_settings(results)) == 6
    few = {name: {"runs": training["runs"][:1]} for name, training in results.items()}
    assert len(select_common_settings(few)) == 6
    few |= {f"one-gene-{size}-1-10": results[f"one-gene-{size}-1-10"] for size in (20, 50, 100)}
    few["one-gene-20-2-15"] = results["one-gene-20-2-15"]
    assert select_common_settings(few) == [(1, 10)]


@pytest.mark.parametrize(("small", "expected"), [(9.0, True), (1.0, False)])
def test_single_runs_of_populations_are_compared(small: float, expected: bool) -> None:
    last = {20: small, 50: 5.0, 100: 5.0}
    results = {each.name: make_curves([[0, last[each.population]]] * 2) for each in CONFIGURATION_GRID}
    assert check_single_runs(results).holds is expected


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


def make_five_games(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return results with five games per candidate that equal those of the first configuration with one."""
    first = LOOKAHEAD_CONFIGURATIONS[0]
    return {
        FIVE_GAMES_LOOKAHEAD_TRAINING: results[first.name],
        FIVE_GAMES_TRAINING: results[first._replace(kind="one-gene").name],
    }


@pytest.mark.parametrize(("lookahead", "expected"), list(zip((2e5, 5e4, 1e5), OUTCOMES, strict=True)))
def test_lookahead_must_raise_the_average(lookahead: float, expected: bool | None) -> None:
    results = make_lookahead_results(spread(lookahead), spread(1e5)[::-1])
    assert check_lookahead_average(results).holds is expected
    assert check_lookahead_average_of_same_generation(results).holds is expected
    assert check_lookahead_average_of_five_games(make_five_games(results)).holds is expected


@pytest.mark.parametrize(("lookahead", "expected"), list(zip((2e5, 1.1e5, 1.25e5), OUTCOMES, strict=True)))
def test_markedly_better_is_a_quarter_more(lookahead: float, expected: bool | None) -> None:
    results = make_lookahead_results(spread(lookahead), spread(1e5)[::-1])
    assert check_lookahead_scores(results).holds is expected
    assert check_lookahead_scores_of_five_games(make_five_games(results)).holds is expected


def test_lookahead_has_the_same_settings_on_both_sides() -> None:
    results = make_lookahead_results([2.0] * 4, [1.0] * 4)
    results["one-gene-20-5-15"] = make_runs([9e9])
    pair = pair_lookahead_runs(results, get_averages)
    assert pair.single.tolist() == [1.0] * 4
    assert "5 % and" not in pair.basis
    assert "paired by seed" in pair.basis


def test_averages_of_the_same_generation_are_compared() -> None:
    results = make_lookahead_results([2.0] * 4, [1.0] * 4)
    for configuration in LOOKAHEAD_CONFIGURATIONS:
        results[configuration._replace(kind="one-gene").name] = make_curves([list(range(25))] * 4)
    for same, expected in ((True, 13.25), (False, 24.0)):
        assert pair_lookahead_runs(results, get_averages, same_generations=same).single.tolist() == [expected] * 4


@pytest.mark.parametrize(("seconds", "expected"), [(28.0, True), (14.0, False)])
def test_significantly_slower_is_twice_the_time(seconds: float, expected: bool) -> None:
    times = {FIVE_GAMES_LOOKAHEAD_TRAINING: seconds, FIVE_GAMES_TRAINING: 25.0}
    measured = check_lookahead_time({name: {"time": {"seconds": [value] * 3}} for name, value in times.items()})
    assert measured.holds is expected
    assert measured.is_machine_dependent


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
