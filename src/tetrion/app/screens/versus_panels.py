"""Drawing of a match: boards, lead bar and statistics of the players."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.app.games.match_players import AgentPlayer, HumanPlayer, MatchPlayer
from tetrion.app.games.versus_match import VersusMatch, capitalise_name, describe_lead
from tetrion.app.screens.versus_layout import MatchLayout
from tetrion.app.screens.versus_queue import draw_hold_row, draw_horizontal_queue, draw_vertical_queue
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.window_settings import WindowSettings
from tetrion.drawing.board_animation import AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.candidate_overlay import draw_candidate_shades
from tetrion.drawing.contours import PLAN_CONTOUR
from tetrion.drawing.entry_rows import draw_entry_rows
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import (
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    PANEL,
    STRONG_TEXT,
    WHITE,
    get_series_colour,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, FittedBoard, Pen
from tetrion.drawing.side_panels import draw_garbage_meter, draw_statistics_row
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number

_NAME_WIDTHS = {"wide": 356, "medium": 280, "compact": 254}  # units for a name and its points
_LEAD_BAR_THICKNESS = 8
_LEAD_BAR_GAP = 3
_STATISTICS_HEIGHT = 244
_FIRST_ROW_TOP = 102
_ROW_HEIGHT = 28
_HEIGHT_HISTORY_LENGTH = 160  # pieces
_FULL_ROW_BRIGHTNESS = 0.5  # share of white in full rows without animation
_MAX_NOTE_WIDTH = 240


class BoardNote(NamedTuple):
    """Message in the middle of a board."""

    headline: str
    text: str
    colour: str  # of the headline


def draw_match(
    pen: Pen,
    screen_area: ScreenArea,
    layout: MatchLayout,
    match: VersusMatch,
    *,
    settings: WindowSettings,
    shares: Sequence[float],
) -> None:
    """Draw a match without overlays; `shares` are the parts of the lead bar."""
    for number, (player, board) in enumerate(zip(match.players, layout.boards, strict=True)):
        draw_garbage_meter(pen, board.box, board.cell_size, player.game.position)
        draw_player_board(pen, board, player, get_series_colour(number), settings)
        if note := make_note(player, match.is_over):
            draw_note(pen, board.box, note)
    for player, row in zip(match.players, layout.hold_rows, strict=False):
        draw_hold_row(pen, row, player, has_animation=settings.has_animation)
    if layout.has_two_boards:
        draw_lead_panel(pen, screen_area, layout, match, shares)
        draw_vertical_queue(pen, layout.queue, match)
        for number, side in enumerate(layout.side_panels):
            draw_side_panel(
                pen, side, match.players, number, rows=match.rules.height, with_chart=screen_area.layout_size == "wide"
            )
    else:
        draw_shares_panel(pen, layout.lead_bar, match, shares)
        draw_horizontal_queue(pen, layout.queue, match)
        for number, header in enumerate(layout.board_headers):
            draw_board_header(pen, header, match.players, number)


def draw_player_board(pen: Pen, board: FittedBoard, player: MatchPlayer, colour: str, settings: WindowSettings) -> None:
    """Draw a board with the current piece and its target: a ghost for a human, a plan for an agent."""
    if isinstance(player, HumanPlayer) and not player.is_out:
        ghost = player.target if settings.ghost else None
        player.human_game.board_animator.draw(pen, board, player.tracker.stack, active=player.active_piece, ghost=ghost)
    elif isinstance(player, AgentPlayer) and not player.is_out:
        draw_agent_board(pen, board, player, colour, settings.has_animation)
        offset = player.offset if settings.has_animation else (0.0, 0.0)
        draw_entry_rows(pen, board, player.tracker.stack, active=player.active_piece, offset=offset)
    else:
        origin = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, origin, board.cell_size, player.tracker.stack, is_over=True, style=pen.style)
        draw_entry_rows(pen, board, player.tracker.stack)


def draw_agent_board(pen: Pen, board: FittedBoard, player: AgentPlayer, colour: str, animated: bool) -> None:
    """Draw the board of an agent with its candidates, its plan and the moving piece."""
    origin = pen.to_pixel_point(board.box.topleft)
    cell = board.cell_size
    clearing_lock = player.clearing_lock
    stack = clearing_lock.stack_before_clear if clearing_lock else player.tracker.stack
    if clearing_lock and not animated:
        draw_board(
            pen.surface,
            origin,
            cell,
            stack,
            flash=dict.fromkeys(clearing_lock.full_rows, _FULL_ROW_BRIGHTNESS),
            style=pen.style,
        )
        return

    def draw_candidates() -> None:
        draw_candidate_shades(pen.surface, origin, cell, stack, player.candidate_placements)

    def draw_plan() -> None:
        if player.target:
            contour = PLAN_CONTOUR._replace(colour=colour)
            draw_contour(pen.surface, origin, cell, stack.height, player.target.cells, contour=contour)

    offset = player.offset if animated else (0.0, 0.0)
    active_piece = player.active_piece
    if active_piece and not board.entry_rows and not player.agent_game.has_clock:
        active_piece = stack.lower_into_view(active_piece)
    animated_board = AnimatedBoard(
        stack, active_piece, offset, clear_elapsed=player.clear_milliseconds if clearing_lock else None
    )
    draw_animated_board(
        pen.surface, origin, cell, animated_board, style=pen.style, draw_below=draw_candidates, draw_above=draw_plan
    )


def make_note(player: MatchPlayer, match_is_over: bool) -> BoardNote | None:
    """Return the message on the board of a player, if there is one."""
    if player.problem:
        return BoardNote(f"{player.name} cannot continue", player.problem, NEGATIVE)
    if player.is_out:
        return None if match_is_over else BoardNote("Out", format_count(player.game.lines, "line"), STRONG_TEXT)
    return BoardNote(player.name, player.waiting_message, STRONG_TEXT) if player.waiting_message else None


def draw_note(pen: Pen, board: Box, note: BoardNote) -> None:
    """Draw a message in the middle of a board."""
    width = min(_MAX_NOTE_WIDTH, board.width - 16)
    lines = pen.wrap_text(note.text, width - 24, 14)
    max_lines = max(1, (board.height - 80) // 20)
    box = Box(0, 0, width, 52 + 20 * min(len(lines), max_lines))
    box.center = board.center
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    headline = pen.truncate_text(note.headline, width - 24, 16, True)
    pen.draw_text(headline, (box.centerx, box.top + 24), 16, True, note.colour, align=0.5)
    for number, line in enumerate(lines[:max_lines]):
        pen.draw_text(line, (box.centerx, box.top + 48 + 20 * number), 14, False, NORMAL_TEXT, align=0.5)


def compute_score_shares(match: VersusMatch) -> list[float]:
    """Return each player's share of the points; equal shares while there are no points."""
    points = [player.game.score for player in match.players]
    return [score / sum(points) for score in points] if sum(points) else [1 / len(points)] * len(points)


