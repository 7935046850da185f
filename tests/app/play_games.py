"""Games of a human player in a test: starting, finishing and reading them."""

from tests.app.window_driver import WindowDriver
from tetrion.app.games.human_game import HumanGame
from tetrion.app.screens.play_screen import (
    GAME_OVER,
    GAME_RUNNING,
    PlayScreen,
)
from tetrion.game import Game


def start_game(driver: WindowDriver, rules: str = "standard", seed: int = 7, **options: object) -> PlayScreen:
    screen = driver.open_screen("play", rules=rules, seed=seed, start=True, **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GAME_RUNNING
    return screen


def get_game(screen: PlayScreen) -> Game:
    return get_human_game(screen).game


def get_human_game(screen: PlayScreen) -> HumanGame:
    assert screen.human_game is not None
    return screen.human_game


def finish_game(driver: WindowDriver, screen: PlayScreen) -> None:
    for _ in range(40):
        driver.press("Space")
        if screen.state == GAME_OVER:
            return
    raise AssertionError("the game did not end after 40 hard drops")


def get_column(screen: PlayScreen) -> int:
    falling = get_game(screen).falling_piece
    assert falling is not None
    return falling.column
