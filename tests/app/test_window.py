"""The window itself: the menu, the focus, settings that are kept, mistakes that are survived."""

import json
import sys
from pathlib import Path

import pygame
import pytest

from app.window_driver import WindowDriver
from tetrion.app.engine_loading import LOADING_ENGINE, get_engine_loader
from tetrion.app.game_storage import load_best_scores, save_best_score
from tetrion.app.launcher import NoDisplayError, check_display
from tetrion.app.screen import Screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.waiting_screen import WaitingScreen
from tetrion.app.toolkit.ui import Ui, get_key_code, get_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path, load_settings, save_settings
from tetrion.game import Game

ITEMS = ["Play", "Watch", "Versus", "Evolution", "Replays", "Settings", "Quit"]


def test_the_menu_begins_with_watch_and_is_walked_by_arrows(driver: WindowDriver) -> None:
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == ITEMS
    assert driver.window.ui.focus == "Watch"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    for item in ITEMS[1:]:
        driver.press("↓")
        assert driver.window.ui.focus == item


def test_tab_goes_round(driver: WindowDriver) -> None:
    driver.run_frames(2)
    for _ in ITEMS:
        driver.press("Tab")
    assert driver.window.ui.focus == "Watch"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert driver.window.ui.focus == "Play"


def test_a_held_arrow_repeats(driver: WindowDriver) -> None:
    driver.run_frames(2)
    driver.hold("↓")
    driver.run_frames(60)
    assert driver.window.ui.focus == "Quit"


def test_number_keys_open_and_escape_comes_back(driver: WindowDriver) -> None:
    driver.press("6")
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"


def test_the_mouse_opens_and_quits(driver: WindowDriver) -> None:
    driver.run_frames(2)
    driver.click("Settings")
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.run_frames(2)
    driver.click("Quit")
    assert not driver.window.is_running


def test_the_board_beside_the_menu_plays(driver: WindowDriver) -> None:
    menu = driver.screen
    assert isinstance(menu, MenuScreen)
    driver.run_until(lambda: menu.demo_game is not None and menu.demo_game.game.pieces >= 2)


@pytest.mark.parametrize("size", [(800, 700), (1000, 760), (1920, 1080), (640, 480)])
def test_any_size_is_drawn(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    assert driver.window.surface.get_size() == size
    assert driver.window.ui.focusable_names == ITEMS


class Broken(Screen):
    title = "Broken"

    def draw(self, ui: Ui) -> None:
        raise ZeroDivisionError("of no use")


def test_a_mistake_in_a_screen_leaves_the_menu_usable(driver: WindowDriver, folders: Path) -> None:
    driver.window.open_screen(Broken(driver.window))
    driver.run_frames(3)
    assert driver.screen.title == "Menu"
    assert "of no use" in driver.window.notice
    assert "ZeroDivisionError" in (folders / "data" / "problems.txt").read_text(encoding="utf-8")
    driver.press("6")
    assert driver.screen.title == "Settings"


def test_closing_leaves_every_screen(driver: WindowDriver) -> None:
    left = []

    class Kept(Screen):
        def leave(self) -> None:
            left.append(self)

    driver.window.open_screen(Kept(driver.window))
    driver.window.open_screen(Kept(driver.window))
    driver.quit()
    assert len(left) == 2
    assert not driver.window.is_running


def test_what_comes_with_the_end_is_not_heard(driver: WindowDriver) -> None:
    kinds = (pygame.WINDOWCLOSE, pygame.QUIT, pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED)
    key = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11)
    driver.window.run_frame([*map(pygame.event.Event, kinds), key], 1 / 60)
    assert not driver.window.is_running


@pytest.mark.parametrize("screen", ["menu", "play", "watch", "versus", "evolution", "replays", "practice", "settings"])
def test_a_large_scale_leaves_room_in_a_small_window(driver: WindowDriver, screen: str) -> None:
    driver.window.change_settings(scale="150 %")
    driver.resize(1000, 720)
    if screen != "menu":
        driver.open_screen(screen)
    title = driver.screen.title
    driver.run_frames(3)
    assert driver.screen.title == title
    assert driver.window.ui.pen.height >= 700


