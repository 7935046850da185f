"""A match as it is seen: the boards, who leads, and the numbers of all sides."""

from collections.abc import Sequence

from tetrion.app.games.match import Match, capital, lead_words
from tetrion.app.games.players import AgentPlayer, PersonPlayer, Player
from tetrion.app.screens.versus_layout import Layout
from tetrion.app.screens.versus_queue import draw_queue, draw_queue_across
from tetrion.app.settings import Settings
from tetrion.app.toolkit.chrome import Room
from tetrion.drawing.boards import draw_board, draw_contour
from tetrion.drawing.candidates import draw_considered
from tetrion.drawing.charts import Series, draw_chart
from tetrion.drawing.contours import PLAN
from tetrion.drawing.motion import Moving, draw_moving
from tetrion.drawing.palette import (
    BAD,
    DIM,
    FAINT,
    OUTLINE,
    PANEL,
    STRONG,
    TEXT,
    WHITE,
    mixed,
    series,
)
from tetrion.drawing.pen import PADDING, Box, Fitted, Pen
from tetrion.evaluation.words import counted, figure

BESIDE_BAR = {"wide": 356, "medium": 280, "compact": 254}  # room for a name and its points
BAR, GAP = 8, 3
STATISTICS = 244  # how high the panel is
FIRST_ROW, ROW = 102, 28
SHOWN = 160  # heights in a chart
FLASH = 0.5  # how white full rows are where nothing moves
NOTE = 240  # how wide what is said on a board is at most


def draw_match(pen: Pen, room: Room, layout: Layout, match: Match, settings: Settings, shares: Sequence[float]) -> None:
    """Draw everything but overlays; `shares` are those of the lead bar."""
    for number, (player, board) in enumerate(zip(match.players, layout.boards, strict=True)):
        draw_player(pen, board, player, series(number), settings)
        if said := note_of(player, match.over):
            draw_note(pen, board.box, *said)
    if layout.two:
        draw_lead(pen, room, layout.lead, match, shares)
        draw_queue(pen, layout.queue, match)
        for number, side in enumerate(layout.sides):
            draw_side(pen, side, match.players, number, match.rules.height, room.form == "wide")
    else:
        draw_shares(pen, layout.lead, match, shares)
        draw_queue_across(pen, layout.queue, match)
        for number, head in enumerate(layout.heads):
            draw_head(pen, head, match.players, number)


# A board.


def draw_player(pen: Pen, board: Fitted, player: Player, colour: str, settings: Settings) -> None:
    """A board with the piece in play, and where it goes: a person's ghost, an agent's plan."""
    if isinstance(player, PersonPlayer) and not player.out:
        ghost = player.goal if settings.ghost else None
        player.playing.moving.draw(pen, board, player.follower.stack, active=player.active, ghost=ghost)
    elif isinstance(player, AgentPlayer) and not player.out:
        draw_agent(pen, board, player, colour, settings.moves)
    else:
        place = pen.point(board.box.topleft)
        draw_board(pen.surface, place, board.cell, player.follower.stack, out=True, look=pen.look)


def draw_agent(pen: Pen, board: Fitted, player: AgentPlayer, colour: str, moves: bool) -> None:
    """An agent's board: what it considers below the stack, its plan above it, and the piece on its way there."""
    place, cell, clearing = pen.point(board.box.topleft), board.cell, player.clearing
    stack = clearing.lying if clearing else player.follower.stack
    if clearing and not moves:
        draw_board(pen.surface, place, cell, stack, flash=dict.fromkeys(clearing.full, FLASH), look=pen.look)
        return

    def consider() -> None:
        draw_considered(pen.surface, place, cell, stack, player.considered)

    def plan() -> None:
        if player.goal:
            contour = PLAN._replace(colour=colour)
            draw_contour(pen.surface, place, cell, stack.height, player.goal.cells, contour)

    away = player.away if moves else (0.0, 0.0)
    moving = Moving(stack, player.active, away, clearing=player.cleared if clearing else None)
    draw_moving(pen.surface, place, cell, moving, look=pen.look, under=consider, over=plan)


def note_of(player: Player, over: bool) -> tuple[str, str, str] | None:
    """What is said on somebody's board: a headline, the rest, and the headline's colour."""
    if player.problem:
        return f"{player.name} cannot go on", player.problem, BAD
    if player.out:
        return None if over else ("Out", counted(player.game.lines, "line"), STRONG)
    return (player.name, player.waits_for, STRONG) if player.waits_for else None


