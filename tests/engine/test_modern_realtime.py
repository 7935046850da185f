"""Modern games in real time: against the reference, and with random keys."""

from random import Random

import pytest

from tests.engine.key_games import GUIDELINE, KeyGame, make_random_modern_rules, make_slow_game
from tests.reference.modern_real_time import ModernRealTimeGame
from tetrion import Rules

WIDTH = 10


def perform_random_action(random: Random, keys: list[str], *games: KeyGame | ModernRealTimeGame) -> None:
    """Perform the same random action in all games."""
    chance, key, frames = random.random(), random.choice(keys), int(40 ** random.random())
    for game in games:
        if chance < 0.4:
            game.press(key)
        elif chance < 0.55:
            game.key_down(key)
        elif chance < 0.7:
            game.key_up(key)
        elif isinstance(game, KeyGame):
            game.tick(frames)
        else:
            for _ in range(frames):
                game.tick()


def describe(game: KeyGame | ModernRealTimeGame) -> dict[str, object]:
    """Return everything that the engine and the reference must agree on."""
    if isinstance(game, KeyGame):
        record = game.game
        board = [[bool(column >> row & 1) for column in record.board.tolist()] for row in range(game.rules.rows)]
        names = ("pieces", "lines", "score", "frames", "combo", "back_to_back", "attack", "sent", "received")
        numbers = tuple(int(getattr(record, name)) for name in names)
        cells = sorted(game.falling_cells)
    else:
        board = game.board
        numbers = (game.pieces, game.lines, game.score, game.frames, game.combo, game.back_to_back)
        numbers += (game.attack, game.sent, game.received)
        cells = sorted(game.motion.cells(game.situation)) if game.situation and not game.is_over else []
    return {"board": board, "numbers": numbers, "falling": cells, "hold": game.hold, "known": game.known_pieces}


def choose_rules(random: Random, seed: int) -> Rules:
    """Return the modern presets in turn, with low boards so that games end, and random rules for most seeds."""
    presets = {0: "guideline", 1: "jstris", 2: "tetrio"}
    return Rules.parse(f"{presets[seed % 12]}:height=8") if seed % 12 in presets else make_random_modern_rules(random)


def compare_games(seed: int, actions: int) -> int:
    """Compare random actions under presets or random rules; return the number of pieces."""
    random = Random(f"modern real time, seed {seed}")
    rules = choose_rules(random, seed)
    keys = rules.keys.split("+")
    game, slow = KeyGame(rules, seed), make_slow_game(rules, seed)
    for number in range(actions):
        context = f"{rules}, seed {seed}, action {number}"
        assert game.is_over == slow.is_over, context
        if slow.is_over:
            break
        got, expected = describe(game), describe(slow)
        assert got == expected, f"{context}\n{got}\n{expected}"
        perform_random_action(random, keys, game, slow)
    return int(game.game.pieces)


def test_games_equal_the_reference() -> None:
    assert sum(compare_games(seed, 400) for seed in range(120)) > 600


@pytest.mark.slow
@pytest.mark.parametrize("group", range(20))
def test_many_games_equal_the_reference(group: int) -> None:
    for seed in range(1_000 + 100 * group, 1_100 + 100 * group):
        compare_games(seed, 1_000)


def check_invariants(game: KeyGame, context: str) -> None:
    """Check that the falling piece overlaps nothing, and that all cells are accounted for."""
    record = game.game
    columns = record.board.tolist()
    cells = game.falling_cells
    assert all(0 <= x < WIDTH and 0 <= y < 32 and not columns[x] >> y & 1 for x, y in cells), context
    filled = 4 * record.pieces + 9 * record.received - WIDTH * record.lines
    if not game.is_over:  # rows that are pushed out at the end are lost
        assert sum(column.bit_count() for column in columns) == filled, context
        assert record.known == 1 + game.rules.preview, context
    assert sum((number + 1) * count for number, count in enumerate(record.clears)) == record.lines, context
    assert game.fall.used_resets <= game.rules.lock_resets, context


def play_random_keys(rules: Rules, actions: int) -> list[tuple[int, ...]]:
    """Perform random actions in one game after another; return the results of the games."""
    rules_text = str(rules)
    random = Random(f"modern invariants, {rules_text}")
    keys = rules.keys.split("+")
    results: list[tuple[int, ...]] = []
    game = KeyGame(rules)
    holds = (0, 0)  # the number of the piece and how often hold was used for it
    for number in range(actions):
        if game.is_over:
            results.append((game.game.pieces, game.game.score, game.game.frames))
            game, holds = KeyGame(rules, seed=len(results)), (0, 0)
        before = (game.hold, game.known_pieces[0])
        perform_random_action(random, keys, game)
        check_invariants(game, f"{rules_text}, game {len(results)}, action {number}")
        if game.game.pieces != holds[0]:
            holds = (int(game.game.pieces), 0)
        elif (game.hold, game.known_pieces[0]) != before:
            holds = (holds[0], holds[1] + 1)
        assert holds[1] <= 1
    return results


def test_random_keys_never_break_a_game() -> None:
    """Random key presses under the guideline's rules never break an invariant; equal seeds, equal games."""
    rules = Rules.parse(f"{GUIDELINE},garbage_rows=1,garbage_interval=4,garbage_messiness=30")
    results = play_random_keys(rules, 30_000)
    assert len(results) > 10
    assert play_random_keys(rules, 5_000) == results[: len(play_random_keys(rules, 5_000))]


def test_random_keys_at_full_speed() -> None:
    assert len(play_random_keys(Rules.parse(f"{GUIDELINE},start_level=20,arr=instant,height=10"), 20_000)) > 20


@pytest.mark.slow
def test_a_million_random_keys_never_break_a_game() -> None:
    assert len(play_random_keys(Rules.parse(GUIDELINE), 1_000_000)) > 100
