"""The window itself: the menu, the focus, settings that are kept, mistakes that are survived."""

import json
import sys
from pathlib import Path

import pygame
import pytest

from app.driving import Driver
from tetrion.app.readiness import LOADING, engine
from tetrion.app.screen import Screen
from tetrion.app.screens.menu import MenuScreen
from tetrion.app.screens.waiting import WaitingScreen
from tetrion.app.settings import ACTIONS, Settings, load_settings, save_settings, settings_file
from tetrion.app.shelf import keep_score, load_scores
from tetrion.app.start import NoDisplayError, check_display
from tetrion.app.toolkit.ui import Ui, caption, key_code
from tetrion.app.window import Window
from tetrion.game import Game

ITEMS = ["Play", "Watch", "Versus", "Evolution", "Replays", "Settings", "Quit"]


def test_the_menu_begins_with_watch_and_is_walked_by_arrows(driver: Driver) -> None:
    driver.frames(2)
    assert driver.window.ui.names == ITEMS
    assert driver.window.ui.focus == "Watch"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    for item in ITEMS[1:]:
        driver.press("↓")
        assert driver.window.ui.focus == item


def test_tab_goes_round(driver: Driver) -> None:
    driver.frames(2)
    for _ in ITEMS:
        driver.press("Tab")
    assert driver.window.ui.focus == "Watch"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert driver.window.ui.focus == "Play"


def test_a_held_arrow_repeats(driver: Driver) -> None:
    driver.frames(2)
    driver.hold("↓")
    driver.frames(60)
    assert driver.window.ui.focus == "Quit"


def test_number_keys_open_and_escape_comes_back(driver: Driver) -> None:
    driver.press("6")
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.frames(2)
    assert driver.screen.title == "Menu"


def test_the_mouse_opens_and_quits(driver: Driver) -> None:
    driver.frames(2)
    driver.click("Settings")
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.frames(2)
    driver.click("Quit")
    assert not driver.window.running


def test_the_board_beside_the_menu_plays(driver: Driver) -> None:
    menu = driver.screen
    assert isinstance(menu, MenuScreen)
    driver.until(lambda: menu.seat is not None and menu.seat.game.pieces >= 2)


@pytest.mark.parametrize("size", [(800, 700), (1000, 760), (1920, 1080), (640, 480)])
def test_any_size_is_drawn(driver: Driver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    assert driver.window.surface.get_size() == size
    assert driver.window.ui.names == ITEMS


class Broken(Screen):
    title = "Broken"

    def draw(self, ui: Ui) -> None:
        raise ZeroDivisionError("of no use")


def test_a_mistake_in_a_screen_leaves_the_menu_usable(driver: Driver, folders: Path) -> None:
    driver.window.open(Broken(driver.window))
    driver.frames(3)
    assert driver.screen.title == "Menu"
    assert "of no use" in driver.window.notice
    assert "ZeroDivisionError" in (folders / "data" / "problems.txt").read_text(encoding="utf-8")
    driver.press("6")
    assert driver.screen.title == "Settings"


def test_closing_leaves_every_screen(driver: Driver) -> None:
    left = []

    class Kept(Screen):
        def leave(self) -> None:
            left.append(self)

    driver.window.open(Kept(driver.window))
    driver.window.open(Kept(driver.window))
    driver.quit()
    assert len(left) == 2
    assert not driver.window.running


def test_what_comes_with_the_end_is_not_heard(driver: Driver) -> None:
    kinds = (pygame.WINDOWCLOSE, pygame.QUIT, pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED)
    key = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11)
    driver.window.frame([*map(pygame.event.Event, kinds), key], 1 / 60)
    assert not driver.window.running


@pytest.mark.parametrize("screen", ["menu", "play", "watch", "versus", "evolution", "replays", "practice", "settings"])
def test_a_large_scale_leaves_room_in_a_small_window(driver: Driver, screen: str) -> None:
    driver.window.choose(scale="150 %")
    driver.resize(1000, 720)
    if screen != "menu":
        driver.open(screen)
    title = driver.screen.title
    driver.frames(3)
    assert driver.screen.title == title
    assert driver.window.ui.pen.height >= 700


