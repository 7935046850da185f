"""Random boards of several kinds for tests; none has a full row."""

from random import Random

from tests.reference.board import Board, empty_board
from tests.reference.pieces import ORIENTATIONS, WIDTH

HEIGHTS = [*range(4, 29), 4, 10, 10, 10, 20, 20, 20, 28]


def random_board(random: Random, piece: str) -> Board:
    """Return a random board of random kind and height for a test with this piece."""
    height = random.choice(HEIGHTS)
    kind = random.randrange(8)
    if kind == 0:
        board = scatter_cells(random, height, random.uniform(0, 0.3))
    elif kind == 1:
        board = scatter_cells(random, height, random.uniform(0.5, 1))
    elif kind in (2, 3):
        board = build_stack(random, height, random.randint(0, height), random.choice([0, 0.03, 0.2]))
    elif kind == 4:
        board = build_stack(random, height, random.randint(max(0, height - 4), height), random.choice([0, 0.1, 0.5]))
    else:
        board = build_nearly_full_rows(random, height, piece)
    for row in board:
        if all(row):
            row[random.randrange(WIDTH)] = False
    return board


def scatter_cells(random: Random, height: int, share: float) -> Board:
    """Return a board whose cells are filled with this probability, up to a random row."""
    board = empty_board(height)
    for row in board[: random.randint(0, height)]:
        row[:] = [random.random() < share for _ in row]
    return board


def build_stack(random: Random, height: int, level: int, share_of_holes: float) -> Board:
    """Return a board with columns about as high as their neighbours and some holes; `level` is the starting height."""
    board = empty_board(height)
    top = level
    max_step = random.randint(0, 4)
    for column in range(WIDTH):
        top = min(height, max(0, top + random.randint(-max_step, max_step)))
        for row in range(top):
            board[row][column] = row == top - 1 or random.random() >= share_of_holes
    return board


def build_nearly_full_rows(random: Random, height: int, piece: str) -> Board:
    """Return a board in which one placement of the piece completes none, some or all of the rows that it touches."""
    shape = random.choice(ORIENTATIONS[piece])
    height_of_piece = max(y for _, y in shape) + 1
    left = random.randint(0, WIDTH - 1 - max(x for x, _ in shape))
    bottom = random.choice([0, height - height_of_piece, random.randint(0, height - height_of_piece)])
    cells = [(left + x, bottom + y) for x, y in shape]

    board = build_stack(random, height, random.randint(bottom, height), random.choice([0, 0.03, 0.2]))
    for row in board[bottom : bottom + height_of_piece]:
        row[:] = [True] * WIDTH
        if random.random() < 0.5:
            for column in random.sample(range(WIDTH), random.randint(1, 3)):
                row[column] = False
    for x, y in cells:
        for above in board[y:]:
            above[x] = False
    if bottom > 0:
        support = next(x for x, y in cells if y == bottom)
        board[bottom - 1][support] = True
    return board


def build_caves(random: Random, rows: int) -> Board:
    """Return a board with tunnels or overhangs, so that pieces can slide and rotate into gaps."""
    if random.random() < 0.5:
        board = build_stack(random, rows, random.randint(rows // 2, rows), random.choice([0, 0.05]))
        for _ in range(random.randint(1, 8)):
            set_random_run(random, board, filled=False)
    else:
        board = empty_board(rows)
        for _ in range(random.randint(1, 10)):
            set_random_run(random, board, filled=True)
    return board


def set_random_run(random: Random, board: Board, filled: bool) -> None:
    """Fill or empty a few cells in a row or a column."""
    column = random.randrange(WIDTH)
    row = random.randrange(len(board))
    length = random.randint(1, 6)
    is_horizontal = random.random() < 0.6
    for step in range(length):
        x, y = (column + step, row) if is_horizontal else (column, row + step)
        if x < WIDTH and y < len(board):
            board[y][x] = filled


def board_to_move_in(random: Random, rows: int, piece: str) -> Board:
    """Return a random board of random kind with this number of rows, mostly with empty rows at the top."""
    kind = random.randrange(6)
    if kind == 0:
        board = scatter_cells(random, rows, random.uniform(0, 0.5))
    elif kind == 1:
        board = build_stack(random, rows, random.randint(0, rows), random.choice([0, 0.1, 0.3]))
    elif kind == 2:
        board = build_nearly_full_rows(random, rows, piece)
    else:
        board = build_caves(random, rows)
    for row in board[rows - random.choice([0, 1, 2, 3, 4]) :]:
        row[:] = [False] * WIDTH
    for row in board:
        if all(row):
            row[random.randrange(WIDTH)] = False
    return board
