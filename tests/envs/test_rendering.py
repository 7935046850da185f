"""Rendering of environments: pictures as arrays, in a window and as text."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

from tests.envs.env_games import make_env
from tetrion import Board, Game, Position, Rules, TetrionError
from tetrion.display_check import NoDisplayError
from tetrion.drawing.palette import (
    BACKGROUND,
    BOARD_BACKGROUND,
    DEFAULT_PIECE_COLOURS,
    NEGATIVE,
    hex_to_rgb,
    mix_colours,
)
from tetrion.engine.rules import PRESETS
from tetrion.envs.picture import PictureWindow
from tetrion.envs.rendering import GameRenderer, GameView
from tetrion.stack import Stack

STANDARD = Rules()
STACK = Stack.from_text(["S.........", "SSI.TZZ.OO", ".SI.TTZZ#O"])
DISPLAY_VARIABLES = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
EMPTY_VIEW = GameView(Stack(), None, "T", "", 0, 0, 0, False)
Picture = NDArray[np.uint8]


def render_array(view: GameView, rules: Rules = STANDARD) -> Picture:
    picture = GameRenderer(rules, "rgb_array", 10).render(view)
    assert isinstance(picture, np.ndarray)
    return picture


def render_text(view: GameView, rules: Rules = STANDARD) -> str:
    text = GameRenderer(rules, "ansi", 10).render(view)
    assert isinstance(text, str)
    return text


def count_pixels(picture: Picture, colour: str) -> int:
    return int((picture == hex_to_rgb(colour)).all(axis=2).sum())


def find_rows(picture: Picture, colour: str) -> list[int]:
    """Return the rows of pixels that contain a colour."""
    return [row for row, pixels in enumerate(picture) if (pixels == hex_to_rgb(colour)).all(axis=1).any()]


def get_locked_colour(letter: str) -> str:
    """Return the colour of a locked cell."""
    return mix_colours(DEFAULT_PIECE_COLOURS[letter], BOARD_BACKGROUND, 0.13)


def make_view(game: Game, *, has_keys: bool = False) -> GameView:
    falling = game.falling_piece if has_keys else None
    position = game.position if game.rules.is_modern else None
    counters = game.pieces, game.lines, game.score
    return GameView(game.stack, falling, game.piece, game.next, *counters, game.is_over, position)


@pytest.mark.parametrize("rules", ["nes", "tetrio", "standard:height=4", "standard-10x10:preview=5"])
def test_arrays_have_one_size_for_all_states_of_a_game(rules: str) -> None:
    game = Game(rules, 2)
    renderer = GameRenderer(game.rules, "rgb_array", 10)
    views = [make_view(game), make_view(game, has_keys=True)]
    while not game.is_over:
        game.place(game.placements()[0])
        views.append(make_view(game))
    pictures = [renderer.render(view) for view in views]
    (shape,) = {picture.shape for picture in pictures if isinstance(picture, np.ndarray)}
    height, width, channels = shape
    assert channels == 3
    assert height % 2 == width % 2 == 0, "video encoders need even sizes"


def test_arrays_are_new_and_writable() -> None:
    renderer = GameRenderer(STANDARD, "rgb_array", 10)
    first = renderer.render(EMPTY_VIEW)
    second = renderer.render(EMPTY_VIEW._replace(stack=STACK))
    assert isinstance(first, np.ndarray)
    assert isinstance(second, np.ndarray)
    assert first.dtype == np.uint8
    assert first.flags.writeable
    assert first.flags.c_contiguous
    assert (first != second).any(), "the first array keeps its picture"
    assert tuple(first[0, 0]) == hex_to_rgb(BACKGROUND)


@pytest.mark.parametrize("rules", PRESETS)
def test_waiting_piece_is_drawn_where_the_game_spawns_it(rules: str) -> None:
    game = Game(rules, 5)
    waiting, spawned = make_view(game), make_view(game, has_keys=True)
    assert spawned.falling is not None
    assert (render_array(waiting, game.rules) == render_array(spawned, game.rules)).all()
    assert render_text(waiting, game.rules) == render_text(spawned, game.rules)


def test_text_of_a_position() -> None:
    rules = Rules.parse("standard:height=5,spawn_height=2,preview=2")
    view = GameView(Stack(STACK.rows, 5), None, "T", "LJ", 1234, 21, 300, False)
    assert render_text(view, rules).split("\n") == [
        "     T",
        "    TTT",
        "|..........|",
        "|..........|",
        "|S.........|",
        "|SSI.TZZ.OO|",
        "|.SI.TTZZ#O|",
        "+----------+",
        "Piece T, next LJ",
        "Pieces 1,234, lines 21, score 300",
    ]


def test_picture_shows_hold_and_garbage() -> None:
    rules = Rules.parse("guideline:garbage_rows=1")
    position = Position(Board(rows=28), "T", "", rules)
    empty = render_array(EMPTY_VIEW._replace(position=position), rules)
    assert not count_pixels(empty, DEFAULT_PIECE_COLOURS["Z"])
    held = render_array(EMPTY_VIEW._replace(position=replace(position, hold="Z")), rules)
    assert count_pixels(held, DEFAULT_PIECE_COLOURS["Z"]) > 500
    used = render_array(EMPTY_VIEW._replace(position=replace(position, hold="Z", can_hold=False)), rules)
    assert not count_pixels(used, DEFAULT_PIECE_COLOURS["Z"])
    heights = []
    for rows in (2, 5):
        waiting = render_array(EMPTY_VIEW._replace(position=replace(position, garbage=((rows, 0),))), rules)
        heights.append(len(find_rows(waiting, NEGATIVE)))
    assert heights[1] - heights[0] == 3 * 24


@pytest.mark.parametrize("rules", ["guideline:garbage_rows=2,garbage_interval=3,garbage_messiness=50", "tetrio"])
@pytest.mark.parametrize("environment_id", ["tetrion/Placement-v0", "tetrion/Keys-v0"])
def test_colours_of_cells_are_those_of_the_game(environment_id: str, rules: str) -> None:
    env = make_env(environment_id, rules=rules, render_mode="ansi")
    for seed in range(2):
        env.reset(seed=seed)
        game = Game(rules, seed)
        meanings = env.get_action_meanings()
        is_over = False
        while not is_over:
            action = env.sample_action()
            if environment_id == "tetrion/Placement-v0":
                game.place(env.get_placement(action))
            else:
                if action:
                    game.press(meanings[action])
                game.tick(game.rules.frames_per_key)
            is_over = env.step(action)[2]
            assert env._stacks._stacks[0] == game.stack


PROGRAM_START = """
import sys
from tetrion import Rules
from tetrion.envs.rendering import GameRenderer, GameView
from tetrion.stack import Stack
view = GameView(Stack(), None, 'T', '', 0, 0, 0, False)
"""


def run_program(program: str, **variables: str) -> str:
    """Run a program in a new process without a display, unless `variables` set one, and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in DISPLAY_VARIABLES} | variables
    command = [sys.executable, "-c", PROGRAM_START + program]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_use_of_pygame_beside_other_programs() -> None:
    """Text loads no pygame, arrays need no display, and renderers survive `pygame.quit` of other environments."""
    program = """
GameRenderer(Rules(), 'ansi', 10).render(view)
print('pygame' in sys.modules)
array, window = GameRenderer(Rules(), 'rgb_array', 10), GameRenderer(Rules(), 'human', 1000)
array.render(view)
import pygame
print(pygame.display.get_init())
for score in range(3):
    array.render(view._replace(score=score)), window.render(view._replace(score=score))
    pygame.quit()
    pygame.init()
window.close()
print(array.render(view._replace(score=987)).shape)
"""
    lines = run_program(program, SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy").split("\n")
    assert lines[:2] == ["False", "False"]
    assert lines[-1].startswith("(612, ")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has machines without a display")
@pytest.mark.parametrize("variables", [{}, {"SDL_VIDEODRIVER": "nonsense"}])
def test_missing_display_is_an_error_that_names_the_other_mode(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pygame.display.quit()
    for name in DISPLAY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(NoDisplayError, match=r"no display .*render_mode='rgb_array'") as caught:
        GameRenderer(STANDARD, "human", 10).render(EMPTY_VIEW)
    assert isinstance(caught.value, TetrionError)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[GameRenderer]:
    """A renderer that shows its first view in a window of the dummy driver."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    renderer = GameRenderer(STANDARD, "human", 1000)
    assert renderer.render(EMPTY_VIEW) is None
    yield renderer
    renderer.close()
    pygame.display.quit()


def get_window(renderer: GameRenderer) -> tuple[PictureWindow, pygame.Window]:
    assert renderer._window is not None
    assert renderer._window._window is not None
    return renderer._window, renderer._window._window


def test_window_shows_the_same_picture(shown: GameRenderer) -> None:
    view = EMPTY_VIEW._replace(stack=STACK, score=12)
    shown.render(view)
    surface = get_window(shown)[1].get_surface()
    picture = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    assert (picture == render_array(view)).all()


def test_events_of_other_windows_and_keys_are_kept(shown: GameRenderer) -> None:
    other = GameRenderer(STANDARD, "human", 1000)
    other.render(EMPTY_VIEW)
    pygame.event.clear()
    pygame.event.post(pygame.Event(pygame.WINDOWCLOSE, window=get_window(other)[1]))
    pygame.event.post(pygame.Event(pygame.KEYDOWN, key=pygame.K_LEFT))
    pygame.event.post(pygame.Event(pygame.MOUSEMOTION, pos=(1, 1)))
    shown.render(EMPTY_VIEW)
    assert get_window(shown)[0].is_open
    other_window, _ = get_window(other)
    other.render(EMPTY_VIEW)
    assert not other_window.is_open
    assert [event.type for event in pygame.event.get((pygame.KEYDOWN, pygame.MOUSEMOTION))] == [pygame.KEYDOWN]
