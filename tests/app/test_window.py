"""The window: its menu, errors, the loading of the engine, its notices, its size and its settings."""

import json
from pathlib import Path

import pygame
import pytest

from tests.app.drawn_texts import check_texts
from tests.app.screen_scenes import SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.screens.menu_screen import MenuScreen, WaitingScreen
from tetrion.app.sound import Sound
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path, load_settings, save_settings
from tetrion.drawing.palette import PIECE_PALETTES

MENU_ITEMS = ["Play", "Watch", "Versus", "Evolution", "Practice", "Replays", "Settings", "Quit"]


def test_menu_shows_a_demo_game_and_opens_screens_by_keys_and_the_mouse(driver: WindowDriver) -> None:
    menu = driver.screen
    assert isinstance(menu, MenuScreen)
    assert driver.window.ui.focusable_names == MENU_ITEMS
    assert driver.window.ui.focus == "Play"
    for number, title in enumerate(MENU_ITEMS[:-1], 1):
        driver.press(str(number))
        assert driver.screen.title == title
        driver.press("Esc")
        driver.run_frames(2)
        assert driver.window.ui.focus == title
    driver.run_until(lambda: menu.demo_game is not None and menu.demo_game.game.pieces >= 2)
    for size in ((1280, 800), (400, 300)):
        driver.resize(*size)
        for name in ("Settings", "Practice"):
            driver.click(name)
            driver.run_frames(2)
            assert driver.screen.title == name
            driver.press("Esc")
            driver.run_frames(2)
    driver.press(str(len(MENU_ITEMS)))
    assert not driver.window.is_running


# Errors and the end.


def fail(ui: Ui) -> None:
    raise ZeroDivisionError("test error a\0b \ud800" + "x" * 10_000)


def test_errors_leave_the_menu_usable_unless_its_own_error_repeats(
    driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver.open_screen("settings"), "draw", fail)
    driver.run_frames(3)
    assert driver.screen.title == "Menu"
    assert driver.window.notice.startswith("Settings crashed: test error")
    log = folders / "data" / "problems.txt"
    assert "ZeroDivisionError" in log.read_text(encoding="utf-8")
    assert log.stat().st_size < 100_000
    monkeypatch.setattr("tetrion.app.launcher.make_screen", fail)  # which has no such arguments
    driver.press("6")
    assert driver.screen.title == "Menu"
    assert driver.window.notice.startswith("Replays crashed")
    with monkeypatch.context() as patch:
        patch.setattr(driver.screen, "draw", fail)
        driver.run_frames(1)
    driver.run_frames(100)
    assert "test error" in driver.window.notice
    monkeypatch.setattr(driver.screen, "draw", fail)
    driver.run_frames(1)
    with pytest.raises(ZeroDivisionError):
        driver.run_frames(1)


# The engine.


def test_screens_wait_for_the_engine(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = get_engine_loader()
    monkeypatch.setattr(loader, "loaded_parts", {"pieces", "movement"})
    driver.window.open_screen_by_name("settings")
    driver.run_frames(2)
    assert driver.screen.title == "Settings"
    driver.press("Esc")
    driver.window.open_screen_by_name("watch", agent="gavrilov")
    driver.run_frames(3)
    assert isinstance(driver.screen, WaitingScreen)
    texts = check_texts(driver)
    assert "Watch opens soon." in texts
    assert "Loading the engine." in texts
    monkeypatch.setattr(loader, "problem", "The engine cannot be loaded: disk full.")
    assert "disk full" in check_texts(driver)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen.title == "Menu"


# Notices and tooltips.


def test_notice_is_closed_by_its_button_and_by_escape_and_stays_while_it_is_used(
    driver: WindowDriver, folders: Path
) -> None:
    driver.open_screen("settings")
    for key in ("Enter", "Esc"):
        driver.window.show_message("Saved.", file=folders / "page.html")
        driver.run_frames(10, 1.0)
        driver.window.ui.focus = "notice close"
        driver.run_frames(30, 1.0)
        assert driver.window.notice
        driver.press(key)
        driver.run_frames()
        assert not driver.window.notice
        assert driver.screen.title == "Settings", "Esc closed the screen too"


# Size.


def use_desktop(monkeypatch: pytest.MonkeyPatch, *size: int) -> None:
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [size])


