"""Notices and tooltips: where they are shown, when they end, and the buttons for a file."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.saved_games import play_random_game, save_game_file
from tests.app.screen_scenes import SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app import notices, system_files
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.toolkit.header_footer import draw_header_footer, fit_chip_widths
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Box
from tetrion.engine.rules import Rules

LONG_TEXT = "The page is saved as /home/someone/.local/share/tetrion/pages/2026-11-16 18-00-00.123456 nes-you.html."
SIZES = [(800, 640), (800, 700), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1366, 768), (1920, 1080)]


def find_covered_controls(driver: WindowDriver) -> set[str]:
    """Return the controls of the screen that overlap with a button of the notice."""
    controls = driver.window.ui.usable_controls.values()
    buttons = [control.box for control in controls if control.name.startswith("notice ")]
    assert buttons
    strip = buttons[0].unionall(buttons[1:])
    strip = Box(
        driver.window.ui.pen.width - strip.right, strip.top, 2 * strip.right - driver.window.ui.pen.width, strip.height
    )
    others = [control for control in controls if not control.name.startswith("notice ") and not control.is_background]
    return {control.name for control in others if control.box.colliderect(strip)}


@pytest.mark.parametrize("name", SCENES)
def test_notice_covers_no_control(driver: WindowDriver, name: str, folders: Path) -> None:
    SCENES[name](driver)
    driver.window.show_message(LONG_TEXT, file=folders / "page.html")
    for size in SIZES:
        driver.resize(*size)
        assert find_covered_controls(driver) == set(), size


def test_notice_that_covers_a_control_is_found(driver: WindowDriver) -> None:
    class CoveredScreen(Screen):
        def draw(self, ui: Ui) -> None:
            ui.notice_area = Box(100, 100, 600, 40)
            ui.add_control("covered", Box(300, 120, 200, 40))

    driver.window.open_screen(CoveredScreen(driver.window))
    driver.window.show_message("A message.")
    driver.run_frames(2)
    assert find_covered_controls(driver) == {"covered"}


def test_notice_ends_when_its_screen_is_left(driver: WindowDriver) -> None:
    driver.open_screen("settings")
    driver.window.show_message("About the settings.")
    driver.run_frames(2)
    driver.press("Esc")
    driver.run_frames(2)
    assert isinstance(driver.screen, MenuScreen)
    assert not driver.window.notice
    driver.window.show_message("About the menu.")
    driver.run_frames(2)
    driver.press("6")
    driver.run_frames(2)
    assert not driver.window.notice


def test_notice_of_a_screen_that_is_left_appears_on_the_next_screen(driver: WindowDriver) -> None:
    class SavingScreen(Screen):
        def on_leave(self) -> None:
            self.window.show_message("The game cannot be saved.")

    driver.window.open_screen(SavingScreen(driver.window))
    driver.run_frames(2)
    driver.window.close_screen()
    driver.run_frames(2)
    assert driver.window.notice == "The game cannot be saved."
    assert "notice close" in driver.window.ui.focusable_names


def test_notice_of_background_work_appears_on_any_screen(driver: WindowDriver) -> None:
    file = save_game_file(play_random_game(), "you")
    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done)
    driver.run_frames(2)
    driver.press("S")
    assert "Saving the page" in driver.window.notice or "is saved as" in driver.window.notice
    driver.press("Esc")
    driver.run_until(lambda: "is saved as" in driver.window.notice)
    page = driver.window.notices.file
    assert page is not None
    assert page.is_file()
    assert page.stem == file.stem
    driver.run_frames(2)
    assert "notice open" in driver.window.ui.focusable_names


def test_notice_is_closed_by_its_button_and_by_escape(driver: WindowDriver) -> None:
    driver.open_screen("settings")
    driver.window.show_message("A message.")
    driver.run_frames(2)
    driver.click("notice close")
    driver.run_frames(2)
    assert not driver.window.notice
    driver.window.show_message("Another message.")
    driver.run_frames(2)
    driver.window.ui.focus = "notice close"
    driver.run_frames()
    driver.press("Esc")
    assert not driver.window.notice
    assert driver.screen.title == "Settings", "Esc closed the screen too"
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)


def test_notice_with_a_file_lasts_longer_and_waits_while_it_is_used(driver: WindowDriver, folders: Path) -> None:
    driver.window.show_message("Saved.", file=folders / "page.html")
    driver.run_frames(100, 0.1)
    assert driver.window.notice
    driver.window.ui.focus = "notice open"
    driver.run_frames(300, 0.1)
    assert driver.window.notice, "it must not end while it has the focus"
    driver.window.ui.focus = "Play"
    driver.run_frames(300, 0.1)
    assert not driver.window.notice


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the list of the commands that are started, none of which runs."""
    started: list[list[str]] = []

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        started.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(subprocess, "run", run)
    return started


def test_file_of_a_notice_is_opened_by_keyboard(driver: WindowDriver, folders: Path, commands: list[list[str]]) -> None:
    page = folders / "page.html"
    page.write_text("", encoding="utf-8")
    driver.window.show_message("Saved.", file=page)
    driver.run_frames(2)
    while driver.window.ui.focus != "notice open":
        driver.press("Tab")
    driver.press("Enter")
    driver.press("→", "Enter")
    driver.run_until(lambda: len(commands) == 2)
    assert sorted(commands) == sorted([["xdg-open", str(page)], ["xdg-open", str(folders)]])


