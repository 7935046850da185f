"""Tests of agent records: quantisation, bounds and validation."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tetrion.engine.agent_records import SCORE_LIMIT, EngineAgent, compile_agents, quantise, validate_terms
from tetrion.engine.feature_registry import FEATURES
from tetrion.errors import AgentError

finite = st.floats(-1e30, 1e30, allow_nan=False)


def compute_max_score(terms: dict[str, int | list[int]]) -> int:
    return sum(
        abs(term) * FEATURES[name].max_value if isinstance(term, int) else max(map(abs, term))
        for name, term in terms.items()
    )


@given(st.dictionaries(st.sampled_from(list(FEATURES)), st.one_of(finite, st.lists(finite, min_size=1)), min_size=1))
def test_no_score_can_overflow_and_the_scale_is_a_power_of_two(terms: dict[str, Any]) -> None:
    integers, scale = quantise(terms)
    assert compute_max_score(integers) < SCORE_LIMIT
    assert Fraction(scale).numerator == 1 or Fraction(scale).denominator == 1
    assert bin(int(max(Fraction(scale), 1 / Fraction(scale)))).count("1") == 1


def test_records_of_weights_and_tables() -> None:
    records, tables = compile_agents([EngineAgent({"holes": -1.0, "bumpiness": [3.0, 2.0, 1.0]}, False)])
    holes, bumpiness = FEATURES["holes"].number, FEATURES["bumpiness"].number
    assert records[0].mask == 1 << holes | 1 << bumpiness
    assert records[0].measures_after_clear == 0
    assert records[0].table_start[holes] == -1
    start = records[0].table_start[bumpiness]
    assert tables[start : start + 3].tolist() == [
        -3 * records[0].weight[holes],
        -2 * records[0].weight[holes],
        -records[0].weight[holes],
    ]


@pytest.mark.parametrize(
    ("terms", "error", "message"),
    [
        ({}, AgentError, "at least one"),
        ({"holes": float("nan")}, AgentError, "finite"),
        ({"holes": "-4"}, AgentError, "must be a number"),
        ({"holes": []}, AgentError, "at least one number"),
        ({"holes": 1e200}, AgentError, "Scale all weights down"),
    ],
)
def test_invalid_terms_are_rejected(terms: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        validate_terms(terms)
