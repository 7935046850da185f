"""Agents that are nothing but numbers, so that the compiled engine plays them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tetrion.agents.explanation import Explanation, explain_position
from tetrion.board import Placement
from tetrion.engine.agent_records import (
    MAX_BEAM,
    MAX_DEPTH,
    SELECTOR_FEATURES,
    CompiledAgent,
    FeatureTerms,
    validate_terms,
)
from tetrion.engine.batch_play import EngineSettings, select_fastest_play
from tetrion.engine.custom_features import CUSTOM_FEATURES, CustomFeature
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError, UnknownNameError
from tetrion.position import Position

FEATURE_TIMINGS = ("after", "before")
WEIGHTED_AGENT_OPTIONS = {"depth": int, "expect": int, "beam": int, "measured": str, "threshold": int}


def copy_terms(terms: FeatureTerms) -> FeatureTerms:
    """Terms of one's own, that nobody else can change."""
    return {name: list(term) if isinstance(term, Sequence) else term for name, term in terms.items()}


def validate_position(position: Position) -> Position:
    """A position, or the error that says that something else is none."""
    if not isinstance(position, Position):
        raise PositionError(f"An agent looks at a Position, such as game.position; given {position!r}.")
    return position


@dataclass(frozen=True)
class SecondMode:
    """What an agent plays by instead, from a value of a feature of the board on."""

    weights: FeatureTerms
    selector: str = "aggregate_height"
    threshold: int = 100
    names: tuple[str, str] = ("first", "second")

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping):
            raise AgentError(f"A mode has a weight or a table for each feature; given {self.weights!r}.")
        object.__setattr__(self, "weights", copy_terms(self.weights))
        if self.selector not in SELECTOR_FEATURES:
            raise UnknownNameError("feature that decides between modes", self.selector, SELECTOR_FEATURES)
        if len(set(self.names)) != 2:
            raise AgentError(f"The two modes have a name each; given {self.names}.")
        if type(self.threshold) is not int or abs(self.threshold) > 10**6:
            raise AgentError(f"The threshold between modes is a whole number; given {self.threshold!r}.")


@dataclass(frozen=True)
class WeightedAgent:
    """An agent that is numbers alone: for each feature a weight, or a table from its value to points.

    A table starts at the feature's smallest value (0 for all but the changes) and its last entry holds for every
    larger one. `measured` tells whether features see the board before or after full rows are removed. `depth` is how
    many known pieces it looks at, `expect` adds the seven that may come then, and `beam` follows only so many
    placements of each piece. `second` is the mode that it may change to.
    """

    name: str
    weights: FeatureTerms
    measured: str = "after"
    source: str = ""
    family: str = ""
    rules: str = ""  # that it was made for
    depth: int = 1
    expect: int = 0
    beam: int = 0
    second_mode: SecondMode | None = None
    features: Mapping[str, CustomFeature] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise AgentError(f"An agent has a name; given {self.name!r}.")
        if self.second_mode is not None and not isinstance(self.second_mode, SecondMode):
            raise AgentError(f"The second mode is a SecondMode; given {self.second_mode!r}.")
        mine = {name: feature for name, feature in CUSTOM_FEATURES.items() if name in self.list_feature_names()}
        object.__setattr__(self, "features", {**mine, **self.features})
        validate_terms(self.weights, self.features)
        object.__setattr__(self, "weights", copy_terms(self.weights))
        if self.second_mode:
            validate_terms(self.second_mode.weights, self.features)
            object.__setattr__(self, "second_mode", replace(self.second_mode))
        if self.rules:
            Rules.parse(self.rules)
        if self.measured not in FEATURE_TIMINGS:
            raise UnknownNameError("moment to measure", self.measured, FEATURE_TIMINGS)
        object.__setattr__(self, "expect", int(self.expect) if isinstance(self.expect, bool) else self.expect)
        for name, least, most in (("depth", 1, MAX_DEPTH), ("expect", 0, 1), ("beam", 0, MAX_BEAM)):
            if type(number := getattr(self, name)) is not int or not least <= number <= most:
                raise AgentError(f"{name} is a whole number from {least} to {most}; given {number!r}.")

    def list_feature_names(self) -> list[str]:
        """The features that it names, in both modes."""
        modes = (self.weights, self.second_mode.weights if self.second_mode else {})
        return [name for terms in modes if isinstance(terms, Mapping) for name in terms]

    def with_(self, **options: Any) -> "WeightedAgent":
        """The same with other options, such as `depth=2`; its name tells them."""
        changes = dict(options)
        for name in changes:
            if name not in WEIGHTED_AGENT_OPTIONS:
                raise UnknownNameError("option of an agent", name, WEIGHTED_AGENT_OPTIONS)
        if "threshold" in changes:
            if not self.second_mode:
                raise AgentError(f"{self.name} has one mode, so there is no threshold.")
            changes["second"] = replace(self.second_mode, threshold=changes.pop("threshold"))
        told = ",".join(f"{name}={value}" for name, value in options.items())
        comma = "," if "=" in self.name.rpartition(":")[2] else ":"
        return replace(self, name=f"{self.name}{comma}{told}" if told else self.name, **changes)

    def compile(self) -> CompiledAgent:
        """What the engine plays."""
        second = self.second_mode
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

    def get_engine_settings(self, rules: Rules) -> EngineSettings:
        """The agent and rules as the engine takes them, made once for each rules."""
        known: dict[Rules, EngineSettings] = self.__dict__.setdefault("_settings", {})
        if rules not in known:
            known[rules] = EngineSettings.from_agents([self.compile()], rules)
        return known[rules]

    def choose(self, position: Position) -> Placement:
        """The placement that it chooses."""
        setting, games = (
            self.get_engine_settings(self.validate_known_pieces(position).rules),
            position.to_game_records(),
        )
        if not select_fastest_play(setting)(games, setting, 1):
            raise PositionError(f"The game is over: there is no place for {position.piece}.")
        self.raise_feature_errors()
        return position.make_placement_from_orientation(*games["placement"][0].tolist())

    def get_mode_name(self, position: Position) -> str:
        """The name of the mode that it is in; empty for an agent without modes."""
        return self.second_mode.names[self.is_in_second_mode(position)] if self.second_mode else ""

    def is_in_second_mode(self, position: Position) -> bool:
        """Whether the board has brought it into its second mode."""
        second, position = self.second_mode, validate_position(position)
        return second is not None and position.board.measure_features()[second.selector] >= second.threshold

    def explain(
        self, position: Position, max_candidates: int = 5, on_candidate: Callable[[], None] = lambda: None
    ) -> Explanation:
        """The best placements, with their scores and each feature's share; none if the game is over.

        `rest` is called now and then, for whoever explains while others have more urgent things to do.
        """
        if type(max_candidates) is not int or max_candidates < 1:
            raise AgentError(f"best is how many placements to show, from 1; given {max_candidates!r}.")
        explanation = explain_position(self, self.validate_known_pieces(position), max_candidates, on_candidate)
        self.raise_feature_errors()
        return explanation

    def validate_known_pieces(self, position: Position) -> Position:
        """A position of which enough pieces are known, or the error that says what is missing."""
        known = (validate_position(position).piece is not None) + len(position.next)
        if known < self.depth:
            raise PositionError(
                f"depth={self.depth} looks at {self.depth} pieces, and {known} {'is' if known == 1 else 'are'} known. "
                "Give the next ones: next='L', or --next L."
            )
        return position

    def raise_feature_errors(self) -> None:
        """Raise what a feature of a person's own could not raise in the engine."""
        for feature in self.features.values():
            feature.check_no_failure()
