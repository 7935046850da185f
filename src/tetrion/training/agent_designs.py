"""Agent designs: how a candidate (a vector of numbers) becomes an agent.

The numbers are weights of features, changes of Becker's curves, or changes of an agent with two modes such as Medico's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

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
from tetrion.errors import RecipeError
from tetrion.training.recipe_settings import (
    boolean_setting,
    choice_setting,
    integer_setting,
    list_setting,
    text_setting,
)
from tetrion.training.table_design import BaseSlopes, make_terms, parse_feature_slopes

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


class AgentDesign(Protocol):
    """Conversion of candidates (vectors of numbers) into parameters and agents."""

    parameter_names: tuple[str, ...]
    """Name of each parameter."""
    is_scale_free: bool
    """Whether multiplying all numbers by a positive factor yields the same agent."""

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the agent's parameters (weights, slopes, ...) in the order of `parameter_names`."""

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent of a candidate."""

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


class WeightsDesign:
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
        self.parameter_names = settings.features
        self.settings = settings
        self.rules = rules
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

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent whose weights are the candidate's numbers."""
        return self.make_agent_from_parameters(self.compute_parameters(candidate), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these weights."""
        weights = dict(zip(self.parameter_names, parameters, strict=True))
        return WeightedAgent(name, weights, self.settings.measured, rules=self.rules, **_get_lookahead(self.settings))


class CurvesDesign:
    """Design with Becker's curves; a candidate of zeros is his published agent.

    Each published weight, slope and midpoint is multiplied by e to the power of its number. The weights are then
    divided by their sum, because Becker requires positive weights that add up to 1.
    """

    is_scale_free = False
    parameter_names = (
        *(f"{feature} weight" for feature in BECKER_CURVES),
        *(f"{feature} slope" for feature in BECKER_SLOPES),
        *(f"{feature} middle" for feature in BECKER_MIDPOINTS),
    )

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        self.settings = settings
        self.rules = rules

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the weights, which add up to 1, the slopes and the midpoints."""
        factors = [math.exp(max(-MAX_CURVE_EXPONENT, min(MAX_CURVE_EXPONENT, number))) for number in candidate]
        published = [*BECKER_WEIGHTS.values(), *BECKER_SLOPES.values(), *BECKER_MIDPOINTS.values()]
        varied = [value * factor for value, factor in zip(published, factors, strict=True)]
        total = sum(varied[: len(BECKER_WEIGHTS)])
        return [*(weight / total for weight in varied[: len(BECKER_WEIGHTS)]), *varied[len(BECKER_WEIGHTS) :]]

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with the curves of a candidate."""
        return self.make_agent_from_parameters(self.compute_parameters(candidate), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these weights, slopes and midpoints."""
        remaining = iter(parameters)
        weights = {feature: next(remaining) for feature in BECKER_WEIGHTS}
        slopes = {feature: next(remaining) for feature in BECKER_SLOPES}
        midpoints = {feature: next(remaining) for feature in BECKER_MIDPOINTS}
        curves = {feature: make_curve(feature, slopes, midpoints) for feature in BECKER_CURVES}
        agent = make_becker_agent(name, curves, weights, "")
        return replace(agent, family="", rules=self.rules, **_get_lookahead(self.settings))


class ModesDesign:
    """Design with the weights of both modes and the threshold between them; a candidate of zeros is the base agent.

    A parameter is the base agent's value times (1 + number): 0.5 adds half of the value, a number below −1 flips the
    sign.
    """

    is_scale_free = False

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
        self.settings = settings
        self.rules = rules
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

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with the modes of a candidate."""
        return self.make_agent_from_parameters(self.compute_parameters(candidate), name)

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
            **_get_lookahead(self.settings),
        )


class TablesDesign:
    """Design with a piecewise-linear function per feature; a candidate of zeros is the base agent."""

    is_scale_free = False

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        WeightsDesign(settings, rules)  # checks the features
        self.settings = settings
        self.rules = rules
        self.slopes = parse_feature_slopes(settings.features, settings.knots)
        self.parameter_names = tuple(name for part in self.slopes for name in part.parameter_names)
        self.base_slopes = BaseSlopes(settings.base or DEFAULT_TABLES_BASE, self.slopes)

    def compute_parameters(self, candidate: Sequence[float]) -> list[float]:
        """Return the slopes of all functions."""
        return self.base_slopes.change(candidate)

    def make_agent(self, candidate: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with the slopes of a candidate."""
        return self.make_agent_from_parameters(self.compute_parameters(candidate), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """Return the agent with these slopes."""
        terms = make_terms(self.slopes, parameters)
        return WeightedAgent(name, terms, self.settings.measured, rules=self.rules, **_get_lookahead(self.settings))


def read_mode_weights(agent: WeightedAgent, terms: FeatureTerms) -> dict[str, float]:
    """Return the weights of a mode; raise RecipeError if it contains lookup tables."""
    weights = {feature: float(term) for feature, term in terms.items() if isinstance(term, int | float)}
    if tables := [feature for feature in terms if feature not in weights]:
        raise RecipeError(f"agent.base must have weights only; {agent.name} has a table for {', '.join(tables)}.")
    return weights


def _get_lookahead(settings: AgentSettings) -> dict[str, Any]:
    """Return the options of an agent for the depth, expectation and beam of the settings."""
    return {"depth": settings.depth, "expect": int(settings.expect), "beam": settings.beam}
