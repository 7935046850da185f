"""Where everything in a match is: two boards with the queue between them, or three or four below it."""

from typing import NamedTuple

from tetrion.app.toolkit.header_footer import COMPACT_LAYOUT, MEDIUM_LAYOUT, WIDE_LAYOUT, ScreenArea
from tetrion.drawing.pen import Box, FittedBoard, Pen

# how high the lead bar, the row above three or four boards, and a board's head are
_LEAD_BAR_HEIGHT = 64
_TOP_ROW_HEIGHT = 76
_BOARD_HEADER_HEIGHT = 52
_SIDE_PANEL_WIDTHS = {WIDE_LAYOUT: 216, MEDIUM_LAYOUT: 150, COMPACT_LAYOUT: 0}
_QUEUE_WIDTH, _COMPACT_QUEUE_WIDTH = 160, 120
_MIN_BOARD_HEIGHT_SHARE = 0.6  # a board with less than that share of the height leaves the panels theirs


class MatchLayout(NamedTuple):
    """The boxes of a match. What may come between two boards later, such as rows that are sent, belongs to `queue`."""

    lead_bar: Box
    queue: Box
    boards: list[FittedBoard]
    side_panels: list[Box]  # beside two boards; none where there is no room
    board_headers: list[Box]  # above three or four boards
    boards_area: Box  # all boards and what is between them

    @property
    def has_two_boards(self) -> bool:
        """Whether the queue stands between two boards."""
        return not self.board_headers


def compute_match_layout(pen: Pen, room: ScreenArea, height: int, player_count: int) -> MatchLayout:
    """The layout of a match on boards with so many visible rows."""
    return (
        lay_out_beside_queue(pen, room, height)
        if player_count == 2
        else lay_out_below_queue(pen, room, height, player_count)
    )


def lay_out_beside_queue(pen: Pen, room: ScreenArea, height: int) -> MatchLayout:
    """Side, board, queue, board, side; what is left of the width goes to the outer margins."""
    content = room.content
    gap = room.gap
    side = _SIDE_PANEL_WIDTHS[room.layout_size]
    queue = _COMPACT_QUEUE_WIDTH if room.is_compact else _QUEUE_WIDTH
    beside = side + gap if side else 0
    top = content.top + _LEAD_BAR_HEIGHT + gap
    wide, high = (content.width - 2 * beside - queue - 2 * gap) // 2, content.bottom - top
    size = pen.fit_board(Box(0, top, wide, high), height).box.size
    total = 2 * beside + 2 * size[0] + queue + 2 * gap
    left = content.left + (content.width - total) // 2
    first = left + beside
    second = first + size[0] + 2 * gap + queue
    boards = [pen.fit_board(Box(x, top, size[0] + 1, high), height, 0) for x in (first, second)]
    tall = size[1] if size[1] >= _MIN_BOARD_HEIGHT_SHARE * high else high
    sides = [Box(left, top, side, tall), Box(left + total - side, top, side, tall)] if side else []
    lead = (
        Box(left, content.top, total, _LEAD_BAR_HEIGHT)
        if side
        else Box(content.left, content.top, content.width, _LEAD_BAR_HEIGHT)
    )
    between = Box(first + size[0] + gap, top, queue, tall)
    return MatchLayout(lead, between, boards, sides, [], Box(first, top, second + size[0] - first, max(size[1], tall)))


def lay_out_below_queue(pen: Pen, room: ScreenArea, height: int, player_count: int) -> MatchLayout:
    """Lead and queue in a row, and below them equal columns."""
    content, gap = room.content, room.gap
    lead = Box(content.left, content.top, (content.width - gap) // 2, _TOP_ROW_HEIGHT)
    queue = Box(lead.right + gap, content.top, content.right - lead.right - gap, _TOP_ROW_HEIGHT)
    wide, top = (
        (content.width - (player_count - 1) * gap) // player_count,
        content.top + _TOP_ROW_HEIGHT + gap + _BOARD_HEADER_HEIGHT,
    )
    columns = [
        Box(content.left + number * (wide + gap), top, wide, content.bottom - top) for number in range(player_count)
    ]
    boards = [pen.fit_board(column, height) for column in columns]
    heads = [Box(board.box.left, top - _BOARD_HEADER_HEIGHT, board.box.width, _BOARD_HEADER_HEIGHT) for board in boards]
    return MatchLayout(lead, queue, boards, [], heads, boards[0].box.union(boards[-1].box))
