"""Random key presses, releases and frames: no sequence of actions breaks a game."""

from random import Random

import pytest

from tests.game.test_game import GUIDELINE
from tests.reference.pieces import WIDTH
from tetrion import Game, Rules
from tetrion.engine.rules import PRESETS
from tetrion.game import copy_game_record

GARBAGE_RULES = f"{GUIDELINE},garbage_rows=1,garbage_interval=4,garbage_messiness=30"
RULES = [*PRESETS, GARBAGE_RULES, f"{GUIDELINE},start_level=20,arr=instant,height=10"]


def is_consistent(game: Game) -> bool:
    """Return whether all cells and lines are accounted for, and the falling piece overlaps nothing."""
    record = copy_game_record(game)
    columns = game.board.columns
    filled = 4 * game.pieces + (WIDTH - 1) * record.received - WIDTH * game.lines
    has_all_cells = sum(column.bit_count() for column in columns) == filled
    if not has_all_cells and not (game.is_over and game.rules.garbage_rows):  # rows pushed out at the end are lost
        return False
    if not game.is_over and len(game.next) != game.rules.preview:
        return False
    if sum((number + 1) * count for number, count in enumerate(record.clears)) != game.lines:
        return False
    cells = [] if game.falling_piece is None else game.falling_piece.cells
    return all(0 <= column < WIDTH and 0 <= row < 32 and not columns[column] >> row & 1 for column, row in cells)


def get_exchanged_pieces(game: Game) -> tuple[int, int]:
    """Return the numbers of the piece in the hold box and of the current one."""
    record = copy_game_record(game)
    return int(record.hold), int(record.queue[0])


def play(rules: Rules, actions: int, seed: int) -> list[tuple[int, int, int]]:
    """Perform random actions in one game after another and return the results of the games."""
    random = Random(f"invariants, {rules}, seed {seed}")
    keys = rules.keys
    results: list[tuple[int, int, int]] = []
    game = Game(rules)
    exchanges = (0, 0)  # the number of pieces placed, and how often the current piece was exchanged
    for number in range(actions):
        if game.is_over:
            results.append((game.pieces, game.score, game.frames))
            game = Game(rules, seed=len(results))
            exchanges = (0, 0)
        before = get_exchanged_pieces(game)
        chance, key = random.random(), keys[int(random.random() * len(keys))]
        if chance < 0.45:
            game.press(key)
        elif chance < 0.55:
            game.key_down(key)
        elif chance < 0.7:
            game.key_up(key)
        else:
            game.tick(int(100 ** random.random()))
        if game.pieces != exchanges[0]:
            exchanges = (game.pieces, 0)
        elif get_exchanged_pieces(game) != before:
            exchanges = (game.pieces, exchanges[1] + 1)
        is_valid = is_consistent(game) and exchanges[1] <= 1
        assert is_valid, f"{rules}, game {len(results)}, action {number}: {game.events[-5:]}\n{game.board}"
    return results


@pytest.mark.parametrize("rules", RULES)
def test_random_keys_never_break_a_game(rules: str) -> None:
    play(Rules.parse(rules), actions=4_000, seed=0)  # which checks the game after each action


def test_equal_seeds_give_equal_games() -> None:
    results = play(Rules.parse(GARBAGE_RULES), actions=2_000, seed=0)
    assert results
    assert play(Rules.parse(GARBAGE_RULES), actions=2_000, seed=0) == results


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_a_million_random_keys_never_break_a_game(rules: str) -> None:
    assert len(play(Rules.parse(rules), actions=1_000_000 // len(PRESETS), seed=1)) > 10
