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

from tetrion.agents import WeightedAgent
from tetrion.engine.agent_records import quantise
from tetrion.engine.batch_play import (
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    compute_gravity_interval,
    make_games,
    place_piece,
)
from tetrion.engine.best_placements import WORST_POINTS
from tetrion.engine.features import FEATURES
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, decode_placement
from tetrion.engine.placement_choice import SIMD_SCRATCH_DTYPE
from tetrion.engine.placement_values import PLACEMENT_VALUES_DTYPE, evaluate_placements
from tetrion.engine.randomisers import MAX_SEED, validate_seed
from tetrion.engine.realtime import FALLING_DTYPE, prepare_next_piece
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.number_format import format_name
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays, restore_generator, save_generator
from tetrion.training.recipe_settings import boolean_setting, choice_setting, float_setting, integer_setting

# What is measured of a placement, and the weights to begin with: Figure 12, and section 6.5's refinement of it.
INITIAL_WEIGHTS: dict[str, dict[str, float]] = {
    "raw": {"lines": 4, "aggregate_height": -2, "max_height": -1, "holes": -1, "bumpiness": -1},
    "differences": {"lines": 4, "max_height_change": -1, "holes_change": -1, "bumpiness_change": -1},
}
MAX_EPISODES, MAX_EPISODE_PIECES = 10**6, 10**7


@dataclass(frozen=True)
class QLearningSettings:
    """How to learn. Each rate goes in a straight line from its start to its end, over so many episodes."""

    episodes: int = integer_setting(1500, 1, MAX_EPISODES, "episodes to play")
    max_pieces: int = integer_setting(1000, 1, MAX_EPISODE_PIECES, "pieces after which an episode is cut short")
    total_pieces: int = integer_setting(
        0, 0, UNLIMITED, "end after the episode with which so many pieces have been placed; 0: never"
    )
    features: str = choice_setting(
        "differences", tuple(INITIAL_WEIGHTS), "what is measured: raw, or differences between two boards"
    )
    alpha: float = float_setting(0.002, 0, 1, "learning rate in the first episode")
    alpha_end: float = float_setting(0.0005, 0, 1, "learning rate at the end of its schedule")
    alpha_episodes: int = integer_setting(1500, 1, MAX_EPISODES, "episodes over which the learning rate moves")
    gamma: float = float_setting(0.995, 0, 1, "discount of what comes later, in the first episode")
    gamma_end: float = float_setting(0.995, 0, 1, "discount at the end of its schedule")
    gamma_episodes: int = integer_setting(1500, 1, MAX_EPISODES, "episodes over which the discount moves")
    epsilon: float = float_setting(0.0, 0, 1, "share of random placements in the first episode")
    epsilon_end: float = float_setting(0.0, 0, 1, "share of random placements at the end of its schedule")
    epsilon_episodes: int = integer_setting(
        1500, 1, MAX_EPISODES, "episodes over which the share of random placements moves"
    )
    trace_decay: float = float_setting(
        0.9, 0, 1, "how much of an error the placement before gets (λ); 0: none, as in the report"
    )
    bias: bool = boolean_setting(True, "whether one of the features is the constant 1; false: as in the report")
    initial_bias: float = float_setting(
        80.0, 0, 1e6, "the constant's weight to begin with: what it is worth to be alive"
    )
    average_from: int = integer_setting(
        501, 0, MAX_EPISODES, "episode from which on the weights are averaged; 0: never"
    )
    divergence_factor: float = float_setting(
        100.0, 1, 1e9, "a weight beyond so many times the largest to begin with has diverged"
    )


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


class PlacementFeatures(NamedTuple):
    """Every placement of a piece, in the order that breaks ties: the engine's number of it, and its features."""

    encoded_placements: NumpyArray
    features: NumpyArray  # a row a placement; the last column is the constant


