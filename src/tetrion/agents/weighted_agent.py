"""Weighted agents: agents defined by numbers only, whose games run entirely in the compiled engine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, ClassVar, cast

import numpy as np

from tetrion.agents.agent import Agent, Player
from tetrion.agents.explanation import Candidate, Explanation
from tetrion.board import Placement
from tetrion.engine.agent_records import (
    MAX_BEAM,
    MAX_BEAM_DEPTH,
    MAX_DEPTH,
    SELECTOR_FEATURES,
    EngineAgent,
    FeatureTerm,
    FeatureTerms,
    validate_terms,
)
from tetrion.engine.batch_play import (
    EngineSettings,
    check_preview,
    choose_placement,
)
from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.custom_features import CUSTOM_FEATURES, CustomFeature
from tetrion.engine.features.attack_features import ATTACK_FEATURES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError, UnknownNameError, describe_value
from tetrion.game import read_last_placement
from tetrion.notebook_display import format_count, format_four_digits, make_short_repr, render_html_table
from tetrion.position import Position, make_game_records
from tetrion.text_cleaning import clean_name, clean_text

MAX_REPR_VALUES = 1000  # of tables; an agent with larger ones is shown in short, as NumPy shows arrays
FEATURE_TIMINGS = ("after", "before")
_NUMBER_RANGES = (("depth", 1, MAX_BEAM_DEPTH), ("expect", 0, 1), ("beam", 0, MAX_BEAM), ("view_rows", 0, MAX_ROWS))


_MAX_FILE_INTEGER = 2**63 - 1  # larger weights are floats, because agent files do not have them as whole numbers
_MAX_FLOAT = 10**300


def copy_terms(terms: FeatureTerms) -> FeatureTerms:
    """Return a copy of terms, so that changes to the original have no effect."""
    return {name: copy_term(term) for name, term in terms.items()}


def copy_term(term: FeatureTerm) -> FeatureTerm:
    """Return a weight, or a table as a list, of Python's own numbers, whose repr gives the same agent."""
    if isinstance(term, np.ndarray | np.generic):
        return cast("FeatureTerm", term.tolist())
    if isinstance(term, Sequence) and not isinstance(term, str):
        return [cast("float", copy_term(number)) for number in term]
    if isinstance(term, int) and _MAX_FILE_INTEGER < abs(term) < _MAX_FLOAT:
        return float(term)
    return int(term) if isinstance(term, IntEnum) else term


@lru_cache
def check_rules_text(text: str) -> None:
    """Raise an error if a text does not describe rules; cached, because training makes many agents for the same."""
    Rules.parse(text)


def format_weight(term: float | Sequence[float] | None) -> str:
    """Return a weight or a table of points as text; nothing for a feature that a mode does not use."""
    if isinstance(term, Sequence):
        return f"table of {len(term):,} values, {format_four_digits(min(term))} to {format_four_digits(max(term))}"
    return "" if term is None else format_four_digits(term)


def hash_terms(terms: FeatureTerms) -> int:
    """Return a hash of weights and tables, in any order of the features."""
    return hash(frozenset((name, tuple(term) if isinstance(term, Sequence) else term) for name, term in terms.items()))


def validate_position(position: Position) -> Position:
    """Return the position, or raise a `PositionError` if it is not a `Position`."""
    if not isinstance(position, Position):
        raise PositionError(f"Expected a Position, such as game.position; given {describe_value(position)}.")
    return position


@dataclass(frozen=True)
class SecondMode:
    """The terms that an agent uses while the board feature `selector` is at least `threshold`.

    `names` are the names of the first and of this second mode.

    >>> import tetrion
    >>> safe = SecondMode({"holes": -10}, selector="max_height", threshold=12, names=("greedy", "safe"))
    >>> agent = tetrion.WeightedAgent("mine", {"lines": 1, "holes": -1}, second_mode=safe)
    >>> agent.get_mode_name(tetrion.Game("standard").position)
    'greedy'
    """

    weights: FeatureTerms
    selector: str = "aggregate_height"
    threshold: int = 100
    names: tuple[str, str] = ("first", "second")

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping):
            raise AgentError(
                f"A mode needs a mapping from feature to weight or table; given {describe_value(self.weights)}."
            )
        object.__setattr__(self, "weights", copy_terms(self.weights))
        if self.selector not in list(SELECTOR_FEATURES):
            raise UnknownNameError("selector feature", self.selector, SELECTOR_FEATURES)
        names = list(self.names) if isinstance(self.names, tuple | list) else []
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise AgentError(f"The names of the modes must be two texts; given {describe_value(self.names)}.")
        object.__setattr__(self, "names", tuple(map(clean_name, names)))
        if len(set(self.names)) != 2:
            raise AgentError(f"The two modes need two different names; given {self.names}.")
        if type(self.threshold) is not int or abs(self.threshold) > 10**6:
            raise AgentError(
                "threshold must be a whole number from −1,000,000 to 1,000,000; given "
                f"{describe_value(self.threshold)}."
            )

    def __hash__(self) -> int:
        return hash((hash_terms(self.weights), self.selector, self.threshold, self.names))


