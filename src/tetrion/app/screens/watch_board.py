"""A seat's board as it is seen: what moves, what its agent considers, what it keeps clear."""

from collections.abc import Sequence

from tetrion.agents import WeightedAgent
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.screens.game_panels import get_second_mode
from tetrion.app.window_settings import WindowSettings
from tetrion.board import Placement
from tetrion.drawing.board_animation import LOCK_MILLISECONDS, AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.candidate_overlay import (
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    find_keep_clear_zones,
)
from tetrion.drawing.contours import make_ghost_contour
from tetrion.drawing.palette import get_piece_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.scenes import lower_into_view

_FULL_ROW_BRIGHTNESS = 0.5  # how white full rows are where nothing moves


def draw_agent_game(
    pen: Pen,
    fitted: FittedBoard,
    agent_game: AgentGame,
    settings: WindowSettings,
    show_thinking: bool,
    milliseconds_since_lock: float = LOCK_MILLISECONDS,
) -> None:
    """Draw a board with its piece on its way; `locked` milliseconds ago the last piece has come to rest."""
    place = pen.to_pixel_point(fitted.box.topleft)
    cell = fitted.cell_size
    height = agent_game.rules.height
    clearing, last = agent_game.clearing_lock, agent_game.tracker.last_lock
    stack = clearing.stack_before_clear if clearing else agent_game.tracker.stack
    considered = get_considered_placements(agent_game) if show_thinking and settings.candidates else ()
    marks = make_marks(agent_game) if show_thinking else KeepClearZones()
    ghost = agent_game.target if settings.ghost and not considered else None

    def under() -> None:
        draw_keep_clear_zones(pen.surface, place, cell, height, marks, "Danger zone")
        draw_candidate_shades(pen.surface, place, cell, stack, considered)

    def over() -> None:
        draw_best_candidates(pen.surface, place, cell, stack, considered)
        if ghost:
            contour = make_ghost_contour(get_piece_colours(pen.style.palette)[ghost.piece])
            draw_contour(pen.surface, place, cell, height, ghost.cells, contour)

    if clearing and not settings.has_animation:
        flash = dict.fromkeys(clearing.full_rows, _FULL_ROW_BRIGHTNESS)
        draw_board(pen.surface, place, cell, stack, flash=flash, style=pen.style, draw_below=under)
        return
    moves = settings.has_animation
    landed = (
        last.placement
        if moves
        and last
        and not last.full_rows
        and milliseconds_since_lock < LOCK_MILLISECONDS
        and not agent_game.is_fast_playing
        else None
    )
    moving = AnimatedBoard(
        stack,
        lower_into_view(stack, agent_game.active_piece) if agent_game.active_piece else None,
        agent_game.offset if moves else (0.0, 0.0),
        landed,
        None,
        milliseconds_since_lock,
        agent_game.clear_milliseconds if clearing else None,
        is_over=agent_game.game.is_over,
    )
    draw_animated_board(pen.surface, place, cell, moving, style=pen.style, draw_below=under, draw_above=over)


def get_considered_placements(agent_game: AgentGame) -> Sequence[Placement]:
    """The placements that the agent considers for the piece in play, the best one first."""
    decision = agent_game.current_decision
    if decision is None or agent_game.clearing_lock:
        return ()
    if decision.explanation is None:
        return (decision.placement,)
    return [candidate.placement for candidate in decision.explanation.candidates]


def make_marks(agent_game: AgentGame) -> KeepClearZones:
    """What the agent keeps clear in the mode that it is in."""
    agent = agent_game.background_agent.agent
    if not isinstance(agent, WeightedAgent):
        return KeepClearZones()
    second = get_second_mode(agent)
    weights = second.weights if second and get_current_mode(agent_game) == second.names[1] else agent.weights
    return find_keep_clear_zones(dict.fromkeys(weights, 0.0), agent_game.rules.rows)


def get_current_mode(agent_game: AgentGame) -> str:
    """The mode that the agent was last seen in."""
    decision = (
        agent_game.last_explained.decision
        if agent_game.is_fast_playing and agent_game.last_explained
        else agent_game.decision
    )
    return decision.mode if decision else ""
