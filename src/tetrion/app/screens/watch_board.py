"""A seat's board as it is seen: what moves, what its agent considers, what it keeps clear."""

from collections.abc import Sequence

from tetrion.agents import DataAgent
from tetrion.app.games.seat import Seat
from tetrion.app.screens.game_panels import second_mode
from tetrion.app.settings import Settings
from tetrion.board import Placement
from tetrion.drawing.boards import draw_board, draw_contour
from tetrion.drawing.candidates import Marks, draw_choice, draw_considered, draw_marks, marks_of
from tetrion.drawing.contours import ghost as ghost_of
from tetrion.drawing.motion import LOCK, Moving, draw_moving
from tetrion.drawing.palette import pieces_of
from tetrion.drawing.pen import Fitted, Pen
from tetrion.drawing.scenes import in_sight

FLASH = 0.5  # how white full rows are where nothing moves


def draw_seat(pen: Pen, fitted: Fitted, seat: Seat, settings: Settings, thinking: bool, locked: float = LOCK) -> None:
    """Draw a board with its piece on its way; `locked` milliseconds ago the last piece has come to rest."""
    place, cell, height = pen.point(fitted.box.topleft), fitted.cell, seat.rules.height
    clearing, last = seat.clearing, seat.follower.last
    stack = clearing.lying if clearing else seat.follower.stack
    considered = considered_by(seat) if thinking and settings.candidates else ()
    marks = marks_for(seat) if thinking else Marks()
    ghost = seat.target if settings.ghost and not considered else None

    def under() -> None:
        draw_marks(pen.surface, place, cell, height, marks, "Danger zone")
        draw_considered(pen.surface, place, cell, stack, considered)

    def over() -> None:
        draw_choice(pen.surface, place, cell, stack, considered)
        if ghost:
            contour = ghost_of(pieces_of(pen.look.palette)[ghost.piece])
            draw_contour(pen.surface, place, cell, height, ghost.cells, contour)

    if clearing and not settings.moves:
        flash = dict.fromkeys(clearing.full, FLASH)
        draw_board(pen.surface, place, cell, stack, flash=flash, look=pen.look, under=under)
        return
    moves = settings.moves
    landed = last.placement if moves and last and not last.full and locked < LOCK and not seat.sprinting else None
    moving = Moving(
        stack,
        in_sight(stack, seat.active) if seat.active else None,
        seat.away if moves else (0.0, 0.0),
        landed,
        None,
        locked,
        seat.cleared if clearing else None,
        out=seat.game.over,
    )
    draw_moving(pen.surface, place, cell, moving, look=pen.look, under=under, over=over)


def considered_by(seat: Seat) -> Sequence[Placement]:
    """The placements that the agent considers for the piece in play, the best one first."""
    decision = seat.decision_of_now
    if decision is None or seat.clearing:
        return ()
    if decision.explanation is None:
        return (decision.placement,)
    return [candidate.placement for candidate in decision.explanation.candidates]


def marks_for(seat: Seat) -> Marks:
    """What the agent keeps clear in the mode that it is in."""
    agent = seat.decider.agent
    if not isinstance(agent, DataAgent):
        return Marks()
    second = second_mode(agent)
    weights = second.weights if second and mode_of(seat) == second.names[1] else agent.weights
    return marks_of(dict.fromkeys(weights, 0.0), seat.rules.rows)


def mode_of(seat: Seat) -> str:
    """The mode that the agent was last seen in."""
    decision = seat.thought.decision if seat.sprinting and seat.thought else seat.decision
    return decision.mode if decision else ""
