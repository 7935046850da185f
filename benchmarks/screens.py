"""Screenshots of the window for README and docs: python -m benchmarks.screens [NAME]."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"  # before the import of pygame

import pygame

from tetrion.agents import load_weighted_agent
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.game_storage import save_game
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.launcher import make_screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.sound import Sound
from tetrion.app.window import DEFAULT_WINDOW_SIZE, Window
from tetrion.app.window_settings import WindowSettings
from tetrion.board import Placement
from tetrion.game import Game

PICTURES_FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
FRAME_SECONDS = 1 / 60
PALETTE_SIZE = 255  # a palette image is much smaller and looks the same


class WindowCamera:
    """A window without a display, with methods to press keys and take screenshots."""

    def __init__(self, **settings: Any) -> None:
        self.window = Window(WindowSettings(**settings), Sound(), DEFAULT_WINDOW_SIZE)
        self.window.open_screen(MenuScreen(self.window))

    def run_frames(self, seconds: float) -> None:
        """Run the window in real time for a number of seconds."""
        for _ in range(round(seconds / FRAME_SECONDS)):
            start = time.perf_counter()
            self.window.run_frame(pygame.event.get(), FRAME_SECONDS)
            time.sleep(max(0.0, FRAME_SECONDS - (time.perf_counter() - start)))

    def press_keys(self, *keys: str) -> None:
        """Press keys by their pygame names."""
        for key in keys:
            code = pygame.key.key_code(key)
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=code, mod=0, unicode=key if len(key) == 1 else ""))
            self.run_frames(0.1)

    def open_screen(self, screen: str, **options: Any) -> Any:
        """Open a screen and return it."""
        self.window.open_screen(make_screen(self.window, screen, **options))
        self.run_frames(0.5)
        return self.window.screen

    def save_screenshot(self, name: str) -> None:
        """Save a screenshot as PNG."""
        from PIL import Image

        surface = self.window.surface
        image = Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))
        palette_image = image.quantize(PALETTE_SIZE, dither=Image.Dither.NONE)
        palette_image.save(PICTURES_FOLDER / f"window-{name}.png", optimize=True)


def play_game(agent: str, rules: str, seed: int, pieces: int) -> Game:
    """Return an agent's game after a number of pieces."""
    game = Game(rules, seed)
    game.play(agent, pieces)
    return game


def show_menu(camera: WindowCamera) -> None:
    """Show the menu after a few moves."""
    camera.run_frames(12)


def show_play(camera: WindowCamera) -> None:
    """Show a person's game under NES rules, with a hint."""
    camera.open_screen("play", game=play_game("dellacherie", "nes", 1834, 96))
    camera.press_keys("h")
    camera.run_frames(2.5)
    camera.press_keys("left", "up")


def show_modern_play(camera: WindowCamera) -> None:
    """Show a person's game under modern rules after a T-spin, with garbage that waits."""
    agent = load_weighted_agent("modern-1")
    game = Game("guideline:garbage_rows=1,garbage_interval=3,garbage_delay=4", 5)
    placement = agent.choose(game.position)
    while game.pieces < 20 or not is_t_spin_double(game, placement):
        game.advance(0.8)  # about the time that a person takes
        game.place(placement)
        placement = agent.choose(game.position)
    camera.open_screen("play", game=game)
    for key in (*game.position.find_keys(placement), "drop"):
        game.press(key)
    camera.run_frames(0.6)


def is_t_spin_double(game: Game, placement: Placement) -> bool:
    """Return whether a placement is a full spin that clears two lines while garbage waits."""
    lines = game.position.after(placement).lines - game.lines
    return placement.spin == "full" and lines == 2 and bool(game.position.garbage)


def show_modern_watch(camera: WindowCamera) -> None:
    """Show modern-1 after a T-spin."""
    screen = camera.open_screen("watch", agent="modern-1", rules="guideline", seed=4, auto=True)
    screen.speed = 4
    while "T-spin double" not in screen.agent_game.action.lines or not is_moving_piece(screen.agent_game):
        camera.run_frames(0.02)


