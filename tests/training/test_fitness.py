"""Fitness: the games that candidates play, against the same games played one by one."""

from itertools import product

import numpy as np
import pytest

import tetrion
from tetrion import Rules, WeightedAgent
from tetrion.evaluation.workers import start_threads
from tetrion.training.evolutionary_learner import EvolutionaryLearner
from tetrion.training.fitness import CandidateGames, GamesSettings, TrainingWorkers, play_candidates
from tetrion.training.seeds import (
    FINALS_PURPOSE,
    HELD_OUT_PURPOSE,
    OPTIMISER_PURPOSE,
    TRAINING_PURPOSE,
    VALIDATION_PURPOSE,
    derive_seed,
)
from training.small_recipes import make_small_recipe

RULES = Rules.from_preset("standard-10x10")
AGENTS = [
    WeightedAgent("good", {"holes": -4, "bumpiness": -1, "aggregate_height": -1, "lines": 1}),
    WeightedAgent("fair", {"holes": -1, "max_height": -1}),
    WeightedAgent("poor", {"max_height": 1}),
    WeightedAgent("odd", {"bumpiness": -1}),
]


def played(settings: GamesSettings, most_pieces: int = 200, seed: int = 5) -> tuple[list[float], list[int], int, float]:
    with start_threads(2) as workers:
        result = play_candidates(AGENTS, RULES, settings, most_pieces, seed, TrainingWorkers(workers))
    return result.fitness.tolist(), result.game_counts.tolist(), result.total_pieces, result.capped_share


@pytest.mark.parametrize(
    ("fitness", "expected"),
    [
        ("lines", lambda games: games["lines"].mean()),
        ("score", lambda games: games["score"].mean()),
        ("survival", lambda games: games["pieces"].mean()),
        ("lines-per-piece", lambda games: games["lines"].sum() / games["pieces"].sum()),
    ],
)
def test_fitness_is_that_of_the_same_games_measured_alone(fitness: str, expected: object) -> None:
    assert callable(expected)
    found, games, pieces, capped = played(GamesSettings(fitness=fitness, count=6))
    alone = [tetrion.evaluate(agent, RULES, 6, 5, max_pieces=200).per_game for agent in AGENTS]
    assert found == [float(expected(records)) for records in alone]
    assert games == [6] * 4
    assert pieces == sum(int(records["pieces"].sum()) for records in alone)
    assert capped == np.mean([records["pieces"] == 200 for records in alone])


def test_fitness_may_be_summed_and_lines_capped() -> None:
    mean, *_ = played(GamesSettings(count=6, max_lines=20))
    total, *_ = played(GamesSettings(count=6, max_lines=20, sum_games=True))
    assert total == pytest.approx([6 * value for value in mean])
    assert max(mean) < 24


def test_races_give_the_better_half_more_games() -> None:
    found, games, *_ = played(GamesSettings(count=3, halving_rounds=2))
    assert sorted(games) == [3, 3, 6, 12]
    assert games[int(np.argmax(found))] == 12
    best = AGENTS[games.index(12)]
    assert max(found) == tetrion.evaluate(best, RULES, 12, 5, max_pieces=200).per_game["lines"].mean()


def test_everybody_has_the_same_pieces_or_their_own() -> None:
    twins = [AGENTS[0], AGENTS[0]]
    with start_threads(1) as workers:
        match = CandidateGames(twins, RULES, 60)
        who = np.arange(2)
        team = TrainingWorkers(workers)
        together, apart = match.play(who, range(3), 1, team), match.play(who, range(3), 1, team, separate_pieces=True)
    assert (together["board"][0] == together["board"][1]).all()
    assert (apart["key"][0] != apart["key"][1]).all()


def keys_of(learner: EvolutionaryLearner, generations: int) -> list[list[int]]:
    """The keys of the games of every generation."""
    seen: list[set[int]] = []
    with start_threads(1) as workers:
        team = TrainingWorkers(workers, lambda games: seen[-1].update(games["key"].tolist()))
        for _ in range(generations):
            seen.append(set())
            learner.step(team)
    return [sorted(keys) for keys in seen]


