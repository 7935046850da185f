"""Feature-based Q-learning as in TetrAIs 2023, sections 2.2, 2.3 and 6.5.

Q(s, a) = w · f(s, a), where f are features of a placement. After each piece the weights move by
α · (R + γ · max Q(s′, a′) − Q(s, a)) · f(s, a), where R is the number of lines that the placement has cleared.

Two additions are not in the report; its page in the documentation measures what they change. One feature is a constant
(the bias): its weight is the value of staying alive, which is lost with the game. The Pacman project of Berkeley, which
the report cites, has it too. And an error also updates the weights for earlier placements, with a decay (a trace),
because a hole costs lines much later. This is Watkins's Q(λ) of 1989.

With `learn_lines = false`, the weight of the cleared lines is that of the reward, so that Q(s, a) = R + V(s′), and V is
a linear function of the features of the board. With γ = 1 and no trace, the weights then move by
α · (max (R′ + V(s″)) − V(s′)) · f(s′): approximate value iteration of V, one board at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.agent_records import quantise
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, get_bulk_games, make_full_games
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, PlacementValuesRecord, evaluate_placements
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.placement_choice import SimdScratch
from tetrion.engine.placements import WORST_POINTS, encode_placement
from tetrion.engine.placing import STATUS_PLAYING, compute_gravity_interval, deal_adversary, place_piece
from tetrion.engine.randomisers import MAX_SEED, validate_seed
from tetrion.engine.real_time import FallingRecord, prepare_next_piece
from tetrion.engine.records import NO_SPIN, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError, RunError
from tetrion.evaluation.number_format import format_count, format_name
from tetrion.text_cleaning import clean_text
from tetrion.training.fitness import SeedPurpose, TrainingWorkers, derive_seed
from tetrion.training.learner import Learner, register_learner
from tetrion.training.optimisers.optimiser import (
    NumpyArray,
    StateArrays,
    check_numbers,
    check_state,
    restore_generator,
    save_generator,
)
from tetrion.training.recipe import Recipe
from tetrion.training.recipe_settings import boolean_setting, choice_setting, float_setting, integer_setting

# Features of a placement and their initial weights: Figure 12 ("raw"), and the refinement of section 6.5; the two
# features of Tsitsiklis and Van Roy 1996, whose weights start at 0, and the reward.
_REWARD_FEATURE = "lines"
INITIAL_WEIGHTS: dict[str, dict[str, float]] = {
    "raw": {"lines": 4, "aggregate_height": -2, "max_height": -1, "holes": -1, "bumpiness": -1},
    "differences": {"lines": 4, "max_height_change": -1, "holes_change": -1, "bumpiness_change": -1},
    "height-and-holes": {"lines": 1, "max_height": 0, "holes": 0},
}
MAX_EPISODES = 10**6
MAX_EPISODE_PIECES = 10**7

ShowGame = Callable[[GameRecords, EngineSettings], None]  # called with an array of one game


@dataclass(frozen=True)
class QLearningSettings:
    """Settings of [q-learning]. Each rate moves linearly from its first to its end value over a number of episodes."""

    episodes: int = integer_setting(1500, 1, MAX_EPISODES, "number of episodes")
    max_pieces: int = integer_setting(1000, 1, MAX_EPISODE_PIECES, "piece limit per episode")
    total_pieces: int = integer_setting(
        0, 0, UNLIMITED, "stop after the episode that reaches this total number of pieces; 0: no limit"
    )
    features: str = choice_setting(
        "differences",
        tuple(INITIAL_WEIGHTS),
        "features: raw, differences between the boards before and after a placement, or height-and-holes (the highest "
        "column and the holes)",
    )
    learn_lines: bool = boolean_setting(
        True,
        "whether the weight of the cleared lines is learned; false: it stays, so that the other features learn the "
        "value of the board",
    )
    learning_rate: float = float_setting(0.002, 0, 1, "learning rate (α) in the first episode")
    learning_rate_end: float = float_setting(0.0005, 0, 1, "learning rate after learning_rate_episodes")
    learning_rate_episodes: int = integer_setting(
        1500, 1, MAX_EPISODES, "episodes over which the learning rate changes"
    )
    discount: float = float_setting(0.995, 0, 1, "discount factor (γ) in the first episode")
    discount_end: float = float_setting(0.995, 0, 1, "discount factor after discount_episodes")
    discount_episodes: int = integer_setting(1500, 1, MAX_EPISODES, "episodes over which the discount factor changes")
    epsilon: float = float_setting(0.0, 0, 1, "share of random placements (ε) in the first episode")
    epsilon_end: float = float_setting(0.0, 0, 1, "share of random placements after epsilon_episodes")
    epsilon_episodes: int = integer_setting(
        1500, 1, MAX_EPISODES, "episodes over which the share of random placements changes"
    )
    trace_decay: float = float_setting(
        0.9,
        0,
        1,
        "trace decay (λ): share of an error that is passed to the previous placement; 0: none, as in the report",
    )
    bias: bool = boolean_setting(True, "whether one feature is a constant; false: as in the report")
    bias_feature: float = float_setting(
        1.0, 1e-3, 1e3, "the constant; the larger it is, the faster its contribution is learned"
    )
    initial_bias: float = float_setting(80.0, 0, 1e6, "initial weight of the constant: the value of staying alive")
    average_from: int = integer_setting(501, 0, MAX_EPISODES, "episode from which the weights are averaged; 0: never")
    divergence_factor: float = float_setting(
        100.0, 1, 1e9, "weights count as diverged beyond this multiple of the largest initial weight"
    )


class Episode(NamedTuple):
    """Statistics of an episode; `weights` and `bias` (the weight of the constant) are those at its end."""

    number: int  # counted from 1
    pieces: int
    lines: int
    score: int
    mean_abs_error: float
    learning_rate: float
    discount: float
    epsilon: float
    bias: float
    weights: tuple[float, ...]


class PlacementFeatures(NamedTuple):
    """All placements of a piece in tie-breaking order: the engine's encoding and the features of each."""

    encoded_placements: NumpyArray
    features: NumpyArray  # one row per placement; the last column is the bias feature