@dataclass(frozen=True)
class WeightedAgent(Player):
    """An agent defined by numbers: for each feature a weight, or a table from feature value to points.

    A table starts at the feature's smallest value (0, except for features that measure changes); its last entry also
    applies to all larger values. `measured` is "before" or "after": whether features are measured before or after full
    rows are removed. `depth` is the number of known pieces that the agent looks at. `expect=1` adds the expectation
    over the next unknown piece. `beam` limits how many placements of each piece are followed (0: all); with attack
    features, how many states of the game are kept after each piece. `view_rows` is the height of the view on which
    patterns are measured: a board that contains the top of the stack (0: the whole board). `second_mode` is the mode
    that the agent may switch to. An agent is hashable: do not change its `weights`, but make another agent.

    >>> agent = WeightedAgent("mine", {"holes": -4, "lines": 1, "bumpiness": -0.5, "aggregate_height": -0.5})
    >>> agent.with_options(depth=2)
    WeightedAgent('mine:depth=2', {'holes': -4, 'lines': 1, 'bumpiness': -0.5, 'aggregate_height': -0.5}, depth=2)
    >>> import tetrion
    >>> agent.explain(tetrion.Game("nes", seed=1).position, max_candidates=1).candidates
    (<Candidate I in rotation 0, column 0, row 0: score −2.5>,)
    """

    option_types: ClassVar = {
        "depth": int,
        "expect": int,
        "beam": int,
        "view_rows": int,
        "measured": str,
        "threshold": int,
    }

    name: str
    weights: FeatureTerms
    measured: str = "after"
    source: str = ""
    family: str = ""
    rules: str = ""  # the rules that the agent was designed for
    depth: int = 1
    expect: int = 0
    beam: int = 0
    view_rows: int = 0
    second_mode: SecondMode | None = None
    features: Mapping[str, CustomFeature] = field(default_factory=dict, compare=False, repr=False)
    _valid_terms: FeatureTerms = field(init=False, compare=False, repr=False)  # arrays are compiled faster than lists

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise AgentError(f"An agent needs a name, a string that is not empty; given {describe_value(self.name)}.")
        if self.second_mode is not None and not isinstance(self.second_mode, SecondMode):
            raise AgentError(f"second_mode must be a SecondMode or None; given {describe_value(self.second_mode)}.")
        object.__setattr__(self, "name", clean_name(self.name))
        for key in ("source", "family", "rules"):
            if not isinstance(getattr(self, key), str):
                raise AgentError(f"{key} must be text; given {describe_value(getattr(self, key))}.")
            object.__setattr__(self, key, clean_text(getattr(self, key)))
        names = list_feature_names(self)
        registered = {name: feature for name, feature in CUSTOM_FEATURES.items() if name in names}
        object.__setattr__(self, "features", {**registered, **self.features})
        object.__setattr__(self, "_valid_terms", validate_terms(self.weights, self.features))
        object.__setattr__(self, "weights", copy_terms(self.weights))
        if self.second_mode:
            validate_terms(self.second_mode.weights, self.features)
            object.__setattr__(self, "second_mode", replace(self.second_mode))
        if self.rules:
            check_rules_text(self.rules)
        if self.measured not in FEATURE_TIMINGS:
            raise UnknownNameError("value for 'measured':", self.measured, FEATURE_TIMINGS)
        object.__setattr__(self, "expect", int(self.expect) if isinstance(self.expect, bool) else self.expect)
        for name, minimum, maximum in _NUMBER_RANGES:
            if type(number := getattr(self, name)) is not int or not minimum <= number <= maximum:
                raise AgentError(
                    f"{name} must be a whole number from {minimum} to {maximum}; given {describe_value(number)}."
                )
        if self.depth > MAX_DEPTH and not list_attack_features(self):
            raise AgentError(
                f"depth must be a whole number from 1 to {MAX_DEPTH}; given {self.depth}. Only agents with modern "
                f"features search up to {MAX_BEAM_DEPTH} pieces."
            )

    def __hash__(self) -> int:
        return hash((self.name, self.rules, self.depth, hash_terms(self.weights)))

    def __repr__(self) -> str:
        if sum(map(len, list_tables(self))) > MAX_REPR_VALUES or self.features:
            features = format_count(len(self.weights), "feature")
            facts = [features, f"depth {self.depth}", *([f"rules {self.rules}"] if self.rules else []), self.source]
            return make_short_repr("WeightedAgent", f"{self.name}: {', '.join(filter(None, facts))}")
        changes = [
            f"{field.name}={value!r}"
            for field in fields(self)[2:]
            if field.repr and (value := getattr(self, field.name)) != field.default
        ]
        return f"WeightedAgent({', '.join([repr(self.name), repr(self.weights), *changes])})"

    def _repr_html_(self) -> str:
        headings, rows = list_weights(self)
        facts = [self.source, f"rules {self.rules}" if self.rules else "", describe_search(self)]
        return render_html_table(self.name, headings, rows, note=" · ".join(filter(None, facts)))

    def with_options(self, **options: Any) -> "WeightedAgent":
        """Return a copy with other options, such as `depth=2`, whose name ends with them, as for `load_agent`."""
        changes = dict(options)
        for name in changes:
            if name not in self.option_types:
                raise UnknownNameError("option of an agent", name, self.option_types)
        if "threshold" in changes:
            if not self.second_mode:
                raise AgentError(f"{self.name} has only one mode, so it has no threshold. Omit this option.")
            changes["second_mode"] = replace(self.second_mode, threshold=changes.pop("threshold"))
        changed = replace(self, **changes)  # checks the values, before they are written
        options_text = ",".join(f"{name}={value}" for name, value in options.items())
        separator = "," if "=" in self.name.rpartition(":")[2] else ":"
        return replace(changed, name=f"{self.name}{separator}{options_text}") if options else changed

    def check_rules(self, rules: Rules) -> None:
        """Raise an `AgentError` if the preview of the rules is too short for the agent's depth."""
        check_preview(make_engine_agent(self), rules)

    def start_player(self) -> "WeightedAgent":
        """Return the agent itself: its placements depend only on the position, so that it is its own player."""
        return self

    def choose(self, position: Position) -> Placement:
        """Return the placement that the agent chooses in a position."""
        settings = get_agent_settings(self, validate_known_pieces(self, position).rules)
        games = make_game_records(position)
        # A piece that cannot spawn ends a game of steered pieces, while the engine searches for targets only.
        is_blocked = position.rules.movement == "steered" and not position.can_spawn
        if is_blocked or not choose_placement(games, settings):
            raise PositionError(f"The game is over: the piece {position.piece} has no placement.")
        raise_feature_errors(self)
        return read_last_placement(games[0], position.rules)

    def get_mode_name(self, position: Position) -> str:
        """Return the name of the mode that the agent uses in a position; empty for an agent without modes."""
        return self.second_mode.names[is_in_second_mode(self, position)] if self.second_mode else ""

    def explain(
        self, position: Position, max_candidates: int = 5, on_candidate: Callable[[], None] = lambda: None
    ) -> Explanation:
        """Return the best placements with their scores and the contribution of each feature; none if the game is over.

        `on_candidate` is called before each candidate is computed, so that a background thread can pause there.
        """
        if type(max_candidates) is not int or max_candidates < 1:
            raise AgentError(
                f"max_candidates must be a whole number of at least 1; given {describe_value(max_candidates)}."
            )
        from tetrion.agents.placement_ranking import PlacementRanking  # which imports this module

        ranking = PlacementRanking(self, validate_known_pieces(self, position))
        candidates = list[Candidate]()
        for variation in ranking.variations[:max_candidates]:
            on_candidate()
            candidates.append(ranking.make_candidate(variation))
        raise_feature_errors(self)
        mode = self.get_mode_name(position)
        return Explanation(self.name, mode, tuple(candidates), len(position.placements()), position)


