"""Agents that are nothing but numbers, so that the compiled engine plays them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tetrion.agents.explain import Explanation, explain
from tetrion.board import Placement
from tetrion.engine.agents import DEEPEST, SELECTORS, WIDEST, CompiledAgent, Terms, checked_terms
from tetrion.engine.own import OWN_FEATURES, OwnFeature
from tetrion.engine.play import Setting, fastest
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError, UnknownNameError
from tetrion.position import Position

MEASURED = ("after", "before")
OPTIONS = {"depth": int, "expect": int, "beam": int, "measured": str, "threshold": int}


def copied(terms: Terms) -> Terms:
    """Terms of one's own, that nobody else can change."""
    return {name: list(term) if isinstance(term, Sequence) else term for name, term in terms.items()}


def checked_position(position: Position) -> Position:
    """A position, or the error that says that something else is none."""
    if not isinstance(position, Position):
        raise PositionError(f"An agent looks at a Position, such as game.position; given {position!r}.")
    return position


@dataclass(frozen=True)
class SecondMode:
    """What an agent plays by instead, from a value of a feature of the board on."""

    weights: Terms
    selector: str = "aggregate_height"
    threshold: int = 100
    names: tuple[str, str] = ("first", "second")

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping):
            raise AgentError(f"A mode has a weight or a table for each feature; given {self.weights!r}.")
        object.__setattr__(self, "weights", copied(self.weights))
        if self.selector not in SELECTORS:
            raise UnknownNameError("feature that decides between modes", self.selector, SELECTORS)
        if len(set(self.names)) != 2:
            raise AgentError(f"The two modes have a name each; given {self.names}.")
        if type(self.threshold) is not int or abs(self.threshold) > 10**6:
            raise AgentError(f"The threshold between modes is a whole number; given {self.threshold!r}.")


@dataclass(frozen=True)
class DataAgent:
    """An agent that is numbers alone: for each feature a weight, or a table from its value to points.

    A table starts at the feature's smallest value (0 for all but the changes) and its last entry holds for every
    larger one. `measured` tells whether features see the board before or after full rows are removed. `depth` is how
    many known pieces it looks at, `expect` adds the seven that may come then, and `beam` follows only so many
    placements of each piece. `second` is the mode that it may change to.
    """

    name: str
    weights: Terms
    measured: str = "after"
    source: str = ""
    family: str = ""
    rules: str = ""  # that it was made for
    depth: int = 1
    expect: int = 0
    beam: int = 0
    second: SecondMode | None = None
    features: Mapping[str, OwnFeature] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise AgentError(f"An agent has a name; given {self.name!r}.")
        if self.second is not None and not isinstance(self.second, SecondMode):
            raise AgentError(f"The second mode is a SecondMode; given {self.second!r}.")
        mine = {name: feature for name, feature in OWN_FEATURES.items() if name in self.every_term()}
        object.__setattr__(self, "features", {**mine, **self.features})
        checked_terms(self.weights, self.features)
        object.__setattr__(self, "weights", copied(self.weights))
        if self.second:
            checked_terms(self.second.weights, self.features)
            object.__setattr__(self, "second", replace(self.second))
        if self.rules:
            Rules.parse(self.rules)
        if self.measured not in MEASURED:
            raise UnknownNameError("moment to measure", self.measured, MEASURED)
        object.__setattr__(self, "expect", int(self.expect) if isinstance(self.expect, bool) else self.expect)
        for name, least, most in (("depth", 1, DEEPEST), ("expect", 0, 1), ("beam", 0, WIDEST)):
            if type(number := getattr(self, name)) is not int or not least <= number <= most:
                raise AgentError(f"{name} is a whole number from {least} to {most}; given {number!r}.")

    def every_term(self) -> list[str]:
        """The features that it names, in both modes."""
        modes = (self.weights, self.second.weights if self.second else {})
        return [name for terms in modes if isinstance(terms, Mapping) for name in terms]

    def with_(self, **options: Any) -> "DataAgent":
        """The same with other options, such as `depth=2`; its name tells them."""
        changes = dict(options)
        for name in changes:
            if name not in OPTIONS:
                raise UnknownNameError("option of an agent", name, OPTIONS)
        if "threshold" in changes:
            if not self.second:
                raise AgentError(f"{self.name} has one mode, so there is no threshold.")
            changes["second"] = replace(self.second, threshold=changes.pop("threshold"))
        told = ",".join(f"{name}={value}" for name, value in options.items())
        comma = "," if "=" in self.name.rpartition(":")[2] else ":"
        return replace(self, name=f"{self.name}{comma}{told}" if told else self.name, **changes)

    def compiled(self) -> CompiledAgent:
        """What the engine plays."""
        second = self.second
        return CompiledAgent(
            self.weights,
            self.measured == "after",
            self.depth,
            bool(self.expect),
            self.beam,
            second.weights if second else None,
            second.selector if second else "",
            second.threshold if second else 0,
            self.features,
        )

    def setting(self, rules: Rules) -> Setting:
        """The agent and rules as the engine takes them, made once for each rules."""
        known: dict[Rules, Setting] = self.__dict__.setdefault("_settings", {})
        if rules not in known:
            known[rules] = Setting.of([self.compiled()], rules)
        return known[rules]

    def choose(self, position: Position) -> Placement:
        """The placement that it chooses."""
        setting, games = self.setting(self.checked(position).rules), position.as_game()
        if not fastest(setting)(games, setting, 1):
            raise PositionError(f"The game is over: there is no place for {position.piece}.")
        self.check_features()
        return position.placement_of(*games["placement"][0].tolist())

    def mode(self, position: Position) -> str:
        """The name of the mode that it is in; empty for an agent without modes."""
        return self.second.names[self.in_second_mode(position)] if self.second else ""

    def in_second_mode(self, position: Position) -> bool:
        """Whether the board has brought it into its second mode."""
        second, position = self.second, checked_position(position)
        return second is not None and position.board.features()[second.selector] >= second.threshold

    def explain(self, position: Position, best: int = 5, rest: Callable[[], None] = lambda: None) -> Explanation:
        """The best placements, with their scores and each feature's share; none if the game is over.

        `rest` is called now and then, for whoever explains while others have more urgent things to do.
        """
        if type(best) is not int or best < 1:
            raise AgentError(f"best is how many placements to show, from 1; given {best!r}.")
        explanation = explain(self, self.checked(position), best, rest)
        self.check_features()
        return explanation

    def checked(self, position: Position) -> Position:
        """A position of which enough pieces are known, or the error that says what is missing."""
        known = (checked_position(position).piece is not None) + len(position.next)
        if known < self.depth:
            raise PositionError(
                f"depth={self.depth} looks at {self.depth} pieces, and {known} {'is' if known == 1 else 'are'} known. "
                "Give the next ones: next='L', or --next L."
            )
        return position

    def check_features(self) -> None:
        """Raise what a feature of a person's own could not raise in the engine."""
        for feature in self.features.values():
            feature.check()
