"""Feature-based Q-learning as in TetrAIs 2023, sections 2.2, 2.3 and 6.5: from settings to a trained agent.

Q(s, a) = w · f(s, a), where f are features of a placement. After each piece the weights move by
α · (R + γ · max Q(s′, a′) − Q(s, a)) · f(s, a), and R is the number of lines that the placement has cleared.

Two things that the report does not mention make this work. One of the features is the constant 1: its weight is what it
is worth to be alive, and who loses the game loses that. (The Pacman project of Berkeley, which the report cites, has
it too.) And an error is put down to earlier placements as well, the less the longer they are ago, since a hole costs
its lines much later. This is Watkins's Q(λ) of 1989.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.agents import quantise
from tetrion.engine.ahead import ROOM_A_PLY, parts_of
from tetrion.engine.choose import SIXTEEN
from tetrion.engine.features import FEATURES
from tetrion.engine.leaders import WORST
from tetrion.engine.play import PLAYING, UNLIMITED, Setting, interval_of, new_games, place_piece
from tetrion.engine.randomisers import LARGEST_SEED, checked_seed
from tetrion.engine.realtime import FALLING, prepare_next
from tetrion.engine.rules import Rules
from tetrion.engine.weigh import WEIGHED, weigh_places
from tetrion.errors import RunError
from tetrion.evaluation.words import in_words
from tetrion.training.optimisers.protocol import Numbers, State, generator_state, restore_generator
from tetrion.training.settings import one_of, real, switch, whole

# What is measured of a placement, and the weights to begin with: Figure 12, and section 6.5's refinement of it.
STARTS: dict[str, dict[str, float]] = {
    "raw": {"lines": 4, "aggregate_height": -2, "max_height": -1, "holes": -1, "bumpiness": -1},
    "differences": {"lines": 4, "max_height_change": -1, "holes_change": -1, "bumpiness_change": -1},
}
MOST_EPISODES, MOST_PIECES = 10**6, 10**7


@dataclass(frozen=True)
class QLearningSettings:
    """How to learn. Each rate goes in a straight line from its start to its end, over so many episodes."""

    episodes: int = whole(1500, 1, MOST_EPISODES, "episodes to play")
    pieces: int = whole(1000, 1, MOST_PIECES, "pieces after which an episode is cut short")
    budget: int = whole(0, 0, UNLIMITED, "end after the episode with which so many pieces have been placed; 0: never")
    features: str = one_of("differences", tuple(STARTS), "what is measured: raw, or differences between two boards")
    alpha: float = real(0.002, 0, 1, "learning rate in the first episode")
    alpha_end: float = real(0.0005, 0, 1, "learning rate at the end of its schedule")
    alpha_episodes: int = whole(1500, 1, MOST_EPISODES, "episodes over which the learning rate moves")
    gamma: float = real(0.995, 0, 1, "discount of what comes later, in the first episode")
    gamma_end: float = real(0.995, 0, 1, "discount at the end of its schedule")
    gamma_episodes: int = whole(1500, 1, MOST_EPISODES, "episodes over which the discount moves")
    epsilon: float = real(0.0, 0, 1, "share of random placements in the first episode")
    epsilon_end: float = real(0.0, 0, 1, "share of random placements at the end of its schedule")
    epsilon_episodes: int = whole(1500, 1, MOST_EPISODES, "episodes over which the share of random placements moves")
    trace: float = real(0.9, 0, 1, "how much of an error the placement before gets (λ); 0: none, as in the report")
    constant: bool = switch(True, "whether one of the features is the constant 1; false: as in the report")
    alive: float = real(80.0, 0, 1e6, "the constant's weight to begin with: what it is worth to be alive")
    average_from: int = whole(501, 0, MOST_EPISODES, "episode from which on the weights are averaged; 0: never")
    limit: float = real(100.0, 1, 1e9, "a weight beyond so many times the largest to begin with has diverged")


class Episode(NamedTuple):
    """What happened in an episode; `weights` are those at its end, by feature, and `constant` is that of the 1."""

    number: int  # from 1
    pieces: int
    lines: int
    score: int
    error: float  # the mean size of it
    alpha: float
    gamma: float
    epsilon: float
    constant: float
    weights: tuple[float, ...]


class Moves(NamedTuple):
    """Every placement of a piece, in the order that breaks ties: the engine's number of it, and its features."""

    places: Numbers
    features: Numbers  # a row a placement; the last column is the constant


