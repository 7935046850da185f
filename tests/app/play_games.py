"""Games of a human player in a test: starting, playing and reading them."""

import pygame

from tests.app.window_driver import WindowDriver, find_key_code
from tetrion.app.games.human_game import HumanGame
from tetrion.app.screens.play_screen import GAME_OVER, GAME_RUNNING, PlayScreen
from tetrion.board import Placement
from tetrion.game import Game


def start_game(driver: WindowDriver, rules: str = "standard", seed: int | None = 7, **options: object) -> PlayScreen:
    screen = driver.open_screen("play", rules=rules, seed=seed, start=True, **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    skip_countdown(driver)
    return screen


def skip_countdown(driver: WindowDriver) -> None:
    """Let the countdown pass, if there is one; then no time has passed in the game."""
    screen = driver.screen
    assert isinstance(screen, PlayScreen)
    while screen.countdown > 0:
        driver.run_frames(1, screen.countdown)


def get_game(screen: PlayScreen) -> Game:
    return get_human_game(screen).game


def get_human_game(screen: PlayScreen) -> HumanGame:
    assert screen.human_game is not None
    return screen.human_game


def get_falling_piece(screen: PlayScreen) -> Placement:
    falling = get_game(screen).falling_piece
    assert falling is not None
    return falling


def get_column(screen: PlayScreen) -> int:
    return get_falling_piece(screen).column


def finish_game(driver: WindowDriver, screen: PlayScreen) -> None:
    for _ in range(40):
        driver.press("Space")
        if screen.state == GAME_OVER:
            return
    raise AssertionError("the game did not end after 40 hard drops")


def press_at_once(driver: WindowDriver, *keys: str) -> None:
    """Press and release keys within one frame."""
    for key in keys:
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            pygame.event.post(pygame.event.Event(kind, key=find_key_code(key), mod=0, unicode=""))
    driver.run_frames()
