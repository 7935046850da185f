"""The strengths of the named agents: python -m benchmarks.strengths [NAME...] [--workers N].

Every agent plays under the rules that it was made for, with the metric that the document of these rules reports. The
result is written into the package after each agent, where `tetrion list agents` and the window read it. Agents whose
figure is up to date are not measured again unless they are named. The results are the same on every machine; all of
them take about 15 minutes on two cores.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import tetrion.evaluation
from benchmarks.common import format_table
from tetrion.agents import AGENTS, WeightedAgent
from tetrion.agents.agent_files import agent_to_json
from tetrion.agents.named import NamedAgent
from tetrion.atomic_files import write_atomically
from tetrion.engine.rules import Rules
from tetrion.evaluation import evaluate, evaluate_by_splitting
from tetrion.evaluation.agent_strengths import (
    ATTACK_METRIC,
    CAPPED_GAMES_NOTE,
    STRENGTHS_FILE,
    AgentStrength,
    format_strength,
    format_strength_cells,
    group_agents_by_rules,
    load_strengths,
)

STRENGTHS_PATH = Path(tetrion.evaluation.__file__).with_name(STRENGTHS_FILE)
SEED = 1  # the seed of the reproductions in docs/papers, where the same games have the same figures
SCORE_RULES = ("hindi", "tetrais", "medico")  # presets of documents that report points; the others report lines


class GamePlan(NamedTuple):
    """The games of an agent; strong agents with a slow search are capped.

    Agents whose games are too long are measured by splitting with a precision; `games` are then the replicates that it
    takes, as on the pages of the literature and the record.
    """

    games: int = 20_000
    max_pieces: int | None = None
    precision: float | None = None


GAME_PLANS = {  # agents with long games or slow decisions play fewer games
    "random-keys": GamePlan(2000),
    "gavrilov": GamePlan(2000),
    "hindi-look-1": GamePlan(2000),
    "hindi-look-2": GamePlan(4000),
    "hindi-look-3": GamePlan(4000),
    "tetrais-depth2": GamePlan(80, 250_000),
    "tetrais-depth3": GamePlan(16, 250_000),
    "medico": GamePlan(10_000),
    "ce-bertsekas": GamePlan(1000),
    "lee": GamePlan(10_000),
    "dellacherie": GamePlan(161, precision=0.05),
    "el-tetris": GamePlan(76, precision=0.1),
    "du": GamePlan(114, precision=0.1),
    "dt10": GamePlan(64, precision=0.1),
    "bdu": GamePlan(64, precision=0.1),
    "dt20": GamePlan(151, precision=0.1),
    "tetrion-1": GamePlan(73, precision=0.1),
    "tetrion-1-two-pieces": GamePlan(154, precision=0.1),
    "tetrion-1-expect": GamePlan(1000),
    "modern-1": GamePlan(200, 1000),
}


def compute_agent_digest(agent: NamedAgent) -> str:
    """Return a digest of the weights and options of an agent, without its name and source."""
    content: dict[str, Any] = {"kind": type(agent).__name__}
    if isinstance(agent, WeightedAgent):
        content = {key: value for key, value in agent_to_json(agent).items() if key not in ("name", "source", "family")}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def choose_metric(agent: NamedAgent) -> str:
    """Return what an agent was made for: attack, or what the document of its rules reports."""
    if isinstance(agent, WeightedAgent) and agent.family == "modern":
        return ATTACK_METRIC
    return "score" if Rules.parse(agent.rules).name in SCORE_RULES else "lines"


def make_settings(agent: NamedAgent) -> dict[str, Any]:
    """Return the fields of a strength that are known before the games; a strength with other values is out of date."""
    plan = GAME_PLANS.get(agent.name, GamePlan())
    return {
        "rules": agent.rules,
        "metric": choose_metric(agent),
        "games": plan.games,
        "max_pieces": plan.max_pieces,
        "seed": SEED,
        "rules_version": Rules.parse(agent.rules).behaviour_version,
        "agent_digest": compute_agent_digest(agent),
        "command": f"python -m benchmarks.strengths {agent.name}",
        "method": "splitting" if plan.precision else "games",
    }


def measure_strength(agent: NamedAgent, workers: int | None = None) -> AgentStrength:
    """Play the games of an agent and return its strength."""
    settings = make_settings(agent)
    if settings["method"] == "splitting":
        estimate = evaluate_by_splitting(agent, None, SEED, precision=GAME_PLANS[agent.name].precision, workers=workers)
        found = {"games": estimate.replicates, "mean": estimate.lines.mean, "ci95": estimate.lines.ci95}
        return AgentStrength(**settings | found, capped=0)
    result = evaluate(agent, None, settings["games"], SEED, max_pieces=settings["max_pieces"], workers=workers)
    if settings["metric"] == ATTACK_METRIC:
        mean, interval = result.attack_rates["attack per piece"]
    else:
        statistics = {"lines": result.lines, "score": result.score}[settings["metric"]]
        mean = statistics.mean if result.deaths else None
        interval = statistics.ci95 if statistics.has_interval else None
    if interval is None:
        raise ValueError(f"{agent.name} needs at least three games for an interval; given {result.games}.")
    return AgentStrength(**settings, mean=mean, ci95=interval, capped=result.capped)


def format_strengths() -> str:
    """Return the table of the strengths for the documentation, and how they were measured."""
    strengths = load_strengths()
    rows = [
        [f"`{agent.name}`", *format_strength_cells(strengths.get(agent.name)), f"`{rules}`"]
        for rules, agents in group_agents_by_rules().items()
        for agent in agents
    ]
    return (
        format_table(["agent", "strength", "games", "rules"], rows)
        + f"\n\\{CAPPED_GAMES_NOTE}\n\nMeasured with `python -m benchmarks.strengths` (the same results on every "
        "machine)\n"
    )


def load_entries() -> dict[str, Any]:
    """Return the strengths measured so far, as JSON data by name."""
    entries: dict[str, Any] = json.loads(STRENGTHS_PATH.read_text("utf-8")) if STRENGTHS_PATH.exists() else {}
    return entries


def save_entries(entries: Mapping[str, Any]) -> None:
    """Write the strengths of the agents that still exist, in their order."""
    ordered = {name: entries[name] for name in AGENTS if name in entries}
    write_atomically(STRENGTHS_PATH, (json.dumps(ordered, indent=2, ensure_ascii=False) + "\n").encode())


def is_current(entry: Mapping[str, Any] | None, agent: NamedAgent) -> bool:
    """Return whether a strength was measured with the current agent, rules and number of games."""
    return entry is not None and make_settings(agent).items() <= {"method": "games", **entry}.items()


def main() -> None:
    """Measure the given agents, or all whose figure is missing or out of date."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(AGENTS))
    parser.add_argument("--workers", type=int, help="number of threads (default: all cores)")
    options = parser.parse_args()
    for name in options.names or AGENTS:
        agent = AGENTS[name]
        entries = load_entries()
        if not options.names and is_current(entries.get(name), agent):
            continue
        strength = measure_strength(agent, options.workers)
        save_entries(entries | {name: strength.to_json()})
        print(f"{name}: {format_strength(strength)} ({strength.games:,} games, {agent.rules})", flush=True)


if __name__ == "__main__":
    main()
