"""Tests of rules: presets, changed rules, and the messages for invalid ones."""

from typing import Any

import pytest

from tetrion.engine.rules import FORMER_FIELD_NAMES, PRESETS, Rules
from tetrion.errors import RulesError, UnknownNameError


def test_presets() -> None:
    assert (Rules.from_preset("standard").height, Rules.from_preset("standard-10x10").height) == (20, 10)
    for name in PRESETS:
        assert str(Rules.from_preset(name)) == name


@pytest.mark.parametrize(("former", "field"), FORMER_FIELD_NAMES.items())
def test_former_field_names_are_read(former: str, field: str) -> None:
    value = getattr(Rules.from_preset("nes"), field)
    assert Rules.parse(f"standard:{former}={value}") == Rules.from_preset("standard").with_(**{field: value})


def test_command_line_form_round_trips() -> None:
    rules = Rules.parse("standard:height=14,randomiser=bag")
    assert (rules.height, rules.randomiser) == (14, "bag")
    assert Rules.parse(str(rules)) == rules
    assert Rules.from_preset("standard").with_(height=14, randomiser="bag") == rules


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
        ("standard:name=other", "Unknown rule 'name'"),
        ("nes:hidden_rows=9", "from 0 to 8"),
        ("standard:height=26,hidden_rows=4", "must be at most 28"),
        ("standard:movement=fly", "Unknown movement 'fly'"),
        ("standard:keys=left+right", "without rotate"),
        ("standard:keys=left+right+rotat", "Did you mean 'rotate'"),
        ("becker:lock_keys=drop", "drop is not in keys"),
        ("standard:gravity=-1", "from 0 to"),
        ("standard:gravity=fast", "gavrilov or tetrais or nes or guideline or tetrio, or a whole number"),
        ("nes:lock_delay=30", "requires lock_delay=gravity or lock_delay=0"),
        ("nes:frames_per_second=0", "frames_per_second must be a number from 1"),
        ("nes:start_level=30", "from 0 to 29"),
        ("nes:preview=7", "from 0 to 6"),
        ("standard:scoring=line", "Did you mean 'lines'"),
        ("standard:half_turn_kicks=tetrio", "requires rotation=srs or rotation=srs\\+; given rotation=top-left"),
        ("perft:half_turn_kicks=tetrio", "requires the key half; given keys=left"),
        ("perft:half_turn_kicks=nullpomino", "Unknown half_turn_kicks 'nullpomino'"),
        ("standard:height=28,rotation=srs", "would spawn in row 33; .* Use spawn_height=3"),
    ],
)
def test_invalid_rules_are_rejected(text: str, message: str) -> None:
    with pytest.raises((RulesError, UnknownNameError), match=message):
        Rules.parse(text)


@pytest.mark.parametrize("height", [True, 10.0, "10", None])
def test_heights_of_other_types_are_rejected(height: Any) -> None:
    with pytest.raises(RulesError):
        Rules.from_preset("standard").with_(height=height)


@pytest.mark.parametrize(
    "field",
    ["rotation", "movement", "name", "keys", "lock_delay", "gravity", "frames_per_second", "randomiser"],
)
@pytest.mark.parametrize("value", [[], {}, None, True, 10**400])
def test_values_of_other_types_are_rejected(field: str, value: Any) -> None:
    with pytest.raises((RulesError, UnknownNameError)):
        Rules(**{field: value})
