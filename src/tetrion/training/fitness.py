"""How fit candidates are: the games that they play, on common random numbers, and more of them for the promising."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, GameRecords, make_games
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError
from tetrion.evaluation.worker_tasks import GamesObserver
from tetrion.evaluation.workers import Workers
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe_settings import (
    boolean_setting,
    choice_setting,
    float_setting,
    integer_setting,
    list_setting,
)

MAX_RACES = 10
CANDIDATE_GAME_OFFSET = 2**32  # games between those of a candidate and the next


FITNESS_DESCRIPTIONS = {  # and the words for it
    "lines": "lines cleared",
    "score": "points",
    "lines-per-piece": "lines per piece",
    "survival": "pieces placed",
}
FITNESS_FIELDS = {"lines": "lines", "score": "score", "survival": "pieces"}  # in which field of a game's record


@dataclass(frozen=True)
class GamesSettings:
    """[games]: what candidates play, and what counts."""

    fitness: str = choice_setting("lines", tuple(FITNESS_DESCRIPTIONS), "what is counted, a game")
    sum_games: bool = boolean_setting(False, "whether fitness is the sum over a candidate's games and not their mean")
    count: int = integer_setting(1, 1, 10**6, "games that every candidate plays")
    halving_rounds: int = integer_setting(
        0, 0, MAX_RACES, "rounds in which the better half of the last round plays as many games again"
    )
    piece_seed: str = choice_setting(
        "generation",
        ("fixed", "generation", "candidate"),
        "whose pieces are the same: fixed, everybody's always; generation, those of a generation; candidate, nobody's",
    )
    max_pieces: tuple[int, ...] = list_setting(
        (0,), int, "the most pieces of a game, 0 for no end; the next one holds when candidates reach it", 0, UNLIMITED
    )
    raise_share: float = float_setting(
        0.5, 0, 1, "the share of games that reach the most pieces before the next number holds"
    )
    max_lines: int = integer_setting(0, 0, UNLIMITED, "the most lines of a game; 0 for no end")

    def check(self) -> None:
        """Make sure that the settings fit together."""
        limits = [cap or UNLIMITED for cap in self.max_pieces]
        if not limits or sorted(set(limits)) != limits:
            raise RecipeError(
                f"games.max_pieces is one number or more, each larger than the last; given {self.max_pieces}."
            )
        if self.sum_games and self.halving_rounds:
            raise RecipeError(
                "games.sum_games counts games that all candidates play: it needs games.halving_rounds = 0."
            )
        if self.sum_games and self.fitness == "lines-per-piece":
            raise RecipeError("games.sum_games adds up what is counted a game; lines a piece are not.")


class GenerationFitness(NamedTuple):
    """What candidates' games came to: a fitness each, how many games each played, and the sums of all."""

    fitness: NumpyArray
    game_counts: NumpyArray
    total_pieces: int
    capped_share: float  # the share of games that reached the most pieces


class TrainingWorkers(NamedTuple):
    """Whoever plays the games of training, and whoever watches."""

    workers: Workers
    observer: GamesObserver | None = None

    def play(self, games: GameRecords, setting: EngineSettings) -> None:
        """Play games to their ends, in place."""
        self.workers.prepare(setting)
        if self.workers.play(games, setting, self.observer):
            raise KeyboardInterrupt

    @property
    def without_observer(self) -> "TrainingWorkers":
        """The same for games that train nobody, which need not be watched piece by piece."""
        return self._replace(workers=self.workers.without_observer)


class CandidateGames:
    """Candidates that play the games of a seed."""

    def __init__(self, agents: Sequence[WeightedAgent], rules: Rules, max_pieces: int, max_lines: int = 0) -> None:
        self.agents, caps = agents, (max_pieces or UNLIMITED, max_lines or UNLIMITED)
        self.setting = EngineSettings.from_agents([agent.compile() for agent in agents], rules, *caps)

    def play(
        self,
        candidate_numbers: NumpyArray,
        game_numbers: range,
        seed: int,
        workers: TrainingWorkers,
        separate_pieces: bool = False,
    ) -> GameRecords:
        """These games of some candidates, a row each; with `apart` everybody has pieces of their own."""
        starts = [
            int(number) * CANDIDATE_GAME_OFFSET + game_numbers.start if separate_pieces else game_numbers.start
            for number in candidate_numbers
        ]
        games = np.stack([make_games(len(game_numbers), seed, start) for start in starts])
        games["agent"] = candidate_numbers[:, None]
        workers.play(games.ravel(), self.setting)
        for agent in self.agents:
            agent.raise_feature_errors()
        return games


def play_candidates(
    agents: Sequence[WeightedAgent],
    rules: Rules,
    settings: GamesSettings,
    max_pieces: int,
    seed: int,
    workers: TrainingWorkers,
) -> GenerationFitness:
    """Play the games of a generation: everybody's, then as many again for the better half, race by race."""
    match, apart = CandidateGames(agents, rules, max_pieces, settings.max_lines), settings.piece_seed == "candidate"
    who, fitness = np.arange(len(agents)), np.zeros(len(agents))
    records: list[list[GameRecords]] = [[] for _ in agents]
    bounds = [0, *(settings.count * 2**race for race in range(settings.halving_rounds + 1))]
    for first, end in pairwise(bounds):
        for number, games in zip(who, match.play(who, range(first, end), seed, workers, apart), strict=True):
            records[number].append(games)
            fitness[number] = compute_fitness(np.concatenate(records[number]), settings)
        who = np.sort(who[np.argsort(-fitness[who], kind="stable")][: max(1, len(who) // 2)])
    every = np.concatenate([games for played in records for games in played])
    counts = np.array([sum(map(len, played)) for played in records])
    reached = float((every["pieces"] >= max_pieces).mean()) if max_pieces else 0.0
    return GenerationFitness(fitness, counts, int(every["pieces"].sum()), reached)


def compute_fitness(games: GameRecords, settings: GamesSettings) -> float:
    """The fitness that a candidate's games come to."""
    if settings.fitness == "lines-per-piece":
        return float(games["lines"].sum() / max(1, games["pieces"].sum()))
    counted = games[FITNESS_FIELDS[settings.fitness]]
    return float(counted.sum() if settings.sum_games else counted.mean())
