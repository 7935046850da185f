"""The strengths of the named agents: they are complete, current, repeatable, and shown with unit and interval."""

import json
import math
from dataclasses import replace

import pytest

from benchmarks import strengths
from tetrion.agents import AGENTS, WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.evaluation import agent_strengths
from tetrion.evaluation.agent_strengths import (
    AgentStrength,
    format_strength_cells,
    group_agents_by_rules,
    load_strengths,
)

CHEAP_AGENT = "lowest"
EXAMPLE = AgentStrength(
    rules="standard",
    metric="lines",
    mean=390.2,
    ci95=(369.2, 411.2),
    games=1000,
    capped=0,
    max_pieces=None,
    seed=1,
    rules_version=Rules().behaviour_version,
    agent_digest="",
    command="",
)


def test_every_named_agent_has_a_current_strength() -> None:
    assert list(load_strengths()) == list(AGENTS)
    for name, strength in load_strengths().items():
        agent = AGENTS[name]
        assert strength.rules == agent.rules, name
        assert strength.rules_version == Rules.parse(agent.rules).behaviour_version, name
        assert strength.agent_digest == strengths.compute_agent_digest(agent), name
        assert strength.games >= 3
        assert strength.ci95[0] <= strength.rank_value <= strength.ci95[1]
        assert (strength.mean is None) == (strength.capped == strength.games)
        assert strengths.is_current(strength.to_json(), agent)


def test_strength_is_repeatable() -> None:
    assert strengths.measure_strength(AGENTS[CHEAP_AGENT]) == load_strengths()[CHEAP_AGENT]


def test_strength_is_shown_with_interval_and_unit() -> None:
    score = replace(EXAMPLE, metric="score", mean=12_400.4, ci95=(12_000, 12_800.8))
    assert format_strength_cells(score) == ("12,400 ± 400 points", "1,000")
    capped = replace(EXAMPLE, mean=None, ci95=(24.1e6, math.inf), capped=1)
    assert format_strength_cells(capped) == ("> 24.1 M lines", "1,000 *")
    assert AgentStrength.from_json(json.loads(json.dumps(capped.to_json(), allow_nan=False))) == capped
    assert format_strength_cells(None) == ("–", "–")


def test_agents_are_grouped_by_rules_with_the_strongest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    means = {"lee": 1.0, "du": 5.0, "dt20": 7.0, "gavrilov": 3.0}
    strengths_by_name = {name: replace(EXAMPLE, mean=mean) for name, mean in means.items()}
    strengths_by_name["bdu"] = replace(EXAMPLE, mean=None, ci95=(6.0, math.inf))
    monkeypatch.setattr(agent_strengths, "load_strengths", lambda: strengths_by_name)
    groups = group_agents_by_rules()
    assert list(groups) == [
        *("standard", "standard:height=7", "standard:height=8,preview=1", "standard:randomiser=bag,preview=1"),
        *("standard-10x10", "gavrilov", "becker", "hindi", "tetrais", "tetrais:preview=2", "medico", "guideline"),
    ]
    assert sorted(agent.name for group in groups.values() for agent in group) == sorted(AGENTS)
    assert [agent.name for agent in groups["standard"]][:4] == ["dt20", "bdu", "du", "dellacherie"]


def test_changed_agent_is_out_of_date() -> None:
    agent = AGENTS[CHEAP_AGENT]
    assert isinstance(agent, WeightedAgent)
    entry = load_strengths()[CHEAP_AGENT].to_json()
    assert strengths.is_current(entry, replace(agent, source="another source"))
    assert not strengths.is_current(entry, agent.with_options(depth=2))
    assert not strengths.is_current(entry | {"rules_version": entry["rules_version"] + 1}, agent)
    assert not strengths.is_current(None, agent)
