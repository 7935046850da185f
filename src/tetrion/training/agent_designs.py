"""Agent designs: how a candidate (a vector of numbers) becomes an agent.

The numbers are weights of features, changes of Becker's curves, changes of an agent with two modes such as Medico's, or
slopes of piecewise-linear functions.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tetrion.agents import AGENTS, SecondMode, WeightedAgent
from tetrion.agents.agent_loading import load_data_agent
from tetrion.agents.named.becker_agents import (
    BECKER_CURVES,
    BECKER_MIDPOINTS,
    BECKER_SLOPES,
    BECKER_WEIGHTS,
    make_becker_agent,
    make_curve,
)
from tetrion.agents.weighted_agent import FEATURE_TIMINGS
from tetrion.engine.agent_records import MAX_BEAM, MAX_BEAM_DEPTH, FeatureTerms
from tetrion.engine.feature_registry import FEATURES
from tetrion.errors import RecipeError
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.recipe_settings import (
    boolean_setting,
    choice_setting,
    integer_setting,
    list_setting,
    text_setting,
)

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


MAX_CURVE_EXPONENT = (
    50.0  # keeps exp() within the range of floats; much smaller values already turn every curve into a step function
)
MAX_MODE_THRESHOLD = 10_000
DEFAULT_TABLES_BASE = "dt20"


@dataclass(frozen=True)
class AgentSettings:
    """Settings of [agent]: the kind of agent that is trained."""

    design: str = choice_setting(
        "weights", ("weights", "curves", "modes", "tables"), "meaning of a candidate's numbers (see docs/training.md)"
    )
    features: tuple[str, ...] = list_setting((), str, "features that receive a weight (designs weights and tables)")
    start: tuple[float, ...] = list_setting(
        (), float, "weights around which candidates vary, in the order of the features; none: 0 (design weights)"
    )
    knots: tuple[str, ...] = list_setting(
        (), str, 'values at which the slope of a feature changes, such as "holes 1 3 8" (design tables)'
    )
    base: str = text_setting("", "agent whose numbers are varied (designs modes and tables)")
    measured: str = choice_setting(
        "after", FEATURE_TIMINGS, "whether features are computed after or before full rows are removed"
    )
    depth: int = integer_setting(1, 1, MAX_BEAM_DEPTH, "known pieces in the search (1: the current piece only)")
    expect: bool = boolean_setting(False, "whether the search adds the expectation over the next unknown piece")
    beam: int = integer_setting(0, 0, MAX_BEAM, "placements of each piece that the search follows; 0: all")


class AgentDesign(ABC):
    """Conversion of candidates (vectors of numbers) into parameters and agents."""

    parameter_names: tuple[str, ...]
    """Name of each parameter."""
    is_scale_free = False
    """Whether multiplying all numbers by a positive factor yields the same agent."""

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        self.settings = settings
        self.rules = rules
        self.search: dict[str, Any] = {
            "depth": settings.depth,
            "expect": int(settings.expect),
            "beam": settings.beam,
        }  # options of the agents

    @abstractmethod
    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the agent's parameters (weights, slopes, ...) in the order of `parameter_names`."""

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent of a candidate."""
        return self.make_agent_from_parameters(self.compute_parameters(candidate), name)

    @abstractmethod
    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these parameters, as stored in the files of a run."""


def make_design(settings: AgentSettings, rules: str) -> AgentDesign:
    """Return the design for the [agent] settings of a recipe; raise RecipeError if the settings are inconsistent."""
    if settings.design not in ("weights", "tables") and settings.features:
        raise RecipeError(f"agent.features requires agent.design = weights or tables; given {settings.design}.")
    if settings.design not in ("modes", "tables") and settings.base:
        raise RecipeError(f"agent.base requires agent.design = modes or tables; given {settings.design}.")
    if settings.design != "tables" and settings.knots:
        raise RecipeError(f"agent.knots requires agent.design = tables; given {settings.design}.")
    if settings.design == "weights":
        return WeightsDesign(settings, rules)
    if settings.design == "curves":
        if settings.measured != "after":
            raise RecipeError("agent.design = curves requires agent.measured = after; given before.")
        return CurvesDesign(settings, rules)
    if settings.design == "tables":
        return TablesDesign(settings, rules)
    return ModesDesign(settings, rules)