def test_any_key_of_a_keyboard_can_be_chosen_and_found_again(driver: WindowDriver) -> None:
    screen = driver.open_screen("settings", tab="Keys")
    for code, name in ((ord("ö"), "ö"), (ord("ß"), "ß"), (pygame.K_KP1, "[1]")):
        screen.asking = "restart"
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=""))
        driver.run_frames(2)
        assert driver.window.settings.keys["restart"] == name
        assert get_key_code(get_key_label(code)) == code
    screen.asking = "restart"
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=0, mod=0, unicode=""))
    driver.run_frames(2)
    assert "no name" in driver.window.notice
    assert driver.window.settings.keys["restart"] == "[1]"
    assert load_settings() == (driver.window.settings, "")


def test_a_notice_goes_by_itself(driver: WindowDriver) -> None:
    driver.window.show_message("Something happened.")
    driver.run_frames(2)
    assert driver.window.notice
    driver.run_frames(100, seconds=0.1)
    assert not driver.window.notice


def test_settings_are_kept(driver: WindowDriver) -> None:
    driver.window.change_settings(marks=True, keys={**DEFAULT_KEYS, "left": "a"})
    kept, told = load_settings()
    assert (kept.marks, kept.keys["left"], told) == (True, "a", "")


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", "\x00\x01"])
def test_damaged_settings_are_set_aside(folders: Path, content: str) -> None:
    get_settings_path().parent.mkdir(parents=True)
    get_settings_path().write_text(content, encoding="utf-8")
    settings, told = load_settings()
    assert settings == WindowSettings()
    assert "damaged-1" in told
    assert (get_settings_path().parent / "settings.damaged-1.json").read_text(encoding="utf-8") == content
    assert load_settings() == (WindowSettings(), "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("palette", "mauve"),
        ("sounds", 7),
        ("marks", "yes"),
        ("level", -1),
        ("keys", {"left": "a", "right": "a"}),
        ("keys", {"left": "no such key"}),
    ],
)
def test_a_setting_that_means_nothing_is_told_and_the_others_hold(folders: Path, name: str, value: object) -> None:
    save_settings(WindowSettings(motion="reduced"))
    content = json.loads(get_settings_path().read_text(encoding="utf-8"))
    get_settings_path().write_text(json.dumps({**content, name: value, "of a later version": 1}), encoding="utf-8")
    settings, told = load_settings()
    assert settings == WindowSettings(motion="reduced")
    assert name in told


def test_settings_that_cannot_be_kept_are_told(driver: WindowDriver, folders: Path) -> None:
    (folders / "config").write_text("a file where the folder should be", encoding="utf-8")
    driver.window.change_settings(marks=True)
    assert "cannot be kept" in driver.window.notice
    assert driver.window.settings.marks


def test_best_scores_are_kept_in_order() -> None:
    for score in (300, 500, 400):
        game = Game("gavrilov")
        game._games["score"] = score
        save_best_score(game)
    assert [entry.score for entry in load_best_scores()[0]["gavrilov"]] == [500, 400, 300]
    assert "nes" not in load_best_scores()[0]


def test_best_scores_that_cannot_be_read_are_not_written_over(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.mkdir(parents=True)  # which nobody can read as a file, whoever they are
    game = Game("gavrilov")
    game._games["score"] = 300
    place, told = save_best_score(game)
    assert place == 0
    assert "cannot be read" in told
    assert path.is_dir()


def test_damaged_best_scores_are_set_aside(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.parent.mkdir()
    path.write_text('{"gavrilov": [{"score": "many"}]}', encoding="utf-8")
    scores, told = load_best_scores()
    assert scores == {}
    assert "damaged-1" in told
    assert path.with_name("best-scores.damaged-1.json").exists()


def test_no_display_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplayError, match=r"--text.*record"):
        check_display()


def test_full_screen_is_a_key_away(driver: WindowDriver) -> None:
    driver.press("f11")
    assert driver.window.settings.full_screen
    driver.press("f11")
    assert not driver.window.settings.full_screen
    assert isinstance(driver.window, Window)


def test_screens_wait_for_the_engine(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_engine_loader(), "ready", False)
    driver.window.open_screen_by_name("settings")
    driver.run_frames(2)
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.window.open_screen_by_name("watch", agent="gavrilov")
    driver.run_frames(3)
    assert isinstance(driver.screen, WaitingScreen)
    assert get_engine_loader().status_text == LOADING_ENGINE
    monkeypatch.setattr(get_engine_loader(), "problem", "The engine cannot be loaded: no room.")
    driver.run_frames(3)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"
