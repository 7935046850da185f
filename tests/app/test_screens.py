"""Tests of all screens: readable texts at every size, every control by keyboard, no drawing while nothing changes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygame
import pytest

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.screen_scenes import ALL_SCENES, PICKER_SCENES, SCENES
from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.settings_screen import SETTINGS_TABS
from tetrion.drawing.layout import Box
from tetrion.game_facts import ActionText

SETTLING_FRAMES = 3  # until the layout has followed a new size
SIZES = ((800, 640), (900, 700), (1000, 760), (1280, 720), (1280, 800), (1920, 1080))
UNUSUAL_SIZES = ((200, 160), (1, 1), (300, 1200), (1900, 300))
SCENES_WITH_OVERLAYS = ("versus paused", "versus over", "replays to delete")  # which cover texts
RESTING_SCENES = (
    *("play setup", "play paused", "play over", "watch", "watch over", "watch error"),
    *("versus setup", "versus paused", "versus over"),
    *("evolution setup", "evolution run", "evolution finished"),  # the run is paused
    *("replays", "replays to delete", "replays empty", "replay", "review", "practice"),
    *(f"settings {tab}" for tab in SETTINGS_TABS),
)
SCENES_WITH_TWO_ARRANGEMENTS = ("play running", "watch", "versus match", "evolution run", "replay", "settings Keys")
LONG_TEXT = "The run stands in a folder that this program cannot write, so that it is saved in another one: " + "x" * 80


# Every screen in every state.


def resize(driver: WindowDriver, *size: int) -> None:
    driver.resize(*size)
    driver.run_frames(SETTLING_FRAMES)


def check_layouts(driver: WindowDriver, name: str, page: Path) -> None:
    """Check texts and notices at usual sizes, and that the screen survives unusual ones."""
    screen, has_texts_side_by_side = driver.screen, name not in SCENES_WITH_OVERLAYS
    for size in SIZES:
        resize(driver, *size)
        if has_texts_side_by_side:
            check_texts(driver)
        check_notice(driver, page)
    if has_texts_side_by_side:
        driver.window.change_settings(scale="150 %")
        resize(driver, 1366, 768)
        check_texts(driver)
        driver.window.change_settings(scale="auto")
    for size in UNUSUAL_SIZES:
        driver.resize(*size)
        assert driver.window.native_window.get_surface().size == size
        assert driver.screen is screen, driver.window.notice
    resize(driver, 1280, 800)
    assert driver.window.surface is driver.window.native_window.get_surface(), "the window does not grow again"


def check_notice(driver: WindowDriver, page: Path) -> None:
    """Check that a notice covers no control."""
    driver.window.show_message(LONG_TEXT, file=page)
    driver.run_frames(2)
    controls = [control for control in driver.window.ui.usable_controls.values() if not control.is_background]
    buttons = [control.box for control in controls if control.name.startswith("notice ")]
    width = driver.window.ui.pen.width  # the notice is centred, with a button at its end
    strip = Box(width - buttons[-1].right, buttons[0].top, 2 * buttons[-1].right - width, buttons[0].height)
    covered = [control.name for control in controls if control.box.colliderect(strip)]
    assert all(name.startswith("notice ") for name in covered), covered
    driver.window.notices.current = None
    driver.run_frames()


def escape_to_the_menu(driver: WindowDriver) -> None:
    for _ in range(MAX_ESCAPES):
        if not isinstance(driver.screen, MenuScreen):
            is_paused = "overlay Leave" in driver.window.ui.focusable_names  # Esc would continue the game
            driver.press("Q" if is_paused else "Esc")
            driver.run_frames(2)
    if "overlay Menu" in driver.window.ui.focusable_names:  # in a game that Esc pauses and resumes
        driver.click("overlay Menu")
    assert driver.window.is_running
    assert isinstance(driver.screen, MenuScreen)


@pytest.mark.parametrize("name", SCENES)
def test_every_screen(driver: WindowDriver, folders: Path, name: str) -> None:
    """Readable texts at every size, every control by keyboard, no drawing at rest, and Esc leads to the menu."""
    SCENES[name](driver)
    check_layouts(driver, name, folders / "page.html")
    if name in RESTING_SCENES:
        rest(driver)
        assert advance(driver, 1) == 0
    for size in ((1280, 800), (800, 640)) if name in SCENES_WITH_TWO_ARRANGEMENTS else ((800, 640),):
        resize(driver, *size)
        check_keyboard(driver)
    if name != "menu":
        escape_to_the_menu(driver)


@pytest.mark.parametrize("name", PICKER_SCENES)
def test_every_list_of_options(driver: WindowDriver, name: str) -> None:
    """The list fits into the window and leaves its field visible, and Esc closes only the list."""
    PICKER_SCENES[name](driver)
    screen, ui, picker = driver.screen, driver.window.ui, name.partition("picker ")[2]
    for size in SIZES:
        resize(driver, *size)
        texts = [drawn.text for drawn in record_texts(driver)]
        assert not any(text.startswith("Type to search") and text.endswith("…") for text in texts)
        options = [ui.get_box(name) for name in ui.focusable_names if name.startswith(picker)]
        outline = options[0].unionall(options[1:]).inflate(12, 0)
        assert ui.pen.area.contains(outline)
        assert not outline.colliderect(ui.get_box(picker))
    check_keyboard(driver)
    driver.press("Esc")
    driver.run_frames(2)
    assert driver.screen is screen
    assert ui.focus == picker


# Texts.


def find_action_texts(screen: Any) -> list[ActionText]:
    """Return the action texts that a screen of a modern game shows."""
    if match := getattr(screen, "match", None):
        return [player.action for player in match.players]
    for name in ("agent_game", "human_game"):
        if game := getattr(getattr(screen, "practice_game", screen), name, None):
            return [game.action]
    return [screen.action]


@pytest.mark.parametrize("scene", ["modern play", "modern watch", "modern match", "modern replay", "modern practice"])
def test_action_text_is_shown_at_every_size(driver: WindowDriver, scene: str) -> None:
    SCENES[scene](driver)
    for size in ((800, 640), (1000, 760), (1280, 800)):
        driver.resize(*size)
        texts = find_action_texts(driver.screen)
        for text in texts:
            text.show(("Mini T-spin double", "Back-to-back", "12 combo", "Perfect clear"))
        driver.run_frames(2)
        assert check_texts(driver).count("Mini T-spin double") == len(texts)


# Keyboard.

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


# Groups.


# Redrawing.


def advance(driver: WindowDriver, seconds: float, events: Sequence[pygame.event.Event] = ()) -> int:
    """Run the main loop for some seconds of a fake clock; return the number of frames that were drawn."""
    before = driver.window.frame_count
    for number in range(round(seconds / FRAME_SECONDS)):
        driver.window.advance(events if number == 0 else (), FRAME_SECONDS)
    return driver.window.frame_count - before


def rest(driver: WindowDriver) -> None:
    """Wait until the window is at rest."""
    pygame.event.get()
    advance(driver, 3)


def test_menu_is_redrawn_only_with_its_demo(driver: WindowDriver) -> None:
    assert isinstance(driver.screen, MenuScreen)
    rest(driver)
    assert advance(driver, 1) == 60
    driver.resize(800, 700)
    rest(driver)
    assert advance(driver, 1) == 0


@pytest.mark.parametrize("name", ["play running", "versus match", "versus with a person"])
def test_running_game_is_redrawn(driver: WindowDriver, name: str) -> None:
    ALL_SCENES[name](driver)
    assert advance(driver, 1) == 60


def make_key(key: int, kind: int = pygame.KEYDOWN) -> pygame.event.Event:
    return pygame.event.Event(kind, key=key, mod=0, unicode="")


@pytest.mark.parametrize(
    "event",
    [
        make_key(pygame.K_a),
        pygame.event.Event(pygame.MOUSEMOTION, pos=(10, 10), rel=(0, 0), buttons=(0, 0, 0)),
        pygame.event.Event(pygame.JOYBUTTONDOWN, joy=0, instance_id=0, button=0),
        pygame.event.Event(pygame.WINDOWEXPOSED),
    ],
)
def test_event_wakes_the_window_at_once(driver: WindowDriver, event: pygame.event.Event) -> None:
    driver.open_screen("settings")
    rest(driver)
    assert advance(driver, FRAME_SECONDS, [event]) == 1
    assert 30 <= advance(driver, 3) <= 90, "animations may follow for about a second"
    assert advance(driver, 1) == 0


def test_notice_of_a_thread_appears_and_ends_at_rest(driver: WindowDriver) -> None:
    driver.open_screen("settings")
    rest(driver)
    driver.window.show_message("Saved.")
    assert advance(driver, 0.5) > 0
    advance(driver, 4)
    assert driver.window.notice
    advance(driver, 4)
    assert not driver.window.notice
    assert "notice close" not in driver.window.ui.focusable_names, "its last picture is still shown"
    advance(driver, 3)
    assert advance(driver, 1) == 0
