"""Tests of rules: presets, changed rules, and the messages for invalid ones."""

from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from tetrion.engine.rules import ON_OFF_FIELDS, PRESETS, Rules
from tetrion.errors import RulesError, TetrionError, UnknownNameError


@pytest.mark.parametrize("name", PRESETS)
def test_name_stands_for_its_preset(name: str) -> None:
    rules = PRESETS[name]
    assert rules == Rules(name) == Rules.parse(name) == eval(repr(rules))
    assert str(rules) == name
    assert Rules(name, preview=2) == rules.replace(preview=2)


def test_text_with_options_is_refused_with_the_right_call() -> None:
    with pytest.raises(UnknownNameError, match=r"Use Rules\.parse\('guideline:height=18'\)"):
        Rules("guideline:height=18")
    with pytest.raises(UnknownNameError, match="Did you mean 'height'"):
        Rules("guideline", hieght=18)  # type: ignore[call-arg]


@pytest.mark.parametrize("field", ON_OFF_FIELDS)
def test_on_and_off_are_python_values(field: str) -> None:
    def change(value: int) -> Any:
        return {field: value}

    rules = Rules("guideline", **change(True))
    assert getattr(rules, field) is True
    assert rules == Rules("guideline", **change(1)) == Rules.parse(f"guideline:{field}=true")
    assert rules.replace(**change(False)) == rules.replace(**change(0)) == Rules.parse(f"guideline:{field}=False")
    with pytest.raises(RulesError, match=rf"{field} must be True or False \(1 or 0 in a text\); given 2"):
        Rules("guideline", **change(2))


@pytest.mark.parametrize("type_", [list, tuple, set])
def test_keys_are_lists_of_names(type_: type) -> None:
    rules = Rules(keys=type_(["drop", "rotate", "left", "right"]), lock_keys=type_([]))
    assert (rules.keys, rules.lock_keys) == (("left", "right", "rotate", "drop"), ())
    assert str(rules) == "standard:keys=left+right+rotate+drop,lock_keys=none"
    with pytest.raises(UnknownNameError, match="Did you mean 'rotate'"):
        Rules(keys=type_(["left", "right", "rotat"]))


@pytest.mark.parametrize(
    ("rules", "text", "code"),
    [
        (
            Rules(hold=True, keys=["left", "right", "rotate"], lock_keys=[]),
            "standard:keys=left+right+rotate+hold,lock_keys=none,hold=1",
            "Rules('standard', keys=('left', 'right', 'rotate', 'hold'), lock_keys=(), hold=True)",
        ),
        (
            Rules("guideline", hold=False, attack="none"),
            "guideline:hold=0,attack=none,initial_hold=0",
            "Rules('guideline', hold=False, attack='none', initial_hold=False)",
        ),
        (
            Rules("nes", frames_per_second=59.94, gravity=3),
            "nes:gravity=3,frames_per_second=59.94",
            "Rules('nes', gravity=3, frames_per_second=59.94)",
        ),
    ],
    ids=str,
)
def test_rules_round_trip(rules: Rules, text: str, code: str) -> None:
    assert (str(rules), repr(rules)) == (text, code)
    assert rules == Rules.parse(text) == eval(code)
    assert hash(rules) == hash(Rules.parse(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("standart", "Did you mean 'standard'"),
        ("standard:hieght=3", "Did you mean 'height'"),
        ("standard:height=3", "from 4 to 28"),
        ("standard:name=other", "Unknown rule 'name'"),
        ("nes:hidden_rows=9", "from 0 to 8"),
        ("standard:height=26,hidden_rows=4", "must be at most 28"),
        ("standard:keys=left+right", "without rotate"),
        ("becker:lock_keys=drop", "drop is not in keys"),
        ("standard:gravity=fast", "gavrilov or tetrais or nes or guideline or tetrio, or a whole number"),
        ("nes:lock_delay=30", "requires lock_delay=gravity or lock_delay=0"),
        ("standard:half_turn_kicks=tetrio", "requires rotation=srs or rotation=srs\\+; given rotation=top-left"),
        ("perft:half_turn_kicks=tetrio", "requires the key half; given keys=left"),
        ("standard:height=28,rotation=srs", "would spawn in row 33; .* Use spawn_height=3"),
    ],
)
def test_invalid_rules_are_rejected(text: str, message: str) -> None:
    with pytest.raises((RulesError, UnknownNameError), match=message):
        Rules.parse(text)


@pytest.mark.parametrize("field", ["height", "name", "keys", "lock_delay", "frames_per_second", "attack"])
@pytest.mark.parametrize("value", [[], {}, None, True, 10**400, np.array([0, 1]), [np.array(["left", "right"])]])
def test_values_of_other_types_are_rejected(field: str, value: Any) -> None:
    with pytest.raises((RulesError, UnknownNameError)):
        Rules(**{field: value})


@pytest.mark.parametrize("field", ["height", "hold", "gravity", "frames_per_second", "arr", "randomiser"])
def test_numbers_of_too_many_digits_are_rejected(field: str) -> None:
    value: Any = 10**5000
    with pytest.raises(TetrionError, match=f"{field} (must be|'a value of type int')"):
        Rules(**{field: value})


def test_values_of_subclasses_become_values_of_python() -> None:
    """Their repr would be that of another class, or a text that its author chooses."""
    number = IntEnum("Number", {"TWENTY_TWO": 22}).TWENTY_TWO  # type: ignore[attr-defined]
    rules = Rules(np.str_("nes"), height=number, frames_per_second=np.float64(50), gravity=np.str_("tetrais"))
    assert repr(rules) == "Rules('nes', height=22, gravity='tetrais', frames_per_second=50.0)"
    assert {type(rules.name), type(rules.height), type(rules.frames_per_second)} == {str, int, float}