def open_and_close(*event_types: int, size: tuple[int, int] | None = None) -> tuple[int, int]:
    """Start the window with the saved settings, resize it, send events, close it, and return its first size."""
    window = Window(load_settings()[0], Sound())
    window.open_screen(MenuScreen(window))
    first_size = window.native_window.size
    if size:
        window.native_window.size = size
    pygame.event.get()
    window.run_frame([pygame.event.Event(event_type) for event_type in event_types], 0.1)
    window.close()
    return first_size


def test_size_is_remembered_and_limited_by_a_smaller_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    use_desktop(monkeypatch, 1366, 768)
    assert open_and_close(size=(1300, 660)) == (1280, 688)
    assert open_and_close() == (1300, 660)
    assert load_settings() == (WindowSettings(window_width=1300, window_height=660), "")
    use_desktop(monkeypatch, 1024, 720)
    assert open_and_close() == (1016, 640)


def test_full_screen_and_a_given_size_are_not_remembered(driver: WindowDriver) -> None:
    driver.resize(900, 700)
    for is_full in (True, False):
        driver.press("f11")
        assert driver.window.settings.full_screen == is_full
    driver.close()
    assert load_settings() == (WindowSettings(), "")
    save_settings(WindowSettings(full_screen=True))
    open_and_close()
    assert load_settings()[0].window_width == 0


# Settings.


def has_colour(driver: WindowDriver, colour: str) -> bool:
    """Return whether the window has at least a hundred pixels of a colour."""
    return pygame.mask.from_threshold(driver.window.surface, pygame.Color(colour), (1, 1, 1, 255)).count() >= 100


@pytest.mark.parametrize(("palette", "x"), [*zip(PIECE_PALETTES, (0.1, 0.5, 0.9), strict=True)])
def test_chosen_palette_is_saved_and_used_on_every_screen(driver: WindowDriver, palette: str, x: float) -> None:
    driver.open_screen("settings")
    driver.run_frames(2)
    driver.click("set palette", x=x)
    driver.run_frames(2)
    assert load_settings() == (WindowSettings(palette=palette), "")
    assert all(has_colour(driver, colour) for colour in PIECE_PALETTES[palette].values()), "the samples are not shown"
    for scene in ("settings Display", "modern play", "modern practice"):
        SCENES[scene](driver)
        driver.run_frames(20)
        for name, colours in PIECE_PALETTES.items():
            assert any(has_colour(driver, colour) for colour in colours.values()) == (name == palette), scene
        driver.window.close_screen()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("palette", "mauve"),
        ("sounds", 7),
        ("watch_seed", -1),
        ("arr", 100_000),
        *(("keys", {"left": names, "right": ["a"]}) for names in (["a"], ["no such key"], ["pad nothing"], [7], "b")),
    ],
)
def test_invalid_setting_is_reported_and_the_others_are_used(folders: Path, name: str, value: object) -> None:
    save_settings(WindowSettings(motion="reduced"))
    content = json.loads(get_settings_path().read_text(encoding="utf-8"))
    get_settings_path().write_text(json.dumps({**content, name: value, "from a later version": 1}), encoding="utf-8")
    settings, message = load_settings()
    assert settings == WindowSettings(motion="reduced")
    assert name in message


def test_actions_without_keys_in_the_file_get_free_defaults(folders: Path) -> None:
    save_settings(WindowSettings())
    get_settings_path().write_text(json.dumps({"keys": {"hint": ["x"], "left": []}}), encoding="utf-8")
    assert load_settings()[0].keys == {**DEFAULT_KEYS, "hint": ("x",), "left": (), "rotate": ("up", "pad a")}


def test_settings_are_saved_or_a_problem_is_reported(driver: WindowDriver, folders: Path) -> None:
    driver.window.change_settings(marks=True, keys={**DEFAULT_KEYS, "left": ("j", "l")}, das=120)
    assert load_settings() == (driver.window.settings, "")
    get_settings_path().unlink()
    (folders / "config").rmdir()
    (folders / "config").write_text("a file where the folder should be", encoding="utf-8")
    driver.window.change_settings(marks=False)
    assert f"The settings cannot be saved in {folders / 'config'}: " in driver.window.notice
    assert not driver.window.settings.marks