class GameEnvironment:
    """The engine: deals and places pieces, one game after another, and measures all placements of a piece."""

    def __init__(self, rules: Rules, terms: Mapping[str, float], constant: float) -> None:
        self.setting = EngineSettings.from_agents([(terms, True)], rules)
        self.constant = constant
        self.is_timed = rules.movement == "timed"
        self.feature_indices = np.array([[FEATURES[name].number] for name in terms])
        self.rules_record = self.setting.rules.view(np.recarray)[0]
        self.orientation_table = self.setting.rules["orientations"][0]
        self.weighed = np.zeros(1, PLACEMENT_VALUES_DTYPE)
        self.scratch = np.zeros(1, SIMD_SCRATCH_DTYPE)
        self.feature_values = self.weighed["feature_values"][0].reshape(-1, MAX_PLACEMENTS_PER_DEPTH)

    def begin_game(self, seed: int, number: int) -> None:
        """Deal the first piece of a game of a seed."""
        self.games = make_games(1, seed, number)
        self.falls = np.zeros(1, FALLING_DTYPE)
        self.game = self.games[0]
        prepare_next_piece.call_with_memory(self.scratch, self.games, self.falls, self.setting)

    def list_placements(self) -> PlacementFeatures | None:
        """What can be done with the current piece; None once the game is over."""
        game = self.game
        setting = self.setting
        weighed = self.weighed
        if game["status"] != STATUS_PLAYING:
            return None
        interval = (
            int(compute_gravity_interval(self.games.view(np.recarray)[0], self.rules_record)) if self.is_timed else 0
        )
        weighed["count"] = 0
        evaluate_placements(
            game["board"], setting.rules, setting.agents, 0, setting.tables, game["queue"][0], interval, weighed
        )
        count = weighed["count"][0, 0]
        places, points = weighed["placements"][0, :count], weighed["points"][0, :count]
        possible = np.flatnonzero(points != WORST_POINTS)
        order = possible[places[possible].argsort()]
        features = np.full((len(order), len(self.feature_indices) + 1), self.constant)
        features[:, :-1] = self.feature_values[self.feature_indices, order].T
        return PlacementFeatures(places[order], features)

    def place(self, encoded_placement: int) -> int:
        """Let the current piece come to rest and deal the next one; tells how many lines that has cleared."""
        (turn, column, row), lines = decode_placement(encoded_placement), int(self.game["lines"])
        orientation = self.orientation_table[self.game["queue"][0], turn]
        place_piece.call_with_memory(self.scratch, self.games, self.setting, orientation, column, row)
        prepare_next_piece.call_with_memory(self.scratch, self.games, self.falls, self.setting)
        return int(self.game["lines"]) - lines


