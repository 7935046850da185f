"""The window: its menu, errors, the loading of the engine, its notices, its size and its settings."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.screen_scenes import ALL_SCENES, SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.engine_loading import ENGINE_PARTS, EngineLoader, EnginePart, get_engine_loader, get_screen_parts
from tetrion.app.screens.menu_screen import MenuScreen, WaitingScreen
from tetrion.app.sound import Sound
from tetrion.app.toolkit.ui import Tooltip, Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, get_settings_path, load_settings, save_settings
from tetrion.drawing.palette import PIECE_PALETTES
from tetrion.drawing.pen import Box, Pen

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
    for size in ((1280, 800), (640, 480), (400, 300), (1900, 300), (300, 1200)):
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


def test_closing_the_window_leaves_all_screens_and_ignores_further_events(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[str] = []
    for name in ("settings", "play"):
        monkeypatch.setattr(driver.open_screen(name), "on_leave", partial(left.append, name))
    event_types = (pygame.WINDOWCLOSE, pygame.QUIT, pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED)
    key = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F11)
    driver.window.run_frame([*map(pygame.event.Event, event_types), key], 1 / 60)
    assert sorted(left) == ["play", "settings"]
    assert not driver.window.is_running


# The engine.


def test_play_is_loaded_first_and_a_failed_part_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("disk full")

    order: list[str] = []
    for name, part in list(ENGINE_PARTS.items()):
        load = fail if name == "locking" else partial(order.append, name)
        monkeypatch.setitem(ENGINE_PARTS, name, EnginePart(load, part.function))
    monkeypatch.setattr("tetrion.app.engine_loading.compile_agents_in_other_process", lambda: None)
    loader = EngineLoader()
    loader.wait()
    assert tuple(order[:2]) == get_screen_parts("play")
    assert loader.problem.startswith("The engine cannot be loaded: OSError('disk full').")
    assert [loader.is_ready_for(screen) for screen in ("play", "settings", "menu", "watch")] == [
        True,
        True,
        False,
        False,
    ]


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

LONG_TEXT = "The run stands in a folder that this program cannot write, so that it is saved in another one: " + "x" * 80


@pytest.mark.parametrize("name", SCENES)
def test_notice_covers_no_control(driver: WindowDriver, name: str, folders: Path) -> None:
    SCENES[name](driver)
    driver.window.show_message(LONG_TEXT, file=folders / "page.html")
    for size in ((800, 640), (1000, 760), (1280, 800), (1920, 1080)):
        driver.resize(*size)
        controls = [control for control in driver.window.ui.usable_controls.values() if not control.is_background]
        buttons = [control.box for control in controls if control.name.startswith("notice ")]
        width = driver.window.ui.pen.width  # the notice is centred, with a button at its end
        strip = Box(width - buttons[-1].right, buttons[0].top, 2 * buttons[-1].right - width, buttons[0].height)
        covered = [control.name for control in controls if control.box.colliderect(strip)]
        assert all(name.startswith("notice ") for name in covered), size


@pytest.mark.parametrize("open_screen", [None, "settings"])
def test_notices_are_complete_in_a_small_window(driver: WindowDriver, open_screen: str | None) -> None:
    if open_screen:
        driver.open_screen(open_screen)
    driver.resize(800, 640)
    page = Path("/home/someone/.local/share/tetrion/pages/2026-11-16 18-00 guideline, you.html")
    damaged = "The settings file is damaged and was renamed to settings.damaged-1.json. The defaults are used."
    for message, file, shown in (
        (f"The page is saved as {page}.", page, f"The page is saved as pages/{page.name}."),
        (damaged, None, damaged),
    ):
        driver.window.show_message(message, file)
        assert shown in {drawn.text for drawn in record_texts(driver)}


def test_notice_ends_with_its_screen_or_belongs_to_the_next_one(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for message in ("", "The game cannot be saved."):
        screen = driver.open_screen("settings")
        driver.window.show_message("About this screen.")
        if message:
            monkeypatch.setattr(screen, "on_leave", lambda: driver.window.show_message("The game cannot be saved."))
        driver.run_frames(2)
        driver.window.close_screen()
        driver.run_frames(2)
        assert driver.window.notice == message


def test_notice_is_closed_by_its_button_and_by_escape_and_stays_while_it_is_used(
    driver: WindowDriver, folders: Path
) -> None:
    driver.open_screen("settings")
    for key in ("Enter", "Esc"):
        driver.window.show_message("Saved.", file=folders / "page.html")
        driver.run_frames(100, 0.1)
        driver.window.ui.focus = "notice close"
        driver.run_frames(300, 0.1)
        assert driver.window.notice
        driver.press(key)
        driver.run_frames()
        assert not driver.window.notice
        assert driver.screen.title == "Settings", "Esc closed the screen too"


def test_file_of_a_notice_is_opened_by_keyboard(
    driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        opened.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(subprocess, "run", run)
    page = folders / "page.html"
    page.write_text("", encoding="utf-8")
    driver.window.show_message("Saved.", file=page)
    driver.run_frames(2)
    while driver.window.ui.focus != "notice open":
        driver.press("Tab")
    driver.press("Enter", "→", "Enter")
    driver.run_until(lambda: len(opened) == 2)
    assert sorted(opened) == sorted([["xdg-open", str(page)], ["xdg-open", str(folders)]])
    driver.window.show_message("Saved.", file=folders)
    driver.run_frames(2)
    assert [name for name in driver.window.ui.focusable_names if "notice" in name] == ["notice folder", "notice close"]


@pytest.mark.parametrize(("platform", "program"), [("linux", "xdg-open"), ("darwin", "open")])
def test_missing_and_failing_programs_are_reported(
    driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch, platform: str, program: str
) -> None:
    monkeypatch.setenv("PATH", str(folders))
    monkeypatch.setattr(sys, "platform", platform)
    for message in ("not installed", f"page.html cannot be opened: {program} found no program"):
        driver.window.show_message("Saved.", file=folders / "page.html")
        driver.run_frames(2)
        driver.click("notice open")
        driver.run_until(lambda: driver.window.notice not in ("", "Saved."))
        assert message in driver.window.notice
        (folders / program).write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        (folders / program).chmod(0o755)


def test_cut_texts_are_shown_in_tooltips(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def record(tooltip: Tooltip, pen: Pen) -> None:
        draw(tooltip, pen)
        shown.append(tooltip.text if tooltip.is_visible else "")

    def get_tooltip(focus: str) -> str:
        driver.window.ui.focus = focus
        driver.run_frames(60)
        return shown[-1]

    shown: list[str] = []
    draw = Tooltip.draw
    monkeypatch.setattr(Tooltip, "draw", record)
    SCENES["watch with long rules"](driver)
    driver.resize(800, 700)
    driver.window.show_message(LONG_TEXT)
    driver.run_frames(3)
    rules = get_tooltip("rules chip")
    assert rules not in {drawn.text for drawn in record_texts(driver)}
    assert get_tooltip("notice close") == LONG_TEXT
    assert get_tooltip("back") == ""
    point = driver.window.ui.pen.to_pixel_point(driver.window.ui.get_box("rules chip").center)
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=point, rel=(0, 0)))
    assert get_tooltip("back") == rules, "the pointer is on it"
    pygame.event.post(pygame.event.Event(pygame.WINDOWLEAVE))
    assert get_tooltip("back") == ""
    driver.resize(1920, 1080)
    assert rules in {drawn.text for drawn in record_texts(driver)}, "it is cut although there is space"


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


def test_maximised_state_is_remembered_with_the_size_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use_desktop(monkeypatch, 1920, 1080)
    open_and_close(size=(1000, 700))
    open_and_close(pygame.WINDOWMAXIMIZED, size=(1900, 1000))
    assert load_settings()[0] == WindowSettings(window_width=1000, window_height=700, is_maximised=True)
    open_and_close(pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED)
    assert load_settings()[0].is_maximised, "the window was minimised and has returned"
    open_and_close(pygame.WINDOWRESTORED)
    assert not load_settings()[0].is_maximised


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


@pytest.mark.parametrize("scene", ALL_SCENES)
def test_all_scenes_are_drawn_at_unusual_sizes(driver: WindowDriver, scene: str) -> None:
    ALL_SCENES[scene](driver)
    screen = driver.screen
    for size in ((640, 480), (200, 160), (80, 64), (1, 1), (300, 1200), (1900, 300), (3840, 640), (3840, 2160)):
        driver.resize(*size)
        assert driver.window.native_window.get_surface().size == size
        assert driver.screen is screen, driver.window.notice
    driver.resize(1280, 800)
    assert driver.window.surface is driver.window.native_window.get_surface(), "the window does not grow again"


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
    for scene in ("settings Display", "modern play", "modern watch", "modern match", "modern practice"):
        SCENES[scene](driver)
        driver.run_frames(20)
        for name, colours in PIECE_PALETTES.items():
            assert any(has_colour(driver, colour) for colour in colours.values()) == (name == palette), scene
        driver.window.close_screen()


def test_damaged_settings_files_are_renamed(folders: Path) -> None:
    path = get_settings_path()
    path.parent.mkdir(parents=True)
    for number, content in enumerate(("", "[1, 2]", "{", "\x00\x01"), 1):
        path.write_text(content, encoding="utf-8")
        settings, message = load_settings()
        assert settings == WindowSettings()
        assert f"damaged-{number}" in message
        assert path.with_name(f"settings.damaged-{number}.json").read_text(encoding="utf-8") == content
        assert load_settings() == (WindowSettings(), "")


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
