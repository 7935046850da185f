"""The path of a piece to its placement, for animations."""

from tetrion.board import Placement
from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position


def find_piece_path(position: Position, placement: Placement) -> tuple[tuple[str, ...], tuple[Placement, ...]]:
    """Return the keys that move a piece to a placement, and its location after each key.

    Both are empty if the placement is unreachable.
    """
    try:
        keys = position.find_keys(placement)
        free_rules = position.rules.with_(
            keys="+".join(GAME_KEYS), lock_keys="none", gravity=0, spawn_delay=0, clear_delay=0
        )
        game = Game.from_position(Position.from_board(position.board, placement.piece, position.next, free_rules))
    except TetrionError:
        return (), ()
    path = []
    for key in keys:
        game.press(key)
        if game.falling_piece is None or game.pieces:  # the last soft drop may lock the piece
            break
        path.append(game.falling_piece)
    return keys, tuple(path)
