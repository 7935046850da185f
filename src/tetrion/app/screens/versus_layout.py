"""Layout of a match: two boards with the queue between them, or three or four boards below it."""

from typing import NamedTuple

from tetrion.app.toolkit.header_footer import COMPACT_LAYOUT, MEDIUM_LAYOUT, WIDE_LAYOUT, ScreenArea
from tetrion.drawing.pen import Box, FittedBoard, Pen

_LEAD_BAR_HEIGHT = 64
_TOP_ROW_HEIGHT = 76  # above three or four boards
_BOARD_HEADER_HEIGHT = 52
_MIN_HEADER_WIDTH = 220  # where the columns of the boards have it
_HOLD_ROW_HEIGHT = 44  # above each board of a match with the attack layout
_SIDE_PANEL_WIDTHS = {WIDE_LAYOUT: 216, MEDIUM_LAYOUT: 150, COMPACT_LAYOUT: 0}
_QUEUE_WIDTH = 160
_COMPACT_QUEUE_WIDTH = 120
_MIN_QUEUE_HEIGHT = 242  # next to lower boards
_MIN_BOARD_HEIGHT_SHARE = 0.6  # in the medium layout, lower boards take the place of the side panels
_MIN_BOARDS_HEIGHT = 352  # of the area below the lead bar that overlays cover
_FULL_HEIGHT_SHARE = 0.9  # side panels end with boards that use at least this share of the height


class MatchLayout(NamedTuple):
    """Boxes of a match."""

    lead_bar: Box
    queue: Box
    boards: list[FittedBoard]
    side_panels: list[Box]  # next to two boards; empty where the boards need the width
    board_headers: list[Box]  # above three or four boards
    hold_rows: list[Box]  # directly above each board, for hold and action text; empty without them
    boards_area: Box  # all boards and the space between them

    @property
    def has_two_boards(self) -> bool:
        """Whether the queue is between two boards."""
        return not self.board_headers


def compute_match_layout(
    pen: Pen,
    screen_area: ScreenArea,
    height: int,
    player_count: int,
    *,
    entry_rows: int = 0,
    has_hold_rows: bool = False,
) -> MatchLayout:
    """Compute the layout of a match on boards with `height` visible rows and `entry_rows` rows above them."""
    hold_height = _HOLD_ROW_HEIGHT if has_hold_rows else 0
    if player_count == 2:
        layout = lay_out_two_boards(pen, screen_area, height, entry_rows, hold_height)
    else:
        header_height = _BOARD_HEADER_HEIGHT + hold_height
        layout = lay_out_many_boards(pen, screen_area, (height, entry_rows), player_count, header_height)
    if not has_hold_rows:
        return layout
    top = layout.boards_area.top - hold_height
    above = layout.board_headers or [board.box for board in layout.boards]
    return layout._replace(hold_rows=[Box(box.left, top, box.width, hold_height) for box in above])


def lay_out_two_boards(
    pen: Pen, screen_area: ScreenArea, height: int, entry_rows: int, hold_height: int
) -> MatchLayout:
    """Lay out side panel, board, queue, board, side panel; spare width goes to the outer margins.

    `hold_height` is the height that is kept free above the boards.
    """
    content = screen_area.content
    gap = screen_area.gap
    queue_width = _COMPACT_QUEUE_WIDTH if screen_area.is_compact else _QUEUE_WIDTH
    side_top = content.top + _LEAD_BAR_HEIGHT + gap
    top = side_top + hold_height
    board_height = content.bottom - top

    def measure_board(side_space: int) -> tuple[int, int]:
        board_width = (content.width - 2 * side_space - queue_width - 2 * gap) // 2
        box = pen.fit_board(Box(0, top, board_width, board_height), height, entry_rows=entry_rows).box
        return box.width, box.bottom - top

    side_width = _SIDE_PANEL_WIDTHS[screen_area.layout_size]
    side_space = side_width + gap if side_width else 0
    size = measure_board(side_space)
    if screen_area.layout_size == MEDIUM_LAYOUT and size[1] < _MIN_BOARD_HEIGHT_SHARE * board_height:
        side_width = side_space = 0
        size = measure_board(side_space)
    total_width = 2 * side_space + 2 * size[0] + queue_width + 2 * gap
    left = content.left + (content.width - total_width) // 2
    first_left = left + side_space
    second_left = first_left + size[0] + 2 * gap + queue_width
    boards = [
        pen.fit_board(Box(x, top, size[0] + 1, board_height), height, 0, entry_rows) for x in (first_left, second_left)
    ]
    side_height = size[1] if size[1] >= _FULL_HEIGHT_SHARE * board_height else board_height
    side_lefts = (left, left + total_width - side_width) if side_width else ()
    side_panels = [Box(x, side_top, side_width, side_height + hold_height) for x in side_lefts]
    lead_bar = (
        Box(left, content.top, total_width, _LEAD_BAR_HEIGHT)
        if side_width
        else Box(content.left, content.top, content.width, _LEAD_BAR_HEIGHT)
    )
    queue_height = min(board_height, max(size[1], _MIN_QUEUE_HEIGHT))
    queue_box = Box(first_left + size[0] + gap, side_top, queue_width, queue_height + hold_height)
    boards_height = min(board_height, max(size[1], _MIN_BOARDS_HEIGHT))
    return MatchLayout(
        lead_bar,
        queue_box,
        boards,
        side_panels,
        [],
        [],
        Box(first_left, top, second_left + size[0] - first_left, boards_height),
    )


def lay_out_many_boards(
    pen: Pen, screen_area: ScreenArea, rows: tuple[int, int], player_count: int, header_height: int
) -> MatchLayout:
    """Lay out lead bar and queue in one row, and equal columns of boards below; `rows` are visible and entry rows."""
    height, entry_rows = rows
    content, gap = screen_area.content, screen_area.gap
    lead_bar = Box(content.left, content.top, (content.width - gap) // 2, _TOP_ROW_HEIGHT)
    queue_box = Box(lead_bar.right + gap, content.top, content.right - lead_bar.right - gap, _TOP_ROW_HEIGHT)
    column_width = (content.width - (player_count - 1) * gap) // player_count
    top = content.top + _TOP_ROW_HEIGHT + gap + header_height
    columns = [
        Box(content.left + number * (column_width + gap), top, column_width, content.bottom - top)
        for number in range(player_count)
    ]
    boards = [pen.fit_board(column, height, entry_rows=entry_rows) for column in columns]
    header_width = max(boards[0].box.width, min(column_width, _MIN_HEADER_WIDTH))
    headers = [
        Box(board.box.centerx - header_width // 2, top - header_height, header_width, _BOARD_HEADER_HEIGHT)
        for board in boards
    ]
    boards_area = boards[0].box.union(boards[-1].box)
    boards_area.height += boards_area.top - top
    boards_area.top = top
    return MatchLayout(lead_bar, queue_box, boards, [], headers, [], boards_area)
