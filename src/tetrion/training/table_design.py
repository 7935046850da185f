"""The agent design `tables`: each feature gets a piecewise-linear function of its value instead of one weight.

A candidate changes the slopes of these functions, beginning with the weights of a base agent. A slope is measured in
units that make all features comparable: one unit changes the scores of a position's placements as much as they differ
for the base agent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.agents.agent_loading import load_data_agent
from tetrion.engine.agent_records import FeatureTerm, find_feature
from tetrion.engine.batch_play import STATUS_PLAYING, make_games, select_fastest_play
from tetrion.engine.episodes import DROP_ACTIONS
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.observation_arrays import AfterstateArrays, write_afterstates
from tetrion.engine.realtime import FallingRecord, prepare_next_piece
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError
from tetrion.training.optimisers.optimiser import NumpyArray

SAMPLE_SEED = 20_131  # of the positions in which the spread of the features is measured
SAMPLE_GAMES = 200
SAMPLE_PIECES = 100  # of each game before its position is used
MIN_SPREAD = 0.05  # of a feature that hardly differs between placements, such as the number of tetrises


@dataclass(frozen=True)
class FeatureSlopes:
    """A feature and the values at which the slope of its function changes."""

    name: str
    knots: tuple[int, ...]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Name of each slope: that of the feature, and the value from which it applies."""
        return (self.name, *(f"{self.name} from {knot}" for knot in self.knots))

    def make_term(self, slopes: Sequence[float]) -> FeatureTerm:
        """Return the weight of the feature or, if it has knots, the table of its function."""
        if not self.knots:
            return float(slopes[0])
        feature = FEATURES[self.name]
        values = np.arange(feature.min_value, feature.max_value + 1)
        steps = np.array(slopes)[np.searchsorted(self.knots, values[:-1], side="right")]  # between two values
        table = np.concatenate([[0.0], np.cumsum(steps)])
        return [float(points) for points in table - table[-feature.min_value]]  # 0 has no points


def parse_feature_slopes(features: Sequence[str], knots: Sequence[str]) -> list[FeatureSlopes]:
    """Return the features with their knots, which are given as texts such as "holes 1 3 8"."""
    given: dict[str, tuple[int, ...]] = {}
    for text in knots:
        name, *numbers = text.split()[:1] + text.split()[1:]
        if name not in features:
            raise RecipeError(f"agent.knots must begin with one of agent.features; given '{text}'.")
        given[name] = _parse_knots(name, text, numbers)
    return [FeatureSlopes(name, given.get(name, ())) for name in features]


def _parse_knots(name: str, text: str, numbers: Sequence[str]) -> tuple[int, ...]:
    feature = FEATURES[name]
    values = tuple(int(number) for number in numbers if number.lstrip("-").isdigit())
    inside = all(feature.min_value < value < feature.max_value for value in values)
    if len(values) != len(numbers) or not values or sorted(set(values)) != list(values) or not inside:
        raise RecipeError(
            f"agent.knots must be a feature and increasing values between {feature.min_value} and {feature.max_value}, "
            f"such as '{name} {feature.min_value + 1} {feature.min_value + 3}'; given '{text}'."
        )
    return values


class SlopesOfAgent:
    """The slopes of a base agent and the units in which candidates change them."""

    def __init__(self, base_name: str, slopes: Sequence[FeatureSlopes], rules: str) -> None:
        base = load_data_agent(base_name)
        unused = [name for name in base.weights if name not in [part.name for part in slopes]]
        tables = [name for name, term in base.weights.items() if not isinstance(term, int | float)]
        if base.second_mode or tables or unused:
            raise RecipeError(
                f"agent.base must have one mode and weights for some of agent.features; {base.name} has "
                f"{'two modes' if base.second_mode else f'a table or weight for {(tables or unused)[0]}'}."
            )
        weights = [float(base.weights.get(part.name, 0.0)) for part in slopes]  # type: ignore[arg-type]
        units = compute_units(base, [part.name for part in slopes], Rules.parse(rules))
        counts = [len(part.parameter_names) for part in slopes]
        self.values = np.repeat(weights, counts)
        self.units = np.repeat(units, counts)

    def change(self, candidate: Sequence[float]) -> list[float]:
        """Return the slopes of a candidate."""
        return [float(slope) for slope in self.values + self.units * np.array(candidate)]


def compute_units(base: WeightedAgent, names: Sequence[str], rules: Rules) -> list[float]:
    """Return for each feature the weight that changes scores as much as they differ for the base agent.

    The spread of a value is its standard deviation over the placements of a position, averaged over positions from
    games of the base agent. Units are rounded, so that they do not depend on the rounding of the processor.
    """
    features = [*names, *(name for name in base.weights if name not in names)]
    values, mask = sample_placements(base, features, rules)
    scores = values @ np.array([float(base.weights.get(name, 0.0)) for name in features])  # type: ignore[arg-type]
    score_spread = measure_spread(scores[:, :, None], mask)[0]
    spreads = np.maximum(MIN_SPREAD, measure_spread(values, mask)[: len(names)])
    return [float(f"{score_spread / spread:.2g}") for spread in spreads]


def measure_spread(values: NumpyArray, mask: NumpyArray) -> NumpyArray:
    """Return the mean over positions of the standard deviation over the placements that the mask selects."""
    selected = np.where(mask[:, :, None], values, np.nan)
    return np.asarray(np.nanmean(np.nanstd(selected, axis=1), axis=0))


def sample_placements(base: WeightedAgent, names: Sequence[str], rules: Rules) -> tuple[NumpyArray, NumpyArray]:
    """Return the features of all straight drops in positions of the base agent's games, and which of them exist."""
    if rules.movement != "drop":
        raise RecipeError(f"agent.design = tables requires rules with movement=drop; given {rules}.")
    settings = base.get_engine_settings(rules)
    play = select_fastest_play(settings)
    games = make_games(SAMPLE_GAMES, SAMPLE_SEED)
    for number in range(SAMPLE_GAMES):
        play(games[number : number + 1], settings, SAMPLE_PIECES)
        prepare_next_piece(games[number : number + 1], FallingRecord.make_array(1), settings)
    games = games[games["status"] == STATUS_PLAYING]
    numbers = np.array([find_feature(name).number for name in names])  # type: ignore[union-attr]
    shape = (len(games), DROP_ACTIONS)
    arrays = AfterstateArrays(
        numbers,
        np.zeros(shape, np.int8),
        np.zeros((0, 0, 0, 0), np.uint8),
        np.zeros((len(games), DROP_ACTIONS, 10), np.int32),
        np.zeros((*shape, len(names)), np.float32),
    )
    write_afterstates(games, settings.rules, arrays)
    return arrays.features.astype(np.float64), arrays.columns.any(axis=2)


def make_slopes_agent(
    slopes: Sequence[FeatureSlopes], parameters: Sequence[float], agent: WeightedAgent
) -> WeightedAgent:
    """Return a copy of an agent whose terms have these slopes."""
    remaining = list(parameters)
    terms: dict[str, FeatureTerm] = {}
    for part in slopes:
        count = len(part.parameter_names)
        terms[part.name] = part.make_term(remaining[:count])
        remaining = remaining[count:]
    return replace(agent, weights=terms)
