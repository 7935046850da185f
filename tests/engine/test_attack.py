"""The attack of all clears in the engine, compared with the reference, whose values are worked out by hand."""

from itertools import product
from typing import Any

import pytest

from tests.reference.attack import Clear, compute_attack as compute_reference_attack
from tests.reference.test_attack import CHAINS, CLEARS, PROFILES
from tetrion import Board, Game, Position
from tetrion.engine.attack import compute_attack
from tetrion.engine.records import SPIN_KINDS, FullGameRecord
from tetrion.engine.rules import Rules

# A T-spin double with one front corner, which a kick makes full under spin_kick=any (fin).
FIN_BOARD = ["####......", "##....####", "##...#####", "##..######", "##.#######"]
FIN_KEYS = ["rotate", *["down"] * 18, "rotate", "left", "back"]


@pytest.mark.parametrize("profile", PROFILES)
def test_attack_of_every_clear_by_combo_and_chain(profile: str) -> None:
    game: Any = FullGameRecord.make_array(1)[0]
    rules: Any = Rules.from_preset("guideline").with_(attack=profile).to_record()[0]
    kinds = sorted({(clear.spin, clear.rows) for clear in CLEARS if clear.rows})
    assert len(kinds) == 10
    for (spin, rows), chain, combo, is_perfect in product(kinds, CHAINS, range(21), (False, True)):
        game.back_to_back, game.combo = chain, combo
        attack = compute_attack(game, rules, rows, SPIN_KINDS.index(spin), is_perfect)
        clear = Clear(spin, rows, combo, chain, is_perfect)
        assert attack == compute_reference_attack(profile, clear), clear


@pytest.mark.parametrize(("rules", "spin"), [("jstris", "mini"), ("jstris:spin_kick=any", "full")])
def test_mini_double_attacks_as_a_full_one_in_jstris(rules: str, spin: str) -> None:
    board = Board.from_text(FIN_BOARD)
    game = Game.from_position(Position.from_board(board, "T", "IOLJS", rules, back_to_back=1))
    for key in FIN_KEYS:
        game.press(key)
    game.press("drop")
    assert [placement.spin for placement in game.placements_made] == [spin]
    assert (game.lines, game.attack, game.position.back_to_back) == (2, 5, 2)


def test_perfect_clear_with_a_tetris_in_jstris_sends_ten_and_the_combo() -> None:
    board = Board.from_text(["#########."] * 4)
    game = Game.from_position(Position.from_board(board, "I", "TOLJS", "jstris", combo=5, back_to_back=1))
    game.place(next(placement for placement in game.placements() if placement.column == 9 and not placement.hold))
    assert sum(game.board.heights) == 0
    assert (game.lines, game.attack) == (4, 12)
