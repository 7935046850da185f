"""What a candidate's numbers mean: weights of features, Becker's curves, or both modes of an agent like Medico's."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent, named_agents
from tetrion.agents.named.becker_agents import (
    BECKER_CURVES,
    BECKER_MIDPOINTS,
    BECKER_SLOPES,
    BECKER_WEIGHTS,
    make_becker_agent,
    make_curve,
)
from tetrion.agents.weighted_agent import FEATURE_TIMINGS
from tetrion.engine.agent_records import MAX_BEAM, MAX_DEPTH, FeatureTerms
from tetrion.errors import RecipeError
from tetrion.training.recipe_settings import (
    boolean_setting,
    choice_setting,
    integer_setting,
    list_setting,
    text_setting,
)

MAX_CURVE_EXPONENT = 50.0  # exponents beyond leave what floats can hold, and every curve is a step long before
MAX_MODE_THRESHOLD = 10_000


@dataclass(frozen=True)
class AgentSettings:
    """[agent]: what kind of agent is looked for."""

    design: str = choice_setting(
        "weights", ("weights", "curves", "modes"), "what the numbers are: see docs/training.md"
    )
    features: tuple[str, ...] = list_setting((), str, "the features that get weights (design weights)")
    base: str = text_setting("", "the agent of two modes that is varied (design modes)")
    measured: str = choice_setting(
        "after", FEATURE_TIMINGS, "whether features see the board after or before full rows are removed"
    )
    depth: int = integer_setting(1, 1, MAX_DEPTH, "how many known pieces it looks at")
    expect: bool = boolean_setting(False, "whether it adds the seven pieces that may come then")
    beam: int = integer_setting(0, 0, MAX_BEAM, "how many placements of each piece it follows; 0 for all")


class AgentDesign(Protocol):
    """Makes agents of numbers."""

    parameter_names: tuple[str, ...]
    """What each of the numbers is."""
    is_scale_free: bool
    """Whether numbers that are all twice as large make the same agent."""

    def compute_parameters(self, numbers: Sequence[float]) -> list[float]:
        """What the numbers come to in the agent: its weights and the like, in the order of the names."""

    def make_agent(self, numbers: Sequence[float], name: str) -> WeightedAgent:
        """The agent that these numbers make."""

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """The agent with these parameters, as the files of a run tell them."""


def make_design(settings: AgentSettings, rules: str) -> AgentDesign:
    """The design that a recipe asks for, or the error that says what is wrong with it."""
    if settings.design != "weights" and settings.features:
        raise RecipeError(f"agent.features belong to design weights; the design is {settings.design}.")
    if settings.design != "modes" and settings.base:
        raise RecipeError(f"agent.base belongs to design modes; the design is {settings.design}.")
    if settings.design == "weights":
        return WeightsDesign(settings, rules)
    if settings.design == "curves":
        if settings.measured != "after":
            raise RecipeError("Becker's curves see the board after full rows are removed: agent.measured is after.")
        return CurvesDesign(settings, rules)
    return ModesDesign(settings, rules)


class WeightsDesign:
    """A weight for each feature."""

    is_scale_free = True

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        if not settings.features:
            raise RecipeError('agent.features names the features that get weights, such as ["holes", "lines"].')
        if len(set(settings.features)) < len(settings.features):
            raise RecipeError(f"agent.features names every feature once; given {', '.join(settings.features)}.")
        self.parameter_names = settings.features
        self.settings = settings
        self.rules = rules
        self.make_agent([1.0] * len(self.parameter_names), "trial")  # an unknown feature is an error now

    def compute_parameters(self, numbers: Sequence[float]) -> list[float]:
        """The weights themselves."""
        return list(map(float, numbers))

    def make_agent(self, numbers: Sequence[float], name: str) -> WeightedAgent:
        """The agent with these weights."""
        return self.make_agent_from_parameters(self.compute_parameters(numbers), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """The same, since a weight is a number as it is."""
        weights = dict(zip(self.parameter_names, parameters, strict=True))
        return _set_lookahead(WeightedAgent(name, weights, self.settings.measured, rules=self.rules), self.settings)


class CurvesDesign:
    """Becker's curves: numbers that are all 0 make his agent.

    The weights are positive and add up to 1, as he asks for: each is his own times e to the power of its number, over
    their sum. Slopes and midpoints are his own times e to the power of theirs.
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

    def compute_parameters(self, numbers: Sequence[float]) -> list[float]:
        """Weights that add up to 1, slopes and midpoints."""
        factors = [math.exp(max(-MAX_CURVE_EXPONENT, min(MAX_CURVE_EXPONENT, number))) for number in numbers]
        published = [*BECKER_WEIGHTS.values(), *BECKER_SLOPES.values(), *BECKER_MIDPOINTS.values()]
        varied = [number * factor for number, factor in zip(published, factors, strict=True)]
        total = sum(varied[: len(BECKER_WEIGHTS)])
        return [*(share / total for share in varied[: len(BECKER_WEIGHTS)]), *varied[len(BECKER_WEIGHTS) :]]

    def make_agent(self, numbers: Sequence[float], name: str) -> WeightedAgent:
        """The agent with the curves that these numbers make."""
        return self.make_agent_from_parameters(self.compute_parameters(numbers), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """The agent with these weights, slopes and midpoints."""
        known = iter(parameters)
        weights, slopes, middles = (
            {feature: next(known) for feature in part} for part in (BECKER_WEIGHTS, BECKER_SLOPES, BECKER_MIDPOINTS)
        )
        curves = {feature: make_curve(feature, slopes, middles) for feature in BECKER_CURVES}
        agent = replace(make_becker_agent(name, curves, weights, ""), family="", rules=self.rules)
        return _set_lookahead(agent, self.settings)


class ModesDesign:
    """Both modes of an agent and when it changes between them: numbers that are all 0 make the agent as it is.

    A number of 0.5 makes a weight half as large again, one below −1 turns its sign.
    """

    is_scale_free = False

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        two = [name for name, agent in named_agents().items() if isinstance(agent, WeightedAgent) and agent.second_mode]
        base = load_weighted_agent(settings.base or two[0])
        if base.second_mode is None:
            raise RecipeError(f"agent.base has two modes, such as {', '.join(two)}; {base.name} has one.")
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

    def compute_parameters(self, numbers: Sequence[float]) -> list[float]:
        """The weights of both modes and the threshold."""
        published = [*self.first_weights.values(), *self.second_weights.values(), float(self.second_mode.threshold)]
        *weights, threshold = (number * (1 + share) for number, share in zip(published, numbers, strict=True))
        return [*weights, float(max(-MAX_MODE_THRESHOLD, min(MAX_MODE_THRESHOLD, round(threshold))))]

    def make_agent(self, numbers: Sequence[float], name: str) -> WeightedAgent:
        """The agent with the modes that these numbers make."""
        return self.make_agent_from_parameters(self.compute_parameters(numbers), name)

    def make_agent_from_parameters(self, parameters: Sequence[float], name: str) -> WeightedAgent:
        """The agent with these weights of both modes and this threshold."""
        *known, threshold = parameters
        weights = dict(zip(self.first_weights, known, strict=False))
        other = dict(zip(self.second_weights, known[len(weights) :], strict=True))
        second = SecondMode(other, self.second_mode.selector, int(threshold), self.second_mode.names)
        agent = replace(
            self.base, name=name, weights=weights, second_mode=second, source="", family="", rules=self.rules
        )
        return _set_lookahead(replace(agent, measured=self.settings.measured), self.settings)


def read_mode_weights(agent: WeightedAgent, terms: FeatureTerms) -> dict[str, float]:
    """The weights of a mode, which must have no tables."""
    weights = {feature: float(term) for feature, term in terms.items() if isinstance(term, int | float)}
    if tables := [feature for feature in terms if feature not in weights]:
        raise RecipeError(f"agent.base has weights alone; {agent.name} has a table for {', '.join(tables)}.")
    return weights


def _set_lookahead(agent: WeightedAgent, settings: AgentSettings) -> WeightedAgent:
    """An agent that looks as far ahead as the settings say."""
    return replace(agent, depth=settings.depth, expect=int(settings.expect), beam=settings.beam)
