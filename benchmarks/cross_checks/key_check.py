"""Environments with key actions: the keys of each piece are also pressed in a real-time game of the engine."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from benchmarks.cross_checks.check_counts import BOARDS, ENDS, GAINS, LOCATIONS, MOVES, CheckCounts
from benchmarks.cross_checks.placement_check import AskFunction, ChooseFunction, Reply
from tetrion import Board, Game, Placement, Position, Rules
from tetrion.engine.piece_motion import KEY_DROP
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import GAME_KEYS
from tetrion.engine.rotation_systems import RotationSystem

DROP = GAME_KEYS[KEY_DROP]
WAIT = "wait"  # no key, only gravity
KEY_NAMES = (*GAME_KEYS, WAIT)


class PlayedPiece(NamedTuple):
    """A piece that was played by keys: the keys, the piece's corner after each key but the last, and the game."""

    keys: list[str]
    corners: list[list[int]]  # leftmost column and lowest row
    game: Game


def make_rotation_system(pieces: list[Any]) -> RotationSystem:
    """Return the rotation system of an environment from the boxes and the spawn column of each piece."""
    return RotationSystem(
        {letter: boxes for letter, (boxes, _) in zip(PIECES, pieces, strict=True)},
        {letter: (column, 0) for letter, (_, column) in zip(PIECES, pieces, strict=True)},
    )


def read_key_position(reply: Reply, rules: Rules) -> Position:
    """Return the position that an environment shows: its board, the current piece and the preview."""
    known = "".join(PIECES[number] for number in reply["known"])
    return Position.from_board(Board.from_text(reply["grid"], rules.rows), known[0], known[1:], rules)


def list_keys(position: Position, placement: Placement) -> Iterator[str]:
    """Yield the keys of a placement, one per row of gravity, and a hard drop."""
    keys = dict(position.find_timed_keys(placement))
    for frame in range(max(keys, default=-1) + 1):
        yield keys.get(frame, WAIT)
    yield DROP


def play_keys(position: Position, keys: Iterable[str]) -> PlayedPiece:
    """Press keys in a real-time game, each followed by one row of gravity, until the piece locks."""
    game = Game.from_position(position)
    played = PlayedPiece([], [], game)
    for key in keys:
        played.keys.append(key)
        if key != WAIT:
            game.press(key)
        if key != DROP:
            game.tick(1)
        if game.pieces > position.pieces or game.falling_piece is None:
            break
        played.corners.append([game.falling_piece.column, game.falling_piece.row])
    return played


def check_key_game(
    ask: AskFunction, seed: int, choose: ChooseFunction | None, *, rules: Rules, max_pieces: int, counts: CheckCounts
) -> None:
    """Play a game in an environment, by random keys without `choose`, and compare every key with the engine."""
    reply = ask("reset", seed)
    random = Random(seed)
    gained = 0
    for _ in range(max_pieces):
        position = read_key_position(reply, rules)
        if choose:
            placement = choose(position)
            played = play_keys(position, list_keys(position, placement))
            counts.compare(MOVES, played.game.board, position.after(placement).board)
        else:
            played = play_keys(position, iter(lambda: random.choice(KEY_NAMES), None))
        reply = ask("step", played.keys)
        gained += reply["gain"]
        corner_pairs = zip(reply["corners"], played.corners, strict=False)  # the last key locks the piece
        counts.add(LOCATIONS, len(played.corners), sum(theirs != ours for theirs, ours in corner_pairs))
        counts.compare(BOARDS, read_key_position(reply, rules).board, played.game.board)
        counts.compare(GAINS, reply["gain"], played.game.lines)
        counts.compare(ENDS, reply["is_over"], played.game.is_over)
        if reply["is_over"]:
            break
    counts.returns.append(gained)