def format_lead_title(match: VersusMatch) -> str:
    """Return the text above the lead bar."""
    if winner := match.decided_winner:
        return "You have already won" if winner.is_human else f"{winner.name} has already won"
    return describe_lead(match.players)


def draw_lead_panel(
    pen: Pen, screen_area: ScreenArea, layout: MatchLayout, match: VersusMatch, shares: Sequence[float]
) -> None:
    """Draw the names and points of two players, and the lead bar between them."""
    box = layout.lead_bar
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    name_width = _NAME_WIDTHS[screen_area.layout_size]
    bar = Box(box.left + name_width, box.top + 38, box.width - 2 * name_width, _LEAD_BAR_THICKNESS)
    draw_share_bar(pen, bar, shares)
    pen.fill(Box(bar.centerx, bar.top - 4, 1, _LEAD_BAR_THICKNESS + 8), WHITE)
    title = pen.truncate_text(format_lead_title(match), bar.width, 15, True)
    pen.draw_text(title, (bar.centerx, box.top + 20), 15, True, STRONG_TEXT, align=0.5)
    for number, player in enumerate(match.players):
        draw_player_name(pen, box, bar, player, is_right=number == 1, compact=not layout.side_panels)


def draw_player_name(pen: Pen, box: Box, bar: Box, player: MatchPlayer, *, is_right: bool, compact: bool) -> None:
    """Draw a name and its points at one end of the lead bar; compact also shows lines, and attack or holes."""
    colour = get_series_colour(int(is_right))

    def mirror(distance: float, align: float = 0) -> tuple[float, float]:
        """Return the x coordinate at a distance from the outer edge, and the text alignment there."""
        return (box.right - distance, 1 - align) if is_right else (box.left + distance, align)

    points = format_number(player.game.score, 0)
    points_width = pen.measure_text(points, 28, True)
    x, align = mirror(bar.left - box.left - 20, 1)
    pen.draw_text(points, (x, box.centery), 28, True, colour, align=align)
    pen.draw_disc((mirror(24)[0], box.centery), 6, colour)
    max_name_width = bar.left - box.left - 20 - points_width - 40 - 12
    name = pen.truncate_text(capitalise_name(player.name), max_name_width, 20, True)
    x, align = mirror(40)
    pen.draw_text(name, (x, box.centery - (10 if compact else 0)), 20, True, STRONG_TEXT, align=align)
    if compact:
        text = f"{format_count(player.game.lines, 'line')}, {describe_attack_or_holes(player)}"
        pen.draw_text(
            pen.truncate_text(text, max_name_width, 14), (x, box.centery + 13), 14, False, DIM_TEXT, align=align
        )
        return
    kind = "human" if player.is_human else "agent"
    name_width = pen.measure_text(name, 20, True) + 11
    if name_width + pen.measure_text(kind, 15) <= max_name_width:
        x, align = mirror(40 + name_width)
        pen.draw_text(kind, (x, box.centery + 1), 15, False, FAINT_TEXT, align=align)


