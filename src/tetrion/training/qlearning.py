"""Feature-based Q-learning as in TetrAIs 2023, sections 2.2, 2.3 and 6.5: from settings to a trained agent.

Q(s, a) = w · f(s, a), where f are features of a placement. After each piece the weights move by
α · (R + γ · max Q(s′, a′) − Q(s, a)) · f(s, a), and R is the number of lines that the placement has cleared.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.agents import quantise
from tetrion.engine.ahead import ROOM_A_PLY, parts_of
from tetrion.engine.choose import WORST
from tetrion.engine.features import FEATURES
from tetrion.engine.play import PLAYING, Setting, interval_of, new_games, place_piece
from tetrion.engine.randomisers import LARGEST_SEED, checked_seed
from tetrion.engine.realtime import FALLING, prepare_next
from tetrion.engine.rules import Rules
from tetrion.engine.weigh import WEIGHED, weigh_places
from tetrion.errors import RunError
from tetrion.training.optimiser import Numbers, State, generator_state, restore_generator
from tetrion.training.settings import one_of, real, whole

# What is measured of a placement, and the weights to begin with: Figure 12, and section 6.5's refinement of it.
STARTS: dict[str, dict[str, float]] = {
    "raw": {"lines": 4, "aggregate_height": -2, "max_height": -1, "holes": -1, "bumpiness": -1},
    "differences": {"lines": 4, "max_height_change": -1, "holes_change": -1, "bumpiness_change": -1},
}
MOST_EPISODES, MOST_PIECES = 10**6, 10**7


@dataclass(frozen=True)
class QLearningSettings:
    """How to learn. Each rate goes in a straight line from its start to its end, over so many episodes."""

    episodes: int = whole(500, 1, MOST_EPISODES, "episodes to play")
    pieces: int = whole(1000, 1, MOST_PIECES, "pieces after which an episode is cut short")
    features: str = one_of("differences", tuple(STARTS), "what is measured: raw, or differences between two boards")
    alpha: float = real(0.01, 0, 1, "learning rate in the first episode")
    alpha_end: float = real(0.0, 0, 1, "learning rate at the end of its schedule")
    alpha_episodes: int = whole(500, 1, MOST_EPISODES, "episodes over which the learning rate moves")
    gamma: float = real(0.9, 0, 1, "discount of what comes later, in the first episode")
    gamma_end: float = real(0.9, 0, 1, "discount at the end of its schedule")
    gamma_episodes: int = whole(1, 1, MOST_EPISODES, "episodes over which the discount moves")
    epsilon: float = real(0.1, 0, 1, "share of random placements in the first episode")
    epsilon_end: float = real(0.0, 0, 1, "share of random placements at the end of its schedule")
    epsilon_episodes: int = whole(500, 1, MOST_EPISODES, "episodes over which the share of random placements moves")
    average_from: int = whole(0, 0, MOST_EPISODES, "episode from which on the weights are averaged; 0: never")
    limit: float = real(1000, 1, 1e9, "a weight beyond so many times the start's largest one has diverged")


class Episode(NamedTuple):
    """What happened in an episode; `weights` are those at its end, in the order of the features."""

    number: int  # from 1
    pieces: int
    lines: int
    score: int
    error: float  # the mean size of it
    alpha: float
    gamma: float
    epsilon: float
    weights: tuple[float, ...]


class Moves(NamedTuple):
    """Every placement of a piece: the engine's number of it and a row of features, in the order that breaks ties."""

    places: Numbers
    features: Numbers


class LearningGame:
    """A game that the engine deals and places, and whose placements it measures."""

    def __init__(self, rules: Rules, terms: Mapping[str, float], seed: int, number: int) -> None:
        self.setting, self.timed = Setting.of([(terms, True)], rules), rules.movement == "timed"
        self.games, self.falls, self.weighed = new_games(1, seed, number), np.zeros(1, FALLING), np.zeros(1, WEIGHED)
        self.measured = self.weighed["measured"][0].reshape(-1, ROOM_A_PLY)
        self.numbers = np.array([FEATURES[name].number for name in terms])
        self.record, self.turned = self.setting.rules.view(np.recarray)[0], self.setting.rules["turned"][0]
        prepare_next(self.games, self.falls, self.setting)

    def count(self, what: str) -> int:
        """How many pieces, lines or points there are so far."""
        return int(self.games[what][0])

    def moves(self) -> Moves | None:
        """What can be done with the current piece; None once the game is over."""
        if self.games["status"][0] != PLAYING:
            return None
        setting, weighed, piece = self.setting, self.weighed, self.games["queue"][0, 0]
        interval = int(interval_of(self.games.view(np.recarray)[0], self.record)) if self.timed else 0
        weighed["count"] = 0
        weigh_places(self.games["board"][0], setting.rules, setting.agents, 0, setting.tables, piece, interval, weighed)
        count = weighed["count"][0, 0]
        places, points = weighed["places"][0, :count], weighed["points"][0, :count]
        possible = np.flatnonzero(points != WORST)
        order = possible[places[possible].argsort()]
        return Moves(places[order], self.measured[self.numbers[:, None], order].T.astype(float))

    def place(self, place: int) -> int:
        """Let the current piece come to rest and deal the next one; tells how many lines that has cleared."""
        (turn, column, row), lines = parts_of(place), self.count("lines")
        orientation = self.turned[self.games["queue"][0, 0], turn]
        place_piece(self.games, self.setting, orientation, column, row)
        prepare_next(self.games, self.falls, self.setting)
        return self.count("lines") - lines


