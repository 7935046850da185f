"""Why a modern game is over."""

from tetrion.game import Game

BLOCK_OUT = "Block out: no room to spawn."
LOCK_OUT = "Lock out: locked above the board."
TOP_OUT = "Top out: pushed out by garbage."


def describe_end(game: Game) -> str:
    """Return why a modern game is over as a short sentence; empty for other games and unknown reasons."""
    if not game.rules.is_modern or not game.is_over:
        return ""
    last = game.placements_made[-1] if game.placements_made else None
    is_above = last is not None and min(row for _, row in last.cells) >= game.rules.height
    if is_above and game.rules.game_over == "lock-out":
        return LOCK_OUT
    position = game.position
    is_due = any(pieces == 0 for _, pieces in position.garbage)
    if is_due and max(position.board.heights) == game.rules.rows:  # the board could not be pushed up any further
        return TOP_OUT
    return "" if position.can_spawn else BLOCK_OUT
