"""Random key presses, releases and frames: no sequence of actions breaks a game."""

from random import Random

import pytest

from tests.reference.pieces import WIDTH
from tetrion import Game, Rules
from tetrion.engine.presets import PRESETS


def is_consistent(game: Game) -> bool:
    """Return whether the number of cells is right and the falling piece overlaps neither walls nor filled cells."""
    columns, falling = game.board.columns, game.falling_piece
    if sum(column.bit_count() for column in columns) != 4 * game.pieces - 10 * game.lines:
        return False
    cells = [] if falling is None else falling.cells
    return all(0 <= column < WIDTH and row >= 0 and not columns[column] >> row & 1 for column, row in cells)


def play(name: str, actions: int, seed: int) -> int:
    """Perform random actions in one game after another and return the number of games."""
    random, rules = Random(f"invariants, {name}, seed {seed}"), Rules.from_preset(name)
    keys = rules.keys.split("+")
    games, game = 0, Game(rules)
    for number in range(actions):
        if game.is_over:
            games += 1
            game = Game(rules, seed=games)
        chance, key = random.random(), keys[int(random.random() * len(keys))]
        if chance < 0.45:
            game.press(key)
        elif chance < 0.55:
            game.key_down(key)
        elif chance < 0.7:
            game.key_up(key)
        else:
            game.tick(int(100 ** random.random()))
        assert is_consistent(game), f"{rules}, game {games}, action {number}: {game.events[-5:]}\n{game.board}"
    return games


@pytest.mark.parametrize("name", list(PRESETS))
def test_random_keys_never_break_a_game(name: str) -> None:
    assert play(name, actions=20_000, seed=0) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PRESETS))
def test_a_million_random_keys_never_break_a_game(name: str) -> None:
    assert play(name, actions=1_000_000 // len(PRESETS), seed=1) > 10
