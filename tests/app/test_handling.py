"""Handling of a human player: which rules it changes, its page in the settings, its file and its best scores."""

import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.play_games import finish_game, get_game, start_game
from tests.app.test_human_rules import write_settings
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.games.human_rules import HumanControls, count_entry_rows, list_open_fields, reset_handling
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, load_settings
from tetrion.engine.rules import Rules
from tetrion.replay import Replay

FULL_HANDLING = HumanControls(
    DEFAULT_KEYS, das=100, arr=0, soft_drop=0, initial_rotation=False, initial_hold=False
)  # other values than those of any preset


def test_handling_becomes_part_of_modern_rules() -> None:
    assert str(FULL_HANDLING.apply_to(Rules.parse("guideline"))) == (
        "guideline:das=100,arr=instant,soft_drop_interval=instant,initial_rotation=0,initial_hold=0"
    )
    assert str(FULL_HANDLING.apply_to(Rules.parse("tetrio:frames_per_second=60"))) == (
        "tetrio:frames_per_second=60,das=6,arr=instant,initial_rotation=0,initial_hold=0"
    )
    without_hold = FULL_HANDLING.apply_to(Rules.parse("guideline:hold=0,initial_hold=0"))
    assert "initial_rotation=0" in str(without_hold)
    for rules in ("guideline", "jstris", "tetrio", "standard:spins=none,scoring=guideline"):
        assert HumanControls(DEFAULT_KEYS).apply_to(Rules.parse(rules)) == Rules.parse(rules)


def test_values_given_with_the_rules_and_older_rules_keep_theirs() -> None:
    assert str(FULL_HANDLING.apply_to(Rules.parse("guideline:das=90,initial_rotation=0"))) == (
        "guideline:das=90,arr=instant,soft_drop_interval=instant,initial_rotation=0,initial_hold=0"
    )
    assert FULL_HANDLING.apply_to(Rules.parse("nes")) == Rules.parse("nes")
    assert str(FULL_HANDLING.apply_to(Rules.parse("standard"))) == "standard:das=100,arr=1"
    assert list_open_fields(Rules.parse("gavrilov")) == ()


def test_only_the_rows_of_the_spawn_are_drawn_above_modern_boards() -> None:
    assert [count_entry_rows(Rules.parse(name)) for name in ("guideline", "nes", "standard")] == [2, 2, 4]


def test_games_with_other_handling_share_best_scores_and_keep_their_rules(driver: WindowDriver) -> None:
    driver.window.change_settings(das=100, arr=0)
    screen = start_game(driver, "guideline")
    assert str(get_game(screen).rules) == "guideline:das=100,arr=instant"
    finish_game(driver, screen)
    assert list(load_best_scores()[0]) == ["guideline"]
    assert str(Replay.load(list_replay_files()[0]).rules) == "guideline:das=100,arr=instant"
    assert reset_handling(get_game(screen).rules) == Rules.parse("guideline")


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


def test_page_shows_the_values_of_the_rules_for_new_games(driver: WindowDriver) -> None:
    driver.window.change_settings(play_rules="jstris")
    driver.open_screen("settings", tab="Handling")
    texts = check_texts(driver)
    assert "133 ms" in texts
    assert "Instant" in texts
    driver.window.change_settings(play_rules="nes")
    driver.run_frames(2)
    assert "The rules nes set their own key repeat." in check_texts(driver)


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_page_fits_at_every_window_size(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    driver.window.change_settings(play_rules="nes")
    driver.open_screen("settings", tab="Handling")
    driver.run_frames(30)
    check_texts(driver)


@pytest.mark.parametrize(
    ("name", "value"),
    [("soft_drop", 201), ("soft_drop", -1), ("soft_drop", True), ("initial_rotation", 1), ("initial_hold", "yes")],
)
def test_invalid_values_of_the_file_are_reported(name: str, value: object) -> None:
    write_settings(**{name: value})
    assert load_settings() == (WindowSettings(), f"Invalid settings: {name}. Their defaults are used.")


def test_settings_of_earlier_versions_keep_their_rules() -> None:
    write_settings(version=2, play_rules="nes", das=100)
    settings, message = load_settings()
    assert (settings.play_rules, settings.das, settings.soft_drop, message) == ("nes", 100, None, "")