class Dealer:
    """The engine: deals and places pieces, one game after another, and measures all placements of a piece."""

    def __init__(self, rules: Rules, terms: Mapping[str, float], constant: float) -> None:
        self.setting, self.constant, self.timed = (
            Setting.of([(terms, True)], rules),
            constant,
            rules.movement == "timed",
        )
        self.numbers = np.array([[FEATURES[name].number] for name in terms])
        self.record, self.turned = self.setting.rules.view(np.recarray)[0], self.setting.rules["turned"][0]
        self.weighed, self.memory = np.zeros(1, WEIGHED), np.zeros(1, SIXTEEN)
        self.measured = self.weighed["measured"][0].reshape(-1, ROOM_A_PLY)

    def begin(self, seed: int, number: int) -> None:
        """Deal the first piece of a game of a seed."""
        self.games, self.falls = new_games(1, seed, number), np.zeros(1, FALLING)
        self.game = self.games[0]
        prepare_next.using(self.memory, self.games, self.falls, self.setting)

    def moves(self) -> Moves | None:
        """What can be done with the current piece; None once the game is over."""
        game, setting, weighed = self.game, self.setting, self.weighed
        if game["status"] != PLAYING:
            return None
        interval = int(interval_of(self.games.view(np.recarray)[0], self.record)) if self.timed else 0
        weighed["count"] = 0
        weigh_places(
            game["board"], setting.rules, setting.agents, 0, setting.tables, game["queue"][0], interval, weighed
        )
        count = weighed["count"][0, 0]
        places, points = weighed["places"][0, :count], weighed["points"][0, :count]
        possible = np.flatnonzero(points != WORST)
        order = possible[places[possible].argsort()]
        features = np.full((len(order), len(self.numbers) + 1), self.constant)
        features[:, :-1] = self.measured[self.numbers, order].T
        return Moves(places[order], features)

    def place(self, place: int) -> int:
        """Let the current piece come to rest and deal the next one; tells how many lines that has cleared."""
        (turn, column, row), lines = parts_of(place), int(self.game["lines"])
        orientation = self.turned[self.game["queue"][0], turn]
        place_piece.using(self.memory, self.games, self.setting, orientation, column, row)
        prepare_next.using(self.memory, self.games, self.falls, self.setting)
        return int(self.game["lines"]) - lines


