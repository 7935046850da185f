"""How a piece is seen to go where it is placed: the keys, and where it is after each of them."""

from tetrion.board import Placement
from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position


def find_piece_path(position: Position, placement: Placement) -> tuple[tuple[str, ...], tuple[Placement, ...]]:
    """The keys that bring a piece to a place, and where it is after each; nothing where there is no way by keys."""
    try:
        keys = position.find_keys(placement)
        free = position.rules.with_(keys="+".join(GAME_KEYS), lock_keys="none", gravity=0, spawn_delay=0, clear_delay=0)
        game = Game.from_position(Position.from_board(position.board, placement.piece, position.next, free))
    except TetrionError:
        return (), ()
    path = []
    for key in keys:
        game.press(key)
        if game.falling_piece is None or game.pieces:  # the last step down may let it come to rest
            break
        path.append(game.falling_piece)
    return keys, tuple(path)