def draw_shares_panel(pen: Pen, box: Box, match: VersusMatch, shares: Sequence[float]) -> None:
    """Draw the lead bar of three or four players."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    title = pen.truncate_text(format_lead_title(match), box.width - 2 * PANEL_PADDING, 16, True)
    pen.draw_text(title, (box.left + PANEL_PADDING, box.top + 26), 16, True, STRONG_TEXT)
    draw_share_bar(
        pen, Box(box.left + PANEL_PADDING, box.top + 48, box.width - 2 * PANEL_PADDING, _LEAD_BAR_THICKNESS), shares
    )


def draw_share_bar(pen: Pen, bar: Box, shares: Sequence[float]) -> None:
    """Draw a bar split into the given shares; the first share is the brightest."""
    ends = [bar.left + round(bar.width * sum(shares[: number + 1])) for number in range(len(shares))]
    last = max(number for number, share in enumerate(shares) if share * bar.width >= 1)
    left = bar.left
    for number, end in enumerate(ends):
        right = end - _LEAD_BAR_GAP // 2 if number < last else bar.right
        part = Box(left, bar.top, right - left, _LEAD_BAR_THICKNESS)
        left = end + _LEAD_BAR_GAP - _LEAD_BAR_GAP // 2 if end > bar.left else bar.left
        if part.width <= 0:
            continue
        colour = mix_colours(PANEL, get_series_colour(number), 1.0 if number == 0 else 0.75)
        pen.fill_rounded(part, min(_LEAD_BAR_THICKNESS, part.width) / 2, colour)
        middle = part.inflate(-_LEAD_BAR_THICKNESS, 0) if part.width > _LEAD_BAR_THICKNESS else part
        if part.left > bar.left:
            pen.fill(Box(part.left, part.top, middle.centerx - part.left + 1, _LEAD_BAR_THICKNESS), colour)
        if part.right < bar.right:
            pen.fill(Box(middle.centerx, part.top, part.right - middle.centerx, _LEAD_BAR_THICKNESS), colour)


def is_best(values: Sequence[float | None], player_index: int, lower_is_better: bool = False) -> bool:
    """Return whether the value of a player is better than all others; None is a missing value."""
    value = values[player_index]
    others = [other for index, other in enumerate(values) if index != player_index]
    if value is None:
        return False
    return all(other is None or (value < other if lower_is_better else value > other) for other in others)


def draw_side_panel(
    pen: Pen, box: Box, players: Sequence[MatchPlayer], number: int, *, rows: int, with_chart: bool
) -> None:
    """Draw the statistics of one player, leading values in its colour, and its stack height."""
    player, colour = players[number], get_series_colour(number)
    panel = Box(box.left, box.top, box.width, min(_STATISTICS_HEIGHT, box.height))
    pen.draw_panel(panel, "Lines")
    lines = [match_player.game.lines for match_player in players]
    lines_colour = colour if is_best(lines, number) else STRONG_TEXT
    pen.draw_text(format_number(lines[number], 0), (panel.left + PANEL_PADDING, panel.top + 52), 34, True, lines_colour)
    has_attack = player.attack is not None
    statistics: list[tuple[str, list[float | None], bool]] = [
        ("Tetrises", [match_player.tracker.clear_counts[3] for match_player in players], False),
        ("Attack", [match_player.attack for match_player in players], False)
        if has_attack
        else ("Points per line", [match_player.tracker.points_per_line for match_player in players], False),
        ("Height", [match_player.height for match_player in players], True),
        ("Holes", [match_player.holes for match_player in players], True),
    ]
    row_box = Box(
        panel.left + PANEL_PADDING,
        panel.top + _FIRST_ROW_TOP - _ROW_HEIGHT // 2,
        panel.width - 2 * PANEL_PADDING,
        _ROW_HEIGHT,
    )
    pen.draw_row(row_box, "Pieces", format_number(player.game.pieces, 0))
    for label, values, lower_is_better in statistics:
        row_box = row_box.move(0, _ROW_HEIGHT)
        value = values[number]
        text = NO_VALUE if value is None else format_number(value, 0)
        text_colour = colour if is_best(values, number, lower_is_better) else STRONG_TEXT
        draw_statistics_row(pen, row_box, label, text, text_colour)
    below = Box(box.left, panel.bottom + 16, box.width, box.bottom - panel.bottom - 16)
    if with_chart and below.height >= 140:
        draw_stack_heights(pen, below, player.tracker.heights[-_HEIGHT_HISTORY_LENGTH:], rows, colour)


def draw_board_header(pen: Pen, box: Box, players: Sequence[MatchPlayer], number: int) -> None:
    """Draw name, points, lines, and attack or holes above one of three or four boards."""
    player, colour = players[number], get_series_colour(number)
    points = format_number(player.game.score, 0)
    points_width = pen.measure_text(points, 22, True)
    pen.draw_disc((box.left + 8, box.top + 14), 5, colour)
    name = pen.truncate_text(capitalise_name(player.name), box.width - points_width - 32, 17, True)
    pen.draw_text(name, (box.left + 22, box.top + 14), 17, True, STRONG_TEXT)
    pen.draw_text(points, (box.right - 4, box.top + 14), 22, True, colour, align=1)
    lines = [match_player.game.lines for match_player in players]
    lines_text = format_count(lines[number], "line")
    pen.draw_text(lines_text, (box.left + 22, box.top + 36), 14, True, colour if is_best(lines, number) else DIM_TEXT)
    has_attack = player.attack is not None
    values = [match_player.attack if has_attack else match_player.holes for match_player in players]
    value_colour = colour if is_best(values, number, lower_is_better=not has_attack) else DIM_TEXT
    text = describe_attack_or_holes(player)
    pen.draw_text(text, (box.right - 4, box.top + 36), 14, False, value_colour, align=1)


def describe_attack_or_holes(player: MatchPlayer) -> str:
    """Return the attack of a player as text, or the holes under rules without attack."""
    return format_count(player.holes, "hole") if player.attack is None else f"attack {player.attack:,}"
