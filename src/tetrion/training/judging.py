"""Judging: favourites play games that nobody was trained on, and the best of them others that decided nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.play import Games
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.evaluation.intervals import of_mean
from tetrion.training.fitness import FITNESS, GamesSettings, Match, Team, fitness_of
from tetrion.training.recipe import JudgeSettings
from tetrion.training.seeds import FINALS, HELD_OUT, JUDGE, derived

MEASURED = ("lines", "score", "pieces")  # of a game
TIMES = ("pieces_per_second", "difference_to_first")  # what an evaluation says beyond its games


class Finalist(NamedTuple):
    """An agent that may be the result of a run, and where it comes from."""

    origin: str
    agent: DataAgent
    numbers: dict[str, float]


@dataclass(frozen=True)
class Result:
    """What a run came to: the best agent, its held-out games, how the finalists fared, and the crowd, if any."""

    best: Finalist
    held_out: Evaluation
    finalists: dict[str, float]
    crowd: dict[str, float]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The same for a file; nothing in it depends on when or where it was made."""
        measured = {key: value for key, value in self.held_out.to_json().items() if key not in TIMES}
        games = self.held_out.per_game
        played = {name: {"mean": float(games[name].mean()), "ci95": of_mean(games[name])} for name in MEASURED}
        return {
            "origin": self.best.origin,
            "numbers": self.best.numbers,
            "as_played": played,  # without an estimate for games that were cut short
            "held_out": measured,
            "finalists": self.finalists,
            "crowd": self.crowd,
            "note": self.note,
        }


class Judge:
    """Whoever judges in a run."""

    def __init__(self, settings: JudgeSettings, games: GamesSettings, rules: Rules, seed: int) -> None:
        self.settings, self.games, self.rules, self.seed = settings, games, rules, seed

    @property
    def words(self) -> str:
        """What fitness is counted in."""
        return FITNESS[self.games.fitness]

    def score(self, agent: DataAgent, team: Team) -> float:
        """How a favourite fares while training goes on."""
        played = self.play([agent], self.settings.games, JUDGE, team)[0]
        return fitness_of(played, self.a_game)

    @property
    def a_game(self) -> GamesSettings:
        """The same fitness, of one game."""
        return GamesSettings(fitness=self.games.fitness)

    def play(self, agents: Sequence[DataAgent], count: int, purpose: int, team: Team) -> Games:
        """The games of a purpose, the same for all agents, a row each."""
        match = Match(agents, self.rules, self.settings.pieces, self.games.lines)
        seed = derived(self.seed, purpose)
        return match.play(np.arange(len(agents)), range(count), seed, team.unseen)

    def scores(self, agents: Sequence[DataAgent], purpose: int, team: Team) -> list[float]:
        """The fitness of agents in the final games of a purpose."""
        return [fitness_of(games, self.a_game) for games in self.play(agents, self.settings.final, purpose, team)]

    def decide(
        self, finalists: Sequence[Finalist], experts: Sequence[DataAgent], crowd: Sequence[Finalist], team: Team
    ) -> Result:
        """Let the finalists play for the first place, and the winner games that have decided nothing."""
        scores = self.scores([finalist.agent for finalist in finalists], FINALS, team)
        best = finalists[int(np.argmax(scores))]
        seed = derived(self.seed, HELD_OUT)
        games = self.play([best.agent], self.settings.final, HELD_OUT, team)[0]
        return Result(
            best,
            Evaluation.of(best.agent.name, self.rules, seed, games, 0.0, False),
            {finalist.origin: score for finalist, score in zip(finalists, scores, strict=True)},
            self.compared(experts, crowd, team) if crowd else {},
        )

    def compared(self, experts: Sequence[DataAgent], crowd: Sequence[Finalist], team: Team) -> dict[str, float]:
        """Crowds beside the experts that they are made of, all on the held-out games."""
        chosen = int(np.argmax(self.scores(experts, FINALS, team)))  # not by the games that it is then measured in
        scores = self.scores([*experts, *(finalist.agent for finalist in crowd)], HELD_OUT, team)
        of_experts, of_crowds = scores[: len(experts)], scores[len(experts) :]
        return {
            "experts": len(experts),
            "average expert": float(np.mean(of_experts)),
            "best expert": of_experts[chosen],
            **{finalist.origin: score for finalist, score in zip(crowd, of_crowds, strict=True)},
        }
