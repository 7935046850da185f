"""Fitness of candidates, computed from the games that they play.

Candidates may share the same piece sequences (common random numbers), and better candidates may play more games. Each
purpose of games has a seed of its own, derived from that of the run, so that no two purposes share games.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.agents.weighted_agent import make_engine_agent, raise_feature_errors
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, make_games_for
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameColumn, GameRecords, join_records
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError
from tetrion.evaluation.workers import GamesObserver, Workers
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe_settings import (
    boolean_setting,
    choice_setting,
    float_setting,
    integer_setting,
    list_setting,
)


class SeedPurpose(IntEnum):
    """What a derived seed is used for."""

    OPTIMISER = 0
    TRAINING = 1
    VALIDATION = 2
    FINALS = 3
    HELD_OUT = 4


def derive_seed(seed: int, purpose: SeedPurpose, generation: int = 0) -> int:
    """Return the seed for a purpose, and for a generation where each generation has its own."""
    return int(np.random.SeedSequence([seed, int(purpose), generation]).generate_state(1, np.uint64)[0]) >> 1


MAX_HALVING_ROUNDS = 10
MAX_GAMES_AT_ONCE = 2_000_000  # games in memory, of 224 bytes each; they are copied once or twice
CANDIDATE_GAME_OFFSET = 2**32  # distance between the game numbers of consecutive candidates

FITNESS_DESCRIPTIONS = {
    "lines": "lines cleared",
    "score": "points",
    "lines-per-piece": "lines per piece",
    "survival": "pieces placed",
    "hazard": "lines per death",
    "attack": "rows of garbage made",
}
RATIOS = ("lines-per-piece", "hazard")  # lines divided by pieces or deaths, instead of a mean per game
MIN_DEATHS = 0.5  # assumed where no game has ended
FITNESS_UNITS = {  # short words for small panels
    "lines": "lines",
    "score": "points",
    "lines-per-piece": "per piece",
    "survival": "pieces",
    "hazard": "per death",
    "attack": "attack",
}
FITNESS_FIELDS: dict[str, GameColumn] = {"lines": "lines", "score": "score", "survival": "pieces", "attack": "attack"}
FitnessColumns = Mapping[GameColumn, NumpyArray]  # the columns of games from which fitness is computed


@dataclass(frozen=True)
class GamesSettings:
    """Settings of [games]: the games that candidates play, and how fitness is computed from them."""

    fitness: str = choice_setting(
        "lines",
        tuple(FITNESS_DESCRIPTIONS),
        "quantity that is maximised, per game; hazard: lines per death in capped games, which ranks strong agents "
        "without playing their games to the end; attack: for modern rules",
    )
    sum_games: bool = boolean_setting(False, "whether fitness is the sum over a candidate's games instead of the mean")
    count: int = integer_setting(1, 1, 10**6, "games per candidate")
    halving_rounds: int = integer_setting(
        0,
        0,
        MAX_HALVING_ROUNDS,
        "further rounds, in each of which the better half of the remaining candidates doubles its number of games",
    )
    piece_seed: str = choice_setting(
        "generation",
        ("fixed", "generation", "candidate"),
        "piece sequences: fixed (the same in all generations), generation (new ones per generation, shared by its "
        "candidates), candidate (different ones for each candidate)",
    )
    max_pieces: tuple[int, ...] = list_setting(
        (0,),
        int,
        "piece limits per game, 0: unlimited; the next one applies once enough games (raise_share) reach the limit",
        0,
        UNLIMITED,
    )
    raise_share: float = float_setting(
        0.5, 0, 1, "share of games that must reach the piece limit before its next value applies"
    )
    max_lines: int = integer_setting(0, 0, UNLIMITED, "line limit per game; 0: unlimited")

    def check(self, candidate_count: int) -> None:
        """Raise RecipeError if the settings do not fit together, or a generation has too many games."""
        limits = [cap or UNLIMITED for cap in self.max_pieces]
        if not limits or sorted(set(limits)) != limits:
            raise RecipeError(
                f"games.max_pieces must be one or more increasing numbers (0 means unlimited and must come last); "
                f"given {list(self.max_pieces)}."
            )
        if self.sum_games and self.halving_rounds:
            raise RecipeError(
                "games.sum_games requires the same number of games for all candidates: set games.halving_rounds = 0."
            )
        if self.sum_games and self.fitness in RATIOS:
            raise RecipeError(f"games.sum_games cannot be used with games.fitness = {self.fitness}, which is a ratio.")
        # In each halving round, half of the candidates play as many games as they have played so far.
        total = candidate_count * self.count * (2 + self.halving_rounds) // 2
        if total > MAX_GAMES_AT_ONCE:
            raise RecipeError(
                f"A generation may have at most {MAX_GAMES_AT_ONCE:,} games; given {candidate_count:,} candidates with "
                f"games.count = {self.count:,} and games.halving_rounds = {self.halving_rounds}, which is {total:,} "
                "games. Use fewer candidates or games."
            )


class GenerationFitness(NamedTuple):
    """Fitness and number of games of each candidate, and totals over all games of a generation."""

    fitness: NumpyArray
    game_counts: NumpyArray
    total_pieces: int
    capped_share: float  # share of games that reached the piece limit


class TrainingWorkers(NamedTuple):
    """Workers that play the games of training, and observers of these games."""

    workers: Workers
    observer: GamesObserver | None = None
    on_pieces: Callable[[int], object] | None = None
    """Receives the number of pieces that a learner has placed in its current step without the workers."""
    on_played: Callable[[GameRecords, float, bool], object] | None = None
    """Receives games that have ended, the seconds that they took, and whether they were validation games."""
    is_validation: bool = False

    def play(self, games: GameRecords, settings: EngineSettings) -> None:
        """Play games to their end, in place; raise KeyboardInterrupt if they are interrupted."""
        self.workers.prepare(settings)
        start = time.perf_counter()
        if self.workers.play(games, settings, self.observer):
            raise KeyboardInterrupt
        if self.on_played:
            self.on_played(games, time.perf_counter() - start, self.is_validation)

    @property
    def validation_workers(self) -> "TrainingWorkers":
        """Copy whose workers do not display their games, for validation games; the observers stay."""
        return self._replace(workers=self.workers.validation_workers, is_validation=True)


class CandidateGames:
    """Candidates that play numbered games of a seed."""

    def __init__(self, agents: Sequence[WeightedAgent], rules: Rules, max_pieces: int, max_lines: int = 0) -> None:
        self.agents = agents
        self.settings = EngineSettings.from_agents(
            [make_engine_agent(agent) for agent in agents], rules, max_pieces or UNLIMITED, max_lines or UNLIMITED
        )

    def play(
        self,
        candidate_numbers: NumpyArray,
        game_numbers: range,
        seed: int,
        workers: TrainingWorkers,
        *,
        separate_pieces: bool = False,
    ) -> list[GameRecords]:
        """Play games with some candidates; return the games of each candidate.

        With `separate_pieces` each candidate receives different piece sequences.
        """
        starts = [
            int(number) * CANDIDATE_GAME_OFFSET + game_numbers.start if separate_pieces else game_numbers.start
            for number in candidate_numbers
        ]
        count = len(game_numbers)
        games = join_records([make_games_for(self.settings, count, seed, start) for start in starts])
        games["agent"] = np.repeat(candidate_numbers, count)
        workers.play(games, self.settings)
        for agent in self.agents:
            raise_feature_errors(agent)
        return [games[row * count : (row + 1) * count] for row in range(len(starts))]


def play_candidates(
    agents: Sequence[WeightedAgent],
    rules: Rules,
    settings: GamesSettings,
    *,
    max_pieces: int,
    seed: int,
    workers: TrainingWorkers,
) -> GenerationFitness:
    """Play the games of a generation.

    All candidates play `settings.count` games. In each halving round, the better half of the remaining candidates
    doubles its number of games.
    """
    candidate_games = CandidateGames(agents, rules, max_pieces, settings.max_lines)
    separate_pieces = settings.piece_seed == "candidate"
    remaining = np.arange(len(agents))
    fitness = np.zeros(len(agents))
    records: list[list[GameRecords]] = [[] for _ in agents]
    bounds = [0, *(settings.count * 2**rounds for rounds in range(settings.halving_rounds + 1))]
    for first, end in pairwise(bounds):
        rows = candidate_games.play(remaining, range(first, end), seed, workers, separate_pieces=separate_pieces)
        for number, games in zip(remaining, rows, strict=True):
            records[number].append(games)
            fitness[number] = compute_fitness(records[number], settings)
        best_first = remaining[np.argsort(-fitness[remaining], kind="stable")]
        remaining = np.sort(best_first[: max(1, len(remaining) // 2)])
    pieces = np.concatenate([games["pieces"] for candidate_records in records for games in candidate_records])
    game_counts = np.array([sum(map(len, candidate_records)) for candidate_records in records])
    capped_share = float((pieces >= max_pieces).mean()) if max_pieces else 0.0
    return GenerationFitness(fitness, game_counts, int(pieces.sum()), capped_share)


def count_divisor(games: GameRecords | FitnessColumns, fitness: str) -> NumpyArray:
    """Return the number by which a ratio divides the lines of each candidate: pieces or deaths."""
    if fitness == "hazard":
        return np.asarray(np.maximum(MIN_DEATHS, (games["status"] == STATUS_OVER).sum(axis=-1)))
    return np.asarray(np.maximum(1, games["pieces"].sum(axis=-1)))


def compute_fitness(parts: Sequence[GameRecords], settings: GamesSettings) -> float:
    """Return the fitness of a candidate from its games, which may be in several arrays."""
    names: set[GameColumn] = {"lines", "pieces", "status", FITNESS_FIELDS.get(settings.fitness, "lines")}
    columns = {name: np.concatenate([games[name] for games in parts]) for name in names}
    return float(compute_fitness_of_rows(columns, settings))


def compute_fitness_of_rows(games: GameRecords | FitnessColumns, settings: GamesSettings) -> NumpyArray:
    """Return the fitness of each candidate from a table of games: one row per candidate, the same number of games."""
    if settings.fitness in RATIOS:
        return np.asarray(games["lines"].sum(axis=-1) / count_divisor(games, settings.fitness))
    values = games[FITNESS_FIELDS[settings.fitness]]
    return np.asarray(values.sum(axis=-1) if settings.sum_games else values.mean(axis=-1), np.float64)
