"""The real-time game: every documented rule, and wrong calls."""

import pytest

from tetrion import Board, Game, Placement, Position, Rules
from tetrion.engine.records import FULL_SPIN
from tetrion.errors import PlacementError, TetrionError, UnknownNameError
from tetrion.game import copy_game_record, watch_locks
from tetrion.stack import LockedPiece

GUIDELINE = "guideline:frames_per_second=60,lock_delay=30,das=10,arr=2,soft_drop_interval=2"


def get_falling(game: Game) -> Placement:
    """Return the falling piece, which must exist."""
    piece = game.falling_piece
    assert piece is not None
    return piece


def test_nes_gravity_and_lock() -> None:
    game = Game("nes:randomiser=only-O", seed=1)
    assert get_falling(game).cells == ((4, 18), (4, 19), (5, 18), (5, 19))
    game.tick(47)
    assert get_falling(game).row == 18
    game.tick()
    assert get_falling(game).row == 17
    game.tick(48 * 17)
    assert get_falling(game).row == 0
    game.tick(47)
    assert game.pieces == 0
    game.tick()
    assert (game.pieces, game.falling_piece) == (1, None)
    game.tick(9)
    assert game.falling_piece is None
    game.tick()
    assert get_falling(game).row == 18  # after a spawn delay of ten frames


def test_nes_soft_drop_scores_and_locks() -> None:
    game = Game("nes:randomiser=only-O", seed=1)
    for _ in range(18):
        assert game.press("down")
    assert (game.score, game.pieces) == (18, 0)
    assert game.press("down")
    assert (game.score, game.pieces) == (18, 1)


def test_nes_key_repeat() -> None:
    game = Game("nes:randomiser=only-O", seed=1)
    game.key_down("left")
    columns = [get_falling(game).column]
    for _ in range(29):
        game.tick()
        columns.append(get_falling(game).column)
    assert columns == [3] * 16 + [2] * 6 + [1] * 6 + [0] * 2
    game.key_up("left")
    game.key_down("down")
    rows = [get_falling(game).row]
    for _ in range(4):
        game.tick()
        rows.append(get_falling(game).row)
    assert [rows[0] - row for row in rows] == [0, 0, 1, 1, 2]


def test_gavrilov_hard_drop_does_not_lock() -> None:
    game = Game("gavrilov:randomiser=only-O", seed=1)
    assert get_falling(game).row >= 20  # it spawns above the visible rows
    game.press("drop")
    assert (get_falling(game).row, game.pieces) == (0, 0)
    assert game.press("left")
    assert not game.press("down")
    game.tick(370)
    assert game.pieces == 1
    assert game.placements_made[0].column == 3


def test_tetrais_hard_drop_locks_and_scores_one_point() -> None:
    game = Game("tetrais:randomiser=only-O", seed=1)
    assert game.press("drop")
    assert (game.pieces, game.score) == (1, 1)


def test_becker_locks_on_contact() -> None:
    game = Game("becker:randomiser=only-O", seed=1)
    game.tick(500 * 21)
    assert (game.pieces, get_falling(game).row) == (0, 1)
    game.tick(500)
    assert (game.pieces, get_falling(game).row) == (1, 22)


def test_lock_delay_restarts_on_a_lower_row() -> None:
    game = Game.from_position(
        Position.from_board(
            Board.from_text("####......"), "O", next="O", rules="standard:lock_delay=30,spawn_height=0,gravity=10"
        )
    )
    game.press("left")
    while get_falling(game).row > 1:
        game.press("down")
    game.tick(29)
    assert game.pieces == 0
    game.press("right")
    game.press("right")
    game.press("right")
    game.press("down")
    assert get_falling(game).row == 0
    game.tick(29)
    assert game.pieces == 0
    game.tick(2)
    assert game.pieces == 1


def test_other_gravities() -> None:
    assert [
        Position.from_board(Board(), "T", rules=f"tetrais:start_level={level}").frames_per_row
        for level in (0, 4, 9, 20)
    ] == [
        1000,
        600,
        100,
        100,
    ]
    later = [
        Position.from_board(Board(), "T", rules="gavrilov", frames=frames).frames_per_row for frames in (0, 5000, 10**6)
    ]
    assert later == [370, 365, 120]
    assert Position.from_board(Board(), "T", rules="becker").frames_per_row == 500


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ("standard", [1, 2, 3, 4]),
        ("gavrilov", [40, 100, 300, 1200]),
        ("tetrais", [41, 101, 301, 1201]),
        ("nes", [40, 100, 300, 1200]),
        ("nes:start_level=4", [200, 500, 1500, 6000]),
    ],
)
def test_points_of_one_to_four_lines(rules: str, points: list[int]) -> None:
    for lines, earned in enumerate(points, 1):
        rows = ["#########."] * lines
        position = Position.from_board(Board.from_text([".........."] * (4 - lines) + rows), "I", rules=rules)
        upright = [p for p in position.placements() if p.cells == ((9, 0), (9, 1), (9, 2), (9, 3))]
        assert position.after(upright[0]).score == earned