class QLearning:
    """A learner between two episodes: `current` are its weights now, `diverged` tells why it has stopped, if it has.

    Episode n is game n of a seed that comes from the learner's own, so the same seed is the same training to the bit.
    """

    def __init__(self, settings: QLearningSettings, rules: Rules, seed: int) -> None:
        self.settings = settings
        self.rules = rules
        start = INITIAL_WEIGHTS[settings.features]
        self.feature_names, largest = tuple(start), max(map(abs, start.values()))
        self.environment = GameEnvironment(rules, start, float(settings.bias))
        self.initial_weights = np.array([*start.values(), settings.initial_bias if settings.bias else 0.0])
        self.weight_bounds = settings.divergence_factor * np.array(
            [*(largest for _ in start), max(settings.initial_bias, largest)]
        )
        self.current_weights = self.initial_weights
        self.mean_weights = np.zeros_like(self.initial_weights)
        self.averaged_count = 0
        self.episode_number = 0
        self.divergence_message = ""
        self.generator = np.random.default_rng(validate_seed(seed))
        self.games_seed = int(self.generator.integers(MAX_SEED))

    def run_episode(self) -> Episode:
        """Play a whole episode and learn from every piece of it."""
        if self.divergence_message:
            raise RunError(f"There is nothing more to learn. {self.divergence_message}")
        self.episode_number += 1
        alpha, gamma, epsilon = (self.get_rate(name) for name in ("alpha", "gamma", "epsilon"))
        dealer = self.environment
        pieces = 0
        errors = 0.0
        trace = np.zeros_like(self.initial_weights)
        dealer.begin_game(self.games_seed, self.episode_number)
        moves = dealer.list_placements()
        while moves and pieces < self.settings.max_pieces and not self.divergence_message:
            if self.generator.random() < epsilon:
                chosen = int(self.generator.integers(len(moves.encoded_placements)))
                trace = np.zeros_like(trace)  # what went before did not want this one
            else:
                chosen = self.choose_greedy(moves)
            features = moves.features[chosen]
            reward = dealer.place(int(moves.encoded_placements[chosen]))
            moves, pieces = dealer.list_placements(), pieces + 1
            future = self.compute_q(moves.features).max() if moves else 0.0
            error = float(reward + gamma * future - self.compute_q(features))
            trace = gamma * self.settings.trace_decay * trace + features
            self.update_weights(alpha * error * trace, pieces)
            errors += abs(error)
        *weights, constant = self.current_weights.tolist()
        return Episode(
            number=self.episode_number,
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

    def compute_q(self, features: NumpyArray) -> NumpyArray:
        """Q, added up in the same order on every machine, which a matrix product is not."""
        return np.asarray((features * self.current_weights).sum(axis=-1))

    def get_rate(self, name: str) -> float:
        """A rate in this episode."""
        start, end, over = (float(getattr(self.settings, name + part)) for part in ("", "_end", "_episodes"))
        return start + (end - start) * min((self.episode_number - 1) / over, 1.0)

    def choose_greedy(self, moves: PlacementFeatures) -> int:
        """The first placement of the largest Q, rounded as the engine does it, so that the agent plays like this."""
        rounded, _ = quantise(dict(zip(self.feature_names, self.current_weights.tolist(), strict=False)))
        return int((moves.features[:, :-1] @ np.array(list(rounded.values()), float)).argmax())

    def update_weights(self, change: NumpyArray, pieces: int) -> None:
        """Change the weights and count them into the average, unless they would diverge: then they stay."""
        weights = self.current_weights + change
        unsound = ~(np.abs(weights) <= self.weight_bounds)  # what is not a number is unsound too
        if unsound.any():
            self.divergence_message = self.describe_divergence(
                weights, int((unsound * np.abs(weights / self.weight_bounds)).argmax()), pieces
            )
            return
        self.current_weights = weights
        if 0 < self.settings.average_from <= self.episode_number:
            self.averaged_count += 1
            self.mean_weights = self.mean_weights + (weights - self.mean_weights) / self.averaged_count

    def describe_divergence(self, weights: NumpyArray, worst: int, pieces: int) -> str:
        """What is told of weights that have diverged."""
        name = (*self.feature_names, "the constant")[worst]
        remedy = 'features = "differences"' if self.settings.features == "raw" else "a smaller alpha or trace"
        return (
            f"The weights diverged in episode {self.episode_number}, at piece {pieces}: that of {format_name(name)} was "
            f"{self.initial_weights[worst]:g} to begin with and would now be {weights[worst]:.4g}, beyond "
            f"{self.weight_bounds[worst]:g}. Use {remedy}."
        ).replace("-", "−")

    def get_weights(self) -> dict[str, float]:
        """What has been learnt, by feature: the average of the weights if there is one, else the weights now."""
        learnt = self.mean_weights if self.averaged_count else self.current_weights
        return dict(zip(self.feature_names, learnt.tolist(), strict=False))  # the constant does not decide anything

    def make_agent(self, name: str) -> WeightedAgent:
        """The agent that plays by what has been learnt, without random placements."""
        return WeightedAgent(name, self.get_weights(), rules=str(self.rules))

    def get_state(self) -> StateArrays:
        """Everything that it needs to go on, its generator included."""
        return {
            "weights": self.current_weights.copy(),
            "mean": self.mean_weights.copy(),
            "averaged": np.array(self.averaged_count),
            "number": np.array(self.episode_number),
            "games_seed": np.array(self.games_seed),
            "diverged": np.array(self.divergence_message),
            "generator": save_generator(self.generator),
        }

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""
        if state["weights"].shape != self.initial_weights.shape:
            raise RunError(
                f'With features = "{self.settings.features}" there are {len(self.initial_weights)} weights, and this state has '
                f"{len(state['weights'])}. Go on with the settings that it was made with."
            )
        self.current_weights = state["weights"].copy()
        self.mean_weights = state["mean"].copy()
        self.averaged_count = int(state["averaged"])
        self.episode_number = int(state["number"])
        self.games_seed = int(state["games_seed"])
        self.divergence_message = str(state["diverged"])
        restore_generator(self.generator, state["generator"])
