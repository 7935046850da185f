"""The pieces of a match: the queue that all players share, and the held piece with the action text of each player."""

from collections.abc import Sequence

from tetrion.app.games.match_players import MatchPlayer
from tetrion.app.games.versus_match import VersusMatch, capitalise_name
from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL
from tetrion.drawing.game_facts import ActionText
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    get_series_colour,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import NO_VALUE, format_number

_SLOT_HEIGHT = 48
_SLOT_SPACING = 58
_FIRST_SLOT_TOP = 52
_PIECE_COUNTS_HEIGHT = 44
_HELD_CELL_SIZE = 9
_MIN_WIDTH_WITH_LABEL = 200  # of the row with the held piece
_DETAIL_SIZE = 13  # of back-to-backs, combos and perfect clears
_HORIZONTAL_SLOT_WIDTH = 62  # above three or four boards


def make_queue_slots(match: VersusMatch, count: int) -> list[tuple[str, list[int]]]:
    """Return `count` pieces from the slowest player's on, each with the indices of the players who have it.

    A piece that no player can see yet is an empty text. A player beyond the last slot is shown in the last slot, whose
    text is then the distance, such as `+6`, instead of a piece.
    """
    first = match.first_piece_number
    slots: list[tuple[str, list[int]]] = [(letter, []) for letter in match.get_pieces(first, count)]
    ahead = [player.queue_number - first for player in match.players if not player.is_out]
    if ahead and max(ahead) >= count:
        slots[-1] = f"+{max(ahead):,}", []
    for number, player in enumerate(match.players):
        if not player.is_out:
            slots[min(count - 1, player.queue_number - first)][1].append(number)
    return slots