class QLearning:
    """A learner between two episodes: `current` are its weights now, `diverged` tells why it has stopped, if it has.

    Episode n is game n of a seed that comes from the learner's own, so the same seed is the same training to the bit.
    """

    def __init__(self, settings: QLearningSettings, rules: Rules, seed: int) -> None:
        self.settings, self.rules = settings, rules
        self.start = STARTS[settings.features]
        self.names, self.current = tuple(self.start), np.array(list(self.start.values()), float)
        self.largest = settings.limit * float(np.abs(self.current).max())
        self.mean, self.averaged = np.zeros_like(self.current), 0
        self.number, self.diverged = 0, ""
        self.generator = np.random.default_rng(checked_seed(seed))
        self.games_seed = int(self.generator.integers(LARGEST_SEED))

    def episode(self) -> Episode:
        """Play a whole episode and learn from every piece of it."""
        if self.diverged:
            raise RunError(f"There is nothing more to learn. {self.diverged}")
        self.number += 1
        alpha, gamma, epsilon = (self.rate(name) for name in ("alpha", "gamma", "epsilon"))
        game, errors = LearningGame(self.rules, self.start, self.games_seed, self.number), 0.0
        moves = game.moves()
        while moves and game.count("pieces") < self.settings.pieces and not self.diverged:
            explores = self.generator.random() < epsilon
            chosen = self.generator.integers(len(moves.places)) if explores else self.greedy(moves)
            features = moves.features[chosen]
            reward = game.place(int(moves.places[chosen]))
            moves = game.moves()
            future = (moves.features @ self.current).max() if moves else 0.0
            error = reward + gamma * future - features @ self.current
            errors += abs(error)
            self.learn(self.current + alpha * error * features, game)
        pieces, lines, score = (game.count(what) for what in ("pieces", "lines", "score"))
        weights = tuple(self.current.tolist())
        return Episode(self.number, pieces, lines, score, errors / max(pieces, 1), alpha, gamma, epsilon, weights)

    def rate(self, name: str) -> float:
        """A rate in this episode."""
        start, end, over = (float(getattr(self.settings, name + part)) for part in ("", "_end", "_episodes"))
        return start + (end - start) * min((self.number - 1) / over, 1.0)

    def greedy(self, moves: Moves) -> int:
        """The placement of the largest Q, rounded as the engine rounds, so that the trained agent plays like this."""
        rounded = quantise(dict(zip(self.names, self.current.tolist(), strict=True)))[0]
        return int((moves.features @ np.array(list(rounded.values()), float)).argmax())

    def learn(self, weights: Numbers, game: LearningGame) -> None:
        """Take the new weights and count them into the average, unless they have diverged."""
        unsound = ~(np.abs(weights) <= self.largest)  # so that what is not a number is unsound too
        if unsound.any():
            worst = int(np.where(unsound, np.abs(weights), 0).argmax())
            name, before = self.names[worst], list(self.start.values())[worst]
            self.diverged = (
                f"The weights diverged in episode {self.number}, after {game.count('pieces')} pieces: that of {name} "
                f"went from {before:g} to {weights[worst]:g}, and {self.settings.limit:g} times the largest of the "
                f'start is {self.largest:g}. Use features="differences" or a smaller alpha.'
            )
            return
        self.current = weights
        if 0 < self.settings.average_from <= self.number:
            self.averaged += 1
            self.mean = self.mean + (weights - self.mean) / self.averaged

    def weights(self) -> dict[str, float]:
        """What has been learnt, by feature: the average of the weights if there is one, else the weights now."""
        learnt = self.mean if self.averaged else self.current
        return dict(zip(self.names, learnt.tolist(), strict=True))

    def agent(self, name: str) -> DataAgent:
        """The agent that plays by what has been learnt, without random placements."""
        return DataAgent(name, self.weights(), rules=str(self.rules))

    def state(self) -> State:
        """Everything that it needs to go on, its generator included."""
        return {
            "weights": self.current.copy(),
            "mean": self.mean.copy(),
            "averaged": np.array(self.averaged),
            "number": np.array(self.number),
            "games_seed": np.array(self.games_seed),
            "diverged": np.array(self.diverged),
            "generator": generator_state(self.generator),
        }

    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""
        if state["weights"].shape != self.current.shape:
            given = len(state["weights"])
            raise RunError(f'These are {given} weights; features="{self.settings.features}" has {len(self.names)}.')
        self.current, self.mean = state["weights"].copy(), state["mean"].copy()
        self.averaged, self.number = int(state["averaged"]), int(state["number"])
        self.games_seed, self.diverged = int(state["games_seed"]), str(state["diverged"])
        restore_generator(self.generator, state["generator"])
