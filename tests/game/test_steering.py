"""The rule `movement=steered`: pieces are moved by keys after a fall of three rows, as in Gavrilov's report."""

from pathlib import Path
from random import Random

from tests.game.reference_comparison import Case, make_random_rules, to_slow_placement
from tests.reference.board import picture
from tests.reference.movement import steer
from tetrion import Board, Game, Placement, Position, evaluate
from tetrion.agents import load_weighted_agent
from tetrion.agents.stepped_game import play_pieces, step_game
from tetrion.replay import Replay

STEERED = "gavrilov:movement=steered"
LOW = f"{STEERED},height=9,frames_per_key=150"


def find_placement(position: Position, rotation: int, column: int) -> Placement:
    return next(each for each in position.placements() if (each.rotation, each.column) == (rotation, column))


def test_pieces_lock_like_in_the_reference_on_random_boards() -> None:
    missed = overlapping = 0
    for number in range(200):
        random = Random(f"steered piece {number}")
        gravity = random.choice([1, 5, 120, 370])
        rules = make_random_rules(
            random,
            movement="steered",
            gravity=gravity,
            frames_per_key=random.choice([1, 8, 33, 125]),
            thinking_frames=random.choice([0, 0, 7, 300]),
        )
        case = Case.from_random(random, rules)
        assert case.find_actual() == case.find_expected(), str(case)
        if not (targets := case.position.placements()):
            continue
        target = random.choice(targets)
        steps = case.position.find_steered_steps(target)
        cells, frames = steer(case.motion, gravity, to_slow_placement(target))
        locked = steps[-1][1] if steps else None
        if locked is not None:
            assert sorted(locked.cells) == sorted(cells), f"{case}target {target}"
        after = case.position.after(target)
        if max(row for _, row in cells) < rules.rows:
            assert (after.pieces, after.frames) == (1, frames), f"{case}target {target}\n{picture(case.board)}"
        else:
            assert after.pieces == 0
        missed += sorted(cells) != sorted(target.cells)
        overlapping += any(row < len(case.board) and case.board[row][column] for column, row in cells)
    assert missed > 15
    assert overlapping > 1


def test_a_piece_misses_its_target_behind_a_wall() -> None:
    board = Board.from_text(["........#."] * 18)
    position = Position.from_board(board, "I", rules=f"{STEERED},frames_per_key=125")
    game = Game.from_position(position)
    game.place(find_placement(position, 0, 9))
    assert game.placements_made == [Placement("I", 0, 7, 0, "tutorial")]


def test_the_first_key_follows_from_the_column_before_the_rotation() -> None:
    # The flat S starts in column 4, the upright one in column 5: the first key for column 5 moves it too far.
    position = Position.from_board(Board(), "S", rules=f"{STEERED},frames_per_key=30")
    steps = position.find_steered_steps(find_placement(position, 1, 5))
    assert [key for key, _ in steps[:7]] == [*["down"] * 3, "rotate", "right", "left", "down"]
    assert [piece.column for _, piece in steps[2:7]] == [4, 5, 6, 5, 5]


def test_choices_are_targets_and_games_in_bulk_are_those_of_stepped_games() -> None:
    agent = load_weighted_agent("gavrilov-2")
    bulk = evaluate(agent, games=6, rules=LOW, seed=2)
    for number in range(6):
        stepped, played = Game(LOW, 2, number), Game(LOW, 2, number)
        with agent.start_player() as player:
            for _ in step_game(player, stepped):
                pass
        play_pieces(agent, played)
        assert stepped.board == played.board
        assert stepped.placements_made == played.placements_made
        assert stepped.lines == bulk.per_game["lines"][number]


def test_replays_repeat_games_with_missed_targets(tmp_path: Path) -> None:
    game = Game(LOW, seed=8)
    game.play("gavrilov-2")
    targets = [argument for _, action, argument in game.events if action == "place"]
    made = [f"{each.rotation} {each.column} {each.row}" for each in game.placements_made]
    assert game.is_over
    assert targets[: len(made)] != made
    Replay.from_game(game).save(tmp_path / "steered.json")
    repeated = Replay.load(tmp_path / "steered.json").play()
    assert (repeated.board, repeated.frames, repeated.lines) == (game.board, game.frames, game.lines)
