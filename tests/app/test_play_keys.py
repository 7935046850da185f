"""Keys of a human player: several per action, key repeat, pause, the end of a game, and the handling."""

from tests.app.drawn_texts import check_texts
from tests.app.play_games import finish_game, get_column, get_falling_piece, get_game, press_at_once, start_game
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.screens.play_screen import GAME_OVER, GAME_PAUSED, GAME_RUNNING
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, load_settings
from tetrion.replay import Replay

# Keys.


def test_held_keys_repeat_and_keys_of_one_frame_keep_their_order(driver: WindowDriver) -> None:
    screen = start_game(driver, "standard")
    start = get_column(screen)
    driver.hold("left")
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
    press_at_once(driver, "right", "right", "Space")
    assert get_column(screen) == start + 1
    assert get_falling_piece(screen) == get_game(screen).ghost


def test_only_keys_of_the_rules_work_and_are_shown_with_words(driver: WindowDriver) -> None:
    driver.resize(800, 640)
    words = ["Hard drop", "Hold", "Half turn"]
    for rules, count in (("nes", 0), ("guideline", 2), ("jstris", 3)):
        game = get_game(start_game(driver, rules))
        texts = check_texts(driver)
        for word in ("Move", "Rotate", "Rotate back", "Soft drop", "Hint", "Pause", "Restart", *words):
            assert (word in texts) == (word not in words[count:])
        driver.press("Space", "A")
        assert game.pieces == min(count, 1)
        assert ("half" in [key for _, _, key in game.events]) == (count == 3)


def test_custom_keys_are_shown_and_an_action_ends_with_the_last_of_its_keys(driver: WindowDriver) -> None:
    keys = {**DEFAULT_KEYS, "left": ("j",), "right": ("right", "d"), "hint": (), "restart": ("q",)}
    driver.window.change_settings(keys=keys)
    screen = start_game(driver)
    start = get_column(screen)
    driver.press("J", "left", "A")
    assert get_column(screen) == start - 1
    texts = check_texts(driver)
    assert "J Move" in texts
    assert texts.count("Hint") == 2, "the panel and its button, but no key in the footer"
    driver.press("D", "right")
    assert get_column(screen) == start + 1
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
    driver.press("Space", "P", "Q")
    assert (screen.state, get_game(screen).pieces) == (GAME_RUNNING, 0), "Q restarts and does not leave"


def test_pause_releases_keys_and_stops_time(driver: WindowDriver) -> None:
    """Keys that are held during the pause do nothing until they are released. Esc and a lost focus pause too."""
    screen = start_game(driver)
    driver.hold("right")
    driver.hold("P")
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
    driver.run_frames(30)
    assert (screen.state, get_column(screen)) == (GAME_RUNNING, before[1])
    assert get_game(screen).frames > before[0]
    driver.window.change_settings(keys={**DEFAULT_KEYS, "pause": ()})  # Esc pauses whatever the keys are
    driver.press("Esc")
    assert (screen.state, driver.screen) == (GAME_PAUSED, screen)
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ["overlay Continue", "overlay Restart", "overlay Leave"]
    driver.press("Esc")
    assert (screen.state, driver.screen) == (GAME_RUNNING, screen)
    driver.lose_focus()
    driver.run_frames(2)
    driver.click("overlay Continue")
    assert screen.state == GAME_RUNNING
    driver.click("back")
    assert screen.state == GAME_PAUSED
    driver.press("↓", "↓", "Enter")
    assert driver.screen.title == "Menu"


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


# Handling.


def test_handling_is_part_of_the_replay_and_not_of_the_best_scores(driver: WindowDriver) -> None:
    driver.window.change_settings(das=50, arr=10)
    screen = start_game(driver, "tetrais", 5)
    driver.hold("left")
    driver.run_frames(7)
    assert get_column(screen) == 0
    driver.release("left")
    finish_game(driver, screen)
    (saved_file,) = list_replay_files()
    replay = Replay.load(saved_file)
    assert str(replay.rules) == "tetrais:das=50,arr=10"
    assert replay.play().board == get_game(screen).board
    assert list(load_best_scores()[0]) == ["tetrais"]
    assert driver.window.settings.play_rules == "tetrais"


def test_handling_is_set_and_reset_in_the_settings(driver: WindowDriver) -> None:
    driver.open_screen("settings", tab="Handling")
    for name in ("das", "arr", "soft_drop"):
        driver.click(f"set {name}", x=0.05)
    driver.click("set initial_rotation", x=0.98)
    settings = driver.window.settings
    assert (settings.das, settings.arr, settings.soft_drop) == (160, 40, 20)
    assert (settings.initial_rotation, settings.initial_hold) == (False, None), "initial hold was not changed"
    for _ in range(2):
        driver.click("set soft_drop", x=0.05)
    assert "Instant" in check_texts(driver)
    assert load_settings() == (driver.window.settings, "")
    driver.click("set reset handling")
    assert driver.window.settings == WindowSettings(music=settings.music)
    assert "Instant" not in check_texts(driver)
    for rules, text in (("jstris", "133 ms"), ("nes", "The rules nes set their own key repeat.")):
        driver.window.change_settings(play_rules=rules)
        driver.run_frames(30)
        assert text in check_texts(driver)