def test_row_between_two_full_rows_falls() -> None:
    """In Gavrilov's program the row between two full rows does not fall; here it does."""
    board = Board.from_text(["#########.", "########..", "#########."])
    position = Position.from_board(board, "I", rules="gavrilov")
    after = position.after(next(p for p in position.placements() if p.column == 9))
    assert after.lines == 2
    assert str(after.board).endswith("\n.........#\n########.#")


def test_game_over_conditions() -> None:
    tower = ["####......"] * 18
    gavrilov = Game.from_position(Position.from_board(Board.from_text(tower), "O", next="O", rules="gavrilov"))
    gavrilov.place(Placement("O", 0, 0, 18))
    assert gavrilov.is_over  # a cell in the top visible row
    assert gavrilov.pieces == 1
    hindi = Game.from_position(Position.from_board(Board.from_text(tower), "O", next="O", rules="hindi"))
    hindi.place(Placement("O", 0, 0, 18))
    assert not hindi.is_over
    hindi.place(Placement("O", 0, 0, 20))
    assert hindi.is_over  # a cell above the visible rows
    assert hindi.pieces == 2
    middle = Board.from_text(["....##...."] * 19)
    medico = Game.from_position(Position.from_board(middle, "I", next="O", rules="medico"))
    medico.place(next(p for p in medico.placements() if p.column == 0))
    assert medico.is_over  # O cannot spawn, and is not counted
    assert medico.pieces == 1
    standard = Game.from_position(Position.from_board(Board.from_text(["#########."] * 19), "O", rules="standard"))
    assert standard.is_over
    assert standard.placements() == []


# Modern rules: spawn and half turns, restarts of the lock delay, hold, instant repeat, and keys that act at the spawn.

SRS_RULES = "perft:keys=left+right+rotate+back+half+down+drop"

# The cells of a new piece as (column, row), for a centre in column 4 of row 19.
SPAWN_CELLS = {
    "I": {(3, 19), (4, 19), (5, 19), (6, 19)},
    "O": {(4, 19), (5, 19), (4, 20), (5, 20)},
    "T": {(3, 19), (4, 19), (5, 19), (4, 20)},
    "S": {(3, 19), (4, 19), (4, 20), (5, 20)},
    "Z": {(4, 19), (5, 19), (3, 20), (4, 20)},
    "J": {(3, 19), (4, 19), (5, 19), (3, 20)},
    "L": {(3, 19), (4, 19), (5, 19), (5, 20)},
}


@pytest.mark.parametrize("piece", SPAWN_CELLS)
def test_spawn_cells(piece: str) -> None:
    """The spawn position of the published counts."""
    spawn = Position.from_board(Board(), piece, rules="perft").spawn
    assert spawn is not None
    assert set(spawn.cells) == SPAWN_CELLS[piece]


def test_half_turn_kicks() -> None:
    """A half turn against a wall is blocked without kicks; both tables move the piece to the right."""
    board = Board.from_text(["...#......"] * 3)
    cells = {}
    for kicks in ("none", "jstris", "tetrio"):
        position = Position.from_board(board, "T", "O", f"{SRS_RULES},half_turn_kicks={kicks}")
        game = Game.from_position(position)
        for key in ["rotate", *["down"] * 18]:
            game.press(key)
        game.press("half")
        assert game.falling_piece is not None
        cells[kicks] = sorted(game.falling_piece.cells)
    assert cells["none"] == [(4, 0), (4, 1), (4, 2), (5, 1)]  # blocked
    assert cells["jstris"] == cells["tetrio"] == [(4, 1), (5, 0), (5, 1), (5, 2)]


def start_game(pieces: str, changes: str = "", board: list[str] | None = None) -> Game:
    """Start a guideline game without gravity, unless the changes add some."""
    rules = Rules.parse(f"{GUIDELINE},gravity=0{changes and ','}{changes}")
    return Game.from_position(
        Position.from_board(Board.from_text(board or [], rows=rules.rows), pieces[0], pieces[1:], rules)
    )


def press_all(game: Game, keys: str) -> None:
    for key in keys.split():
        game.press(key)


def move_to_floor(game: Game) -> None:
    while game.press("down"):
        pass


T_SLOT = ["##........", "#...######", "##.#######"]


def test_t_spin_double_by_keys() -> None:
    """A soft drop and a rotation make a full spin; the same cells after a rotation and a soft drop are no spin."""
    game = start_game("TOOOOO", board=T_SLOT)
    press_all(game, "rotate left left")
    move_to_floor(game)
    press_all(game, "rotate drop")
    assert (game.placements_made[0].spin, game.lines) == ("full", 2)
    assert copy_game_record(game).clears_by_spin[FULL_SPIN, 2] == 1


def test_moves_restart_the_lock_delay() -> None:
    game = start_game("TOOOOO")
    move_to_floor(game)
    for key in ("left", "right") * 7:
        game.tick(29)
        game.press(key)
    assert game.pieces == 0
    game.tick(30)
    assert game.pieces == 1