class QLearning:
    """A learner between two episodes: `current` are its weights now, `diverged` tells why it has stopped, if it has.

    Episode n is game n of a seed that comes from the learner's own, so the same seed is the same training to the bit.
    """

    def __init__(self, settings: QLearningSettings, rules: Rules, seed: int) -> None:
        self.settings, self.rules, start = settings, rules, STARTS[settings.features]
        self.names, largest = tuple(start), max(map(abs, start.values()))
        self.dealer = Dealer(rules, start, float(settings.constant))
        self.start = np.array([*start.values(), settings.alive if settings.constant else 0.0])
        self.bounds = settings.limit * np.array([*(largest for _ in start), max(settings.alive, largest)])
        self.current, self.mean, self.averaged = self.start, np.zeros_like(self.start), 0
        self.number, self.diverged = 0, ""
        self.generator = np.random.default_rng(checked_seed(seed))
        self.games_seed = int(self.generator.integers(LARGEST_SEED))

    def episode(self) -> Episode:
        """Play a whole episode and learn from every piece of it."""
        if self.diverged:
            raise RunError(f"There is nothing more to learn. {self.diverged}")
        self.number += 1
        alpha, gamma, epsilon = (self.rate(name) for name in ("alpha", "gamma", "epsilon"))
        dealer, pieces, errors, trace = self.dealer, 0, 0.0, np.zeros_like(self.start)
        dealer.begin(self.games_seed, self.number)
        moves = dealer.moves()
        while moves and pieces < self.settings.pieces and not self.diverged:
            if self.generator.random() < epsilon:
                chosen = int(self.generator.integers(len(moves.places)))
                trace = np.zeros_like(trace)  # what went before did not want this one
            else:
                chosen = self.greedy(moves)
            features = moves.features[chosen]
            reward = dealer.place(int(moves.places[chosen]))
            moves, pieces = dealer.moves(), pieces + 1
            future = self.worth(moves.features).max() if moves else 0.0
            error = float(reward + gamma * future - self.worth(features))
            trace = gamma * self.settings.trace * trace + features
            self.learn(alpha * error * trace, pieces)
            errors += abs(error)
        *weights, constant = self.current.tolist()
        return Episode(
            number=self.number,
            pieces=pieces,
            lines=int(dealer.game["lines"]),
            score=int(dealer.game["score"]),
            error=errors / max(pieces, 1),
            alpha=alpha,
            gamma=gamma,
            epsilon=epsilon,
            constant=constant,
            weights=tuple(weights),
        )

    def worth(self, features: Numbers) -> Numbers:
        """Q, added up in the same order on every machine, which a matrix product is not."""
        return np.asarray((features * self.current).sum(axis=-1))

    def rate(self, name: str) -> float:
        """A rate in this episode."""
        start, end, over = (float(getattr(self.settings, name + part)) for part in ("", "_end", "_episodes"))
        return start + (end - start) * min((self.number - 1) / over, 1.0)

    def greedy(self, moves: Moves) -> int:
        """The first placement of the largest Q, rounded as the engine does it, so that the agent plays like this."""
        rounded, _ = quantise(dict(zip(self.names, self.current.tolist(), strict=False)))
        return int((moves.features[:, :-1] @ np.array(list(rounded.values()), float)).argmax())

    def learn(self, change: Numbers, pieces: int) -> None:
        """Change the weights and count them into the average, unless they would diverge: then they stay."""
        weights = self.current + change
        unsound = ~(np.abs(weights) <= self.bounds)  # what is not a number is unsound too
        if unsound.any():
            self.diverged = self.divergence(weights, int((unsound * np.abs(weights / self.bounds)).argmax()), pieces)
            return
        self.current = weights
        if 0 < self.settings.average_from <= self.number:
            self.averaged += 1
            self.mean = self.mean + (weights - self.mean) / self.averaged

    def divergence(self, weights: Numbers, worst: int, pieces: int) -> str:
        """What is told of weights that have diverged."""
        name = (*self.names, "the constant")[worst]
        remedy = 'features = "differences"' if self.settings.features == "raw" else "a smaller alpha or trace"
        return (
            f"The weights diverged in episode {self.number}, at piece {pieces}: that of {in_words(name)} was "
            f"{self.start[worst]:g} to begin with and would now be {weights[worst]:.4g}, beyond "
            f"{self.bounds[worst]:g}. Use {remedy}."
        ).replace("-", "−")

    def weights(self) -> dict[str, float]:
        """What has been learnt, by feature: the average of the weights if there is one, else the weights now."""
        learnt = self.mean if self.averaged else self.current
        return dict(zip(self.names, learnt.tolist(), strict=False))  # the constant does not decide anything

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
        if state["weights"].shape != self.start.shape:
            raise RunError(
                f'With features = "{self.settings.features}" there are {len(self.start)} weights, and this state has '
                f"{len(state['weights'])}. Go on with the settings that it was made with."
            )
        self.current, self.mean = state["weights"].copy(), state["mean"].copy()
        self.averaged, self.number = int(state["averaged"]), int(state["number"])
        self.games_seed, self.diverged = int(state["games_seed"]), str(state["diverged"])
        restore_generator(self.generator, state["generator"])
