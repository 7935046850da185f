"""Every screen is used by keyboard alone: every control can be reached, and Esc leads back to the menu."""

import pygame
import pytest

from tests.app.screen_scenes import PICKER_SCENES, SCENES, make_settings_scene
from tests.app.window_driver import WindowDriver
from tetrion.app.screen import Screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.settings_screen import SETTINGS_TABS
from tetrion.app.toolkit.controls import draw_button
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Box

ARROWS = ("↓", "↑", "→", "←")
MAX_ESCAPES = 3  # a setup or a question, a screen and the screen below it


def find_unreached_controls(driver: WindowDriver) -> set[str]:
    """Return the focusable controls that neither Tab, Shift-Tab nor the arrows reach."""
    ui = driver.window.ui
    expected = set(ui.focusable_names)
    groups = {name: ui.usable_controls[name].group for name in expected}
    reached = {ui.focus}
    for modifiers in (0, pygame.KMOD_SHIFT):
        for _ in range(len(expected) + 2):
            driver.tap("Tab", mod=modifiers)
            reached.add(ui.focus)
    remaining = {groups[name] for name in expected - reached} - {""}
    for group in sorted(remaining, key=lambda name: name == "tabs"):  # the tabs last: they change the page
        for arrow in ARROWS:
            enter_group(driver, group, len(expected))
            reached |= walk_in_group(driver, group, arrow)
    return expected - reached


def walk_in_group(driver: WindowDriver, group: str, arrow: str) -> set[str]:
    """Press an arrow until it leaves a group or the focus stays; return the controls that had the focus."""
    ui = driver.window.ui
    reached = set()
    while ui.focus not in reached and (control := ui.usable_controls.get(ui.focus)) and control.group == group:
        reached.add(ui.focus)
        driver.tap(arrow)
    return reached


def enter_group(driver: WindowDriver, group: str, control_count: int) -> None:
    """Press Tab until a control of a group has the focus."""
    ui = driver.window.ui
    for _ in range(control_count + 2):
        if (control := ui.usable_controls.get(ui.focus)) is not None and control.group == group:
            return
        driver.tap("Tab")


def find_clicks_without_key(driver: WindowDriver) -> set[str]:
    """Return the controls that can be clicked but have no keyboard way."""
    controls = driver.window.ui.usable_controls.values()
    return {control.name for control in controls if control.is_background and not control.key}


def check_keyboard(driver: WindowDriver) -> None:
    """Check that all controls of the current screen can be used by keyboard."""
    assert driver.window.ui.focusable_names, "nothing can be focused"
    assert find_clicks_without_key(driver) == set()
    assert find_unreached_controls(driver) == set()


@pytest.mark.parametrize("size", [(1280, 800), (800, 640)], ids=["wide", "compact"])
@pytest.mark.parametrize("name", SCENES)
def test_every_control_is_reached_by_keyboard(driver: WindowDriver, name: str, size: tuple[int, int]) -> None:
    driver.resize(*size)
    SCENES[name](driver)
    check_keyboard(driver)


@pytest.mark.parametrize("name", [name for name in SCENES if name != "menu"])
def test_escape_leads_back_to_the_menu(driver: WindowDriver, name: str) -> None:
    SCENES[name](driver)
    for _ in range(MAX_ESCAPES):
        if not isinstance(driver.screen, MenuScreen):
            driver.press("Esc")
            driver.run_frames(2)
    assert driver.window.is_running
    assert isinstance(driver.screen, MenuScreen)


@pytest.mark.parametrize("name", PICKER_SCENES)
def test_options_of_a_picker_are_reached_and_escape_closes_only_the_list(driver: WindowDriver, name: str) -> None:
    PICKER_SCENES[name](driver)
    screen = driver.screen
    check_keyboard(driver)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen is screen
    assert driver.window.ui.focus == name.partition("picker ")[2]


