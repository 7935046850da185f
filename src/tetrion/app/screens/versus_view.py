"""A match as it is seen: the boards, who leads, the numbers of both sides, and the pieces that all share."""

from collections.abc import Sequence

from tetrion.app.chrome import Room
from tetrion.app.match import Match, capital, counted, lead_words
from tetrion.app.players import Player
from tetrion.app.screens.versus_layout import Layout
from tetrion.app.settings import Settings
from tetrion.drawing.boards import draw_board
from tetrion.drawing.candidates import draw_considered
from tetrion.drawing.charts import Series, draw_chart
from tetrion.drawing.contours import PLAN
from tetrion.drawing.palette import (
    BAD,
    DIM,
    FAINT,
    OUTLINE,
    PANEL,
    RAISED,
    STRONG,
    TEXT,
    WHITE,
    mixed,
    series,
)
from tetrion.drawing.pen import PADDING, Box, Fitted, Pen
from tetrion.evaluation.words import figure

BESIDE_BAR = {"wide": 356, "medium": 280, "compact": 254}  # room for a name and its points
BAR, GAP = 8, 3
STATISTICS = 244  # how high the panel is
FIRST_ROW, ROW = 102, 28
SHOWN = 160  # heights in a chart
SLOT, STEP, FIRST_SLOT, BELOW_SLOTS = 48, 58, 52, 44
NOTE = 240  # how wide what is said on a board is at most


def draw_match(pen: Pen, room: Room, layout: Layout, match: Match, settings: Settings, shares: Sequence[float]) -> None:
    """Draw everything but overlays; `shares` are those of the lead bar."""
    for number, (player, board) in enumerate(zip(match.players, layout.boards, strict=True)):
        draw_player(pen, board, player, series(number), settings)
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
    place, stack = pen.point(board.box.topleft), player.follower.stack
    lying = player.clearing.lying if player.clearing else stack
    plan = [(player.goal, PLAN._replace(colour=colour))] if player.goal and not player.person else []

    def consider() -> None:
        draw_considered(pen.surface, place, board.cell, lying, player.considered)

    draw_board(
        pen.surface,
        place,
        board.cell,
        lying,
        active=player.active,
        ghost=player.goal if player.person and settings.ghost else None,
        contours=() if player.out else plan,
        flash=dict.fromkeys(player.clearing.full, 0.5) if player.clearing and not player.out else None,
        out=player.out,
        look=pen.look,
        under=consider if player.considered and not player.out else None,
    )
    if player.problem:
        draw_note(pen, board.box, f"{player.name} cannot go on", player.problem, BAD)
    elif player.out:
        draw_note(pen, board.box, "Out", counted(player.game.lines, "lines"), STRONG)
    elif player.waits_for:
        draw_note(pen, board.box, player.name, player.waits_for, STRONG)


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
        return f"{capital(match.won.name)} {'have' if match.won.person else 'has'} won"
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
        words = f"{counted(player.game.lines, 'lines')}, {counted(player.holes, 'holes')}"
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
    last, left = max(number for number, share in enumerate(shares) if share > 0), bar.left
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
    pen.text(counted(player.height, "rows"), (box.right - PADDING, box.top + 24), 14, True, STRONG, align=1)
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
    words = counted(lines[number], "lines")
    pen.text(words, (box.left + 22, box.top + 36), 14, True, colour if better(lines, number) else DIM)
    holes = [each.holes for each in players]
    ink = colour if better(holes, number, low=True) else DIM
    pen.text(counted(holes[number], "holes"), (box.right - 4, box.top + 36), 14, False, ink, align=1)


# The pieces.


def slots_of(match: Match, count: int) -> list[tuple[str, list[int]]]:
    """So many pieces from the slowest player's on, each with the numbers of the players who have it in play.

    A piece that nobody may see is an empty text. Whoever is too far ahead stands at the last slot, which then tells how
    far that is instead of a piece.
    """
    first = match.first_piece
    slots: list[tuple[str, list[int]]] = [(letter, []) for letter in match.pieces(first, count)]
    ahead = [player.game.pieces - first for player in match.players if not player.out]
    if ahead and max(ahead) >= count:
        slots[-1] = f"+{max(ahead):,}", []
    for number, player in enumerate(match.players):
        if not player.out:
            slots[min(count - 1, player.game.pieces - first)][1].append(number)
    return slots


