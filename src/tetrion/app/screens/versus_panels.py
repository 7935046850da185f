"""A match as it is seen: the boards, who leads, and the numbers of all sides."""

from collections.abc import Sequence

from tetrion.app.games.match_players import AgentPlayer, HumanPlayer, MatchPlayer
from tetrion.app.games.versus_match import VersusMatch, capitalise_name, describe_lead
from tetrion.app.screens.versus_layout import MatchLayout
from tetrion.app.screens.versus_queue import draw_horizontal_queue, draw_vertical_queue
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.window_settings import WindowSettings
from tetrion.drawing.board_animation import AnimatedBoard, draw_animated_board
from tetrion.drawing.board_drawing import draw_board, draw_contour
from tetrion.drawing.candidate_overlay import draw_candidate_shades
from tetrion.drawing.contours import PLAN_CONTOUR
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
from tetrion.drawing.surface_charts import ChartLine, draw_chart
from tetrion.evaluation.number_format import format_count, format_number

_NAME_WIDTHS = {"wide": 356, "medium": 280, "compact": 254}  # room for a name and its points
_LEAD_BAR_THICKNESS, _LEAD_BAR_GAP = 8, 3
_STATISTICS_HEIGHT = 244  # how high the panel is
_FIRST_ROW_TOP, _ROW_HEIGHT = 102, 28
_HEIGHT_HISTORY_LENGTH = 160  # heights in a chart
_FULL_ROW_BRIGHTNESS = 0.5  # how white full rows are where nothing moves
_MAX_NOTE_WIDTH = 240  # how wide what is said on a board is at most


def draw_match(
    pen: Pen,
    room: ScreenArea,
    layout: MatchLayout,
    match: VersusMatch,
    settings: WindowSettings,
    shares: Sequence[float],
) -> None:
    """Draw everything but overlays; `shares` are those of the lead bar."""
    for number, (player, board) in enumerate(zip(match.players, layout.boards, strict=True)):
        draw_player_board(pen, board, player, get_series_colour(number), settings)
        if said := make_note(player, match.is_over):
            draw_note(pen, board.box, *said)
    if layout.has_two_boards:
        draw_lead_panel(pen, room, layout.lead_bar, match, shares)
        draw_vertical_queue(pen, layout.queue, match)
        for number, side in enumerate(layout.side_panels):
            draw_side_panel(pen, side, match.players, number, match.rules.height, room.layout_size == "wide")
    else:
        draw_shares_panel(pen, layout.lead_bar, match, shares)
        draw_horizontal_queue(pen, layout.queue, match)
        for number, head in enumerate(layout.board_headers):
            draw_board_header(pen, head, match.players, number)


# A board.


def draw_player_board(pen: Pen, board: FittedBoard, player: MatchPlayer, colour: str, settings: WindowSettings) -> None:
    """A board with the piece in play, and where it goes: a person's ghost, an agent's plan."""
    if isinstance(player, HumanPlayer) and not player.is_out:
        ghost = player.target if settings.ghost else None
        player.human_game.board_animator.draw(pen, board, player.tracker.stack, active=player.active_piece, ghost=ghost)
    elif isinstance(player, AgentPlayer) and not player.is_out:
        draw_agent_board(pen, board, player, colour, settings.has_animation)
    else:
        place = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, place, board.cell_size, player.tracker.stack, is_over=True, style=pen.style)


def draw_agent_board(pen: Pen, board: FittedBoard, player: AgentPlayer, colour: str, animated: bool) -> None:
    """An agent's board: what it considers below the stack, its plan above it, and the piece on its way there."""
    place = pen.to_pixel_point(board.box.topleft)
    cell = board.cell_size
    clearing = player.clearing_lock
    stack = clearing.stack_before_clear if clearing else player.tracker.stack
    if clearing and not animated:
        draw_board(
            pen.surface,
            place,
            cell,
            stack,
            flash=dict.fromkeys(clearing.full_rows, _FULL_ROW_BRIGHTNESS),
            style=pen.style,
        )
        return

    def consider() -> None:
        draw_candidate_shades(pen.surface, place, cell, stack, player.candidate_placements)

    def plan() -> None:
        if player.target:
            contour = PLAN_CONTOUR._replace(colour=colour)
            draw_contour(pen.surface, place, cell, stack.height, player.target.cells, contour)

    away = player.offset if animated else (0.0, 0.0)
    moving = AnimatedBoard(
        stack, player.active_piece, away, clear_elapsed=player.clear_milliseconds if clearing else None
    )
    draw_animated_board(pen.surface, place, cell, moving, style=pen.style, draw_below=consider, draw_above=plan)


