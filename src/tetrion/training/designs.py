"""What a candidate's numbers mean: weights of features, Becker's curves, or both modes of an agent like Medico's."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tetrion.agents import DataAgent, SecondMode, data_agent, zoo
from tetrion.agents.data import MEASURED
from tetrion.agents.zoo.becker import CURVES, MIDDLES, SLOPES, WEIGHTS, becker, curve_of
from tetrion.engine.agents import DEEPEST, WIDEST, Terms
from tetrion.errors import RecipeError
from tetrion.training.settings import one_of, several, switch, text, whole

STEEPEST = 50.0  # exponents beyond leave what floats can hold, and every curve is a step long before
MOST_THRESHOLD = 10_000


@dataclass(frozen=True)
class AgentSettings:
    """[agent]: what kind of agent is looked for."""

    design: str = one_of("weights", ("weights", "curves", "modes"), "what the numbers are: see docs/training.md")
    features: tuple[str, ...] = several((), str, "the features that get weights (design weights)")
    base: str = text("", "the agent of two modes that is varied (design modes)")
    measured: str = one_of("after", MEASURED, "whether features see the board after or before full rows are removed")
    depth: int = whole(1, 1, DEEPEST, "how many known pieces it looks at")
    expect: bool = switch(False, "whether it adds the seven pieces that may come then")
    beam: int = whole(0, 0, WIDEST, "how many placements of each piece it follows; 0 for all")


class Design(Protocol):
    """Makes agents of numbers."""

    names: tuple[str, ...]
    """What each of the numbers is."""
    free_scale: bool
    """Whether numbers that are all twice as large make the same agent."""

    def parameters(self, numbers: Sequence[float]) -> list[float]:
        """What the numbers come to in the agent: its weights and the like, in the order of the names."""

    def agent(self, numbers: Sequence[float], name: str) -> DataAgent:
        """The agent that these numbers make."""

    def agent_of(self, parameters: Sequence[float], name: str) -> DataAgent:
        """The agent with these parameters, as the files of a run tell them."""


def design_of(settings: AgentSettings, rules: str) -> Design:
    """The design that a recipe asks for, or the error that says what is wrong with it."""
    if settings.design != "weights" and settings.features:
        raise RecipeError(f"agent.features belong to design weights; the design is {settings.design}.")
    if settings.design != "modes" and settings.base:
        raise RecipeError(f"agent.base belongs to design modes; the design is {settings.design}.")
    if settings.design == "weights":
        return Weights(settings, rules)
    if settings.design == "curves":
        if settings.measured != "after":
            raise RecipeError("Becker's curves see the board after full rows are removed: agent.measured is after.")
        return Curves(settings, rules)
    return Modes(settings, rules)


class Weights:
    """A weight for each feature."""

    free_scale = True

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        if not settings.features:
            raise RecipeError('agent.features names the features that get weights, such as ["holes", "lines"].')
        if len(set(settings.features)) < len(settings.features):
            raise RecipeError(f"agent.features names every feature once; given {', '.join(settings.features)}.")
        self.names, self.settings, self.rules = settings.features, settings, rules
        self.agent([1.0] * len(self.names), "trial")  # an unknown feature is an error now

    def parameters(self, numbers: Sequence[float]) -> list[float]:
        """The weights themselves."""
        return list(map(float, numbers))

    def agent(self, numbers: Sequence[float], name: str) -> DataAgent:
        """The agent with these weights."""
        return self.agent_of(self.parameters(numbers), name)

    def agent_of(self, parameters: Sequence[float], name: str) -> DataAgent:
        """The same, since a weight is a number as it is."""
        weights = dict(zip(self.names, parameters, strict=True))
        return _looking(DataAgent(name, weights, self.settings.measured, rules=self.rules), self.settings)


class Curves:
    """Becker's curves: numbers that are all 0 make his agent.

    The weights are positive and add up to 1, as he asks for: each is his own times e to the power of its number, over
    their sum. Slopes and midpoints are his own times e to the power of theirs.
    """

    free_scale = False
    names = (
        *(f"{feature} weight" for feature in CURVES),
        *(f"{feature} slope" for feature in SLOPES),
        *(f"{feature} middle" for feature in MIDDLES),
    )

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        self.settings, self.rules = settings, rules

    def parameters(self, numbers: Sequence[float]) -> list[float]:
        """Weights that add up to 1, slopes and midpoints."""
        factors = [math.exp(max(-STEEPEST, min(STEEPEST, number))) for number in numbers]
        published = [*WEIGHTS.values(), *SLOPES.values(), *MIDDLES.values()]
        varied = [number * factor for number, factor in zip(published, factors, strict=True)]
        total = sum(varied[: len(WEIGHTS)])
        return [*(share / total for share in varied[: len(WEIGHTS)]), *varied[len(WEIGHTS) :]]

    def agent(self, numbers: Sequence[float], name: str) -> DataAgent:
        """The agent with the curves that these numbers make."""
        return self.agent_of(self.parameters(numbers), name)

    def agent_of(self, parameters: Sequence[float], name: str) -> DataAgent:
        """The agent with these weights, slopes and midpoints."""
        known = iter(parameters)
        weights, slopes, middles = ({feature: next(known) for feature in part} for part in (WEIGHTS, SLOPES, MIDDLES))
        curves = {feature: curve_of(feature, slopes, middles) for feature in CURVES}
        agent = replace(becker(name, curves, weights, ""), family="", rules=self.rules)
        return _looking(agent, self.settings)


class Modes:
    """Both modes of an agent and when it changes between them: numbers that are all 0 make the agent as it is.

    A number of 0.5 makes a weight half as large again, one below −1 turns its sign.
    """

    free_scale = False

    def __init__(self, settings: AgentSettings, rules: str) -> None:
        two = [name for name, agent in zoo().items() if isinstance(agent, DataAgent) and agent.second]
        base = data_agent(settings.base or two[0])
        if base.second is None:
            raise RecipeError(f"agent.base has two modes, such as {', '.join(two)}; {base.name} has one.")
        self.base, self.second, self.settings, self.rules = base, base.second, settings, rules
        self.weights, self.others = weights_of(base, base.weights), weights_of(base, base.second.weights)
        first, second = base.second.names
        self.names = (
            *(f"{first} {feature}" for feature in self.weights),
            *(f"{second} {feature}" for feature in self.others),
            "threshold",
        )

    def parameters(self, numbers: Sequence[float]) -> list[float]:
        """The weights of both modes and the threshold."""
        published = [*self.weights.values(), *self.others.values(), float(self.second.threshold)]
        *weights, threshold = (number * (1 + share) for number, share in zip(published, numbers, strict=True))
        return [*weights, float(max(-MOST_THRESHOLD, min(MOST_THRESHOLD, round(threshold))))]

    def agent(self, numbers: Sequence[float], name: str) -> DataAgent:
        """The agent with the modes that these numbers make."""
        return self.agent_of(self.parameters(numbers), name)

    def agent_of(self, parameters: Sequence[float], name: str) -> DataAgent:
        """The agent with these weights of both modes and this threshold."""
        *known, threshold = parameters
        weights = dict(zip(self.weights, known, strict=False))
        other = dict(zip(self.others, known[len(weights) :], strict=True))
        second = SecondMode(other, self.second.selector, int(threshold), self.second.names)
        agent = replace(self.base, name=name, weights=weights, second=second, source="", family="", rules=self.rules)
        return _looking(replace(agent, measured=self.settings.measured), self.settings)


def weights_of(agent: DataAgent, terms: Terms) -> dict[str, float]:
    """The weights of a mode, which must have no tables."""
    weights = {feature: float(term) for feature, term in terms.items() if isinstance(term, int | float)}
    if tables := [feature for feature in terms if feature not in weights]:
        raise RecipeError(f"agent.base has weights alone; {agent.name} has a table for {', '.join(tables)}.")
    return weights


def _looking(agent: DataAgent, settings: AgentSettings) -> DataAgent:
    """An agent that looks as far ahead as the settings say."""
    return replace(agent, depth=settings.depth, expect=int(settings.expect), beam=settings.beam)
