"""Judging: favourites play games that nobody was trained on, and the best of them others that decided nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.training.fitness import (
    FITNESS_DESCRIPTIONS,
    CandidateGames,
    GamesSettings,
    TrainingWorkers,
    compute_fitness,
)
from tetrion.training.recipe import ValidationSettings
from tetrion.training.seeds import FINALS_PURPOSE, HELD_OUT_PURPOSE, VALIDATION_PURPOSE, derive_seed

HELD_OUT_FIELDS = ("lines", "score", "pieces")  # of a game
_UNREPRODUCIBLE_KEYS = ("pieces_per_second", "difference_to_first")  # what an evaluation says beyond its games


class Finalist(NamedTuple):
    """An agent that may be the result of a run, and where it comes from."""

    origin: str
    agent: WeightedAgent
    parameters: dict[str, float]


@dataclass(frozen=True)
class TrainingResult:
    """What a run came to: the best agent, its held-out games, how the finalists fared, and the crowd, if any."""

    best_finalist: Finalist
    held_out_evaluation: Evaluation
    finalist_scores: dict[str, float]
    crowd_scores: dict[str, float]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The same for a file; nothing in it depends on when or where it was made."""
        measured = {
            key: value for key, value in self.held_out_evaluation.to_json().items() if key not in _UNREPRODUCIBLE_KEYS
        }
        games = self.held_out_evaluation.per_game
        played = {
            name: {"mean": float(games[name].mean()), "ci95": compute_mean_interval(games[name])}
            for name in HELD_OUT_FIELDS
        }
        return {
            "origin": self.best_finalist.origin,
            "numbers": self.best_finalist.parameters,
            "as_played": played,  # without an estimate for games that were cut short
            "held_out": measured,
            "finalists": self.finalist_scores,
            "crowd": self.crowd_scores,
            "note": self.note,
        }


class Validator:
    """Whoever judges in a run."""

    def __init__(self, settings: ValidationSettings, games: GamesSettings, rules: Rules, seed: int) -> None:
        self.settings = settings
        self.games = games
        self.rules = rules
        self.seed = seed

    @property
    def fitness_description(self) -> str:
        """What fitness is counted in."""
        return FITNESS_DESCRIPTIONS[self.games.fitness]

    def score_agent(self, agent: WeightedAgent, workers: TrainingWorkers) -> float:
        """How a favourite fares while training goes on."""
        played = self.play_games([agent], self.settings.games, VALIDATION_PURPOSE, workers)[0]
        return compute_fitness(played, self.single_game_settings)

    @property
    def single_game_settings(self) -> GamesSettings:
        """The same fitness, of one game."""
        return GamesSettings(fitness=self.games.fitness)

    def play_games(
        self, agents: Sequence[WeightedAgent], count: int, purpose: int, workers: TrainingWorkers
    ) -> GameRecords:
        """The games of a purpose, the same for all agents, a row each."""
        match = CandidateGames(agents, self.rules, self.settings.max_pieces, self.games.max_lines)
        seed = derive_seed(self.seed, purpose)
        return match.play(np.arange(len(agents)), range(count), seed, workers.without_observer)

    def score_agents(self, agents: Sequence[WeightedAgent], purpose: int, workers: TrainingWorkers) -> list[float]:
        """The fitness of agents in the final games of a purpose."""
        return [
            compute_fitness(games, self.single_game_settings)
            for games in self.play_games(agents, self.settings.final_games, purpose, workers)
        ]

    def select_best(
        self,
        finalists: Sequence[Finalist],
        experts: Sequence[WeightedAgent],
        crowd: Sequence[Finalist],
        workers: TrainingWorkers,
    ) -> TrainingResult:
        """Let the finalists play for the first place, and the winner games that have decided nothing."""
        scores = self.score_agents([finalist.agent for finalist in finalists], FINALS_PURPOSE, workers)
        best = finalists[int(np.argmax(scores))]
        seed = derive_seed(self.seed, HELD_OUT_PURPOSE)
        games = self.play_games([best.agent], self.settings.final_games, HELD_OUT_PURPOSE, workers)[0]
        return TrainingResult(
            best,
            Evaluation.from_games(best.agent.name, self.rules, seed, games, seconds=0.0),
            {finalist.origin: score for finalist, score in zip(finalists, scores, strict=True)},
            self.compare_crowds(experts, crowd, workers) if crowd else {},
        )

    def compare_crowds(
        self, experts: Sequence[WeightedAgent], crowd: Sequence[Finalist], workers: TrainingWorkers
    ) -> dict[str, float]:
        """Crowds beside the experts that they are made of, all on the held-out games."""
        chosen = int(
            np.argmax(self.score_agents(experts, FINALS_PURPOSE, workers))
        )  # not by the games that it is then measured in
        scores = self.score_agents([*experts, *(finalist.agent for finalist in crowd)], HELD_OUT_PURPOSE, workers)
        of_experts, of_crowds = scores[: len(experts)], scores[len(experts) :]
        return {
            "experts": len(experts),
            "average expert": float(np.mean(of_experts)),
            "best expert": of_experts[chosen],
            **{finalist.origin: score for finalist, score in zip(crowd, of_crowds, strict=True)},
        }
