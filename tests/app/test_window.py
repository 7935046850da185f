"""The window: its menu, keyboard focus, settings, best scores and error handling."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pygame
import pytest

from tests.app.drawn_texts import WINDOW_SIZES
from tests.app.window_driver import WindowDriver
from tetrion.app.engine_loading import LOADING_ENGINE, describe_compilation, get_engine_loader
from tetrion.app.game_storage import load_best_scores, save_best_score
from tetrion.app.launcher import open_window
from tetrion.app.screen import Screen
from tetrion.app.screens import menu_screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.waiting_screen import WaitingScreen
from tetrion.app.toolkit.ui import Ui, get_key_code, get_key_label
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path, load_settings, save_settings
from tetrion.board import Board
from tetrion.drawing.display_check import NoDisplayError
from tetrion.drawing.palette import PIECE_PALETTES
from tetrion.engine.pieces import PIECES
from tetrion.game import Game
from tetrion.position import Position

MENU_ITEMS = ["Play", "Watch", "Versus", "Evolution", "Practice", "Replays", "Settings", "Quit"]


def test_menu_focuses_watch_and_arrows_move_the_focus(driver: WindowDriver) -> None:
    driver.run_frames(2)
    assert driver.window.ui.focusable_names == MENU_ITEMS
    assert driver.window.ui.focus == "Watch"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    driver.press("↑")
    assert driver.window.ui.focus == "Play"
    for item in MENU_ITEMS[1:]:
        driver.press("↓")
        assert driver.window.ui.focus == item


def test_tab_cycles_through_the_menu(driver: WindowDriver) -> None:
    driver.run_frames(2)
    for _ in MENU_ITEMS:
        driver.press("Tab")
    assert driver.window.ui.focus == "Watch"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert driver.window.ui.focus == "Play"


def test_held_arrow_key_repeats(driver: WindowDriver) -> None:
    driver.run_frames(2)
    driver.hold("↓")
    driver.run_frames(60)
    assert driver.window.ui.focus == "Quit"


def test_number_keys_open_screens_and_escape_closes_them(driver: WindowDriver) -> None:
    for number, title in enumerate(MENU_ITEMS[:-1], 1):
        driver.press(str(number))
        assert driver.screen.title == title
        driver.press("Esc")
        driver.run_frames(2)
        assert driver.screen.title == "Menu"
    driver.press(str(len(MENU_ITEMS)))
    assert not driver.window.is_running


@pytest.mark.parametrize("size", [(800, 640), *WINDOW_SIZES])
def test_menu_rows_fit_above_the_footer(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    ui = driver.window.ui
    boxes = [ui.get_box(name) for name in MENU_ITEMS]
    assert all(lower.top >= upper.bottom + 4 for upper, lower in pairwise(boxes))
    assert min(box.height for box in boxes) >= 44
    assert boxes[-1].bottom <= ui.pen.height - 60 - 8  # a footer of 60 units, and the focus ring
    assert all(box.left >= 0 and box.right <= ui.pen.width for box in boxes)


def test_each_piece_is_the_sign_of_one_menu_item() -> None:
    assert sorted(item.piece for item in menu_screen.MENU_ITEMS) == ["", *sorted(PIECES)]


def test_mouse_opens_a_screen_and_quits(driver: WindowDriver) -> None:
    driver.run_frames(2)
    driver.click("Settings")
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.run_frames(2)
    driver.click("Quit")
    assert not driver.window.is_running


def test_menu_shows_a_demo_game(driver: WindowDriver) -> None:
    menu = driver.screen
    assert isinstance(menu, MenuScreen)
    driver.run_until(lambda: menu.demo_game is not None and menu.demo_game.game.pieces >= 2)


@pytest.mark.parametrize("size", [(800, 640), (800, 700), (1000, 760), (1920, 1080), (3840, 2160)])
def test_window_draws_at_any_size(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    assert driver.window.surface.get_size() == size
    assert driver.window.ui.focusable_names == MENU_ITEMS


class BrokenScreen(Screen):
    title = "Broken"

    def draw(self, ui: Ui) -> None:
        raise ZeroDivisionError("test error")


def test_error_in_a_screen_leaves_the_menu_usable(driver: WindowDriver, folders: Path) -> None:
    driver.window.open_screen(BrokenScreen(driver.window))
    driver.run_frames(3)
    assert driver.screen.title == "Menu"
    assert "test error" in driver.window.notice
    assert "ZeroDivisionError" in (folders / "data" / "problems.txt").read_text(encoding="utf-8")
    driver.press("7")
    assert driver.screen.title == "Settings"


def test_closing_the_window_leaves_all_screens(driver: WindowDriver) -> None:
    left_screens: list[Screen] = []

    class RecordingScreen(Screen):
        def on_leave(self) -> None:
            left_screens.append(self)

    driver.window.open_screen(RecordingScreen(driver.window))
    driver.window.open_screen(RecordingScreen(driver.window))
    driver.quit()
    assert len(left_screens) == 2
    assert not driver.window.is_running


def test_events_after_closing_are_ignored(driver: WindowDriver) -> None:
    event_types = (pygame.WINDOWCLOSE, pygame.QUIT, pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED)
    key = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11)
    driver.window.run_frame([*map(pygame.event.Event, event_types), key], 1 / 60)
    assert not driver.window.is_running


@pytest.mark.parametrize("size", [(1000, 720), (1366, 728)])
@pytest.mark.parametrize("screen", ["menu", "play", "watch", "versus", "evolution", "replays", "practice", "settings"])
def test_large_scale_is_limited_in_a_small_window(driver: WindowDriver, screen: str, size: tuple[int, int]) -> None:
    driver.window.change_settings(scale="150 %")
    driver.resize(*size)
    if screen != "menu":
        driver.open_screen(screen)
    title = driver.screen.title
    driver.run_frames(3)
    assert driver.screen.title == title
    assert driver.window.ui.pen.height >= 700


def test_any_named_key_can_be_assigned(driver: WindowDriver) -> None:
    screen = driver.open_screen("settings", tab="Keys")
    for code, name in ((ord("ö"), "ö"), (ord("ß"), "ß"), (pygame.K_KP1, "[1]")):
        screen.keys_page.action_awaiting_key = "restart"
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=""))
        driver.run_frames(2)
        assert driver.window.settings.keys["restart"][-1] == name
        assert get_key_code(get_key_label(code)) == code
    screen.keys_page.action_awaiting_key = "restart"
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=0, mod=0, unicode=""))
    driver.run_frames(2)
    assert "cannot be used" in driver.window.notice
    assert driver.window.settings.keys["restart"] == ("r", "ö", "ß", "[1]")
    assert load_settings() == (driver.window.settings, "")


def test_notice_disappears(driver: WindowDriver) -> None:
    driver.window.show_message("Something happened.")
    driver.run_frames(2)
    assert driver.window.notice
    driver.run_frames(100, seconds=0.1)
    assert not driver.window.notice


def test_settings_are_saved(driver: WindowDriver) -> None:
    driver.window.change_settings(marks=True, keys={**DEFAULT_KEYS, "left": ("j", "l")}, das=120)
    settings, message = load_settings()
    assert (settings.marks, settings.keys["left"], settings.das, message) == (True, ("j", "l"), 120, "")


def has_colour(driver: WindowDriver, colour: str) -> bool:
    """Return whether the window has at least a hundred pixels of a colour."""
    return pygame.mask.from_threshold(driver.window.surface, pygame.Color(colour), (1, 1, 1, 255)).count() >= 100


@pytest.mark.parametrize("palette", PIECE_PALETTES)
def test_chosen_palette_is_saved_and_used_on_every_screen(driver: WindowDriver, palette: str) -> None:
    driver.open_screen("settings")
    driver.run_frames(2)
    number = list(PIECE_PALETTES).index(palette)
    driver.click("set palette", x=(0.1, 0.5, 0.9)[number])
    driver.run_frames(2)
    assert load_settings() == (WindowSettings(palette=palette), "")
    assert all(has_colour(driver, colour) for colour in PIECE_PALETTES[palette].values()), "the samples are not shown"
    position = Position.from_board(Board(), "T", "L", rules="gavrilov")
    for screen, options in (
        ("settings", {}),
        ("play", {"game": Game.from_position(position)}),
        ("watch", {"agent": "gavrilov", "rules": "medico"}),
        ("versus", {"players": ("gavrilov", "lee"), "rules": "medico"}),
        ("practice", {"rules": "gavrilov"}),
    ):
        driver.open_screen(screen, **options)
        driver.run_frames(20)
        shown = {
            name
            for name, colours in PIECE_PALETTES.items()
            for colour in colours.values()
            if has_colour(driver, colour)
        }
        assert shown == {palette}, screen
        driver.window.close_screen()


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", "\x00\x01"])
def test_damaged_settings_file_is_renamed(folders: Path, content: str) -> None:
    get_settings_path().parent.mkdir(parents=True)
    get_settings_path().write_text(content, encoding="utf-8")
    settings, message = load_settings()
    assert settings == WindowSettings()
    assert "damaged-1" in message
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
        ("keys", {"left": ["q"], "right": ["d", "q"]}),
        ("keys", {"left": ["pad nothing"]}),
        ("keys", {"left": [7]}),
        ("das", -1),
        ("arr", 100_000),
    ],
)
def test_invalid_setting_is_reported_and_the_others_are_used(folders: Path, name: str, value: object) -> None:
    save_settings(WindowSettings(motion="reduced"))
    content = json.loads(get_settings_path().read_text(encoding="utf-8"))
    get_settings_path().write_text(json.dumps({**content, name: value, "from a later version": 1}), encoding="utf-8")
    settings, message = load_settings()
    assert settings == WindowSettings(motion="reduced")
    assert name in message


def test_settings_that_cannot_be_saved_are_reported(driver: WindowDriver, folders: Path) -> None:
    (folders / "config").write_text("a file where the folder should be", encoding="utf-8")
    driver.window.change_settings(marks=True)
    assert f"The settings cannot be saved in {folders / 'config'}: " in driver.window.notice
    assert driver.window.settings.marks


def test_best_scores_are_saved_in_order() -> None:
    for score in (300, 500, 400):
        game = Game("gavrilov")
        game._games["score"] = score
        save_best_score(game)
    assert [entry.score for entry in load_best_scores()[0]["gavrilov"]] == [500, 400, 300]
    assert "nes" not in load_best_scores()[0]


def test_unreadable_best_scores_are_not_overwritten(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.mkdir(parents=True)  # a folder cannot be read as a file, even by root
    game = Game("gavrilov")
    game._games["score"] = 300
    rank, message = save_best_score(game)
    assert rank == 0
    assert "cannot be read" in message
    assert path.is_dir()


def test_damaged_best_scores_file_is_renamed(folders: Path) -> None:
    path = folders / "data" / "best-scores.json"
    path.parent.mkdir()
    path.write_text('{"gavrilov": [{"score": "many"}]}', encoding="utf-8")
    scores, message = load_best_scores()
    assert scores == {}
    assert "damaged-1" in message
    assert path.with_name("best-scores.damaged-1.json").exists()


def test_missing_display_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplayError, match=r"--text.*record"):
        open_window()


def test_f11_toggles_full_screen(driver: WindowDriver) -> None:
    driver.press("f11")
    assert driver.window.settings.full_screen
    driver.press("f11")
    assert not driver.window.settings.full_screen
    assert isinstance(driver.window, Window)


def test_screens_wait_for_the_engine(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_engine_loader(), "_loaded_parts", {"pieces", "movement"})
    driver.window.open_screen_by_name("settings")
    driver.run_frames(2)
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.window.open_screen_by_name("watch", agent="gavrilov")
    driver.run_frames(3)
    assert isinstance(driver.screen, WaitingScreen)
    assert describe_compilation() == LOADING_ENGINE
    assert get_engine_loader().describe_part("watch") == "part 2 of 4"
    assert 0 < get_engine_loader().compute_share("watch") < 1
    monkeypatch.setattr(get_engine_loader(), "problem", "The engine cannot be loaded: disk full.")
    driver.run_frames(3)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"