def test_fixed_games_stay_and_others_change() -> None:
    quiet = ("validation.every=0", "races=0")
    fixed = keys_of(EvolutionaryLearner(make_small_recipe("genetic", "games.piece_seed=fixed", *quiet)), 3)
    assert fixed[0] == fixed[1] == fixed[2]
    assert len(fixed[0]) == 2
    changing = keys_of(EvolutionaryLearner(make_small_recipe("genetic", *quiet)), 3)
    assert len({key for keys in changing for key in keys}) == 6
    assert (
        len(keys_of(EvolutionaryLearner(make_small_recipe("genetic", "games.piece_seed=candidate", *quiet)), 1)[0])
        == 12
    )


def test_the_most_pieces_rise_when_candidates_reach_them() -> None:
    learner = EvolutionaryLearner(make_small_recipe("genetic", "games.max_pieces=[5, 10, 40]", "games.raise_share=1"))
    with start_threads(1) as workers:
        for _ in range(4):
            learner.step(TrainingWorkers(workers))
    assert [row[1] for row in learner.metric_rows] == [5, 10, 40, 40]


def test_a_cap_on_lines_does_not_raise_the_cap_on_pieces() -> None:
    learner = EvolutionaryLearner(
        make_small_recipe("genetic", "games.max_pieces=[400, 800]", "games.max_lines=1", "games.raise_share=0.05")
    )
    with start_threads(1) as workers:
        for _ in range(3):
            learner.step(TrainingWorkers(workers))
    assert [row[1] for row in learner.metric_rows] == [400, 400, 400]


def test_finalists_differ_and_the_last_favourite_is_among_them() -> None:
    learner = EvolutionaryLearner(
        make_small_recipe(
            "genetic", "validation.every=3", "generations=5", "genetic.elitism=0.5", "validation.finalists=3"
        )
    )
    with start_threads(1) as workers:
        while not learner.is_done():
            learner.step(TrainingWorkers(workers))
        assert list(learner.select_result(TrainingWorkers(workers)).finalist_scores) == ["generation 3", "generation 5"]
        steady = EvolutionaryLearner(
            make_small_recipe("genetic", "games.piece_seed=fixed", "genetic.elitism=0.5", "generations=12")
        )
        while not steady.is_done():
            steady.step(TrainingWorkers(workers))
    judged = steady.validation_scores[steady.rank_steps()]
    assert len(set(judged)) == len(judged) < 12
    assert sorted(judged, reverse=True) == judged.tolist()


def test_patience_and_a_budget_of_pieces_end_training() -> None:
    learner = EvolutionaryLearner(make_small_recipe("genetic", "stop.total_pieces=1000", "generations=1000"))
    with start_threads(1) as workers:
        while not learner.is_done():
            learner.step(TrainingWorkers(workers))
        assert 1000 <= sum(row[3] for row in learner.metric_rows) < 1000 + learner.metric_rows[-1][3]
        patient = EvolutionaryLearner(
            make_small_recipe("genetic", "stop.patience=2", "generations=1000", "games.piece_seed=fixed")
        )
        while not patient.is_done():
            patient.step(TrainingWorkers(workers))
    judged = patient.validation_scores
    assert np.argmax(judged) == len(judged) - 3


def test_no_seed_serves_two_purposes() -> None:
    wanted = product((0, 1, 2**63 - 1), range(5), (0, 1))
    seeds = {derive_seed(seed, purpose, generation) for seed, purpose, generation in wanted}
    assert len(seeds) == 30
    assert {OPTIMISER_PURPOSE, TRAINING_PURPOSE, VALIDATION_PURPOSE, FINALS_PURPOSE, HELD_OUT_PURPOSE} == set(range(5))
    assert all(0 <= seed < 2**63 for seed in seeds)
