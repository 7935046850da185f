"""Rules for human players: unusual controls in words, the handling that a player may choose, and its settings page."""

import json
from pathlib import Path

import pytest

from tests.app.drawn_texts import check_texts
from tests.app.play_games import finish_game, get_column, get_game, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.games.human_rules import (
    DEFAULT_PLAY_RULES,
    HumanControls,
    describe_unusual_controls,
    list_open_fields,
    reset_handling,
    to_milliseconds,
)
from tetrion.app.games.match import make_match_setup
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path, load_settings
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.replay import Replay

FULL_HANDLING = HumanControls(
    DEFAULT_KEYS, das=100, arr=0, soft_drop=0, initial_rotation=False, initial_hold=False
)  # other values than those of any preset


def test_unusual_controls_are_described_from_the_rules() -> None:
    for rules, sentence in {
        "standard": "",
        DEFAULT_PLAY_RULES: "",
        "nes": "There is no hard drop.",
        "gavrilov:arr=5,soft_drop_interval=5,lock_keys=drop": "Pieces rotate in one direction only.",
        "gavrilov": "Held keys do not repeat. Pieces rotate in one direction only. "
        "A hard drop does not lock the piece.",
        "becker:arr=5": "Pieces rotate in one direction only. There is no soft drop and no hard drop.",
        "standard:arr=0": "Held left and right keys do not repeat.",
        "standard:soft_drop_interval=0": "A held soft drop key does not repeat.",
    }.items():
        assert describe_unusual_controls(Rules.parse(rules)) == sentence


def test_presets_that_leave_the_key_repeat_open() -> None:
    open_presets = {name for name in PRESETS if list_open_fields(Rules.from_preset(name)) == ("das", "arr")}
    assert open_presets == {"standard", "standard-10x10", "tetrais", "medico", "perft"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("standard", "standard:das=100,arr=1"),
        ("standard:frames_per_second=60", "standard:frames_per_second=60,das=6,arr=1"),
        ("guideline", "guideline:das=100,arr=instant,soft_drop_interval=instant,initial_rotation=0,initial_hold=0"),
        (
            "guideline:das=90,initial_rotation=0",
            "guideline:das=90,arr=instant,soft_drop_interval=instant,initial_rotation=0,initial_hold=0",
        ),
        (
            "tetrio:frames_per_second=60",
            "tetrio:frames_per_second=60,das=6,arr=instant,initial_rotation=0,initial_hold=0",
        ),
        ("standard:das=90", "standard:das=90,arr=1"),
        *[(fixed, fixed) for fixed in ("nes", "gavrilov")],
    ],
)
def test_handling_becomes_part_of_rules_that_leave_it_open(rules: str, expected: str) -> None:
    parsed = Rules.parse(rules)
    assert str(FULL_HANDLING.apply_to(parsed)) == expected
    assert HumanControls(DEFAULT_KEYS).apply_to(parsed) == parsed
    assert to_milliseconds(Rules.parse("nes"), 16) == 266


@pytest.mark.parametrize("rules", ["tetrais", "guideline"])
def test_handling_is_part_of_the_replay_and_not_of_the_best_scores(driver: WindowDriver, rules: str) -> None:
    driver.window.change_settings(das=50, arr=10)
    screen = start_game(driver, rules, 5)
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(2)
    assert get_column(screen) == start - 1
    driver.run_frames(5)
    assert get_column(screen) == 0
    driver.release("left")
    finish_game(driver, screen)
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert str(replay.rules) == f"{rules}:das=50,arr=10"
    assert replay.play().board == get_game(screen).board
    assert list(load_best_scores()[0]) == [rules]
    assert reset_handling(replay.rules) == Rules.parse(rules)
    assert driver.window.settings.play_rules == rules


def test_match_with_a_person_has_the_rules_of_the_agent_or_of_people() -> None:
    assert str(make_match_setup(["you", "dellacherie"]).rules) == "standard"
    Path("mine.json").write_text('{"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}')
    assert str(make_match_setup(["you", "mine.json"]).rules) == DEFAULT_PLAY_RULES


@pytest.mark.parametrize(
    ("name", "value"),
    [("soft_drop", 201), ("soft_drop", True), ("initial_rotation", 1), ("initial_hold", "yes")],
)
def test_invalid_values_of_the_file_are_reported(name: str, value: object) -> None:
    get_settings_path().parent.mkdir(parents=True, exist_ok=True)
    get_settings_path().write_text(json.dumps({"version": 2, name: value}), encoding="utf-8")
    assert load_settings() == (WindowSettings(), f"Invalid settings: {name}. Their defaults are used.")


# The page of the settings.


def test_handling_is_set_and_reset_in_the_settings(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Handling")
    for name in ("das", "arr", "soft_drop"):
        driver.click(f"set {name}", x=0.05)
    driver.click("set initial_rotation", x=0.98)
    settings = driver.window.settings
    assert (settings.das, settings.arr, settings.soft_drop) == (160, 40, 20)
    assert settings.initial_rotation is False
    assert settings.initial_hold is None, "it was not changed"
    for _ in range(2):
        driver.click("set soft_drop", x=0.05)
    assert "Instant" in check_texts(driver)
    assert load_settings() == (driver.window.settings, "")
    driver.click("set reset handling")
    assert driver.window.settings == WindowSettings(music=settings.music)
    assert "Instant" not in check_texts(driver)


def test_page_shows_the_values_of_the_rules(driver: WindowDriver) -> None:
    driver.window.change_settings(play_rules="jstris")
    driver.open_screen("settings", tab="Handling")
    driver.run_frames(30)
    texts = check_texts(driver)
    assert "133 ms" in texts
    assert "Instant" in texts
    driver.window.change_settings(play_rules="nes")
    driver.run_frames(2)
    assert "The rules nes set their own key repeat." in check_texts(driver)