class WeightsDesign(AgentDesign):
    """Design with one weight per feature; with start weights, a candidate of zeros is the start.

    A number of 1 then changes a weight by its own size, and a small one by a tenth of the mean size.
    """

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        if not settings.features:
            raise RecipeError('agent.features must name at least one feature, such as ["holes", "lines"]; given none.')
        if len(set(settings.features)) < len(settings.features):
            raise RecipeError(f"agent.features must name each feature once; given {', '.join(settings.features)}.")
        if settings.start and len(settings.start) != len(settings.features):
            raise RecipeError(
                f"agent.start must have a weight for each of the {len(settings.features)} features; given "
                f"{len(settings.start)}."
            )
        super().__init__(settings, rules)
        self.parameter_names = settings.features
        self.is_scale_free = not settings.start
        sizes = [abs(weight) for weight in settings.start]
        self.steps = [max(size, sum(sizes) / len(sizes) / 10) for size in sizes]
        self.make_agent([1.0] * len(self.parameter_names), "trial")  # raises the error for an unknown feature early

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the weights: the candidate's numbers themselves, or the start weights changed by them."""
        if not self.settings.start:
            return list(map(float, candidate))
        changes = zip(self.settings.start, self.steps, candidate, strict=True)
        return [float(weight + step * number) for weight, step, number in changes]

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these weights."""
        weights = dict(zip(self.parameter_names, parameters, strict=True))
        return WeightedAgent(name, weights, self.settings.measured, rules=self.rules, **self.search)


class CurvesDesign(AgentDesign):
    """Design with Becker's curves; a candidate of zeros is his published agent.

    Each published weight, slope and midpoint is multiplied by e to the power of its number. The weights are then
    divided by their sum, because Becker requires positive weights that add up to 1.
    """

    parameter_names = (
        *(f"{feature} weight" for feature in BECKER_CURVES),
        *(f"{feature} slope" for feature in BECKER_SLOPES),
        *(f"{feature} middle" for feature in BECKER_MIDPOINTS),
    )

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the weights, which add up to 1, the slopes and the midpoints."""
        factors = [math.exp(max(-MAX_CURVE_EXPONENT, min(MAX_CURVE_EXPONENT, number))) for number in candidate]
        published = [*BECKER_WEIGHTS.values(), *BECKER_SLOPES.values(), *BECKER_MIDPOINTS.values()]
        varied = [value * factor for value, factor in zip(published, factors, strict=True)]
        total = sum(varied[: len(BECKER_WEIGHTS)])
        return [*(weight / total for weight in varied[: len(BECKER_WEIGHTS)]), *varied[len(BECKER_WEIGHTS) :]]

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these weights, slopes and midpoints."""
        remaining = iter(parameters)
        weights = {feature: next(remaining) for feature in BECKER_WEIGHTS}
        slopes = {feature: next(remaining) for feature in BECKER_SLOPES}
        midpoints = {feature: next(remaining) for feature in BECKER_MIDPOINTS}
        curves = {feature: make_curve(feature, slopes, midpoints) for feature in BECKER_CURVES}
        agent = make_becker_agent(name, curves, weights, "")
        return replace(agent, family="", rules=self.rules, **self.search)


class ModesDesign(AgentDesign):
    """Design with the weights of both modes and the threshold between them; a candidate of zeros is the base agent.

    A parameter is the base agent's value times (1 + number): 0.5 adds half of the value, a number below −1 flips the
    sign.
    """

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        two_mode_agents = [
            name for name, agent in AGENTS.items() if isinstance(agent, WeightedAgent) and agent.second_mode
        ]
        base = load_data_agent(settings.base or two_mode_agents[0])
        if base.second_mode is None:
            examples = ", ".join(two_mode_agents)
            raise RecipeError(
                f"agent.base must be an agent with two modes, such as {examples}; {base.name} has one mode."
            )
        self.base = base
        self.second_mode = base.second_mode
        super().__init__(settings, rules)
        self.first_weights = read_mode_weights(base, base.weights)
        self.second_weights = read_mode_weights(base, base.second_mode.weights)
        first, second = base.second_mode.names
        self.parameter_names = (
            *(f"{first} {feature}" for feature in self.first_weights),
            *(f"{second} {feature}" for feature in self.second_weights),
            "threshold",
        )

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the weights of both modes and the threshold, rounded to an integer."""
        base_values = [*self.first_weights.values(), *self.second_weights.values(), float(self.second_mode.threshold)]
        *weights, threshold = (value * (1 + number) for value, number in zip(base_values, candidate, strict=True))
        return [*weights, float(max(-MAX_MODE_THRESHOLD, min(MAX_MODE_THRESHOLD, round(threshold))))]

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these weights of both modes and this threshold."""
        *weights, threshold = parameters
        first_weights = dict(zip(self.first_weights, weights, strict=False))
        second_weights = dict(zip(self.second_weights, weights[len(first_weights) :], strict=True))
        second_mode = SecondMode(second_weights, self.second_mode.selector, int(threshold), self.second_mode.names)
        return replace(
            self.base,
            name=name,
            weights=first_weights,
            second_mode=second_mode,
            source="",
            family="",
            rules=self.rules,
            measured=self.settings.measured,
            **self.search,
        )


class TablesDesign(AgentDesign):
    """Design with a piecewise-linear function per feature; a candidate of zeros is the base agent.

    A number of 1 changes the slope by so much that the spread of the feature counts as much as that of the base
    agent's scores.
    """

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        super().__init__(settings, rules)
        WeightsDesign(settings, rules)  # checks the features
        self.slopes = parse_feature_slopes(settings.features, settings.knots)
        self.parameter_names = tuple(name for part in self.slopes for name in part.parameter_names)
        weights = read_base_weights(settings.base or DEFAULT_TABLES_BASE, settings.features)
        counts = [len(part.parameter_names) for part in self.slopes]
        score_spread = math.sqrt(sum((weight * FEATURE_SPREADS[name]) ** 2 for name, weight in weights.items()))
        self.base_slopes = np.repeat([weights.get(name, 0.0) for name in settings.features], counts)
        self.units = np.repeat([score_spread / FEATURE_SPREADS[name] for name in settings.features], counts)

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the slopes of all functions."""
        return [float(slope) for slope in self.base_slopes + self.units * np.array(candidate)]

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these slopes."""
        remaining = iter(parameters)
        terms: dict[str, Any] = {
            part.name: part.make_term([next(remaining) for _ in part.parameter_names]) for part in self.slopes
        }
        return WeightedAgent(name, terms, self.settings.measured, rules=self.rules, **self.search)


def read_base_weights(base_name: str, features: Sequence[str]) -> dict[str, float]:
    """Return the weights of the base agent of `TablesDesign`; raise RecipeError if it has other terms."""
    base = load_data_agent(base_name)
    weights = {name: float(term) for name, term in base.weights.items() if isinstance(term, int | float)}
    tables = [name for name in base.weights if name not in weights]
    unused = [name for name in weights if name not in features]
    if base.second_mode or tables or unused:
        problem = "two modes" if base.second_mode else f"a table for {tables[0]}" if tables else ""
        raise RecipeError(
            f"agent.base must have one mode, and weights for some of agent.features; {base.name} has "
            f"{problem or f'a weight for {unused[0]}'}."
        )
    return weights


def read_mode_weights(agent: WeightedAgent, terms: FeatureTerms) -> dict[str, float]:
    """Return the weights of a mode; raise RecipeError if it contains lookup tables."""
    weights = {feature: float(term) for feature, term in terms.items() if isinstance(term, int | float)}
    if tables := [feature for feature in terms if feature not in weights]:
        raise RecipeError(f"agent.base must have weights only; {agent.name} has a table for {', '.join(tables)}.")
    return weights