def draw_queue(pen: Pen, box: Box, match: Match) -> None:
    """The shared queue between two boards, with where both are in it."""
    pen.panel(box, "Shared queue" if box.width >= 140 else "Queue")
    count = max(2, (box.height - FIRST_SLOT - BELOW_SLOTS) // STEP)
    for number, (letter, here) in enumerate(slots_of(match, count)):
        slot = Box(box.left + 10, box.top + FIRST_SLOT + STEP * number, box.width - 20, SLOT)
        draw_slot(pen, slot, letter, here)
    pen.rule(box.left + PADDING, box.bottom - BELOW_SLOTS, box.width - 2 * PADDING)
    draw_places(pen, Box(box.left + PADDING, box.bottom - BELOW_SLOTS, box.width - 2 * PADDING, BELOW_SLOTS), match)


def draw_slot(pen: Pen, slot: Box, letter: str, here: Sequence[int]) -> None:
    """A piece of the queue: tinted for who has it in play, an outline with a question mark if nobody may see it."""
    if here:
        colour = series(here[0])
        fill, edge = (mixed(PANEL, colour, 0.16), mixed(PANEL, colour, 0.55)) if len(here) == 1 else (RAISED, OUTLINE)
        pen.rounded(slot, 8, fill, edge)
    for number in here:
        side = -1 if number == 0 else 1
        x, y = slot.centerx + side * (slot.width // 2 - 12), slot.centery
        pen.polygon([(x - 4 * side, y - 5), (x - 4 * side, y + 5), (x + 4 * side, y)], series(number))
    draw_letter(pen, slot, letter, 14)


def draw_letter(pen: Pen, slot: Box, letter: str, cell: int) -> None:
    """A piece in the middle of a slot, or how far it is to it, or that it is not known."""
    if letter.startswith("+"):
        pen.text(letter, slot.center, 16, True, STRONG, align=0.5)
        return
    if letter:
        pen.piece(slot.center, cell, letter)
        return
    unknown = Box(0, 0, min(52, slot.width - 4), 28)
    unknown.center = slot.center
    pen.rounded(unknown, 8, PANEL, OUTLINE)
    pen.text("?", unknown.center, 14, False, FAINT, align=0.5)


def draw_places(pen: Pen, box: Box, match: Match) -> None:
    """How many pieces both have placed."""
    parts = [(capital(player.name), figure(player.game.pieces, 0)) for player in match.players]
    wide = sum(pen.width_of(name, 14, True) + pen.width_of(number, 14) + 5 for name, number in parts)
    named = wide + pen.width_of("piece", 14) + 16 <= box.width
    words = pen.width_of(parts[0][0], 14, True) + 5 if named else 0
    if named:
        pen.text(parts[0][0], (box.left, box.centery), 14, True, series(0))
    pen.text(parts[0][1], (box.left + words, box.centery), 14, False, STRONG if named else series(0))
    pen.text(parts[1][1], (box.right, box.centery), 14, False, STRONG if named else series(1), align=1)
    right = pen.width_of(parts[1][1], 14)
    if named:
        pen.text(parts[1][0], (box.right - right - 5, box.centery), 14, True, series(1), align=1)
        right += pen.width_of(parts[1][0], 14, True) + 5
    left = words + pen.width_of(parts[0][1], 14)
    pen.text("piece", (box.left + (left + box.width - right) // 2, box.centery), 14, False, FAINT, align=0.5)


def draw_queue_across(pen: Pen, box: Box, match: Match) -> None:
    """The shared queue above three or four boards, with a dot in the colour of everybody who is at a piece."""
    pen.rounded(box, 12, PANEL, OUTLINE)
    title = "Shared queue" if box.width >= 500 else "Queue"
    pen.text(title, (box.left + PADDING, box.top + 24), 14, True, DIM)
    left = box.left + PADDING + pen.width_of(title, 14, True) + 12
    count = max(2, (box.right - 10 - left) // 62)
    wide = (box.right - 10 - left) // count
    for number, (letter, here) in enumerate(slots_of(match, count)):
        slot = Box(left + wide * number, box.top + 8, wide - 6, box.height - 16)
        if here:
            pen.rounded(slot, 8, RAISED, OUTLINE)
        draw_letter(pen, Box(slot.left, slot.top, slot.width, slot.height - 14 if here else slot.height), letter, 13)
        for place, player in enumerate(here):
            x = slot.centerx + 12 * (place - (len(here) - 1) / 2)
            pen.disc((x, slot.bottom - 9), 4, series(player))