def test_any_key_of_a_keyboard_can_be_chosen_and_found_again(driver: Driver) -> None:
    screen = driver.open("settings", tab="Keys")
    for code, name in ((ord("ö"), "ö"), (ord("ß"), "ß"), (pygame.K_KP1, "[1]")):
        screen.asking = "restart"
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=""))
        driver.frames(2)
        assert driver.window.settings.keys["restart"] == name
        assert key_code(caption(code)) == code
    screen.asking = "restart"
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=0, mod=0, unicode=""))
    driver.frames(2)
    assert "no name" in driver.window.notice
    assert driver.window.settings.keys["restart"] == "[1]"
    assert load_settings() == (driver.window.settings, "")


def test_a_notice_goes_by_itself(driver: Driver) -> None:
    driver.window.tell("Something happened.")
    driver.frames(2)
    assert driver.window.notice
    driver.frames(100, seconds=0.1)
    assert not driver.window.notice


def test_settings_are_kept(driver: Driver) -> None:
    driver.window.choose(marks=True, keys={**ACTIONS, "left": "a"})
    kept, told = load_settings()
    assert (kept.marks, kept.keys["left"], told) == (True, "a", "")


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", "\x00\x01"])
def test_damaged_settings_are_set_aside(folders: Path, content: str) -> None:
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text(content, encoding="utf-8")
    settings, told = load_settings()
    assert settings == Settings()
    assert "damaged-1" in told
    assert (settings_file().parent / "settings.damaged-1.json").read_text(encoding="utf-8") == content
    assert load_settings() == (Settings(), "")


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
    save_settings(Settings(motion="reduced"))
    content = json.loads(settings_file().read_text(encoding="utf-8"))
    settings_file().write_text(json.dumps({**content, name: value, "of a later version": 1}), encoding="utf-8")
    settings, told = load_settings()
    assert settings == Settings(motion="reduced")
    assert name in told


def test_settings_that_cannot_be_kept_are_told(driver: Driver, folders: Path) -> None:
    (folders / "config").write_text("a file where the folder should be", encoding="utf-8")
    driver.window.choose(marks=True)
    assert "cannot be kept" in driver.window.notice
    assert driver.window.settings.marks


def test_best_scores_are_kept_in_order() -> None:
    for score in (300, 500, 400):
        game = Game("gavrilov")
        game._games["score"] = score
        keep_score(game)
    assert [entry.score for entry in load_scores()[0]["gavrilov"]] == [500, 400, 300]
    assert "nes" not in load_scores()[0]


def test_best_scores_that_cannot_be_read_are_not_written_over(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.mkdir(parents=True)  # which nobody can read as a file, whoever they are
    game = Game("gavrilov")
    game._games["score"] = 300
    place, told = keep_score(game)
    assert place == 0
    assert "cannot be read" in told
    assert path.is_dir()


def test_damaged_best_scores_are_set_aside(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.parent.mkdir()
    path.write_text('{"gavrilov": [{"score": "many"}]}', encoding="utf-8")
    scores, told = load_scores()
    assert scores == {}
    assert "damaged-1" in told
    assert path.with_name("best-scores.damaged-1.json").exists()


def test_no_display_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplayError, match=r"--text.*record"):
        check_display()


def test_full_screen_is_a_key_away(driver: Driver) -> None:
    driver.press("f11")
    assert driver.window.settings.full_screen
    driver.press("f11")
    assert not driver.window.settings.full_screen
    assert isinstance(driver.window, Window)


def test_screens_wait_for_the_engine(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine(), "ready", False)
    driver.window.go("settings")
    driver.frames(2)
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.window.go("watch", agent="gavrilov")
    driver.frames(3)
    assert isinstance(driver.screen, WaitingScreen)
    assert engine().words == LOADING
    monkeypatch.setattr(engine(), "problem", "The engine cannot be loaded: no room.")
    driver.frames(3)
    driver.press("Esc")
    driver.frames(2)
    assert driver.screen.title == "Menu"
