"""The attack of clears and the attack features, compared with the reference."""

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.game.reference_comparison import to_columns
from tests.reference.attack import Clear, compute_attack as compute_reference_attack
from tests.reference.board import Board as SlowBoard
from tests.reference.features import ATTACK_FEATURES as SLOW_FEATURES, Outcome
from tests.reference.search import ADDITIVE_ATTACK_FEATURES
from tests.reference.test_attack import CHAINS, CLEARS, PROFILES
from tetrion import Board, Game, Position
from tetrion.engine.attack import compute_attack
from tetrion.engine.bitboard import compute_heights
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackOutcome
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import SPIN_KINDS, FullGameRecord
from tetrion.engine.rules import Rules, make_rules_record

# A T-spin double with one front corner, which a kick makes full under spin_kick=any (fin).
FIN_BOARD = ["####......", "##....####", "##...#####", "##..######", "##.#######"]
FIN_KEYS = ["rotate", *["down"] * 18, "rotate", "left", "back"]


@pytest.mark.parametrize("profile", PROFILES)
def test_attack_of_every_clear_by_combo_and_chain(profile: str) -> None:
    game: Any = FullGameRecord.make_array(1)[0]
    rules: Any = make_rules_record(Rules("guideline").replace(attack=profile))[0]
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


def test_each_feature_has_a_slow_double() -> None:
    assert list(ATTACK_FEATURES) == list(SLOW_FEATURES)
    assert [feature.number for feature in ATTACK_FEATURES.values()] == list(range(len(ATTACK_FEATURES)))
    assert {name for name, feature in ATTACK_FEATURES.items() if feature.is_additive} == ADDITIVE_ATTACK_FEATURES


def build_board(random: Random) -> SlowBoard:
    """Return a board whose rows are nearly full, so that T-slots and wells occur."""
    board = [[False] * 10 for _ in range(20)]
    for row in range(random.randrange(1, random.choice([4, 8, 19]))):
        gaps = random.sample(range(10), random.choice([1, 1, 2, 3]))
        start = random.randrange(8)
        gaps = random.choice([gaps, [start, start + 1, start + 2], [start + 1]])
        further = random.sample(range(10), random.choice([0, 0, 0, 1]))
        board[row] = [column not in (*gaps, *further) for column in range(10)]
    return board


def test_features_match_the_reference_on_random_boards() -> None:
    random = Random(5)
    totals = dict.fromkeys(ATTACK_FEATURES, 0)
    for _ in range(1500):
        board = build_board(random)
        piece, spin, lines = random.choice(PIECES), random.choice(SPIN_KINDS), random.randrange(5)
        counts = random.randrange(9), random.randrange(30)
        outcome = Outcome(board, 20, piece, spin, lines, *counts, random.random() < 0.5)
        columns = tuple(to_columns(board))
        fast = AttackOutcome(
            columns,  # type: ignore[arg-type]
            compute_heights(columns),  # type: ignore[arg-type]
            20,
            PIECES.index(piece),
            SPIN_KINDS.index(spin),
            lines,
            outcome.attack,
            outcome.combo,
            int(outcome.has_back_to_back),
        )
        for name, feature in ATTACK_FEATURES.items():
            value = feature.measure(fast)
            assert value == SLOW_FEATURES[name](outcome), (name, board)
            assert 0 <= value <= feature.max_value
            totals[name] += value
    assert [name for name, total in totals.items() if not total] == ["perfect_clear"]
