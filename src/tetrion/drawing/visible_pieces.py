"""The pieces that a player of a game sees next to the board: the hold box and the next pieces."""

from typing import NamedTuple

from tetrion.board import Placement
from tetrion.position import Position


class VisiblePieces(NamedTuple):
    """The held piece (empty text: none), whether it can be taken now, and the next pieces.

    `has_hold` says whether the rules have hold.
    """

    has_hold: bool = False
    hold: str = ""
    can_hold: bool = False
    next: str = ""

    @classmethod
    def from_position(cls, position: Position, active: Placement | None = None) -> "VisiblePieces":
        """Return the pieces of a position.

        `active` is the piece that is drawn. If it comes from hold, or differs from that of the position, hold was used.
        """
        next_pieces = position.next[: position.rules.preview]
        if active is None or (active.piece == position.piece and not active.hold):
            return cls(bool(position.rules.hold), position.hold, position.can_hold, next_pieces)
        return cls(True, position.piece or "", False, next_pieces if position.hold else next_pieces[1:])


NO_VISIBLE_PIECES = VisiblePieces()