def show_modern_versus(camera: WindowCamera) -> None:
    """Show two agents on the same pieces under modern rules."""
    screen = camera.open_screen("versus", players=("modern-1", "dellacherie"), rules="tetrio", seed=77)
    camera.run_frames(15)
    while not any(player.action.lines for player in screen.match.players):
        camera.run_frames(0.02)


def show_modern_replay(camera: WindowCamera) -> None:
    """Show a replay of a game with garbage."""
    rules = "guideline:garbage_rows=1,garbage_interval=3,garbage_delay=4"
    path, _ = save_game(play_game("modern-1", rules, 5, 120), "modern-1")
    screen = camera.open_screen("replay", file=str(path), move=40)
    camera.run_frames(1)
    while not screen.action.lines:
        camera.press_keys("right")


def show_watch(camera: WindowCamera) -> None:
    """Show medico with its explanation."""
    screen = camera.open_screen("watch", agent="medico", rules="medico", seed=0, auto=True)
    screen.speed = 250
    while screen.agent_game.game.pieces < 120:
        camera.run_frames(0.05)
    screen.speed = 2
    camera.run_frames(3)
    while not is_moving_piece(screen.agent_game):
        camera.run_frames(0.02)


def is_moving_piece(agent_game: AgentGame) -> bool:
    """Return whether some keys of a move have been pressed, but not the last one, so that the piece is in the air."""
    steps = agent_game.key_steps or ()
    return agent_game.current_decision is not None and 2 <= agent_game.drawn_piece.keys_pressed < len(steps)


def show_versus(camera: WindowCamera) -> None:
    """Show two agents on the same pieces."""
    camera.open_screen("versus", players=("gavrilov", "lee"), rules="gavrilov", seed=77)
    camera.run_frames(20)


def show_evolution(camera: WindowCamera) -> None:
    """Show a generation of Gavrilov's genetic algorithm."""
    camera.open_screen("evolution", recipe="gavrilov", seed=84)
    camera.run_frames(3)
    for _ in range(6):
        camera.press_keys("g")
        camera.run_frames(1.5)
    camera.run_frames(6)


def show_review(camera: WindowCamera) -> None:
    """Show the review of a simple agent's game."""
    path, _ = save_game(play_game("lowest", "gavrilov", 3, 60), "lowest")
    camera.open_screen("review", file=str(path), agent="dellacherie")
    camera.run_frames(8)


def show_practice(camera: WindowCamera) -> None:
    """Show the practice screen with an agent's suggestion."""
    game = play_game("gavrilov", "gavrilov", 5, 61)
    camera.open_screen("practice", rules="gavrilov", board="\n".join(reversed(game.stack.rows)))
    camera.press_keys("h")
    camera.run_frames(2)


def show_settings(camera: WindowCamera) -> None:
    """Show the settings with the colour-blind palette."""
    camera.window.change_settings(palette="safe", marks=True)
    camera.open_screen("settings")


SCREENSHOTS: dict[str, Callable[[WindowCamera], None]] = {
    "menu": show_menu,
    "play": show_play,
    "watch": show_watch,
    "versus": show_versus,
    "evolution": show_evolution,
    "review": show_review,
    "practice": show_practice,
    "settings": show_settings,
    "modern-play": show_modern_play,
    "modern-watch": show_modern_watch,
    "modern-versus": show_modern_versus,
    "modern-replay": show_modern_replay,
}


def main() -> None:
    """Take the given screenshots, or all."""
    get_engine_loader().wait()
    for name in sys.argv[1:] or SCREENSHOTS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TETRION_CONFIG_DIR"] = os.environ["TETRION_DATA_DIR"] = folder
            camera = WindowCamera()
            try:
                SCREENSHOTS[name](camera)
                camera.save_screenshot(name)
            finally:
                camera.window.close()


if __name__ == "__main__":
    main()
