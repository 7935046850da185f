"""The well-known spins of `tests/golden/spins` in the engine: pressed in a real game, and listed as placements."""

import pytest

from tests.game.reference_comparison import to_engine_board
from tests.reference.spin_cases import read_spin_cases
from tetrion import Game, Position
from tetrion.engine.rules import Rules

CASES = {case.name: case for case in read_spin_cases()}
BASE_RULES = "perft:keys=left+right+rotate+back+half+down+drop,lock_delay=500,lock_resets=1000,gravity=0"


@pytest.mark.parametrize("name", CASES)
def test_spin_cases_in_the_engine(name: str) -> None:
    """T-spin triple, fin, Neo, mini cases and others."""
    case = CASES[name]
    for changes, spin in case.spins.items():
        rules = Rules.parse(f"{BASE_RULES},{changes}")
        position = Position.from_board(to_engine_board(case.board), case.piece, "I", rules)
        game = Game.from_position(position)
        for key in case.keys:
            presses = 1
            while game.press("down" if key == "floor" else key):
                presses += 1
                if key != "floor":
                    break
            assert presses > 1, f"{key} is blocked"
        game.press("drop")
        (placement,) = game.placements_made
        assert set(placement.cells) == set(case.cells)
        assert (placement.spin, game.lines) == (spin, case.rows)
        assert placement in position.placements()
        keys = position.find_keys(placement)
        again = Game.from_position(position)
        for key in (*keys, "drop"):
            again.press(key)
        assert again.placements_made == [placement]
