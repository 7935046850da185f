"""Board of an agent's game with its animations, candidates and zones that it keeps clear."""

from collections.abc import Sequence

from tetrion.app.games.agent_game import AgentGame
from tetrion.app.screens.game_panels import get_second_mode
from tetrion.app.window_settings import WindowSettings
from tetrion.board import Placement
from tetrion.drawing.board_animation import LOCK_MILLISECONDS, AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.candidate_overlay import (
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    find_keep_clear_zones,
)
from tetrion.drawing.pen import FittedBoard, Pen

_FULL_ROW_BRIGHTNESS = 0.5  # share of white in full rows without animation


def draw_agent_game(
    pen: Pen,
    fitted: FittedBoard,
    agent_game: AgentGame,
    settings: WindowSettings,
    *,
    show_thinking: bool,
    milliseconds_since_lock: float = LOCK_MILLISECONDS,
) -> None:
    """Draw the board of a game; the last piece locked `milliseconds_since_lock` ago."""
    origin = pen.to_pixel_point(fitted.box.topleft)
    cell = fitted.cell_size
    height = agent_game.rules.height
    clearing_lock, last_lock = agent_game.clearing_lock, agent_game.tracker.last_lock
    stack = clearing_lock.stack_before_clear if clearing_lock else agent_game.tracker.stack
    candidates = get_considered_placements(agent_game) if show_thinking and settings.candidates else ()
    zones = find_agent_zones(agent_game) if show_thinking else KeepClearZones()
    ghost = agent_game.target if settings.ghost and not candidates else None

    def draw_below() -> None:
        draw_keep_clear_zones(pen.surface, origin, cell, height, zones, label="Danger zone")
        draw_candidate_shades(pen.surface, origin, cell, stack, candidates)

    def draw_above() -> None:
        draw_best_candidates(pen.surface, origin, cell, stack, candidates)

    if clearing_lock and not settings.has_animation:
        flash = dict.fromkeys(clearing_lock.full_rows, _FULL_ROW_BRIGHTNESS)
        draw_board(pen.surface, origin, cell, stack, flash=flash, style=pen.style, draw_below=draw_below)
        return
    has_animation = settings.has_animation
    locked_piece = (
        last_lock.placement
        if has_animation
        and last_lock
        and not last_lock.full_rows
        and milliseconds_since_lock < LOCK_MILLISECONDS
        and not agent_game.is_fast_playing
        else None
    )
    active_piece = agent_game.active_piece
    if active_piece and not agent_game.has_clock:  # with a clock, it falls into view, as in Play
        active_piece = stack.lower_into_view(active_piece)
    animated_board = AnimatedBoard(
        stack,
        active_piece,
        agent_game.offset if has_animation else (0.0, 0.0),
        locked_piece,
        None,
        milliseconds_since_lock,
        agent_game.clear_milliseconds if clearing_lock else None,
        is_over=agent_game.game.is_over,
        ghost=ghost,
    )
    draw_animated_board(
        pen.surface, origin, cell, animated_board, style=pen.style, draw_below=draw_below, draw_above=draw_above
    )


def get_considered_placements(agent_game: AgentGame) -> Sequence[Placement]:
    """Return the candidate placements of the current piece, the best one first."""
    decision = agent_game.current_decision
    if decision is None or agent_game.clearing_lock:
        return ()
    if decision.explanation is None:
        return (decision.placement,) if decision.placement else ()
    return [candidate.placement for candidate in decision.explanation.candidates]


def find_agent_zones(agent_game: AgentGame) -> KeepClearZones:
    """Return the zones that the agent keeps clear in its current mode."""
    agent = agent_game.background_agent.agent
    second = get_second_mode(agent)
    weights = getattr(agent, "weights", {})
    if second and agent_game.mode == second.names[1]:
        weights = second.weights
    return find_keep_clear_zones(dict.fromkeys(weights, 0.0), agent_game.rules.rows)
