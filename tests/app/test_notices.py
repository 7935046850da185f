"""Notices and tooltips: where they are shown, when they end, and the buttons for a file."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.drawn_texts import record_texts
from tests.app.screen_scenes import SCENES
from tests.app.window_driver import WindowDriver
from tetrion.app.screen import Screen
from tetrion.app.toolkit.tooltip import Tooltip
from tetrion.drawing.pen import Box, Pen

LONG_TEXT = "The run stands in a folder that this program cannot write, so that it is saved in another one: " + "x" * 80
SIZES = [(800, 640), (1000, 760), (1280, 800), (1920, 1080)]


def find_covered_controls(driver: WindowDriver) -> set[str]:
    """Return the controls of the screen that overlap with the notice, which is centred, with a button at its end."""
    controls = driver.window.ui.usable_controls.values()
    buttons = [control.box for control in controls if control.name.startswith("notice ")]
    width = driver.window.ui.pen.width
    strip = Box(width - buttons[-1].right, buttons[0].top, 2 * buttons[-1].right - width, buttons[0].height)
    others = [control for control in controls if not control.name.startswith("notice ") and not control.is_background]
    return {control.name for control in others if control.box.colliderect(strip)}


@pytest.mark.parametrize("name", SCENES)
def test_notice_covers_no_control(driver: WindowDriver, name: str, folders: Path) -> None:
    SCENES[name](driver)
    driver.window.show_message(LONG_TEXT, file=folders / "page.html")
    for size in SIZES:
        driver.resize(*size)
        assert find_covered_controls(driver) == set(), size


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


def test_notice_ends_with_its_screen_or_belongs_to_the_next_one(driver: WindowDriver) -> None:
    class SavingScreen(Screen):
        message = ""

        def on_leave(self) -> None:
            if self.message:
                self.window.show_message(self.message)

    for message in ("", "The game cannot be saved."):
        screen = SavingScreen(driver.window)
        screen.message = message
        driver.window.open_screen(screen)
        driver.window.show_message("About this screen.")
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
    def get_tooltip() -> str:
        driver.run_frames(60)
        return shown[-1]

    def record(tooltip: Tooltip, pen: Pen) -> None:
        draw(tooltip, pen)
        shown.append(tooltip.text if tooltip.is_visible else "")

    shown: list[str] = []
    draw = Tooltip.draw
    monkeypatch.setattr(Tooltip, "draw", record)
    SCENES["watch with long rules"](driver)
    driver.resize(800, 700)
    driver.window.show_message(LONG_TEXT)
    driver.run_frames(3)
    for name, expected in (("notice close", LONG_TEXT), ("back", "")):
        driver.window.ui.focus = name
        assert get_tooltip() == expected
    driver.window.ui.focus = "rules chip"
    rules = get_tooltip()
    assert rules not in {drawn.text for drawn in record_texts(driver)}
    driver.resize(1920, 1080)
    assert rules in {drawn.text for drawn in record_texts(driver)}, "it is cut although there is space"
    driver.resize(800, 700)
    driver.window.ui.focus = "back"
    point = driver.window.ui.pen.to_pixel_point(driver.window.ui.get_box("rules chip").center)
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, pos=point, rel=(0, 0)))
    assert get_tooltip() == rules, "the pointer is on it"
    pygame.event.post(pygame.event.Event(pygame.WINDOWLEAVE))
    assert not get_tooltip()
