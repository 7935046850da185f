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

from tetrion.agents import data_agent
from tetrion.app.audio.sound import Sound
from tetrion.app.readiness import engine
from tetrion.app.screens.menu import MenuScreen
from tetrion.app.settings import Settings
from tetrion.app.shelf import keep_game
from tetrion.app.start import made
from tetrion.app.window import Window
from tetrion.game import Game

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
FRAME = 1 / 60
COLOURS = 255  # of a picture, which is many times smaller then and looks the same


class Photographer:
    """A window without a display, and a person who presses keys in it."""

    def __init__(self, **settings: Any) -> None:
        self.window = Window(Settings(**settings), Sound())
        self.window.open(MenuScreen(self.window))

    def frames(self, seconds: float) -> None:
        """Let time pass, as much of it here as in the window."""
        for _ in range(round(seconds / FRAME)):
            begun = time.perf_counter()
            self.window.frame(pygame.event.get(), FRAME)
            time.sleep(max(0.0, FRAME - (time.perf_counter() - begun)))

    def press(self, *keys: str) -> None:
        """Press keys by pygame's names for them."""
        for key in keys:
            code = pygame.key.key_code(key)
            for kind in (pygame.KEYDOWN, pygame.KEYUP):
                pygame.event.post(pygame.event.Event(kind, key=code, mod=0, unicode=key if len(key) == 1 else ""))
            self.frames(0.1)

    def open(self, screen: str, **options: Any) -> Any:
        """Put a screen in front."""
        self.window.open(made(self.window, screen, **options))
        self.frames(0.5)
        return self.window.screen

    def save(self, name: str) -> None:
        """Write what is seen."""
        from PIL import Image

        surface = self.window.surface
        picture = Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))
        few = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(FOLDER / f"window-{name}.png", optimize=True)


def game_of(agent: str, rules: str, seed: int, pieces: int) -> Game:
    """A game that an agent has played for a while."""
    game = Game(rules, seed)
    game.play(data_agent(agent).setting(game.rules), pieces)
    return game


def menu(camera: Photographer) -> None:
    """The menu after a few moves."""
    camera.frames(12)


def play(camera: Photographer) -> None:
    """A person's game under the console's rules, with a hint."""
    camera.open("play", game=game_of("dellacherie", "nes", 1834, 96))
    camera.press("h")
    camera.frames(2.5)
    camera.press("left", "up")


def watch(camera: Photographer) -> None:
    """Medico's bot and its reasons."""
    screen = camera.open("watch", agent="medico", rules="medico", seed=0, auto=True)
    screen.seat.speed = 250
    while screen.seat.game.pieces < 120:
        camera.frames(0.05)
    screen.seat.speed = 2
    camera.frames(3)
    while not (screen.seat.decision_of_now and screen.seat.keys_pressed >= 2):
        camera.frames(0.02)


def versus(camera: Photographer) -> None:
    """Two agents on the same pieces."""
    camera.open("versus", players=("gavrilov", "lee"), rules="gavrilov", seed=77)
    camera.frames(20)


def evolution(camera: Photographer) -> None:
    """A generation of Gavrilov's genetic algorithm."""
    camera.open("evolution", recipe="gavrilov", seed=84)
    camera.frames(3)
    for _ in range(6):
        camera.press("g")
        camera.frames(1.5)
    camera.frames(6)


def review(camera: Photographer) -> None:
    """A game of a simple agent, graded."""
    path, _ = keep_game(game_of("lowest", "gavrilov", 3, 60), "lowest")
    camera.open("review", file=str(path), agent="dellacherie")
    camera.frames(8)


def practice(camera: Photographer) -> None:
    """The test bench, an agent being asked."""
    game = game_of("gavrilov", "gavrilov", 5, 61)
    camera.open("practice", position=game.position)
    camera.press("a")
    camera.frames(2)


def settings(camera: Photographer) -> None:
    """Settings with the palette for colour-blind people."""
    camera.window.choose(palette="safe", marks=True)
    camera.open("settings")


PICTURES: dict[str, Callable[[Photographer], None]] = {
    made_by.__name__: made_by for made_by in (menu, play, watch, versus, evolution, review, practice, settings)
}


def main() -> None:
    """Take the pictures that are named, or all."""
    engine().wait()
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TETRION_CONFIG_DIR"] = os.environ["TETRION_DATA_DIR"] = folder
            camera = Photographer()
            try:
                PICTURES[name](camera)
                camera.save(name)
            finally:
                camera.window.close()


if __name__ == "__main__":
    main()
