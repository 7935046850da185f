"""Rules for human players: the default, unusual controls in words, and DAS and ARR where the rules leave them open."""

import json
from pathlib import Path

import pytest

from tetrion.app.game_storage import BEST_SCORES_FILE, load_best_scores, save_best_score, select_best_scores
from tetrion.app.games.human_rules import (
    DEFAULT_PLAY_RULES,
    HumanControls,
    describe_unusual_controls,
    list_open_fields,
    reset_handling,
    to_milliseconds,
)
from tetrion.app.games.match import make_match_setup
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.user_folders import get_data_folder


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ("standard", ""),
        ("nes", "There is no hard drop."),
        ("medico", "Pieces rotate in one direction only and there is no hard drop."),
        (
            "gavrilov",
            "Held keys do not repeat, pieces rotate in one direction only, and a hard drop does not lock the piece.",
        ),
        (
            "becker",
            "Held keys do not repeat, pieces rotate in one direction only, and there is no soft drop and no hard drop.",
        ),
        ("tetrais", "Pieces rotate in one direction only and there is no soft drop."),
        ("standard:arr=0", "Held left and right keys do not repeat."),
        ("standard:soft_drop_interval=0", "A held soft drop key does not repeat."),
        ("gavrilov:arr=5,soft_drop_interval=5,keys=left+right+rotate+back+down+drop,lock_keys=drop", ""),
    ],
)
def test_unusual_controls_are_described_from_the_rules(rules: str, sentence: str) -> None:
    assert describe_unusual_controls(Rules.parse(rules)) == sentence


def test_default_rules_of_people_have_key_repeat_levels_and_both_rotations() -> None:
    rules = Rules.parse(DEFAULT_PLAY_RULES)
    assert rules.arr != 0
    assert "back" in rules.keys.split("+")
    assert rules.level_system != "fixed"
    assert WindowSettings().play_rules == DEFAULT_PLAY_RULES


def test_presets_that_leave_the_key_repeat_open() -> None:
    assert [name for name in PRESETS if list_open_fields(Rules.from_preset(name)) == ("das", "arr")] == [
        "standard",
        "standard-10x10",
        "tetrais",
        "medico",
        "perft",
    ]
    assert list_open_fields(Rules.parse("standard:das=90")) == ()
    assert list_open_fields(Rules.parse("standard:height=14")) == ("das", "arr")


def test_key_repeat_of_a_person_becomes_part_of_open_rules() -> None:
    controls = HumanControls(DEFAULT_KEYS, das=100, arr=0)
    assert str(controls.apply_to(Rules.parse("standard"))) == "standard:das=100,arr=1"
    assert str(controls.apply_to(Rules.parse("standard:frames_per_second=60"))) == (
        "standard:frames_per_second=60,das=6,arr=1"
    )
    for fixed in ("nes", "gavrilov", "standard:das=90"):
        assert controls.apply_to(Rules.parse(fixed)) == Rules.parse(fixed)
    assert HumanControls(DEFAULT_KEYS).apply_to(Rules.parse("medico")) == Rules.parse("medico")
    assert to_milliseconds(Rules.parse("nes"), 16) == 266


def test_best_scores_do_not_depend_on_the_key_repeat() -> None:
    for rules, score in (("standard:das=100,arr=10", 30), ("standard", 50), ("standard:das=90", 40), ("nes:das=8", 9)):
        game = Game(rules)
        game._games["score"] = score
        save_best_score(game)
    scores, _ = load_best_scores()
    assert [entry.score for entry in select_best_scores(scores, Rules.parse("standard:arr=20"))] == [50, 40, 30]
    assert set(scores) == {"standard", "nes:das=8"}, "rules that fix the key repeat keep lists of their own"
    assert reset_handling(Rules.parse("nes:das=8")) == Rules.parse("nes:das=8")


def test_scores_of_earlier_versions_with_another_key_repeat_are_included() -> None:
    entry = {"score": 7, "lines": 7, "pieces": 30, "date": "2026-01-01"}
    scores = {"standard:repeat_delay=100": [entry], "standard": [{**entry, "score": 9}]}
    get_data_folder().mkdir(parents=True)
    (get_data_folder() / BEST_SCORES_FILE).write_text(json.dumps(scores), encoding="utf-8")
    loaded, message = load_best_scores()
    assert not message
    assert [best.score for best in select_best_scores(loaded, Rules.parse("standard"))] == [9, 7]


def test_match_with_a_person_has_the_rules_of_the_agent_or_of_people() -> None:
    assert str(make_match_setup(["you", "dellacherie"]).rules) == "standard"
    Path("mine.json").write_text('{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}')
    assert str(make_match_setup(["you", "mine.json"]).rules) == DEFAULT_PLAY_RULES
    assert str(make_match_setup(["lowest", "mine.json"]).rules) == "gavrilov"


def write_settings(**content: object) -> None:
    """Write a settings file."""
    get_settings_path().parent.mkdir(parents=True, exist_ok=True)
    get_settings_path().write_text(json.dumps(content), encoding="utf-8")


def test_default_keys_have_no_conflicts() -> None:
    names = [name for keys in DEFAULT_KEYS.values() for name in keys]
    assert len(set(names)) == len(names)
