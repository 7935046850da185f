"""Where everything in a match is: two boards with the queue between them, or three or four below it."""

from typing import NamedTuple

from tetrion.app.toolkit.chrome import COMPACT, MEDIUM, WIDE, Room
from tetrion.drawing.pen import Box, Fitted, Pen

LEAD, TOP, HEAD = 64, 76, 52  # how high the lead bar, the row above three or four boards, and a board's head are
SIDE = {WIDE: 216, MEDIUM: 150, COMPACT: 0}
QUEUE, SMALL_QUEUE = 160, 120
LOW = 0.6  # a board with less than that share of the height leaves the panels theirs


class Layout(NamedTuple):
    """The boxes of a match. What may come between two boards later, such as rows that are sent, belongs to `queue`."""

    lead: Box
    queue: Box
    boards: list[Fitted]
    sides: list[Box]  # beside two boards; none where there is no room
    heads: list[Box]  # above three or four boards
    area: Box  # all boards and what is between them

    @property
    def two(self) -> bool:
        """Whether the queue stands between two boards."""
        return not self.heads


def layout_of(pen: Pen, room: Room, height: int, players: int) -> Layout:
    """The layout of a match on boards with so many visible rows."""
    return beside_the_queue(pen, room, height) if players == 2 else below_the_queue(pen, room, height, players)


def beside_the_queue(pen: Pen, room: Room, height: int) -> Layout:
    """Side, board, queue, board, side; what is left of the width goes to the outer margins."""
    content, gap, side = room.content, room.gap, SIDE[room.form]
    queue = SMALL_QUEUE if room.compact else QUEUE
    beside = side + gap if side else 0
    top = content.top + LEAD + gap
    wide, high = (content.width - 2 * beside - queue - 2 * gap) // 2, content.bottom - top
    size = pen.fitted(Box(0, top, wide, high), height).box.size
    total = 2 * beside + 2 * size[0] + queue + 2 * gap
    left = content.left + (content.width - total) // 2
    first = left + beside
    second = first + size[0] + 2 * gap + queue
    boards = [pen.fitted(Box(x, top, size[0] + 1, high), height, 0) for x in (first, second)]
    tall = size[1] if size[1] >= LOW * high else high
    sides = [Box(left, top, side, tall), Box(left + total - side, top, side, tall)] if side else []
    lead = Box(left, content.top, total, LEAD) if side else Box(content.left, content.top, content.width, LEAD)
    between = Box(first + size[0] + gap, top, queue, tall)
    return Layout(lead, between, boards, sides, [], Box(first, top, second + size[0] - first, max(size[1], tall)))


def below_the_queue(pen: Pen, room: Room, height: int, players: int) -> Layout:
    """Lead and queue in a row, and below them equal columns."""
    content, gap = room.content, room.gap
    lead = Box(content.left, content.top, (content.width - gap) // 2, TOP)
    queue = Box(lead.right + gap, content.top, content.right - lead.right - gap, TOP)
    wide, top = (content.width - (players - 1) * gap) // players, content.top + TOP + gap + HEAD
    columns = [Box(content.left + number * (wide + gap), top, wide, content.bottom - top) for number in range(players)]
    boards = [pen.fitted(column, height) for column in columns]
    heads = [Box(board.box.left, top - HEAD, board.box.width, HEAD) for board in boards]
    return Layout(lead, queue, boards, [], heads, boards[0].box.union(boards[-1].box))
