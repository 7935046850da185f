"""Modern games of the engine against the slow reference, piece by piece."""

from dataclasses import fields
from random import Random
from typing import Any

import pytest

from tests.game.reference_comparison import to_engine_board
from tests.reference.modern_game import ModernGame, ModernPlacement
from tests.reference.modern_rules import ModernRules
from tetrion import Game, Placement
from tetrion.engine.records import SPIN_KINDS
from tetrion.engine.rules import Rules

MODERN_OPTIONS: dict[str, list[Any]] = {
    "hold": [0, 1],
    "spins": ["none", "t", "all-mini", "all"],
    "spin_kick": ["none", "any", "long", "late"],
    "attack": ["none", "libtetris", "guideline", "jstris", "tetrio", "tetrio-s1"],
    "garbage_rows": [0, 1, 3],
    "garbage_interval": [1, 2, 5],
    "garbage_delay": [0, 1, 4],
    "garbage_cap": [1, 2, 8],
    "garbage_interval_unit": ["pieces", "frames"],
    "garbage_delay_unit": ["pieces", "frames"],
    "garbage_blocking": ["combo", "none"],
    "garbage_clear_bonus": [0, 1, 3],
    "opener_pieces": [0, 14, 40],
    "attack_growth": [0, 8, 1000],
    "attack_growth_start": [0, 7],
    "placement_frames": [1, 3, 100],
    "frames_per_second": [1, 60, 59.94, 1000],
    "garbage_messiness": [0, 30, 100],
    "rotation": ["srs", "srs+"],
    "half_turn_kicks": ["none", "jstris", "tetrio"],
    "preview": [0, 1, 5],
    "randomiser": ["bag", "uniform", "only-T", "script-TSZTIT"],
    "scoring": ["lines", "guideline"],
    "level_system": ["fixed", "tens"],
    "game_over": ["entry", "lock-out", "top-row", "room"],
    "height": [6, 10, 20],
    "hidden_rows": [2, 8],
}
DROP_SHARE = 0.1  # of the games in which pieces are dropped straight down
DROP_RULES = {"movement": "drop", "spins": "none", "half_turn_kicks": "none", "rotation": "top-left"}
BASE_RULES = "perft:start_level=1,keys=left+right+rotate+back+half+down+drop"


def draw_rules(random: Random) -> Rules:
    """Return modern rules with random options."""
    changes = {name: random.choice(values) for name, values in MODERN_OPTIONS.items()}
    if changes["attack"] == "none":
        changes |= {"scoring": "guideline", "garbage_clear_bonus": 0, "opener_pieces": 0, "attack_growth": 0}
    return Rules.parse(BASE_RULES).with_(**changes | (DROP_RULES if random.random() < DROP_SHARE else {}))


def to_modern_rules(rules: Rules) -> ModernRules:
    """Return the rules of the slow reference."""
    return ModernRules(**{field.name: getattr(rules, field.name) for field in fields(ModernRules)})


def to_placement(slow: ModernPlacement, game: ModernGame, rules: Rules) -> Placement:
    """Return a placement of the slow reference as one of the engine."""
    piece = game.piece_from_hold if slow.with_hold else game.piece
    orientation, column, row, spin = slow.placement
    return Placement(piece, orientation, column, row, rules.rotation, spin, slow.with_hold)


def compare_states(game: Game, slow: ModernGame) -> None:
    """Compare everything that can be seen of both games, and their statistics."""
    record = game.copy_record()
    assert game.board.columns == to_engine_board(slow.board).columns
    assert game.is_over == slow.is_over
    counters = (
        "pieces",
        "lines",
        "score",
        "frames",
        "combo",
        "back_to_back",
        "attack",
        "sent",
        "received",
        "back_to_backs",
    )
    for name in (*counters, "longest_combo", "perfect_clears"):
        assert getattr(record, name) == getattr(slow, name), name
    assert record.garbage_mask == sum(is_garbage << row for row, is_garbage in enumerate(slow.is_garbage))
    clears = {
        (spin, rows): record.clears_by_spin[number, rows] for number, spin in enumerate(SPIN_KINDS) for rows in range(5)
    }
    assert {key: count for key, count in clears.items() if count} == dict(slow.clears)
    if not slow.is_over:
        assert (game.piece, game.next, game.position.hold) == (slow.piece, slow.next, slow.hold)
        waiting = tuple((batch.rows, max(batch.due - slow.garbage_time, 0)) for batch in slow.garbage.batches)
        assert game.position.garbage == waiting
        totals = (game.position.attack, game.position.sent, game.position.garbage_height)
        assert totals == (slow.attack, slow.sent, sum(slow.is_garbage))


def choose_placement(random: Random, placements: list[Placement]) -> Placement:
    """Return a placement that is low or a spin, so that games last and spins occur."""
    spins = [placement for placement in placements if placement.spin != "none"]
    if spins and random.random() < 0.7:
        return random.choice(spins)
    lowest = sorted(placements, key=lambda placement: max(row for _, row in placement.cells))
    return random.choice(lowest[: random.choice([1, 3, 10, len(lowest)])])


@pytest.mark.parametrize("seed", range(40))
def test_modern_games_match_the_reference(seed: int) -> None:
    compare_games(seed, max_pieces=40)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(40, 540, 25))
def test_many_modern_games_match_the_reference(first: int) -> None:
    for seed in range(first, first + 25):
        compare_games(seed, max_pieces=100)


def compare_games(seed: int, max_pieces: int) -> None:
    """Play a game with random rules and placements in both engines, and compare both after each piece."""
    random = Random(seed)
    rules = draw_rules(random)
    game, slow = Game(rules, seed), ModernGame.from_seed(to_modern_rules(rules), seed, 0)
    compare_states(game, slow)
    while not slow.is_over and slow.pieces < max_pieces:
        expected = [to_placement(placement, slow, rules) for placement in slow.placements]
        placements = game.placements()
        assert placements == expected, (str(rules), slow.pieces)
        choice = choose_placement(random, placements)
        after = game.position.after(choice)
        slow.place(slow.placements[placements.index(choice)])
        game.place(choice)
        assert game.placements_made[-1] == choice
        compare_states(game, slow)
        for name in ("pieces", "lines", "score", "combo", "back_to_back", "attack", "sent"):
            assert getattr(after, name) == getattr(slow, name), (name, str(rules), slow.pieces)