def test_piece_locks_at_once_without_restarts() -> None:
    """After fifteen restarts the delay still runs; the next move that leaves the piece resting locks it."""
    game = start_game("TOOOOO")
    move_to_floor(game)
    for number in range(15):
        game.press("left" if number % 2 else "right")
    game.tick(29)
    assert game.pieces == 0
    game.press("left")
    assert game.pieces == 1


def test_lower_rest_gives_restarts_back() -> None:
    """Off a ledge the piece rests lower and may be moved fifteen times again (extended placement)."""
    game = start_game("TOOOOO", board=["....###..."])
    move_to_floor(game)
    for number in range(14):
        game.press("left" if number % 2 else "right")
    press_all(game, "left left left left down")
    for number in range(15):
        game.press("left" if number % 2 else "right")
        assert game.pieces == 0
    game.press("left")
    assert game.pieces == 1


def test_hold_exchanges_once_per_piece() -> None:
    game = start_game("TOSZJL")
    assert game.press("hold")
    assert (game.position.hold, game.piece + game.next[:4]) == ("T", "OSZJL")
    assert not game.press("hold")
    game.press("drop")
    assert game.press("hold")
    assert (game.position.hold, game.piece + game.next[:3]) == ("S", "TZJL")


@pytest.mark.parametrize(("level", "rows"), [(1, 1), (2, 1), (3, 1), (5, 2), (10, 15)])
def test_gravity_of_the_guideline(level: int, rows: int) -> None:
    """Level 1 falls one row per second; level 10 takes 0.064 seconds per row."""
    game = start_game("TOOOOO", f"gravity=guideline,start_level={level}")
    spawn_row = get_falling(game).row
    game.tick(60)
    assert spawn_row - get_falling(game).row == rows


def test_initial_rotation_and_hold() -> None:
    """Keys that are down when the next piece spawns act on it at once."""
    game = start_game("OTSZJL")
    game.key_down("rotate")
    game.key_down("hold")
    assert (game.position.hold, game.piece) == ("O", "T")
    game.press("drop")
    assert (game.position.hold, game.piece) == ("S", "O")
    game.key_up("hold")
    game.press("drop")
    assert game.piece == "Z"
    assert get_falling(game).rotation == 1
    game.key_up("rotate")
    game.press("drop")
    assert (game.piece, get_falling(game).rotation) == ("J", 0)


# Wrong calls, and the clock.


def test_wrong_calls_change_nothing() -> None:
    game = Game("nes", seed=1)
    before = (game.position, game.falling_piece, list(game.events))
    with pytest.raises(PlacementError, match="The current piece is"):
        game.place(Placement("O" if game.piece != "O" else "T", 0, 0, 0))
    with pytest.raises(PlacementError, match="not a legal placement"):
        game.place(Placement(game.piece, 0, 0, 9, "nes"))
    with pytest.raises(PlacementError, match=r"one of position\.placements"):
        game.place("T")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="Did you mean 'left'"):
        game.press("lft")
    with pytest.raises(TetrionError, match="no key 'drop'"):
        game.key_down("drop")
    with pytest.raises(TetrionError, match="whole number"):
        game.tick(-1)
    with pytest.raises(TetrionError, match="must be at least 0"):
        game.advance(float("nan"))
    with pytest.raises(TetrionError, match="must be at least 0"):
        game.advance(1e300)
    with pytest.raises(TetrionError, match="whole number"):
        game.tick(2**63)
    with pytest.raises(TetrionError, match="The game number must be"):
        Game("nes", seed=1, number=-1)
    with pytest.raises(TetrionError):
        Game("nes", seed=-1)
    assert before == (game.position, game.falling_piece, game.events)


def test_nothing_changes_after_the_game_is_over() -> None:
    game = Game("tetrais", seed=1)
    while not game.is_over:
        game.press("drop")
    end = game.position
    with pytest.raises(TetrionError, match="The game is over"):
        game.press("left")
    with pytest.raises(TetrionError, match="The game is over"):
        game.place(Placement(game.piece, 0, 0, 0))
    game.tick(1000)
    assert game.position == end


def test_clock_advances_by_seconds() -> None:
    by_frames, by_seconds = Game("nes", seed=4), Game("nes", seed=4)
    for _ in range(600):
        by_seconds.advance(1 / 240)
    by_frames.tick(by_seconds.frames)
    assert by_frames.position == by_seconds.position
    assert by_seconds.frames in (149, 150)  # 2.5 s at 60.0988 frames


def test_watched_locks_belong_to_one_game_and_the_innermost_context() -> None:
    game = Game("nes", seed=1)
    outer, inner = list[LockedPiece](), list[LockedPiece]()
    with watch_locks(game, outer.append):
        with watch_locks(game, inner.append):
            game.place(game.placements()[0])
            game.copy().place(game.placements()[0])
        game.place(game.placements()[0])
    game.place(game.placements()[0])
    assert (len(outer), len(inner), game.pieces) == (1, 1, 3)