class GameEnvironment:
    """Environment that deals and places pieces, and computes the features of all placements of a piece."""

    def __init__(self, rules: Rules, terms: Mapping[str, float], bias_feature: float) -> None:
        self.settings = EngineSettings.from_agents([(terms, True)], rules)
        self.bias_feature = bias_feature
        self.is_timed = rules.movement == "timed"
        self.is_adversary = rules.randomiser == "adversary"
        self.feature_indices = np.array([[FEATURES[name].number] for name in terms])
        self.rules_record = self.settings.rules[0]
        self.placement_values = PlacementValuesRecord.make_array(1)
        self.scratch = SimdScratch.make_array(1)
        # Views of the records' fields: to read an attribute of a record for each piece would be slower.
        values = self.placement_values[0]
        self.placement_count = values.count
        self.encoded_placements = values.placements
        self.points = values.points
        self.feature_values = values.feature_values.reshape(-1, MAX_PLACEMENTS_PER_DEPTH)

    def begin_game(self, seed: int, number: int) -> None:
        """Deal the first piece of game `number` of a seed."""
        self.games = make_full_games(1, seed, number)
        self.falling = FallingRecord.make_array(1)
        self.bulk_games = get_bulk_games(self.games, self.settings)
        self.game = self.games[0]
        self.status = self.games["status"]
        self.lines = self.games["lines"]
        self.board = self.games["board"][0]
        self.queue = self.games["queue"][0]
        self.prepare_next_piece()

    def prepare_next_piece(self) -> None:
        """Deal the next piece; the game is over if it has no placement."""
        if self.is_adversary:
            deal_adversary(self.games, self.settings.rules)
        prepare_next_piece.call_with_memory(self.scratch, self.games, self.falling, self.settings.rules)

    def list_placements(self) -> PlacementFeatures | None:
        """Return all placements of the current piece with their features; None if the game is over."""
        settings = self.settings
        if self.status[0] != STATUS_PLAYING:
            return None
        interval = 0
        if self.is_timed:
            interval = int(compute_gravity_interval(self.game, self.rules_record))
        self.placement_count[:] = 0
        piece_on_board = PieceOnBoard(self.board, settings.rules, self.queue[0])
        evaluate_placements(piece_on_board, interval, settings.agents, settings.tables, self.placement_values)
        count = self.placement_count[0]
        encoded_placements = self.encoded_placements[:count]
        possible = np.flatnonzero(self.points[:count] != WORST_POINTS)
        order = possible[encoded_placements[possible].argsort()]
        features = np.full((len(order), len(self.feature_indices) + 1), self.bias_feature)
        features[:, :-1] = self.feature_values[self.feature_indices, order].T
        return PlacementFeatures(encoded_placements[order], features)

    def place(self, encoded_placement: int) -> int:
        """Place the current piece and deal the next one; return the number of lines cleared."""
        lines = int(self.lines[0])
        code = encode_placement(encoded_placement, NO_SPIN, 0)
        place_piece.call_with_memory(self.scratch, self.games, self.settings.rules, code)
        self.prepare_next_piece()
        return int(self.lines[0]) - lines


