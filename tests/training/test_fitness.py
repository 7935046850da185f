"""Tests of fitness: the games of candidates, compared with the same games evaluated separately."""

from itertools import product

import numpy as np
import pytest

import tetrion
from tests.training.small_recipes import make_small_recipe
from tetrion import Rules, WeightedAgent
from tetrion.evaluation.workers import start_threads
from tetrion.training.evolutionary_learner import EvolutionaryLearner, GeneticLearner
from tetrion.training.fitness import (
    CandidateGames,
    GamesSettings,
    GenerationFitness,
    SeedPurpose,
    TrainingWorkers,
    derive_seed,
    play_candidates,
)

RULES = Rules("standard-10x10")
AGENTS = [
    WeightedAgent("good", {"holes": -4, "bumpiness": -1, "aggregate_height": -1, "lines": 1}),
    WeightedAgent("fair", {"holes": -1, "max_height": -1}),
    WeightedAgent("poor", {"max_height": 1}),
    WeightedAgent("odd", {"bumpiness": -1}),
]


def play_agents(settings: GamesSettings) -> GenerationFitness:
    with start_threads(2) as workers:
        return play_candidates(AGENTS, RULES, settings, max_pieces=200, seed=5, workers=TrainingWorkers(workers))


@pytest.mark.parametrize(
    ("fitness", "expected"),
    [
        ("lines", lambda games: games["lines"].mean()),
        ("score", lambda games: games["score"].mean()),
        ("survival", lambda games: games["pieces"].mean()),
        ("lines-per-piece", lambda games: games["lines"].sum() / games["pieces"].sum()),
        ("hazard", lambda games: games["lines"].sum() / max(0.5, (games["pieces"] < 200).sum())),
    ],
)
def test_fitness_equals_that_of_separate_evaluations(fitness: str, expected: object) -> None:
    assert callable(expected)
    played = play_agents(GamesSettings(fitness=fitness, count=6))
    separate = [tetrion.evaluate(agent, RULES, 6, 5, max_pieces=200).per_game for agent in AGENTS]
    assert played.fitness.tolist() == [float(expected(games)) for games in separate]
    assert played.game_counts.tolist() == [6] * 4
    assert played.total_pieces == sum(int(games["pieces"].sum()) for games in separate)
    assert played.capped_share == np.mean([games["pieces"] == 200 for games in separate])


def test_fitness_can_be_summed_and_lines_limited() -> None:
    mean = play_agents(GamesSettings(count=6, max_lines=20)).fitness
    total = play_agents(GamesSettings(count=6, max_lines=20, sum_games=True)).fitness
    assert total == pytest.approx(6 * mean)
    assert max(mean) < 24


def test_halving_rounds_give_the_better_half_more_games() -> None:
    played = play_agents(GamesSettings(count=3, halving_rounds=2))
    games = played.game_counts.tolist()
    assert sorted(games) == [3, 3, 6, 12]
    assert games[int(np.argmax(played.fitness))] == 12
    best = AGENTS[games.index(12)]
    assert played.fitness.max() == tetrion.evaluate(best, RULES, 12, 5, max_pieces=200).per_game["lines"].mean()


def test_candidates_share_pieces_or_have_separate_ones() -> None:
    candidates = np.arange(2)
    with start_threads(1) as threads:
        candidate_games = CandidateGames([AGENTS[0], AGENTS[0]], RULES, 60)
        workers = TrainingWorkers(threads)
        shared = candidate_games.play(candidates, range(3), 1, workers)
        separate = candidate_games.play(candidates, range(3), 1, workers, separate_pieces=True)
    assert (shared[0]["board"] == shared[1]["board"]).all()
    assert (separate[0]["key"] != separate[1]["key"]).all()


def collect_game_keys(learner: EvolutionaryLearner, generations: int) -> list[list[int]]:
    """Return the keys of the games of each generation."""
    keys: list[set[int]] = []
    with start_threads(1) as threads:
        workers = TrainingWorkers(threads, lambda games: keys[-1].update(games["key"].tolist()))
        for _ in range(generations):
            keys.append(set())
            learner.step(workers)
    return [sorted(generation_keys) for generation_keys in keys]


def test_fixed_pieces_stay_and_others_change() -> None:
    def collect(piece_seed: str) -> list[list[int]]:
        changes = (f"games.piece_seed={piece_seed}", "validation.every=0", "halving_rounds=0")
        return collect_game_keys(GeneticLearner(make_small_recipe("genetic", *changes)), 3)

    fixed = collect("fixed")
    assert fixed[0] == fixed[1] == fixed[2]
    assert len(fixed[0]) == 2
    assert len({key for keys in collect("generation") for key in keys}) == 6
    assert len(collect("candidate")[0]) == 12


@pytest.mark.parametrize(
    ("changes", "limits"),
    [
        (["games.max_pieces=[5, 10, 40]", "games.raise_share=1"], [5, 10, 40, 40]),
        (["games.max_pieces=[400, 800]", "games.max_lines=1", "games.raise_share=0.05"], [400, 400, 400, 400]),
    ],
)
def test_piece_limit_rises_when_candidates_reach_it(changes: list[str], limits: list[int]) -> None:
    """Games that end at the limit of lines have not reached it."""
    learner = GeneticLearner(make_small_recipe("genetic", *changes))
    with start_threads(1) as workers:
        for _ in limits:
            learner.step(TrainingWorkers(workers))
    assert [row[1] for row in learner.metric_rows] == limits


def test_finalists_differ_and_include_the_last_incumbent() -> None:
    learner = GeneticLearner(
        make_small_recipe(
            "genetic", "validation.every=3", "generations=5", "genetic.elitism=0.5", "validation.finalists=3"
        )
    )
    with start_threads(1) as workers:
        while not learner.is_done():
            learner.step(TrainingWorkers(workers))
        assert list(learner.select_result(TrainingWorkers(workers)).finalist_scores) == ["generation 3", "generation 5"]
        steady = GeneticLearner(
            make_small_recipe("genetic", "games.piece_seed=fixed", "genetic.elitism=0.5", "generations=12")
        )
        while not steady.is_done():
            steady.step(TrainingWorkers(workers))
    scores = steady.validation_scores[steady.rank_steps()]
    assert len(set(scores)) == len(scores) < 12
    assert sorted(scores, reverse=True) == scores.tolist()


def test_patience_and_total_pieces_end_training() -> None:
    learner = GeneticLearner(make_small_recipe("genetic", "stop.total_pieces=1000", "generations=1000"))
    with start_threads(1) as workers:
        while not learner.is_done():
            learner.step(TrainingWorkers(workers))
        assert 1000 <= sum(row[3] for row in learner.metric_rows) < 1000 + learner.metric_rows[-1][3]
        patient = GeneticLearner(
            make_small_recipe("genetic", "stop.patience=2", "generations=1000", "games.piece_seed=fixed")
        )
        while not patient.is_done():
            patient.step(TrainingWorkers(workers))
    scores = patient.validation_scores
    assert np.argmax(scores) == len(scores) - 3


def test_each_purpose_has_its_own_seeds() -> None:
    combinations = product((0, 1, 2**63 - 1), SeedPurpose, (0, 1))
    seeds = {derive_seed(seed, purpose, generation) for seed, purpose, generation in combinations}
    assert len(seeds) == 30
    assert [purpose.value for purpose in SeedPurpose] == [0, 1, 2, 3, 4]  # other values would change all runs
    assert all(0 <= seed < 2**63 for seed in seeds)
