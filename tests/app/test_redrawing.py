"""The window is redrawn only when something can have changed."""

from collections.abc import Sequence

import pygame
import pytest

from tests.app.screen_scenes import ALL_SCENES, open_watch
from tests.app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion.app.screen import Screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.replays_screen import ReplaysScreen
from tetrion.app.screens.settings_screen import SETTINGS_TABS

RESTING_SCENES = [
    "play setup",
    "play paused",
    "play over",
    "watch",
    "watch over",
    "watch error",
    "versus setup",
    "versus paused",
    "versus over",
    "evolution setup",
    "evolution run",  # paused
    "evolution finished",
    "replays",
    "replays to delete",
    "replays empty",
    "replay",
    "review",
    "practice",
    "play setup, picker rules",
    *(f"settings {tab}" for tab in SETTINGS_TABS),
]


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


@pytest.mark.parametrize("name", RESTING_SCENES)
def test_screen_at_rest_is_not_redrawn(driver: WindowDriver, name: str) -> None:
    ALL_SCENES[name](driver)
    rest(driver)
    assert advance(driver, 1) == 0


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


def test_watched_game_moves_until_its_piece_is_placed(driver: WindowDriver) -> None:
    screen = open_watch(driver)
    rest(driver)
    driver.press("N")
    driver.run_until(lambda: not screen.is_moving)
    assert screen.agent_game.game.pieces == 1
    screen.autoplay = True
    screen.update(FRAME_SECONDS)
    assert screen.is_moving


def test_screen_is_redrawn_by_default(driver: WindowDriver) -> None:
    driver.window.open_screen(Screen(driver.window))
    rest(driver)
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


def test_held_key_repeats_at_rest(driver: WindowDriver) -> None:
    driver.resize(800, 700)
    rest(driver)
    driver.window.ui.focus = "Play"
    advance(driver, 3, [make_key(pygame.K_DOWN)])
    assert driver.window.ui.focus == "Quit"
    advance(driver, 1, [make_key(pygame.K_DOWN, pygame.KEYUP)])
    rest(driver)
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


def test_screen_that_starts_to_move_is_redrawn(driver: WindowDriver) -> None:
    class SlowScreen(Screen):
        is_loaded = True

        @property
        def is_moving(self) -> bool:
            return not self.is_loaded

    screen = SlowScreen(driver.window)
    driver.window.open_screen(screen)
    rest(driver)
    assert advance(driver, 1) == 0
    screen.is_loaded = False
    assert advance(driver, 1) == 60


def test_replays_are_redrawn_when_the_list_has_changed(driver: WindowDriver) -> None:
    ALL_SCENES["replays"](driver)
    rest(driver)
    screen = driver.screen
    assert isinstance(screen, ReplaysScreen)
    screen.library.remove(screen.library.summaries[0].path)
    assert advance(driver, 1) > 0


def test_hidden_window_is_not_redrawn_but_advances(driver: WindowDriver) -> None:
    class CountingScreen(Screen):
        updates = 0

        def update(self, seconds: float) -> None:
            self.updates += 1

    screen = CountingScreen(driver.window)
    driver.window.open_screen(screen)
    rest(driver)
    for hiding, showing in (
        (pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED),
        (pygame.WINDOWHIDDEN, pygame.WINDOWSHOWN),
    ):
        updates = screen.updates
        assert advance(driver, 1, [pygame.event.Event(hiding)]) <= 1
        assert advance(driver, 1) == 0
        assert screen.updates - updates >= 119
        assert advance(driver, 1, [pygame.event.Event(showing)]) >= 59


def test_frame_times_are_those_of_drawn_frames(driver: WindowDriver) -> None:
    driver.open_screen("settings")
    rest(driver)
    count = len(driver.window.frame_times)
    advance(driver, 1)
    assert len(driver.window.frame_times) == count
    advance(driver, 0.1, [make_key(pygame.K_a)])
    assert len(driver.window.frame_times) > count or count == 600


def test_error_while_asking_whether_a_screen_moves_leaves_the_menu_usable(driver: WindowDriver) -> None:
    class BrokenScreen(Screen):
        title = "Broken"

        @property
        def is_moving(self) -> bool:
            raise ZeroDivisionError("test error")

    driver.window.open_screen(BrokenScreen(driver.window))
    advance(driver, 1)
    assert isinstance(driver.screen, MenuScreen)
    assert "test error" in driver.window.notice