class QLearning:
    """The Q-learning algorithm, episode by episode.

    `divergence_message` is empty until the weights diverge, which ends training. Episode n is game n of a seed derived
    from the learner's seed, so equal seeds give bit-identical training. `initial_weights`, by feature, replace those of
    `settings.features`.
    """

    def __init__(
        self,
        settings: QLearningSettings,
        rules: Rules,
        seed: int,
        initial_weights: Mapping[str, float] | None = None,
    ) -> None:
        self.settings = settings
        self.rules = rules
        start = dict(initial_weights or INITIAL_WEIGHTS[settings.features])
        self.feature_names = tuple(start)
        largest = max(map(abs, start.values()))
        self.environment = GameEnvironment(rules, start, settings.bias_feature if settings.bias else 0.0)
        is_learned = [settings.learn_lines or name != _REWARD_FEATURE for name in start]
        self.learned = np.array([*is_learned, True])
        initial_bias = settings.initial_bias if settings.bias else 0.0
        self.initial_weights = np.array([*start.values(), initial_bias], np.float64)
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

    def run_episode(self, show_game: ShowGame = lambda games, settings: None) -> Episode:
        """Play one episode and learn from each of its pieces; call `show_game` before each piece and at the end."""
        if self.divergence_message:
            raise RunError(f"Training cannot continue. {self.divergence_message}")
        self.episode_number += 1
        learning_rate = self.get_rate("learning_rate")
        discount = self.get_rate("discount")
        epsilon = self.get_rate("epsilon")
        environment = self.environment
        pieces = 0
        total_error = 0.0
        trace = np.zeros_like(self.initial_weights)
        shown_settings = environment.settings._replace(max_pieces=self.settings.max_pieces)
        environment.begin_game(self.games_seed, self.episode_number)
        placements = environment.list_placements()
        while placements and pieces < self.settings.max_pieces and not self.divergence_message:
            if self.generator.random() < epsilon:
                chosen = int(self.generator.integers(len(placements.encoded_placements)))
                trace = np.zeros_like(trace)  # Watkins's Q(λ): a random placement ends the trace
            else:
                chosen = self.choose_greedy(placements)
            features = placements.features[chosen]
            show_game(environment.bulk_games, shown_settings)
            reward = environment.place(int(placements.encoded_placements[chosen]))
            placements = environment.list_placements()
            pieces += 1
            future = self.compute_q(placements.features).max() if placements else 0.0
            error = float(reward + discount * future - self.compute_q(features))
            trace = discount * self.settings.trace_decay * trace + features * self.learned
            self.update_weights(learning_rate * error * trace, pieces)
            total_error += abs(error)
        show_game(environment.bulk_games, shown_settings)
        *weights, bias = self.current_weights.tolist()
        return Episode(
            number=self.episode_number,
            pieces=pieces,
            lines=int(environment.game.lines),
            score=int(environment.game.score),
            mean_abs_error=total_error / max(pieces, 1),
            learning_rate=learning_rate,
            discount=discount,
            epsilon=epsilon,
            bias=bias,
            weights=tuple(weights),
        )

    def compute_q(self, features: NumpyArray) -> NumpyArray:
        """Return Q for rows of features, summed in the same order on every machine (unlike a matrix product)."""
        return np.asarray((features * self.current_weights).sum(axis=-1))

    def get_rate(self, name: str) -> float:
        """Return the value of a rate (`learning_rate`, `discount` or `epsilon`) in the current episode."""
        start = float(getattr(self.settings, name))
        end = float(getattr(self.settings, f"{name}_end"))
        episodes = float(getattr(self.settings, f"{name}_episodes"))
        return start + (end - start) * min((self.episode_number - 1) / episodes, 1.0)

    def choose_greedy(self, placements: PlacementFeatures) -> int:
        """Return the index of the first placement with the largest Q.

        Weights are rounded as in the engine, so that the resulting agent makes the same choices.
        """
        rounded, _ = quantise(dict(zip(self.feature_names, self.current_weights.tolist(), strict=False)))
        return int((placements.features[:, :-1] @ np.array(list(rounded.values()), float)).argmax())

    def update_weights(self, change: NumpyArray, pieces: int) -> None:
        """Add `change` to the weights and update their average; if they would diverge, leave them and end training."""
        weights = self.current_weights + change
        diverged = ~(np.abs(weights) <= self.weight_bounds)  # written so that NaN counts as diverged
        if diverged.any():
            worst = int((diverged * np.abs(weights / self.weight_bounds)).argmax())
            self.divergence_message = self.describe_divergence(weights, worst, pieces)
            return
        self.current_weights = weights
        if 0 < self.settings.average_from <= self.episode_number:
            self.averaged_count += 1
            self.mean_weights = self.mean_weights + (weights - self.mean_weights) / self.averaged_count

    def describe_divergence(self, weights: NumpyArray, worst: int, pieces: int) -> str:
        """Return the message about diverged weights; `worst` is the index of the largest one."""
        name = (*self.feature_names, "the bias")[worst]
        remedy = (
            'features = "differences"' if self.settings.features == "raw" else "a smaller learning_rate or trace_decay"
        )
        return (
            f"The weights diverged in episode {self.episode_number}, at piece {pieces}: the weight of "
            f"{format_name(name)} was {self.initial_weights[worst]:g} initially and would become "
            f"{weights[worst]:.4g}, beyond the limit of {self.weight_bounds[worst]:g}. Use {remedy}."
        ).replace("-", "−")

    def get_weights(self) -> dict[str, float]:
        """Return the learned weights by feature: the averaged weights if averaging has begun, else the current ones."""
        weights = self.mean_weights if self.averaged_count else self.current_weights
        return dict(
            zip(self.feature_names, weights.tolist(), strict=False)
        )  # without the bias, which is the same for all placements

    def make_agent(self, name: str) -> WeightedAgent:
        """Return the agent with the learned weights, which makes no random placements."""
        return WeightedAgent(name, self.get_weights(), rules=str(self.rules))

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue, including the random generator."""
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
        """Continue from a state returned by `get_state`."""
        owner = f'Q-learning (features = "{self.settings.features}")'
        arrays = check_state(owner, self.get_state(), state)
        for name in ("weights", "mean"):  # a mean may be rounded upwards
            check_numbers(owner, name, np.abs(arrays[name]) <= self.weight_bounds * (1 + 1e-9))
        check_numbers(owner, "averaged", arrays["averaged"] <= MAX_EPISODES * MAX_EPISODE_PIECES)
        check_numbers(owner, "number", arrays["number"] <= MAX_EPISODES)
        self.current_weights = arrays["weights"]
        self.mean_weights = arrays["mean"]
        self.averaged_count = int(arrays["averaged"])
        self.episode_number = int(arrays["number"])
        self.games_seed = validate_seed(int(arrays["games_seed"]))
        self.divergence_message = clean_text(str(arrays["diverged"]))
        restore_generator(self.generator, arrays["generator"])


@register_learner("q-learning")
class QLearner(Learner):
    """Learner whose steps are episodes of Q-learning."""

    settings_type = QLearningSettings
    section_names = ("validation",)
    step_name = "episode"
    metric_names = ("pieces", "lines", "score", "mean_abs_error", "learning_rate", "discount", "epsilon")
    integer_metrics = frozenset(metric_names[:3])
    curves: ClassVar[Mapping[str, str]] = {"Lines": "lines"}
    runs_in_python = True
    end_settings = ("q-learning.episodes", "q-learning.total_pieces")  # the rates have numbers of episodes of their own

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.algorithm = QLearning(recipe.settings, self.rules, derive_seed(recipe.seed, SeedPurpose.OPTIMISER))
        self.parameter_names = tuple(self.algorithm.get_weights())

    @property
    def compiled_parts(self) -> Sequence[CompiledFunction[Any, Any]]:
        """Dealing pieces, and the features of all placements."""
        return prepare_next_piece, evaluate_placements

    @classmethod
    def check_recipe(cls, recipe: Recipe) -> None:
        """Raise an error if the rules have placements that the learner does not make: with hold or spins."""
        super().check_recipe(recipe)
        rules = Rules.parse(recipe.rules)
        if rules.hold or rules.spins != "none":
            raise RecipeError(
                f"The learner q-learning does not support hold and spins; given the rules {recipe.rules}. Use other "
                "rules, such as standard, or another learner, such as cma."
            )

    @classmethod
    def get_planned_steps(cls, recipe: Recipe) -> int:
        """Return the maximum number of episodes."""
        return int(recipe.settings.episodes)

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent whose weights are the candidate's numbers."""
        weights = dict(zip(self.parameter_names, candidate.tolist(), strict=True))
        return WeightedAgent(name, weights, rules=self.recipe.rules)

    @property
    def note(self) -> str:
        """Message about diverged weights; empty if they did not diverge."""
        return self.algorithm.divergence_message

    @property
    def game_limit(self) -> float:
        """The piece limit of an episode."""
        return float(self.recipe.settings.max_pieces)

    def describe_metrics(self, row: Mapping[str, float]) -> list[str]:
        """Return the lines and pieces of an episode."""
        return [format_count(int(row["lines"]), "line"), format_count(int(row["pieces"]), "piece")]

    def is_done(self) -> bool:
        """Return whether the limit of episodes or pieces has been reached, or the weights have diverged."""
        return super().is_done() or bool(self.note)

    def has_reached_limit(self) -> bool:
        """Return whether the limit of episodes or pieces has been reached."""
        total_pieces = self.algorithm.settings.total_pieces
        has_used_pieces = bool(total_pieces) and self.total_pieces >= total_pieces
        return super().has_reached_limit() or has_used_pieces

    def step(self, workers: TrainingWorkers) -> None:
        """Play one episode and learn from it."""
        episode = self.algorithm.run_episode(workers.workers.show_game)
        metrics = [float(getattr(episode, name)) for name in self.metric_names]
        self.record_step(metrics, np.array(list(self.algorithm.get_weights().values())), workers)

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        return super().get_state() | {f"learner.{key}": value for key, value in self.algorithm.get_state().items()}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        super().restore(state)
        self.algorithm.restore(
            {key.removeprefix("learner."): value for key, value in state.items() if key.startswith("learner.")}
        )
