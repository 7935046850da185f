"""Rules: presets, changes to them, and the mistakes that people make."""

from typing import Any

import pytest

from tetrion.engine.rules import PRESETS, Rules
from tetrion.errors import RulesError, UnknownNameError


def test_presets() -> None:
    assert (Rules.preset("standard").height, Rules.preset("standard-10x10").height) == (20, 10)
    for name in PRESETS:
        assert str(Rules.preset(name)) == name


def test_the_command_line_form_round_trips() -> None:
    rules = Rules.parse("standard:height=14,randomiser=bag")
    assert (rules.height, rules.randomiser) == (14, "bag")
    assert Rules.parse(str(rules)) == rules
    assert Rules.preset("standard").with_(height=14, randomiser="bag") == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("standart", "Did you mean 'standard'"),
        ("standard:hieght=3", "Did you mean 'height'"),
        ("standard:height", "name=value"),
        ("standard:height=3", "from 4 to 28"),
        ("standard:height=29", "from 4 to 28"),
        ("standard:height=tall", "whole number"),
        ("standard:randomiser=bagg", "Did you mean 'bag'"),
        ("standard:", "name=value"),
        ("standard:name=other", "no rule named 'name'"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises((RulesError, UnknownNameError), match=message):
        Rules.parse(text)


@pytest.mark.parametrize("height", [True, 10.0, "10", None])
def test_heights_of_the_wrong_kind(height: Any) -> None:
    with pytest.raises(RulesError):
        Rules.preset("standard").with_(height=height)