# What the engine and other modules need of an agent.


def as_weighted_agent(agent: Agent) -> WeightedAgent | None:
    """Return an agent if it is one that the compiled engine can play, else None."""
    return agent if isinstance(agent, WeightedAgent) else None


def list_modes(agent: WeightedAgent) -> list[FeatureTerms]:
    """Return the terms of each mode of an agent."""
    return [agent.weights, *([agent.second_mode.weights] if agent.second_mode else [])]


def list_feature_names(agent: WeightedAgent) -> list[str]:
    """Return the names of the features that an agent uses, in both modes."""
    return [name for terms in list_modes(agent) if isinstance(terms, Mapping) for name in terms]


def list_attack_features(agent: WeightedAgent) -> list[str]:
    """Return the names of the attack features that an agent uses; with any, it plays modern games only."""
    return [name for name in list_feature_names(agent) if name in ATTACK_FEATURES]


def list_tables(agent: WeightedAgent) -> list[Sequence[float]]:
    """Return the tables among the terms of an agent, in both modes."""
    return [term for terms in list_modes(agent) for term in terms.values() if isinstance(term, Sequence)]


def list_weights(agent: WeightedAgent) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of a table: the weight of each feature in each mode, tables in short."""
    headings = ["feature", *(agent.second_mode.names if agent.second_mode else ["weight"])]
    names = list(dict.fromkeys(list_feature_names(agent)))
    return headings, [[name, *(format_weight(terms.get(name)) for terms in list_modes(agent))] for name in names]


def describe_search(agent: WeightedAgent) -> str:
    """Return the depth and the other options of the search, and when features are measured."""
    second = agent.second_mode
    options = [
        f"depth {agent.depth}",
        "expectation over the next piece" if agent.expect else "",
        f"beam {agent.beam}" if agent.beam else "",
        f"view of {agent.view_rows} rows" if agent.view_rows else "",
        f"{second.names[1]} mode from {second.selector} {second.threshold} on" if second else "",
        f"features measured {agent.measured} full rows are removed",
    ]
    return ", ".join(filter(None, options))


def is_in_second_mode(agent: WeightedAgent, position: Position) -> bool:
    """Return whether an agent uses its second mode in a position."""
    second, position = agent.second_mode, validate_position(position)
    return second is not None and position.board.measure_features()[second.selector] >= second.threshold


def validate_known_pieces(agent: WeightedAgent, position: Position) -> Position:
    """Return the position, or raise a `PositionError` if fewer pieces are known than the agent's depth."""
    known = (validate_position(position).piece is not None) + len(position.next)
    needed = agent.depth
    if list_attack_features(agent):  # the hold box is empty when a game begins
        known += bool(position.hold)
        needed = min(needed, position.rules.preview + 1)
    if known < needed:
        raise PositionError(
            f"depth={agent.depth} needs {needed} known pieces, but only {known} {'is' if known == 1 else 'are'} "
            "known. Give the next pieces: `next='L'`."
        )
    return position


def make_engine_agent(agent: WeightedAgent) -> EngineAgent:
    """Return an agent as an `EngineAgent`, from which the engine's records are made."""
    second = agent.second_mode
    return EngineAgent(
        terms=agent._valid_terms,
        measures_after_clear=agent.measured == "after",
        depth=agent.depth,
        expect=bool(agent.expect),
        beam=agent.beam,
        view_rows=agent.view_rows,
        second_terms=second.weights if second else None,
        selector=second.selector if second else "",
        threshold=second.threshold if second else 0,
        custom_features=agent.features,
    )


def get_agent_settings(agent: WeightedAgent, rules: Rules) -> EngineSettings:
    """Return the engine settings for an agent and rules; they are kept with the agent."""
    cache: dict[Rules, EngineSettings] = agent.__dict__.setdefault("_settings", {})
    if rules not in cache:
        cache[rules] = EngineSettings.from_agents([make_engine_agent(agent)], rules)
    return cache[rules]


def raise_feature_errors(agent: WeightedAgent) -> None:
    """Raise an error that a custom feature reported while the engine was running."""
    for feature in agent.features.values():
        feature.check_no_failure()
