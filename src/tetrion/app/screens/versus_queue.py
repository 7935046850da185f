"""The pieces that all players of a match share, and where each of them is."""

from collections.abc import Sequence

from tetrion.app.games.match import Match, capital
from tetrion.drawing.palette import DIM, FAINT, OUTLINE, PANEL, RAISED, STRONG, mixed, series
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.evaluation.words import figure

SLOT, STEP, FIRST_SLOT, BELOW_SLOTS = 48, 58, 52, 44
ACROSS = 62  # the width of a slot above three or four boards


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
    count = max(2, (box.right - 10 - left) // ACROSS)
    wide = (box.right - 10 - left) // count
    for number, (letter, here) in enumerate(slots_of(match, count)):
        slot = Box(left + wide * number, box.top + 8, wide - 6, box.height - 16)
        if here:
            pen.rounded(slot, 8, RAISED, OUTLINE)
        draw_letter(pen, Box(slot.left, slot.top, slot.width, slot.height - 14 if here else slot.height), letter, 13)
        for place, player in enumerate(here):
            x = slot.centerx + 12 * (place - (len(here) - 1) / 2)
            pen.disc((x, slot.bottom - 9), 4, series(player))