def draw_vertical_queue(pen: Pen, box: Box, match: VersusMatch) -> None:
    """Draw the shared queue between two boards."""
    pen.draw_panel(box, "Shared queue" if box.width >= 140 else "Queue")
    count = max(2, (box.height - _FIRST_SLOT_TOP - _PIECE_COUNTS_HEIGHT) // _SLOT_SPACING)
    for number, (letter, players) in enumerate(make_queue_slots(match, count)):
        slot = Box(box.left + 10, box.top + _FIRST_SLOT_TOP + _SLOT_SPACING * number, box.width - 20, _SLOT_HEIGHT)
        draw_queue_slot(pen, slot, letter, players)
    pen.draw_separator(box.left + PANEL_PADDING, box.bottom - _PIECE_COUNTS_HEIGHT, box.width - 2 * PANEL_PADDING)
    draw_placed_counts(
        pen,
        Box(
            box.left + PANEL_PADDING,
            box.bottom - _PIECE_COUNTS_HEIGHT,
            box.width - 2 * PANEL_PADDING,
            _PIECE_COUNTS_HEIGHT,
        ),
        match,
    )


def draw_hold_row(pen: Pen, box: Box, player: MatchPlayer, *, has_animation: bool) -> None:
    """Draw the held piece of a player, quieter while it cannot be taken, and the action text at the right."""
    pieces = player.visible_pieces
    middle = box.centery
    left = box.left + 4
    if pieces.has_hold and box.width >= _MIN_WIDTH_WITH_LABEL:
        pen.draw_text("Hold", (left, middle), 14, False, DIM_TEXT)
        left += pen.measure_text("Hold", 14) + 8
    if pieces.hold:
        state = ACTIVE_CELL if pieces.can_hold else GAME_OVER_CELL
        pen.draw_piece((left + 2 * _HELD_CELL_SIZE, middle), _HELD_CELL_SIZE, pieces.hold, state)
    elif pieces.has_hold:
        pen.draw_text(NO_VALUE, (left, middle), 14, False, FAINT_TEXT)
    left += 4 * _HELD_CELL_SIZE + 8
    draw_short_action(pen, Box(left, box.top, box.right - 4 - left, box.height), player.action, has_animation)


def draw_short_action(pen: Pen, box: Box, action: ActionText, has_animation: bool) -> None:
    """Draw an action text in at most two lines at the right of a box: the clear, and below it as much as fits."""
    first, *details = action.lines or ("",)
    shown = ""
    for detail in details:
        longer = f"{shown} · {detail}" if shown else detail
        shown = longer if pen.measure_text(longer, _DETAIL_SIZE, True) <= box.width else shown
    strength = action.get_strength(has_animation)
    rise = 10 if shown else 0
    size = 16 if pen.measure_text(first, 16, True) <= box.width else 13
    colour = mix_colours(BACKGROUND, STRONG_TEXT, strength)
    pen.draw_text(
        pen.truncate_text(first, box.width, size, True), (box.right, box.centery - rise), size, True, colour, align=1
    )
    colour = mix_colours(BACKGROUND, ACCENT, strength)
    pen.draw_text(shown, (box.right, box.centery + 9), _DETAIL_SIZE, True, colour, align=1)


def draw_queue_slot(pen: Pen, slot: Box, letter: str, player_numbers: Sequence[int]) -> None:
    """Draw a piece of the queue, tinted for the player who has it; unseen pieces are question marks."""
    if player_numbers:
        colour = get_series_colour(player_numbers[0])
        fill, edge = (
            (mix_colours(PANEL, colour, 0.16), mix_colours(PANEL, colour, 0.55))
            if len(player_numbers) == 1
            else (RAISED_PANEL, BOARD_OUTLINE)
        )
        pen.fill_rounded(slot, 8, fill, edge)
    for number in player_numbers:
        side = -1 if number == 0 else 1
        x, y = slot.centerx + side * (slot.width // 2 - 12), slot.centery
        pen.fill_polygon([(x - 4 * side, y - 5), (x - 4 * side, y + 5), (x + 4 * side, y)], get_series_colour(number))
    draw_slot_piece(pen, slot, letter, 14)


def draw_slot_piece(pen: Pen, slot: Box, letter: str, cell: int) -> None:
    """Draw a piece, a distance such as `+6`, or a question mark in the middle of a slot."""
    if letter.startswith("+"):
        pen.draw_text(letter, slot.center, 16, True, STRONG_TEXT, align=0.5)
        return
    if letter:
        pen.draw_piece(slot.center, cell, letter)
        return
    unknown = Box(0, 0, min(52, slot.width - 4), 28)
    unknown.center = slot.center
    pen.fill_rounded(unknown, 8, PANEL, BOARD_OUTLINE)
    pen.draw_text("?", unknown.center, 14, False, FAINT_TEXT, align=0.5)


def draw_placed_counts(pen: Pen, box: Box, match: VersusMatch) -> None:
    """Draw the number of pieces that each of the two players has placed."""
    parts = [(capitalise_name(player.name), format_number(player.game.pieces, 0)) for player in match.players]
    width = sum(pen.measure_text(name, 14, True) + pen.measure_text(number, 14) + 5 for name, number in parts)
    with_names = width + pen.measure_text("pieces", 14) + 16 <= box.width
    name_width = pen.measure_text(parts[0][0], 14, True) + 5 if with_names else 0
    if with_names:
        pen.draw_text(parts[0][0], (box.left, box.centery), 14, True, get_series_colour(0))
    pen.draw_text(
        parts[0][1],
        (box.left + name_width, box.centery),
        14,
        False,
        STRONG_TEXT if with_names else get_series_colour(0),
    )
    pen.draw_text(
        parts[1][1], (box.right, box.centery), 14, False, STRONG_TEXT if with_names else get_series_colour(1), align=1
    )
    right = pen.measure_text(parts[1][1], 14)
    if with_names:
        pen.draw_text(parts[1][0], (box.right - right - 5, box.centery), 14, True, get_series_colour(1), align=1)
        right += pen.measure_text(parts[1][0], 14, True) + 5
    left = name_width + pen.measure_text(parts[0][1], 14)
    pen.draw_text("pieces", (box.left + (left + box.width - right) // 2, box.centery), 14, False, FAINT_TEXT, align=0.5)


def draw_horizontal_queue(pen: Pen, box: Box, match: VersusMatch) -> None:
    """Draw the shared queue above three or four boards, with a dot for each player at a piece."""
    pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
    title = "Shared queue" if box.width >= 500 else "Queue"
    pen.draw_text(title, (box.left + PANEL_PADDING, box.top + 24), 14, True, DIM_TEXT)
    left = box.left + PANEL_PADDING + pen.measure_text(title, 14, True) + 12
    count = max(2, (box.right - 10 - left) // _HORIZONTAL_SLOT_WIDTH)
    slot_width = (box.right - 10 - left) // count
    for number, (letter, players) in enumerate(make_queue_slots(match, count)):
        slot = Box(left + slot_width * number, box.top + 8, slot_width - 6, box.height - 16)
        if players:
            pen.fill_rounded(slot, 8, RAISED_PANEL, BOARD_OUTLINE)
        draw_slot_piece(
            pen, Box(slot.left, slot.top, slot.width, slot.height - 14 if players else slot.height), letter, 13
        )
        for index, player in enumerate(players):
            x = slot.centerx + 12 * (index - (len(players) - 1) / 2)
            pen.draw_disc((x, slot.bottom - 9), 4, get_series_colour(player))
