"""How fit candidates are: the games that they play, on common random numbers, and more of them for the promising."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.play import UNLIMITED, Games, Setting, new_games
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError
from tetrion.evaluation.watching import Watch
from tetrion.evaluation.workers import Workers
from tetrion.training.optimisers.protocol import Numbers
from tetrion.training.settings import one_of, real, several, switch, whole

MOST_RACES = 10
APART = 2**32  # games between those of a candidate and the next


FITNESS = {  # and the words for it
    "lines": "lines cleared",
    "score": "points",
    "lines-a-piece": "lines a piece",
    "survival": "pieces placed",
}
COUNTED = {"lines": "lines", "score": "score", "survival": "pieces"}  # in which field of a game's record


@dataclass(frozen=True)
class GamesSettings:
    """[games]: what candidates play, and what counts."""

    fitness: str = one_of("lines", tuple(FITNESS), "what is counted, a game")
    summed: bool = switch(False, "whether fitness is the sum over a candidate's games and not their mean")
    count: int = whole(1, 1, 10**6, "games that every candidate plays")
    races: int = whole(0, 0, MOST_RACES, "rounds in which the better half of the last round plays as many games again")
    deal: str = one_of(
        "generation",
        ("fixed", "generation", "candidate"),
        "whose pieces are the same: fixed, everybody's always; generation, those of a generation; candidate, nobody's",
    )
    pieces: tuple[int, ...] = several(
        (0,), int, "the most pieces of a game, 0 for no end; the next one holds when candidates reach it", 0, UNLIMITED
    )
    rise: float = real(0.5, 0, 1, "the share of games that reach the most pieces before the next number holds")
    lines: int = whole(0, 0, UNLIMITED, "the most lines of a game; 0 for no end")

    def check(self) -> None:
        """Make sure that the settings fit together."""
        limits = [cap or UNLIMITED for cap in self.pieces]
        if not limits or sorted(set(limits)) != limits:
            raise RecipeError(f"games.pieces are one number or more, each larger than the last; given {self.pieces}.")
        if self.summed and self.races:
            raise RecipeError("games.summed counts games that all candidates play: it needs games.races = 0.")
        if self.summed and self.fitness == "lines-a-piece":
            raise RecipeError("games.summed adds up what is counted a game; lines a piece are not.")


class Played(NamedTuple):
    """What candidates' games came to: a fitness each, how many games each played, and the sums of all."""

    fitness: Numbers
    games: Numbers
    pieces: int
    reached: float  # the share of games that reached the most pieces


class Team(NamedTuple):
    """Whoever plays the games of training, and whoever watches."""

    workers: Workers
    watch: Watch | None = None

    def play(self, games: Games, setting: Setting) -> None:
        """Play games to their ends, in place."""
        self.workers.prepare(setting)
        if self.workers.play(games, setting, self.watch):
            raise KeyboardInterrupt

    @property
    def unseen(self) -> "Team":
        """The same for games that train nobody, which need not be watched piece by piece."""
        return self._replace(workers=self.workers.unseen)


class Match:
    """Candidates that play the games of a seed."""

    def __init__(self, agents: Sequence[DataAgent], rules: Rules, most_pieces: int, most_lines: int = 0) -> None:
        self.agents, caps = agents, (most_pieces or UNLIMITED, most_lines or UNLIMITED)
        self.setting = Setting.of([agent.compiled() for agent in agents], rules, *caps)

    def play(self, who: Numbers, numbers: range, seed: int, team: Team, apart: bool = False) -> Games:
        """These games of some candidates, a row each; with `apart` everybody has pieces of their own."""
        starts = [int(number) * APART + numbers.start if apart else numbers.start for number in who]
        games = np.stack([new_games(len(numbers), seed, start) for start in starts])
        games["agent"] = who[:, None]
        team.play(games.ravel(), self.setting)
        for agent in self.agents:
            agent.check_features()
        return games


def play_candidates(
    agents: Sequence[DataAgent],
    rules: Rules,
    settings: GamesSettings,
    most_pieces: int,
    seed: int,
    team: Team,
) -> Played:
    """Play the games of a generation: everybody's, then as many again for the better half, race by race."""
    match, apart = Match(agents, rules, most_pieces, settings.lines), settings.deal == "candidate"
    who, fitness = np.arange(len(agents)), np.zeros(len(agents))
    records: list[list[Games]] = [[] for _ in agents]
    bounds = [0, *(settings.count * 2**race for race in range(settings.races + 1))]
    for first, end in pairwise(bounds):
        for number, games in zip(who, match.play(who, range(first, end), seed, team, apart), strict=True):
            records[number].append(games)
            fitness[number] = fitness_of(np.concatenate(records[number]), settings)
        who = np.sort(who[np.argsort(-fitness[who], kind="stable")][: max(1, len(who) // 2)])
    every = np.concatenate([games for played in records for games in played])
    counts = np.array([sum(map(len, played)) for played in records])
    reached = float((every["pieces"] >= most_pieces).mean()) if most_pieces else 0.0
    return Played(fitness, counts, int(every["pieces"].sum()), reached)


def fitness_of(games: Games, settings: GamesSettings) -> float:
    """The fitness that a candidate's games come to."""
    if settings.fitness == "lines-a-piece":
        return float(games["lines"].sum() / max(1, games["pieces"].sum()))
    counted = games[COUNTED[settings.fitness]]
    return float(counted.sum() if settings.summed else counted.mean())