def test_folder_of_a_notice_has_one_button(driver: WindowDriver, folders: Path, commands: list[list[str]]) -> None:
    driver.window.show_message("Saved.", file=folders)
    driver.run_frames(2)
    assert "notice open" not in driver.window.ui.focusable_names
    driver.click("notice folder")
    driver.run_until(lambda: commands)
    assert commands == [["xdg-open", str(folders)]]


@pytest.mark.parametrize(("platform", "program"), [("linux", "xdg-open"), ("darwin", "open")])
def test_missing_program_is_reported(
    driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch, platform: str, program: str
) -> None:
    monkeypatch.setenv("PATH", str(folders))
    monkeypatch.setattr(sys, "platform", platform)
    driver.window.show_message("Saved.", file=folders / "page.html")
    driver.run_frames(2)
    driver.click("notice open")
    driver.run_until(lambda: program in driver.window.notice)
    assert "not installed" in driver.window.notice


def test_failing_program_is_reported(driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folders / "xdg-open"
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folders))
    monkeypatch.setattr(sys, "platform", "linux")
    system_files.open_file(folders / "page.html", driver.window.show_message)
    driver.run_until(lambda: "cannot be opened" in driver.window.notice)


def test_opening_a_file_does_not_block(driver: WindowDriver, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    can_end = threading.Event()
    monkeypatch.setattr(system_files, "_run_program", lambda *arguments: can_end.wait(60))
    driver.window.show_message("Saved.", file=folders / "page.html")
    driver.run_frames(2)
    driver.click("notice open")
    assert driver.window.is_running
    can_end.set()


def test_notice_of_a_crash_names_the_log(driver: WindowDriver) -> None:
    class BrokenScreen(Screen):
        title = "Broken"

        def draw(self, ui: Ui) -> None:
            raise ZeroDivisionError("test error")

    driver.window.open_screen(BrokenScreen(driver.window))
    driver.run_frames(3)
    assert driver.window.notices.file is not None
    assert driver.window.notices.file.name == "problems.txt"
    assert notices.NoticeBar().file is None


# Tooltips.


class ChipScreen(Screen):
    title = "Chips"
    chips = ("Standard rules, 14 rows, preview 2, bag randomiser, T-spins, lock delay 30", "Seed 1")
    agent = "an-agent-with-a-name-that-is-much-too-long-for-the-header-of-a-small-window"

    def draw(self, ui: Ui) -> None:
        draw_header_footer(ui, self.title, self.chips, self.agent)


def hover(driver: WindowDriver, point: tuple[float, float]) -> None:
    pixel = driver.window.ui.pen.to_pixel_point(point)
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=pixel, rel=(0, 0), buttons=(0, 0, 0)))
    driver.run_frames(60)


def get_tooltip(driver: WindowDriver) -> str:
    tooltip = driver.window.ui._tooltip
    return tooltip.text if tooltip.is_visible else ""


def test_cut_chip_shows_its_full_text(driver: WindowDriver) -> None:
    driver.resize(800, 700)
    driver.window.open_screen(ChipScreen(driver.window))
    driver.run_frames(3)
    names = [name for name in driver.window.ui.focusable_names if name.startswith("chip ")]
    assert len(names) == 2
    for name in names:
        hover(driver, driver.window.ui.get_box(name).center)
        assert get_tooltip(driver) == name.removeprefix("chip ")
    pygame.event.post(pygame.event.Event(pygame.WINDOWLEAVE))
    driver.run_frames(2)
    assert not get_tooltip(driver)
    driver.press("Tab", "Tab")
    driver.run_frames(60)
    assert get_tooltip(driver) == driver.window.ui.focus.removeprefix("chip ")


def test_chips_use_the_free_space(driver: WindowDriver) -> None:
    driver.resize(1920, 1080)
    driver.window.open_screen(ChipScreen(driver.window))
    driver.run_frames(3)
    assert driver.window.ui.focusable_names == ["back"], "a chip is cut although there is space"


def test_chip_of_rules_names_all_changes() -> None:
    rules = Rules.parse("standard:height=14,preview=2,randomiser=bag")
    assert format_rules(rules) == "Standard rules, height 14, preview 2, randomiser bag"


@pytest.mark.parametrize(
    ("widths", "space", "expected"),
    [
        ([100, 200], 400, [100, 200]),
        ([100, 300], 348, [100, 240]),
        ([300, 300], 308, [150, 150]),
        ([300, 90, 90], 250, [152, 90]),
        ([300], 100, [100]),
        ([300], 80, []),
        ([], 100, []),
    ],
)
def test_long_chips_are_cut_first(widths: list[int], space: int, expected: list[int]) -> None:
    assert fit_chip_widths(widths, space) == expected


def test_cut_value_of_a_picker_shows_its_full_text(driver: WindowDriver) -> None:
    class PickerScreen(Screen):
        picker = Picker("agent")

        def draw(self, ui: Ui) -> None:
            self.picker.draw(ui, Box(100, 100, 160, 40), LONG_TEXT)

    driver.window.open_screen(PickerScreen(driver.window))
    driver.run_frames(3)
    driver.press("Tab")
    driver.run_frames(60)
    assert get_tooltip(driver) == LONG_TEXT


def test_cut_notice_shows_its_full_text(driver: WindowDriver) -> None:
    driver.resize(800, 700)
    driver.window.show_message(3 * LONG_TEXT)
    driver.run_frames(2)
    driver.window.ui.focus = "notice close"
    driver.run_frames(60)
    assert get_tooltip(driver) == 3 * LONG_TEXT
