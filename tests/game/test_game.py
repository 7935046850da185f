"""The real-time game: every documented rule, and wrong calls."""

import pytest

from tetrion import Board, Game, Placement, Position
from tetrion.engine.scoring import NES_FRAMES_PER_ROW
from tetrion.errors import PlacementError, TetrionError, UnknownNameError


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


def test_becker_has_no_drop_keys() -> None:
    game = Game("becker", seed=1)
    for key in ("down", "drop"):
        with pytest.raises(TetrionError, match=f"no key '{key}'. Available: left, right, rotate"):
            game.press(key)


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


@pytest.mark.parametrize(
    ("lines", "start", "level"),
    [
        (9, 0, 0),
        (10, 0, 1),
        (19, 0, 1),
        (20, 0, 2),
        (99, 9, 9),
        (100, 9, 10),
        (129, 18, 18),
        (130, 18, 19),
        (140, 18, 20),
    ],
)
def test_nes_levels(lines: int, start: int, level: int) -> None:
    assert Position.from_board(Board(), "T", rules=f"nes:start_level={start}", lines=lines).level == level


def test_nes_gravity_by_level() -> None:
    frames = [Position.from_board(Board(), "T", rules=f"nes:start_level={level}").frames_per_row for level in range(30)]
    assert frames == NES_FRAMES_PER_ROW.tolist()
    assert frames == [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, *[2] * 10, 1]
    assert Position.from_board(Board(), "T", rules="nes:start_level=29", lines=500).frames_per_row == 1


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


def test_nes_score_uses_the_level_after_the_clear() -> None:
    position = Position.from_board(Board.from_text(["#########."] * 4), "I", rules="nes", lines=9)
    upright = [p for p in position.placements() if p.column == 9]
    assert position.after(upright[0]).score == 2400


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


@pytest.mark.parametrize("randomiser", ["uniform", "bag", "nes", "nes-counts", "sz"])
def test_seed_determines_the_pieces_after_a_position(randomiser: str) -> None:
    position = Position.from_board(Board(), "S", next="Z", rules=f"standard:preview=6,randomiser={randomiser}")
    previews = {Game.from_position(position, seed=seed).next for seed in range(20)}
    assert len(previews) > 10
    if randomiser == "bag":
        assert all(sorted("S" + pieces) == sorted("IOTSZJL") for pieces in previews)


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


def test_ghost_is_the_hard_drop_placement() -> None:
    game = Game("gavrilov", seed=2)
    for _ in range(5):
        ghost = game.ghost
        game.press("drop")
        assert game.falling_piece == ghost
        game.tick(400)