def draw_note(pen: Pen, board: Box, headline: str, words: str, colour: str) -> None:
    """Say something in the middle of a board."""
    wide = min(NOTE, board.width - 16)
    lines = pen.wrapped(words, wide - 24, 14)
    most = max(1, (board.height - 80) // 20)
    box = Box(0, 0, wide, 52 + 20 * min(len(lines), most))
    box.center = board.center
    pen.rounded(box, 12, PANEL, OUTLINE)
    pen.text(pen.cut(headline, wide - 24, 16, True), (box.centerx, box.top + 24), 16, True, colour, align=0.5)
    for number, line in enumerate(lines[:most]):
        pen.text(line, (box.centerx, box.top + 48 + 20 * number), 14, False, TEXT, align=0.5)


# Who leads.


def shares_of(match: Match) -> list[float]:
    """Each player's share of the points so far; all alike before the first."""
    points = [player.game.score for player in match.players]
    return [each / sum(points) for each in points] if sum(points) else [1 / len(points)] * len(points)


def words_of_lead(match: Match) -> str:
    """What stands above the bar."""
    if match.won:
        return f"{capital(match.won.name)} {'have won and play' if match.won.person else 'has won and plays'} on"
    return lead_words(match.players)


def draw_lead(pen: Pen, room: Room, box: Box, match: Match, shares: Sequence[float]) -> None:
    """Both names and points, and the bar between them."""
    pen.rounded(box, 12, PANEL, OUTLINE)
    beside = BESIDE_BAR[room.form]
    bar = Box(box.left + beside, box.top + 38, box.width - 2 * beside, BAR)
    draw_bar(pen, bar, shares)
    pen.fill(Box(bar.centerx, bar.top - 4, 1, BAR + 8), WHITE)
    words = pen.cut(words_of_lead(match), bar.width, 15, True)
    pen.text(words, (bar.centerx, box.top + 20), 15, True, STRONG, align=0.5)
    for number, player in enumerate(match.players):
        draw_name(pen, box, bar, player, number, room.compact)


def draw_name(pen: Pen, box: Box, bar: Box, player: Player, number: int, compact: bool) -> None:
    """A name at its end of the lead bar, and the points beside it; where there are no sides, lines and holes too."""
    right, colour = number == 1, series(number)

    def at(left: float, align: float = 0) -> tuple[float, float]:
        """A distance from the outer edge, and how words are aligned there."""
        return (box.right - left, 1 - align) if right else (box.left + left, align)

    points = figure(player.game.score, 0)
    wide = pen.width_of(points, 28, True)
    x, align = at(bar.left - box.left - 20, 1)
    pen.text(points, (x, box.centery), 28, True, colour, align)
    pen.disc((at(24)[0], box.centery), 6, colour)
    most = bar.left - box.left - 20 - wide - 40 - 12
    name = pen.cut(capital(player.name), most, 20, True)
    x, align = at(40)
    pen.text(name, (x, box.centery - (10 if compact else 0)), 20, True, STRONG, align)
    if compact:
        words = f"{counted(player.game.lines, 'line')}, {counted(player.holes, 'hole')}"
        pen.text(pen.cut(words, most, 14), (x, box.centery + 13), 14, False, DIM, align)
        return
    aside, taken = ("person" if player.person else "agent"), pen.width_of(name, 20, True) + 11
    if taken + pen.width_of(aside, 15) <= most:
        x, align = at(40 + taken)
        pen.text(aside, (x, box.centery + 1), 15, False, FAINT, align)


def draw_shares(pen: Pen, box: Box, match: Match, shares: Sequence[float]) -> None:
    """The lead bar of three or four."""
    pen.rounded(box, 12, PANEL, OUTLINE)
    words = pen.cut(words_of_lead(match), box.width - 2 * PADDING, 16, True)
    pen.text(words, (box.left + PADDING, box.top + 26), 16, True, STRONG)
    draw_bar(pen, Box(box.left + PADDING, box.top + 48, box.width - 2 * PADDING, BAR), shares)


def draw_bar(pen: Pen, bar: Box, shares: Sequence[float]) -> None:
    """A bar with a share for each, split by gaps; the first is the brightest."""
    ends = [bar.left + round(bar.width * sum(shares[: number + 1])) for number in range(len(shares))]
    last, left = max(number for number, share in enumerate(shares) if share * bar.width >= 1), bar.left
    for number, end in enumerate(ends):
        right = end - GAP // 2 if number < last else bar.right
        part = Box(left, bar.top, right - left, BAR)
        left = end + GAP - GAP // 2 if end > bar.left else bar.left
        if part.width <= 0:
            continue
        colour = mixed(PANEL, series(number), 1.0 if number == 0 else 0.75)
        pen.rounded(part, min(BAR, part.width) / 2, colour)
        middle = part.inflate(-BAR, 0) if part.width > BAR else part
        if part.left > bar.left:
            pen.fill(Box(part.left, part.top, middle.centerx - part.left + 1, BAR), colour)
        if part.right < bar.right:
            pen.fill(Box(middle.centerx, part.top, part.right - middle.centerx, BAR), colour)


# Numbers.


def better(values: Sequence[float | None], number: int, low: bool = False) -> bool:
    """Whether somebody's value is better than all others': larger, or with `low` smaller."""
    own, others = values[number], [value for place, value in enumerate(values) if place != number]
    if own is None:
        return False
    return all(other is None or (own < other if low else own > other) for other in others)


def draw_side(pen: Pen, box: Box, players: Sequence[Player], number: int, height: int, chart: bool) -> None:
    """The numbers of a side, what is better in its colour, and how high its stack stood."""
    player, colour = players[number], series(number)
    panel = Box(box.left, box.top, box.width, min(STATISTICS, box.height))
    pen.panel(panel, "Lines")
    lines = [each.game.lines for each in players]
    ink = colour if better(lines, number) else STRONG
    pen.text(figure(lines[number], 0), (panel.left + PADDING, panel.top + 52), 34, True, ink)
    rows: list[tuple[str, list[float | None], bool]] = [
        ("Tetrises", [each.follower.clears[3] for each in players], False),
        ("Points a line", [each.follower.points_a_line for each in players], False),
        ("Height", [each.height for each in players], True),
        ("Holes", [each.holes for each in players], True),
    ]
    place = Box(panel.left + PADDING, panel.top + FIRST_ROW - ROW // 2, panel.width - 2 * PADDING, ROW)
    pen.row(place, "Pieces", figure(player.game.pieces, 0))
    for words, values, low in rows:
        place = place.move(0, ROW)
        value = values[number]
        told = "–" if value is None else figure(value, 0)
        pen.row(place, words, told, colour if better(values, number, low) else STRONG)
    below = Box(box.left, panel.bottom + 16, box.width, box.bottom - panel.bottom - 16)
    if chart and below.height >= 140:
        draw_heights(pen, below, player, colour, height)


def draw_heights(pen: Pen, box: Box, player: Player, colour: str, height: int) -> None:
    """How high the stack stood after each piece."""
    inside = pen.panel(box, "Stack height")
    pen.text(counted(player.height, "row"), (box.right - PADDING, box.top + 24), 14, True, STRONG, align=1)
    line = Series("", player.follower.heights[-SHOWN:], colour, "", area=True)
    draw_chart(pen, inside, [line], low=0, high=height, ends=False, nothing="Appears after the second piece.")


def draw_head(pen: Pen, box: Box, players: Sequence[Player], number: int) -> None:
    """Above one of three or four boards: who plays, points, lines and holes."""
    player, colour = players[number], series(number)
    points = figure(player.game.score, 0)
    wide = pen.width_of(points, 22, True)
    pen.disc((box.left + 8, box.top + 14), 5, colour)
    name = pen.cut(capital(player.name), box.width - wide - 32, 17, True)
    pen.text(name, (box.left + 22, box.top + 14), 17, True, STRONG)
    pen.text(points, (box.right - 4, box.top + 14), 22, True, colour, align=1)
    lines = [each.game.lines for each in players]
    words = counted(lines[number], "line")
    pen.text(words, (box.left + 22, box.top + 36), 14, True, colour if better(lines, number) else DIM)
    holes = [each.holes for each in players]
    ink = colour if better(holes, number, low=True) else DIM
    pen.text(counted(holes[number], "hole"), (box.right - 4, box.top + 36), 14, False, ink, align=1)
