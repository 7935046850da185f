"""The pictures of the window for README and docs, taken of the window itself: python -m benchmarks.screens [NAME]."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"  # before pygame is imported

import pygame

from tetrion.agents import load_weighted_agent
from tetrion.app.audio.sound import Sound
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.game_storage import save_game
from tetrion.app.launcher import make_screen
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.window import Window
from tetrion.app.window_settings import WindowSettings
from tetrion.game import Game

PICTURES_FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
FRAME_SECONDS = 1 / 60
PALETTE_SIZE = 255  # of a picture, which is many times smaller then and looks the same


class WindowCamera:
    """A window without a display, and a person who presses keys in it."""

    def __init__(self, **settings: Any) -> None:
        self.window = Window(WindowSettings(**settings), Sound())
        self.window.open_screen(MenuScreen(self.window))

    def run_frames(self, seconds: float) -> None:
        """Let time pass, as much of it here as in the window."""
        for _ in range(round(seconds / FRAME_SECONDS)):
            begun = time.perf_counter()
            self.window.run_frame(pygame.event.get(), FRAME_SECONDS)
            time.sleep(max(0.0, FRAME_SECONDS - (time.perf_counter() - begun)))

    def press_keys(self, *keys: str) -> None:
        """Press keys by pygame's names for them."""
        for key in keys:
            code = pygame.key.key_code(key)
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=code, mod=0, unicode=key if len(key) == 1 else ""))
            self.run_frames(0.1)

    def open_screen(self, screen: str, **options: Any) -> Any:
        """Put a screen in front."""
        self.window.open_screen(make_screen(self.window, screen, **options))
        self.run_frames(0.5)
        return self.window.screen

    def save_screenshot(self, name: str) -> None:
        """Write what is seen."""
        from PIL import Image

        surface = self.window.surface
        picture = Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))
        few = picture.quantize(PALETTE_SIZE, dither=Image.Dither.NONE)
        few.save(PICTURES_FOLDER / f"window-{name}.png", optimize=True)


def play_game(agent: str, rules: str, seed: int, pieces: int) -> Game:
    """A game that an agent has played for a while."""
    game = Game(rules, seed)
    game.play(load_weighted_agent(agent).get_engine_settings(game.rules), pieces)
    return game


def menu(camera: WindowCamera) -> None:
    """The menu after a few moves."""
    camera.run_frames(12)


def play(camera: WindowCamera) -> None:
    """A person's game under the console's rules, with a hint."""
    camera.open_screen("play", game=play_game("dellacherie", "nes", 1834, 96))
    camera.press_keys("h")
    camera.run_frames(2.5)
    camera.press_keys("left", "up")


def watch(camera: WindowCamera) -> None:
    """Medico's bot and its reasons."""
    screen = camera.open_screen("watch", agent="medico", rules="medico", seed=0, auto=True)
    screen.speed = 250
    while screen.agent_game.game.pieces < 120:
        camera.run_frames(0.05)
    screen.speed = 2
    camera.run_frames(3)
    while not (screen.agent_game.current_decision and screen.agent_game.keys_pressed >= 2):
        camera.run_frames(0.02)


def versus(camera: WindowCamera) -> None:
    """Two agents on the same pieces."""
    camera.open_screen("versus", players=("gavrilov", "lee"), rules="gavrilov", seed=77)
    camera.run_frames(20)


def evolution(camera: WindowCamera) -> None:
    """A generation of Gavrilov's genetic algorithm."""
    camera.open_screen("evolution", recipe="gavrilov", seed=84)
    camera.run_frames(3)
    for _ in range(6):
        camera.press_keys("g")
        camera.run_frames(1.5)
    camera.run_frames(6)


def review(camera: WindowCamera) -> None:
    """A game of a simple agent, graded."""
    path, _ = save_game(play_game("lowest", "gavrilov", 3, 60), "lowest")
    camera.open_screen("review", file=str(path), agent="dellacherie")
    camera.run_frames(8)


def practice(camera: WindowCamera) -> None:
    """The test bench, an agent being asked."""
    game = play_game("gavrilov", "gavrilov", 5, 61)
    camera.open_screen("practice", position=game.position)
    camera.press_keys("a")
    camera.run_frames(2)


def settings(camera: WindowCamera) -> None:
    """Settings with the palette for colour-blind people."""
    camera.window.change_settings(palette="safe", marks=True)
    camera.open_screen("settings")


SCREENSHOTS: dict[str, Callable[[WindowCamera], None]] = {
    made_by.__name__: made_by for made_by in (menu, play, watch, versus, evolution, review, practice, settings)
}


def main() -> None:
    """Take the pictures that are named, or all."""
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
