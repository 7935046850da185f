"""The measured strength of each named agent under the rules that it was made for.

The figures are in agent_strengths.json, which `python -m benchmarks.strengths` writes.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from tetrion.agents import AGENTS
from tetrion.agents.named import NamedAgent
from tetrion.engine.rules import PRESETS, Rules
from tetrion.evaluation.confidence_intervals import Interval
from tetrion.evaluation.number_format import NO_VALUE, format_mean_interval

STRENGTHS_FILE = "agent_strengths.json"
ATTACK_METRIC = "attack"
METRIC_UNITS = {"lines": "lines", "score": "points"}  # per game
CAPPED_GAMES_NOTE = (
    "* The games were capped, so the mean is estimated as total / deaths; if no game ended, it is above total / 3 with "
    "95 % confidence."
)
CAPPED_MARK = " *"
_SHOWN_IN_MILLIONS = 10**6
PIECES_PER_LINE = 2.5  # a line has ten cells, a piece four


@dataclass(frozen=True)
class AgentStrength:
    """The mean of a metric ("lines" or "score" per game, "attack" per piece), and the games that it was measured in.

    The games have the numbers 0, 1, … of the seed. `capped` of them were stopped at `max_pieces`; a mean per game is
    then estimated from the total and the number of deaths. Without a death the mean is None and the interval has only a
    lower end. `agent_digest` identifies the weights and options of the agent, `command` measures it again. With the
    method "splitting", no whole games were played, and `games` is the number of replicates.
    """

    rules: str
    metric: str
    mean: float | None
    ci95: Interval
    games: int
    capped: int
    max_pieces: int | None
    seed: int
    rules_version: int
    agent_digest: str
    command: str
    method: str = "games"

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Create the strength from its JSON data; null is the upper end of an interval that has none."""
        low, high = content["ci95"]
        return cls(**{**content, "ci95": (low, math.inf if high is None else high)})

    def to_json(self) -> dict[str, Any]:
        """Return the strength as JSON data."""
        return asdict(self) | {"ci95": [end if math.isfinite(end) else None for end in self.ci95]}

    @property
    def is_censored(self) -> bool:
        """Whether the mean is estimated because games were capped; this does not concern the attack per piece."""
        return self.capped > 0 and self.metric != ATTACK_METRIC

    @property
    def rank_value(self) -> float:
        """The number that orders agents: the mean, or the lower end of the interval if the mean is not known."""
        return self.ci95[0] if self.mean is None else self.mean


@cache
def load_strengths() -> dict[str, AgentStrength]:
    """Return the measured strengths by the name of the agent."""
    text = files("tetrion.evaluation").joinpath(STRENGTHS_FILE).read_text("utf-8")
    return {name: AgentStrength.from_json(entry) for name, entry in json.loads(text).items()}


def get_expected_pieces(name: str, rules: Rules) -> float | None:
    """Return the measured mean number of pieces per game of a named agent; None if it is unknown under these rules."""
    strength = load_strengths().get(name)
    if strength is None or strength.metric != "lines" or Rules.parse(strength.rules) != rules:
        return None
    return PIECES_PER_LINE * strength.rank_value


def format_strength(strength: AgentStrength | None) -> str:
    """Format a mean with its interval and unit, such as "390 ± 21 lines"; "–" if the agent was not measured."""
    if strength is None:
        return NO_VALUE
    if strength.metric == ATTACK_METRIC:
        return f"{strength.mean:.3f} ± {(strength.ci95[1] - strength.ci95[0]) / 2:.3f} attack per piece"
    mean = format_mean_interval(strength.mean, strength.ci95, millions_threshold=_SHOWN_IN_MILLIONS)
    return f"{mean} {METRIC_UNITS[strength.metric]}"


def format_strength_cells(strength: AgentStrength | None) -> tuple[str, str]:
    """Return the strength of an agent and its number of games, marked if some were capped."""
    if strength is None:
        return format_strength(strength), NO_VALUE
    games = f"{strength.games:,}{CAPPED_MARK if strength.is_censored else ''}"
    return format_strength(strength), strength.method if strength.method == "splitting" else games


def group_agents_by_rules() -> dict[str, list[NamedAgent]]:
    """Return the named agents by the rules that they were made for, the strongest first.

    Only the strengths of agents with the same rules can be compared. The rules have the order of the presets.
    """
    groups: dict[str, list[NamedAgent]] = {}
    for agent in sorted(AGENTS.values(), key=_get_rules_position):
        groups.setdefault(agent.rules, []).append(agent)
    strengths = load_strengths()
    for agents in groups.values():
        agents.sort(key=lambda agent: -strengths[agent.name].rank_value if agent.name in strengths else math.inf)
    return groups


def _get_rules_position(agent: NamedAgent) -> tuple[int, str]:
    """Return the sort key of an agent's rules: the position of their preset, then presets before changed rules."""
    return list(PRESETS).index(Rules.parse(agent.rules).name), agent.rules
