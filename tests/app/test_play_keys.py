"""Tests of the keys on the play screen: several keys per action, key repeat, pause, and keys held at the end."""

from tests.app.drawn_texts import check_texts
from tests.app.play_games import finish_game, get_column, get_falling_piece, get_game, press_at_once, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.screens.play_screen import GAME_OVER, GAME_PAUSED, GAME_RUNNING
from tetrion.app.window_settings import DEFAULT_KEYS


def test_held_key_repeats_as_defined_by_the_rules(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard")
    start = get_column(screen)
    driver.hold("left")
    assert get_column(screen) == start - 1
    driver.run_frames(8)
    assert get_column(screen) == start - 1, "DAS is 170 ms"
    driver.run_frames(12)
    assert get_column(screen) == 0
    driver.release("left")
    screen = start_game(driver, "gavrilov")
    start = get_column(screen)
    driver.hold("left")
    driver.run_frames(30)
    assert get_column(screen) == start - 1, "these rules have no key repeat"
    driver.release("left")


def test_keys_within_one_frame_are_applied_in_their_order(driver: WindowDriver) -> None:
    screen = start_game(driver)
    start = get_column(screen)
    press_at_once(driver, "left", "left")
    driver.run_frames(40)
    assert get_column(screen) == start - 2
    screen = start_game(driver, "gavrilov")
    press_at_once(driver, "left", "Space")
    assert get_falling_piece(screen) == get_game(screen).ghost


def test_only_keys_of_the_rules_work_and_are_shown_with_words(driver: WindowDriver) -> None:
    driver.resize(800, 640)
    expected = ["Move", "Rotate", "Rotate back", "Soft drop", "Hint", "Pause", "Restart"]
    for rules, others in (
        ("nes", []),
        ("guideline", ["Hard drop", "Hold"]),
        ("jstris", ["Hard drop", "Hold", "Half turn"]),
    ):
        screen = start_game(driver, rules)
        texts = check_texts(driver)
        for word in (*expected, "Hard drop", "Hold", "Half turn"):
            assert (word in texts) == (word in [*expected, *others])
        driver.press("Space", "A")
        assert get_game(screen).pieces == len(others[:1])
        assert ("half" in [key for _, _, key in get_game(screen).events]) == ("Half turn" in others)


def test_custom_keys_are_used_and_shown(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("j",), "hint": (), "restart": ("q",)})
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J", "left", "A")
    assert get_column(screen) == start - 1
    texts = check_texts(driver)
    assert "J Move" in texts
    assert texts.count("Hint") == 2, "the panel and its button, but no key in the footer"
    driver.press("Space", "P", "Q")
    assert (screen.state, get_game(screen).pieces) == (GAME_RUNNING, 0), "Q restarts and does not leave"


def test_pause_releases_keys_and_stops_time(driver: WindowDriver) -> None:
    """Keys that are held during the pause, as a system sends them again, do nothing until they are released."""
    screen = start_game(driver)
    driver.hold("right")
    driver.hold("P")
    assert screen.state == GAME_PAUSED
    before = get_game(screen).frames, get_column(screen)
    driver.run_frames(2)
    driver.hold("right")
    driver.hold("P")
    driver.run_frames(60)
    assert (screen.state, driver.window.ui.focus) == (GAME_PAUSED, "overlay Continue")
    driver.release("right")
    driver.release("P")
    assert (get_game(screen).frames, get_column(screen)) == before
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    driver.press("P")
    assert screen.state == GAME_RUNNING
    driver.run_frames(30)
    assert get_column(screen) == before[1]
    assert get_game(screen).frames > before[0]


def test_escape_and_losing_the_focus_pause(driver: WindowDriver) -> None:
    screen = start_game(driver)
    for _ in range(2):
        driver.press("Esc")
        assert (screen.state, driver.screen) == (GAME_PAUSED, screen)
        driver.run_frames(2)
        assert driver.window.ui.focusable_names == ["overlay Continue", "overlay Restart", "overlay Leave"]
        driver.press("Esc")
        assert (screen.state, driver.screen) == (GAME_RUNNING, screen)
        keys = driver.window.settings.keys
        driver.window.change_settings(keys={**keys, "pause": ()})  # Esc pauses whatever the keys are
    driver.lose_focus()
    assert screen.state == GAME_PAUSED
    driver.run_frames(2)
    driver.click("overlay Continue")
    assert screen.state == GAME_RUNNING
    driver.click("back")
    assert screen.state == GAME_PAUSED
    driver.press("↓", "↓", "Enter")
    assert driver.screen.title == "Menu"


def test_every_key_of_an_action_works_and_the_action_ends_with_the_last_one(driver: WindowDriver) -> None:
    driver.window.change_settings(keys={**DEFAULT_KEYS, "left": ("left", "j"), "right": ("right", "d")})
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J", "left")
    assert get_column(screen) == start - 2
    driver.press("D", "right")
    assert get_column(screen) == start
    driver.hold("right")
    driver.hold("D")
    driver.release("right")
    assert get_game(screen).events[-1][1:] == ("keydown", "right"), "D still holds the action"
    driver.release("D")
    assert get_game(screen).events[-1][1:] == ("keyup", "right")
    rotations = []
    for key in ("X", "up", "left ctrl", "Z"):
        driver.press(key)
        rotations.append(get_falling_piece(screen).rotation)
    assert rotations[0] != rotations[1]
    assert rotations[2:] == [rotations[0], 0]


def test_keys_held_or_pressed_at_the_end_of_the_game_are_ignored(driver: WindowDriver) -> None:
    """A held key is ignored until it is released, a press directly after the end always."""
    screen = start_game(driver, "tetrais", 5)
    driver.hold("down")
    finish_game(driver, screen)
    driver.hold("Space")
    for key in ("down", "Space"):
        driver.run_frames(60)
        driver.hold(key)  # as a system sends it while a key is held
    driver.run_frames(60)
    assert (screen.state, driver.window.ui.focus) == (GAME_OVER, "overlay Play again")
    driver.release("Space")
    driver.release("down")
    driver.press("down")
    assert driver.window.ui.focus == "overlay Review"
    driver.press("up", "Space")
    assert screen.state == GAME_RUNNING


def test_rotation_key_held_at_the_spawn_rotates_the_next_piece(driver: WindowDriver) -> None:
    """Initial rotation; in rules without it, and with the handling switched off, a held rotation key acts once."""
    rules = "guideline:randomiser=only-T"
    for chosen, is_on, turned in ((rules, None, 1), (f"{rules},initial_rotation=0", None, 0), (rules, False, 0)):
        driver.window.change_settings(initial_rotation=is_on)
        screen = start_game(driver, chosen)
        driver.hold("x")
        driver.press("Space")
        assert get_falling_piece(screen).rotation == turned
        driver.release("x")


def test_hold_key_exchanges_the_piece_once_per_piece(driver: WindowDriver) -> None:
    screen = start_game(driver, "guideline")
    game = get_game(screen)
    first, second = game.piece, game.next[0]
    driver.press("C")
    assert (game.position.hold, game.piece) == (first, second)
    assert "Used" in check_texts(driver)
    driver.press("C")
    assert (game.position.hold, game.piece) == (first, second)
    driver.press("Space")
    assert "Used" not in check_texts(driver)
    driver.press("C")
    assert game.piece == first
