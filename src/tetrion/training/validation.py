"""Validation of incumbents, selection of the best finalist, and its evaluation on held-out games.

Validation games choose the finalists, final games choose the best of them, and held-out games, which are used for
neither training nor selection, yield the reported result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.records import GameColumn, GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.training.fitness import (
    FITNESS_DESCRIPTIONS,
    MAX_GAMES_AT_ONCE,
    CandidateGames,
    GamesSettings,
    SeedPurpose,
    TrainingWorkers,
    compute_fitness,
    derive_seed,
)
from tetrion.training.recipe_settings import integer_setting

HELD_OUT_FIELDS: tuple[GameColumn, ...] = ("lines", "score", "pieces")
_OMITTED_KEYS = ("pieces_per_second", "difference_to_first")  # keys of an evaluation that are not saved


@dataclass(frozen=True)
class ValidationSettings:
    """Settings of [validation]: games, separate from training, that choose the finalists and measure the result."""

    every: int = integer_setting(
        1, 0, 10**6, "generations or episodes between validations of the incumbent; 0: no validation"
    )
    games: int = integer_setting(10, 1, 10**6, "games per validation")
    max_pieces: int = integer_setting(
        0, 0, UNLIMITED, "piece limit per validation, final and held-out game; 0: unlimited"
    )
    finalists: int = integer_setting(5, 1, 1000, "incumbents with the best validation scores that play the final games")
    final_games: int = integer_setting(
        100,
        3,
        10**6,
        "games per finalist that choose the best one, and number of held-out games for the reported result",
    )


class Finalist(NamedTuple):
    """An agent that may become the result of a run; `origin` describes where it comes from."""

    origin: str
    agent: WeightedAgent
    parameters: dict[str, float]


@dataclass(frozen=True)
class TrainingResult:
    """Result of a run: the best finalist, its held-out games, and the scores of all finalists and of the crowds."""

    best_finalist: Finalist
    held_out_evaluation: Evaluation
    finalist_scores: dict[str, float]
    crowd_scores: dict[str, float]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the content of `result.json`, which does not depend on the time or the machine."""
        held_out = {key: value for key, value in self.held_out_evaluation.to_json().items() if key not in _OMITTED_KEYS}
        games = self.held_out_evaluation.per_game
        uncorrected = {
            name: {"mean": float(games[name].mean()), "ci95": compute_mean_interval(games[name])}
            for name in HELD_OUT_FIELDS
        }
        return {
            "origin": self.best_finalist.origin,
            "parameters": self.best_finalist.parameters,
            "uncorrected": uncorrected,  # plain means, without the estimate for capped games that `held_out` contains
            "held_out": held_out,
            "finalists": self.finalist_scores,
            "crowd": self.crowd_scores,
            "note": self.note,
        }


class Validator:
    """Plays the validation, final and held-out games of a run."""

    def __init__(self, settings: ValidationSettings, games: GamesSettings, rules: Rules, seed: int) -> None:
        self.settings = settings
        self.games = games
        self.rules = rules
        self.seed = seed

    @property
    def fitness_description(self) -> str:
        """Unit of fitness in words, such as "lines cleared"."""
        return FITNESS_DESCRIPTIONS[self.games.fitness]

    def score_agent(self, agent: WeightedAgent, workers: TrainingWorkers) -> float:
        """Return the fitness of an incumbent in the validation games."""
        games = self.play_games([agent], self.settings.games, SeedPurpose.VALIDATION, workers)[0]
        return compute_fitness([games], self.mean_fitness_settings)

    @property
    def mean_fitness_settings(self) -> GamesSettings:
        """Settings with the fitness of training as a mean per game, even if training sums it over the games."""
        return GamesSettings(fitness=self.games.fitness)

    def play_games(
        self, agents: Sequence[WeightedAgent], count: int, purpose: SeedPurpose, workers: TrainingWorkers
    ) -> list[GameRecords]:
        """Play the same games with all agents; return the games of each agent. `purpose` determines the seed."""
        candidate_games = CandidateGames(agents, self.rules, self.settings.max_pieces, self.games.max_lines)
        seed = derive_seed(self.seed, purpose)
        return candidate_games.play(np.arange(len(agents)), range(count), seed, workers.validation_workers)

    def score_agents(
        self, agents: Sequence[WeightedAgent], purpose: SeedPurpose, workers: TrainingWorkers
    ) -> list[float]:
        """Return the fitness of each agent in `final_games` games, whose seed `purpose` determines."""
        count = self.settings.final_games
        batch_size = max(1, MAX_GAMES_AT_ONCE // count)  # agents whose games fit in memory together
        return [
            compute_fitness([games], self.mean_fitness_settings)
            for start in range(0, len(agents), batch_size)
            for games in self.play_games(agents[start : start + batch_size], count, purpose, workers)
        ]

    def select_best(
        self,
        finalists: Sequence[Finalist],
        experts: Sequence[WeightedAgent],
        crowds: Sequence[Finalist],
        workers: TrainingWorkers,
    ) -> TrainingResult:
        """Select the finalist with the best score in the final games, and evaluate it on held-out games."""
        scores = self.score_agents([finalist.agent for finalist in finalists], SeedPurpose.FINALS, workers)
        best = finalists[int(np.argmax(scores))]
        seed = derive_seed(self.seed, SeedPurpose.HELD_OUT)
        games = self.play_games([best.agent], self.settings.final_games, SeedPurpose.HELD_OUT, workers)[0]
        return TrainingResult(
            best,
            Evaluation.from_games(best.agent.name, self.rules, seed, games, seconds=0.0),
            {finalist.origin: score for finalist, score in zip(finalists, scores, strict=True)},
            self.compare_crowds(experts, crowds, workers) if crowds else {},
        )

    def compare_crowds(
        self, experts: Sequence[WeightedAgent], crowds: Sequence[Finalist], workers: TrainingWorkers
    ) -> dict[str, float]:
        """Return the held-out scores of the crowds and of the experts from which they are formed."""
        # The best expert is chosen by the final games, so that its held-out score is unbiased.
        best_expert = int(np.argmax(self.score_agents(experts, SeedPurpose.FINALS, workers)))
        agents = [*experts, *(crowd.agent for crowd in crowds)]
        scores = self.score_agents(agents, SeedPurpose.HELD_OUT, workers)
        expert_scores = scores[: len(experts)]
        crowd_scores = scores[len(experts) :]
        return {
            "experts": len(experts),
            "average expert": float(np.mean(expert_scores)),
            "best expert": expert_scores[best_expert],
            **{crowd.origin: score for crowd, score in zip(crowds, crowd_scores, strict=True)},
        }
