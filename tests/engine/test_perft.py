"""Numbers of sequences of placements, compared with published counts and with the reference."""

from random import Random

import pytest

from tests.game.reference_comparison import make_random_rules, to_engine_board, to_slow_rules
from tests.reference.board import Board as SlowBoard, empty_board
from tests.reference.game import Game as SlowGame
from tests.reference.pieces import PIECES
from tests.reference.random_boards import board_to_move_in
from tetrion import Board, Rules
from tetrion.engine.perft import start_perft

# From the empty board, by depth. The counts of depth 7 and of IIIIII are those of cobra-movegen (apps/bench.cpp) and
# fast-reachability (branch avx512-perft); an independent program counted the others.
PUBLISHED_COUNTS = {
    "IOLJSZT": [17, 153, 5_266, 188_374, 3_497_187, 67_002_200, 2_647_076_135],
    "TIOLJSZ": [34, 600, 5_578, 201_082, 7_451_934, 142_203_595, 2_785_677_550],
    "ZTIOLJS": [17, 591, 10_601, 100_077, 3_699_006, 140_405_381, 2_741_273_038],
    "SZTIOLJ": [17, 296, 10_620, 193_780, 1_863_501, 70_614_295, 2_740_055_656],
    "JSZTIOL": [34, 585, 10_599, 392_851, 7_304_823, 72_159_318, 2_801_460_686],
    "IIIIII": [17, 289, 5_069, 92_025, 1_725_571, 33_325_345],
}

OTHER_COUNTS = {"LJSZTIO": 2_852_978_763, "OLJSZTI": 2_689_379_684}  # of depth 7, by cobra-movegen

# SRS+ with half turns, T-spins counted separately, and a centre that spawns in row 5 of an empty board: counts of
# cobra-movegen (apps/bench.cpp), where the fifth and sixth tests of half turns make a mini T-spin full.
COBRA_RULES = (
    "perft:height=6,rotation=srs+,keys=left+right+rotate+back+half+down+drop,half_turn_kicks=tetrio,spins=t,"
    "spin_kick=late"
)
COBRA_COUNTS = {
    "IIIIII": 12_955_903,
    "IOLJSZT": 788_332_817,
    "TIOLJSZ": 908_982_457,
    "ZTIOLJS": 884_231_722,
    "SZTIOLJ": 822_485_640,
    "JSZTIOL": 735_332_135,
    "LJSZTIO": 648_149_538,
    "OLJSZTI": 721_407_228,
}


def count_sequences(queue: str, board: Board | None = None, rules: Rules | str = "perft") -> int:
    parsed = Rules.parse(rules) if isinstance(rules, str) else rules
    *_, search = start_perft((board or Board()).columns, queue, parsed)
    return int(search.sequences)


@pytest.mark.parametrize("queue", PUBLISHED_COUNTS)
def test_published_counts(queue: str) -> None:
    """The counts of depths 1 to 5."""
    counts = [count_sequences(queue[:depth]) for depth in range(1, 6)]
    assert counts == PUBLISHED_COUNTS[queue][:5]


@pytest.mark.slow
@pytest.mark.parametrize("queue", [*PUBLISHED_COUNTS, *OTHER_COUNTS])
def test_large_published_counts(queue: str) -> None:
    """The counts of depths 6 and 7."""
    if queue in OTHER_COUNTS:
        assert count_sequences(queue) == OTHER_COUNTS[queue]
    else:
        counts = [count_sequences(queue[:depth]) for depth in range(6, len(queue) + 1)]
        assert counts == PUBLISHED_COUNTS[queue][5:]


def test_published_count_with_half_turns() -> None:
    """I has no T-spins, so that its count does not depend on them."""
    assert count_sequences("IIIIII", rules=COBRA_RULES) == COBRA_COUNTS["IIIIII"]
    without_spins = Rules.parse(COBRA_RULES).replace(spins="none")
    assert count_sequences("IIIIII", rules=without_spins) == COBRA_COUNTS["IIIIII"]


@pytest.mark.slow
@pytest.mark.parametrize("queue", [queue for queue in COBRA_COUNTS if queue != "IIIIII"])
def test_published_counts_with_spins(queue: str) -> None:
    """The counts of SRS+ with half turns in which T-spins are counted separately."""
    assert count_sequences(queue, rules=COBRA_RULES) == COBRA_COUNTS[queue]


def count_in_reference(rules: Rules, board: SlowBoard, queue: str) -> int:
    """Count the sequences of two placements with games of the reference, one for each first placement."""

    def start() -> SlowGame:
        letters = iter(queue + "O" * 10)
        return SlowGame(to_slow_rules(rules), lambda board: next(letters), board=board)

    count = 0
    for first in start().placements:
        game = start()
        game.place(first)
        count += len(game.placements)
    return count


@pytest.mark.parametrize("game_over", ["room", "entry", "lock-out", "top-row", "above"])
def test_counts_of_two_pieces_against_the_reference(game_over: str) -> None:
    """Blocked spawns and placements that end the game have no continuation."""
    total = 0
    for number in range(6):
        random = Random(f"perft, {game_over}, {number}")
        movement = random.choice(["drop", "reach"])
        rules = make_random_rules(random, movement=movement, game_over=game_over, height=5, hidden_rows=2)
        queue = random.choice(PIECES) + random.choice(PIECES)
        board = board_to_move_in(random, rules.rows, queue[0])
        board[rules.height - 1 :] = empty_board(3)  # cells there would have ended the game under top-row
        expected = count_in_reference(rules, board, queue)
        assert count_sequences(queue, to_engine_board(board), rules) == expected, f"{rules} {queue} {board}"
        total += expected
    assert total > 50


@pytest.mark.parametrize("spins", ["t", "all-mini", "all"])
def test_counts_with_spins_against_the_reference(spins: str) -> None:
    total = 0
    for number in range(2):
        random = Random(f"perft with spins, {spins}, {number}")
        spin_kick = random.choice(["none", "any", "long", "late"])
        rules = Rules.parse(COBRA_RULES).replace(spins=spins, spin_kick=spin_kick, hidden_rows=2)
        queue = random.choice("TTTLS") + random.choice("TTTJZ")
        board = board_to_move_in(random, rules.rows, queue[0])
        board[rules.height - 1 :] = empty_board(3)
        expected = count_in_reference(rules, board, queue)
        assert count_sequences(queue, to_engine_board(board), rules) == expected, f"{rules} {queue} {board}"
        assert count_sequences(queue, to_engine_board(board), rules.replace(spins="none")) <= expected
        total += expected
    assert total > 100