class UnreachableScreen(Screen):
    """A screen with a control that loses the focus at once, and one that can only be clicked."""

    title = "Unreachable"

    def draw(self, ui: Ui) -> None:
        for number, name in enumerate(("first", "second", "third")):
            draw_button(ui, name, Box(100, 100 + 60 * number, 200, 40), name)
        ui.add_control("picture", Box(400, 100, 200, 200), is_background=True)
        ui.focus = "first" if ui.focus in ("", "second") else ui.focus


def test_unreachable_controls_are_found(driver: WindowDriver) -> None:
    driver.window.open_screen(UnreachableScreen(driver.window))
    driver.run_frames(3)
    assert "second" in find_unreached_controls(driver)
    assert find_clicks_without_key(driver) == {"picture"}


# Groups.


class GroupScreen(Screen):
    """A screen with a button, a list with a selected row, and another button."""

    title = "Groups"
    selected = "row 2"

    def draw(self, ui: Ui) -> None:
        draw_button(ui, "before", Box(100, 40, 200, 40), "Before")
        for number in range(4):
            name = f"row {number}"
            box = Box(100, 100 + 50 * number, 200, 40)
            ui.add_control(name, box, group="rows", is_selected=name == self.selected)
        draw_button(ui, "after", Box(100, 400, 200, 40), "After")
        if not ui.focus:
            ui.request_focus("before")


def test_group_is_one_tab_stop(driver: WindowDriver) -> None:
    screen = GroupScreen(driver.window)
    driver.window.open_screen(screen)
    driver.run_frames(3)
    ui = driver.window.ui
    visited = []
    for _ in range(4):
        driver.press("Tab")
        visited.append(ui.focus)
    assert visited == ["row 2", "after", "before", "row 2"], "Tab enters at the selected row"
    driver.press("↓", "↓")
    assert ui.focus == "row 3", "the last row keeps the focus"
    driver.press("Tab", "Tab")
    assert ui.focus == "before"
    screen.selected = ""
    driver.run_frames()
    driver.press("Tab")
    assert ui.focus == "row 3", "without a selected row, Tab enters where the focus was"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert ui.focus == "before"
    driver.press("Tab", mod=pygame.KMOD_SHIFT)
    assert ui.focus == "after"


# Settings.


@pytest.mark.parametrize("key", ["→", "Enter", "Space", "Tab"])
def test_settings_page_is_entered_from_its_tab(driver: WindowDriver, key: str) -> None:
    make_settings_scene("Display")(driver)
    assert driver.window.ui.focus == "tab Display"
    driver.press("↓")
    assert driver.window.ui.focus == "tab Play"
    driver.press(key)
    driver.run_frames(2)
    assert driver.window.ui.focus == "set play_rules"
    driver.press("↑")
    driver.run_frames(2)
    assert driver.window.ui.focus == "tab Play"
    assert driver.window.screen.title == "Settings"


def test_settings_page_is_entered_downwards_below_horizontal_tabs(driver: WindowDriver) -> None:
    driver.resize(800, 700)
    make_settings_scene("Display")(driver)
    driver.press("→", "→", "→", "→")
    assert driver.window.ui.focus == "tab Sound"
    driver.press("↓")
    assert driver.window.ui.focus == "set sounds"
    driver.press("↓")
    assert driver.window.ui.focus == "set music"
    driver.press("↑", "↑")
    assert driver.window.ui.focus == "tab Sound"


def test_left_leads_from_a_picker_back_to_the_tab(driver: WindowDriver) -> None:
    make_settings_scene("Play")(driver)
    driver.press("Tab", "←")
    assert driver.window.ui.focus == "tab Play"
    driver.press("→", "↓")
    level = driver.window.settings.level
    driver.press("→")
    assert driver.window.settings.level == level + 1, "the arrows change a setting that has the focus"


def test_tabs_are_one_stop_in_the_settings(driver: WindowDriver) -> None:
    make_settings_scene("Sound")(driver)
    visited = []
    for _ in range(5):
        driver.press("Tab")
        visited.append(driver.window.ui.focus)
    assert visited == ["set sounds", "set music", "set music_volume", "back", "tab Sound"]
    assert len(SETTINGS_TABS) > 1
