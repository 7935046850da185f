"""Keys and clock of modern games, one rule at a time: lock delay, hold, key repeat, gravity."""

import pytest

from tests.engine.key_games import GUIDELINE, KeyGame
from tests.reference.board import picture
from tetrion import Board, Rules
from tetrion.engine.records import FULL_SPIN
from tetrion.errors import RulesError


def start_game(pieces: str, changes: str = "", board: list[str] | None = None) -> KeyGame:
    """Start a game without gravity, unless the changes add some."""
    rules = Rules.parse(f"{GUIDELINE},gravity=0{changes and ','}{changes}")
    columns = Board.from_text(board, rows=rules.rows).columns if board else (0,) * 10
    return KeyGame(rules, board=columns, pieces=pieces)


def press_all(game: KeyGame, keys: str) -> None:
    for key in keys.split():
        game.press(key)


def move_to_floor(game: KeyGame) -> None:
    while game.press("down"):
        pass


def get_board_text(game: KeyGame, rows: int) -> str:
    columns = game.game.board.tolist()
    return picture([[bool(column >> row & 1) for column in columns] for row in range(rows)])


T_SLOT = ["##........", "#...######", "##.#######"]


def test_t_spin_double_by_keys() -> None:
    """A soft drop and a rotation make a full spin; the same cells after a rotation and a soft drop are no spin."""
    game = start_game("TOOOOO", board=T_SLOT)
    press_all(game, "rotate left left")
    move_to_floor(game)
    press_all(game, "rotate drop")
    assert (game.game.spin, game.game.lines) == (FULL_SPIN, 2)
    assert game.game.clears_by_spin[FULL_SPIN, 2] == 1


def test_moves_restart_the_lock_delay() -> None:
    game = start_game("TOOOOO")
    move_to_floor(game)
    for key in ("left", "right") * 7:
        game.tick(29)
        game.press(key)
    assert (game.game.pieces, game.fall.used_resets) == (0, 14)
    game.tick(30)
    assert game.game.pieces == 1


def test_piece_locks_at_once_without_restarts() -> None:
    """After fifteen restarts the delay still runs; the next move that leaves the piece resting locks it."""
    game = start_game("TOOOOO")
    move_to_floor(game)
    for number in range(15):
        game.press("left" if number % 2 else "right")
    game.tick(29)
    assert game.game.pieces == 0
    game.press("left")
    assert game.game.pieces == 1


def test_lower_rest_gives_restarts_back() -> None:
    """Off a ledge the piece rests lower and may be moved fifteen times again (extended placement)."""
    game = start_game("TOOOOO", board=["....###..."])
    move_to_floor(game)
    for number in range(14):
        game.press("left" if number % 2 else "right")
    press_all(game, "left left left left down")
    assert game.game.pieces == 0
    assert game.fall.used_resets == 0


def test_hold_exchanges_once_per_piece() -> None:
    game = start_game("TOSZJL")
    assert game.press("hold")
    assert (game.hold, game.known_pieces[:5]) == ("T", "OSZJL")
    assert not game.press("hold")
    game.press("drop")
    assert game.press("hold")
    assert (game.hold, game.known_pieces[:4]) == ("S", "TZJL")


def test_hold_without_preview_deals_the_next_piece() -> None:
    game = start_game("T", "preview=0")
    assert game.press("hold")
    assert (game.hold, len(game.known_pieces)) == ("T", 1)


def test_blocked_spawn_after_hold_ends_the_game() -> None:
    """I fits below a cell in row 20, O from hold does not."""
    game = start_game("IOSZJL", "spawn_height=0,game_over=entry", board=["....#.....", *[".........."] * 20])
    assert not game.is_over
    game.press("hold")
    assert game.is_over


def test_instant_key_repeat() -> None:
    game = start_game("TOOOOO", "das=5,arr=instant,soft_drop_interval=instant")
    game.key_down("left")
    game.tick(4)
    assert game.fall.piece_state[1] == 2
    game.tick(1)
    assert game.fall.piece_state[1] == 0
    game.key_down("down")
    game.tick(1)
    assert game.fall.piece_state[2] == 0
    assert game.game.pieces == 0


def test_points_of_drops() -> None:
    """One point per row of a soft drop, two per row of a hard drop."""
    game = start_game("TOOOOO")
    spawn_row = int(game.fall.piece_state[2])
    press_all(game, "down down drop")
    assert game.game.score == 2 + 2 * (spawn_row - 2)


@pytest.mark.parametrize(("level", "rows"), [(1, 1), (2, 1), (3, 1), (5, 2), (10, 15)])
def test_gravity_of_the_guideline(level: int, rows: int) -> None:
    """Level 1 falls one row per second; level 10 takes 0.064 seconds per row."""
    game = start_game("TOOOOO", f"gravity=guideline,start_level={level}")
    spawn_row = int(game.fall.piece_state[2])
    game.tick(60)
    assert spawn_row - game.fall.piece_state[2] == rows


def test_twenty_rows_per_frame() -> None:
    game = start_game("TOOOOO", "gravity=guideline,start_level=20")
    game.tick(1)
    assert game.fall.piece_state[2] == 0
    assert game.game.pieces == 0


def test_initial_rotation_and_hold() -> None:
    """Keys that are down when the next piece spawns act on it at once."""
    game = start_game("OTSZJL")
    game.key_down("rotate")
    game.key_down("hold")
    assert (game.hold, game.known_pieces[0]) == ("O", "T")
    game.press("drop")
    assert (game.hold, game.known_pieces[0]) == ("S", "O")
    game.key_up("hold")
    game.press("drop")
    assert game.known_pieces[0] == "Z"
    assert game.fall.piece_state[0] == 1
    game.key_up("rotate")
    game.press("drop")
    assert (game.known_pieces[0], game.fall.piece_state[0]) == ("J", 0)


def test_initial_keys_are_off_by_default() -> None:
    game = start_game("OTSZJL", "initial_rotation=0,initial_hold=0")
    game.key_down("rotate")
    game.key_down("hold")
    game.press("drop")
    assert (game.hold, game.known_pieces[0], game.fall.piece_state[0]) == ("O", "S", 0)


def test_garbage_rises_before_the_next_spawn() -> None:
    game = start_game("OOOOOO", "garbage_rows=2,garbage_interval=1")
    press_all(game, "drop drop")
    assert game.game.received == 2
    assert get_board_text(game, 2).count("#") == 18
    assert game.fall.is_active


@pytest.mark.parametrize(
    "rules",
    [
        "standard:lock_resets=15,lock_delay=30",
        "nes:arr=instant",
        "standard:initial_rotation=1",
        "standard:hold=1,lock_resets=15",
        "standard:scoring=guideline,initial_hold=1",
        "standard:hold=1,arr=fast",
    ],
)
def test_rules_that_do_not_fit_together(rules: str) -> None:
    with pytest.raises(RulesError):
        Rules.parse(rules)


def test_key_of_hold_follows_the_rule() -> None:
    rules = Rules.parse("standard:hold=1")
    assert rules.keys == "left+right+rotate+back+down+drop+hold"
    assert str(rules) == "standard:hold=1"
    assert rules.with_(hold=0) == Rules.from_preset("standard")
    assert Rules.parse("standard:keys=left+right+rotate+drop+hold").keys == "left+right+rotate+drop"
