"""The agent design `tables`: each feature gets a piecewise-linear function of its value instead of one weight.

A candidate changes the slopes of these functions, beginning with the weights of a base agent. A slope is measured in
units that make all features comparable: one unit changes the scores of a position's placements about as much as they
differ for the base agent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tetrion.agents.agent_loading import load_data_agent
from tetrion.engine.feature_registry import FEATURES
from tetrion.errors import RecipeError
from tetrion.training.optimisers.optimiser import NumpyArray

# The spread of each feature: its standard deviation over the straight drops of a position, averaged over positions from
# games of `dt20` on ten rows, and at least 0.05. tests/training/test_table_design.py measures it.
FEATURE_SPREADS = {
    **{"landing_height": 2.2, "eroded_cells": 0.28, "row_transitions": 2.2, "column_transitions": 1.4, "holes": 1.6},
    **{"wells": 1.9, "hole_depth": 1.0, "rows_with_holes": 1.1, "lines": 0.13, "one_line": 0.1, "two_lines": 0.05},
    **{"three_lines": 0.05, "four_lines": 0.05, "piece_top": 1.2, "danger": 0.14, "special_piece": 0.05},
    **{"piece_bottom": 1.1, "turns": 0.67, "lowest_column_distance": 1.9, "diversity": 0.68, "aggregate_height": 2.5},
    **{"bumpiness": 2.5, "max_height": 0.91, "min_height": 0.37, "altitude_difference": 1.1, "skyscraper": 0.19},
    **{"filled_cells": 1.3, "weighted_filled_cells": 7.8, "last_column_cells": 0.65, "deepest_well": 0.87},
    **{"number_of_wells": 0.65, "weighted_holes": 5.7, "deepest_hole": 1.2, "highest_hole": 1.5},
    **{"columns_with_holes": 0.68, "full_rows": 0.05, "height_1": 0.73, "height_10": 0.75},
    **{f"height_{column}": 1.2 for column in range(2, 10)},
    **{"difference_1": 0.75, "difference_9": 0.76},
    **{f"difference_{column}": 1.1 for column in range(2, 9)},
    **{"max_height_change": 0.91, "bumpiness_change": 2.5, "holes_change": 1.6},
}


@dataclass(frozen=True)
class FeatureSlopes:
    """A feature and the values at which the slope of its function changes."""

    name: str
    knots: tuple[int, ...]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Name of each slope: that of the feature, and the value from which it applies."""
        return (self.name, *(f"{self.name} from {knot}" for knot in self.knots))

    @cached_property
    def slope_numbers(self) -> NumpyArray:
        """The number of the slope between each value of the feature and the next one."""
        feature = FEATURES[self.name]
        return np.searchsorted(self.knots, np.arange(feature.min_value, feature.max_value), side="right")

    def make_term(self, slopes: Sequence[float]) -> float | NumpyArray:
        """Return the weight of the feature or, if it has knots, the table of its function, which is 0 at 0."""
        if not self.knots:
            return float(slopes[0])
        table = np.zeros(len(self.slope_numbers) + 1)
        np.cumsum(np.array(slopes)[self.slope_numbers], out=table[1:])
        return np.asarray(table - table[-FEATURES[self.name].min_value])


def parse_feature_slopes(features: Sequence[str], knots: Sequence[str]) -> list[FeatureSlopes]:
    """Return the features with their knots; those of one feature are given as a text such as "holes 1 3 8"."""
    for name in features:
        if name not in FEATURE_SPREADS:
            raise RecipeError(f"agent.design = tables cannot use the feature '{name}'. Remove it from agent.features.")
    given: dict[str, tuple[int, ...]] = {}
    for text in knots:
        name, *numbers = text.split() or [""]
        if name not in features or name in given:
            raise RecipeError(f"agent.knots must begin with one of agent.features, each once; given '{text}'.")
        given[name] = _parse_knots(name, text, numbers)
    return [FeatureSlopes(name, given.get(name, ())) for name in features]


def _parse_knots(name: str, text: str, numbers: Sequence[str]) -> tuple[int, ...]:
    feature = FEATURES[name]
    values = tuple(int(number) for number in numbers if number.removeprefix("-").isdecimal())
    inside = all(feature.min_value < value < feature.max_value for value in values)
    if len(values) != len(numbers) or not values or sorted(set(values)) != list(values) or not inside:
        raise RecipeError(
            f"agent.knots must be a feature and increasing values between {feature.min_value} and {feature.max_value}, "
            f"such as '{name} {feature.min_value + 1}'; given '{text}'."
        )
    return values


class BaseSlopes:
    """The slopes of a base agent, and the units in which candidates change them."""

    def __init__(self, base_name: str, slopes: Sequence[FeatureSlopes]) -> None:
        base = load_data_agent(base_name)
        names = [part.name for part in slopes]
        weights = {name: float(term) for name, term in base.weights.items() if isinstance(term, int | float)}
        tables = [name for name in base.weights if name not in weights]
        unused = [name for name in weights if name not in names]
        if base.second_mode or tables or unused:
            problem = "two modes" if base.second_mode else f"a table for {tables[0]}" if tables else ""
            raise RecipeError(
                f"agent.base must have one mode, and weights for some of agent.features; {base.name} has "
                f"{problem or f'a weight for {unused[0]}'}."
            )
        counts = [len(part.parameter_names) for part in slopes]
        score_spread = math.sqrt(sum((weight * FEATURE_SPREADS[name]) ** 2 for name, weight in weights.items()))
        self.values = np.repeat([weights.get(name, 0.0) for name in names], counts)
        self.units = np.repeat([score_spread / FEATURE_SPREADS[name] for name in names], counts)

    def change(self, candidate: Sequence[float]) -> list[float]:
        """Return the slopes of a candidate."""
        return [float(slope) for slope in self.values + self.units * np.array(candidate)]


def make_terms(slopes: Sequence[FeatureSlopes], parameters: Sequence[float]) -> dict[str, Any]:
    """Return the weight or table of each feature."""
    remaining = iter(parameters)
    return {part.name: part.make_term([next(remaining) for _ in part.parameter_names]) for part in slopes}