def make_note(player: MatchPlayer, match_is_over: bool) -> tuple[str, str, str] | None:
    """What is said on somebody's board: a headline, the rest, and the headline's colour."""
    if player.problem:
        return f"{player.name} cannot go on", player.problem, NEGATIVE
    if player.is_out:
        return None if match_is_over else ("Out", format_count(player.game.lines, "line"), STRONG_TEXT)
    return (player.name, player.waiting_message, STRONG_TEXT) if player.waiting_message else None


def draw_note(pen: Pen, board: Box, headline: str, words: str, colour: str) -> None:
    """Say something in the middle of a board."""
    wide = min(_MAX_NOTE_WIDTH, board.width - 16)
    lines = pen.wrap_text(words, wide - 24, 14)
    most = max(1, (board.height - 80) // 20)
    box = Box(0, 0, wide, 52 + 20 * min(len(lines), most))
    box.center = board.center
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    pen.draw_text(
        pen.truncate_text(headline, wide - 24, 16, True), (box.centerx, box.top + 24), 16, True, colour, align=0.5
    )
    for number, line in enumerate(lines[:most]):
        pen.draw_text(line, (box.centerx, box.top + 48 + 20 * number), 14, False, NORMAL_TEXT, align=0.5)


# Who leads.


def compute_score_shares(match: VersusMatch) -> list[float]:
    """Each player's share of the points so far; all alike before the first."""
    points = [player.game.score for player in match.players]
    return [each / sum(points) for each in points] if sum(points) else [1 / len(points)] * len(points)


def format_lead_title(match: VersusMatch) -> str:
    """What stands above the bar."""
    if match.decided_winner:
        return f"{capitalise_name(match.decided_winner.name)} {'have won and play' if match.decided_winner.is_human else 'has won and plays'} on"
    return describe_lead(match.players)


def draw_lead_panel(pen: Pen, room: ScreenArea, box: Box, match: VersusMatch, shares: Sequence[float]) -> None:
    """Both names and points, and the bar between them."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    beside = _NAME_WIDTHS[room.layout_size]
    bar = Box(box.left + beside, box.top + 38, box.width - 2 * beside, _LEAD_BAR_THICKNESS)
    draw_share_bar(pen, bar, shares)
    pen.fill(Box(bar.centerx, bar.top - 4, 1, _LEAD_BAR_THICKNESS + 8), WHITE)
    words = pen.truncate_text(format_lead_title(match), bar.width, 15, True)
    pen.draw_text(words, (bar.centerx, box.top + 20), 15, True, STRONG_TEXT, align=0.5)
    for number, player in enumerate(match.players):
        draw_player_name(pen, box, bar, player, number, room.is_compact)


def draw_player_name(pen: Pen, box: Box, bar: Box, player: MatchPlayer, number: int, compact: bool) -> None:
    """A name at its end of the lead bar, and the points beside it; where there are no sides, lines and holes too."""
    right, colour = number == 1, get_series_colour(number)

    def at(left: float, align: float = 0) -> tuple[float, float]:
        """A distance from the outer edge, and how words are aligned there."""
        return (box.right - left, 1 - align) if right else (box.left + left, align)

    points = format_number(player.game.score, 0)
    wide = pen.measure_text(points, 28, True)
    x, align = at(bar.left - box.left - 20, 1)
    pen.draw_text(points, (x, box.centery), 28, True, colour, align)
    pen.draw_disc((at(24)[0], box.centery), 6, colour)
    most = bar.left - box.left - 20 - wide - 40 - 12
    name = pen.truncate_text(capitalise_name(player.name), most, 20, True)
    x, align = at(40)
    pen.draw_text(name, (x, box.centery - (10 if compact else 0)), 20, True, STRONG_TEXT, align)
    if compact:
        words = f"{format_count(player.game.lines, 'line')}, {format_count(player.holes, 'hole')}"
        pen.draw_text(pen.truncate_text(words, most, 14), (x, box.centery + 13), 14, False, DIM_TEXT, align)
        return
    aside, taken = ("person" if player.is_human else "agent"), pen.measure_text(name, 20, True) + 11
    if taken + pen.measure_text(aside, 15) <= most:
        x, align = at(40 + taken)
        pen.draw_text(aside, (x, box.centery + 1), 15, False, FAINT_TEXT, align)


def draw_shares_panel(pen: Pen, box: Box, match: VersusMatch, shares: Sequence[float]) -> None:
    """The lead bar of three or four."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    words = pen.truncate_text(format_lead_title(match), box.width - 2 * PANEL_PADDING, 16, True)
    pen.draw_text(words, (box.left + PANEL_PADDING, box.top + 26), 16, True, STRONG_TEXT)
    draw_share_bar(
        pen, Box(box.left + PANEL_PADDING, box.top + 48, box.width - 2 * PANEL_PADDING, _LEAD_BAR_THICKNESS), shares
    )


def draw_share_bar(pen: Pen, bar: Box, shares: Sequence[float]) -> None:
    """A bar with a share for each, split by gaps; the first is the brightest."""
    ends = [bar.left + round(bar.width * sum(shares[: number + 1])) for number in range(len(shares))]
    last, left = max(number for number, share in enumerate(shares) if share * bar.width >= 1), bar.left
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


# Numbers.


def is_best(values: Sequence[float | None], player_index: int, lower_is_better: bool = False) -> bool:
    """Whether somebody's value is better than all others': larger, or with `low` smaller."""
    own, others = values[player_index], [value for place, value in enumerate(values) if place != player_index]
    if own is None:
        return False
    return all(other is None or (own < other if lower_is_better else own > other) for other in others)


def draw_side_panel(
    pen: Pen, box: Box, players: Sequence[MatchPlayer], number: int, height: int, with_chart: bool
) -> None:
    """The numbers of a side, what is better in its colour, and how high its stack stood."""
    player, colour = players[number], get_series_colour(number)
    panel = Box(box.left, box.top, box.width, min(_STATISTICS_HEIGHT, box.height))
    pen.draw_panel(panel, "Lines")
    lines = [each.game.lines for each in players]
    ink = colour if is_best(lines, number) else STRONG_TEXT
    pen.draw_text(format_number(lines[number], 0), (panel.left + PANEL_PADDING, panel.top + 52), 34, True, ink)
    rows: list[tuple[str, list[float | None], bool]] = [
        ("Tetrises", [each.tracker.clear_counts[3] for each in players], False),
        ("Points a line", [each.tracker.points_per_line for each in players], False),
        ("Height", [each.height for each in players], True),
        ("Holes", [each.holes for each in players], True),
    ]
    place = Box(
        panel.left + PANEL_PADDING,
        panel.top + _FIRST_ROW_TOP - _ROW_HEIGHT // 2,
        panel.width - 2 * PANEL_PADDING,
        _ROW_HEIGHT,
    )
    pen.draw_row(place, "Pieces", format_number(player.game.pieces, 0))
    for words, values, low in rows:
        place = place.move(0, _ROW_HEIGHT)
        value = values[number]
        told = "–" if value is None else format_number(value, 0)
        pen.draw_row(place, words, told, colour if is_best(values, number, low) else STRONG_TEXT)
    below = Box(box.left, panel.bottom + 16, box.width, box.bottom - panel.bottom - 16)
    if with_chart and below.height >= 140:
        draw_player_heights(pen, below, player, colour, height)


def draw_player_heights(pen: Pen, box: Box, player: MatchPlayer, colour: str, height: int) -> None:
    """How high the stack stood after each piece."""
    inside = pen.draw_panel(box, "Stack height")
    pen.draw_text(
        format_count(player.height, "row"), (box.right - PANEL_PADDING, box.top + 24), 14, True, STRONG_TEXT, align=1
    )
    line = ChartLine("", player.tracker.heights[-_HEIGHT_HISTORY_LENGTH:], colour, "", has_area=True)
    draw_chart(
        pen, inside, [line], low=0, high=height, show_end_labels=False, empty_message="Appears after the second piece."
    )


def draw_board_header(pen: Pen, box: Box, players: Sequence[MatchPlayer], number: int) -> None:
    """Above one of three or four boards: who plays, points, lines and holes."""
    player, colour = players[number], get_series_colour(number)
    points = format_number(player.game.score, 0)
    wide = pen.measure_text(points, 22, True)
    pen.draw_disc((box.left + 8, box.top + 14), 5, colour)
    name = pen.truncate_text(capitalise_name(player.name), box.width - wide - 32, 17, True)
    pen.draw_text(name, (box.left + 22, box.top + 14), 17, True, STRONG_TEXT)
    pen.draw_text(points, (box.right - 4, box.top + 14), 22, True, colour, align=1)
    lines = [each.game.lines for each in players]
    words = format_count(lines[number], "line")
    pen.draw_text(words, (box.left + 22, box.top + 36), 14, True, colour if is_best(lines, number) else DIM_TEXT)
    holes = [each.holes for each in players]
    ink = colour if is_best(holes, number, lower_is_better=True) else DIM_TEXT
    pen.draw_text(format_count(holes[number], "hole"), (box.right - 4, box.top + 36), 14, False, ink, align=1)
