"""Random boards of many kinds to try things on; none has a full row."""

from random import Random

from reference.board import Board, empty_board
from reference.pieces import ORIENTATIONS, WIDTH

HEIGHTS = [*range(4, 29), 4, 10, 10, 10, 20, 20, 20, 28]


def random_board(random: Random, piece: str) -> Board:
    """A board of some kind and some height, on which the piece will be tried."""
    height = random.choice(HEIGHTS)
    kind = random.randrange(8)
    if kind == 0:
        board = scattered(random, height, random.uniform(0, 0.3))
    elif kind == 1:
        board = scattered(random, height, random.uniform(0.5, 1))
    elif kind in (2, 3):
        board = stack(random, height, random.randint(0, height), random.choice([0, 0.03, 0.2]))
    elif kind == 4:
        board = stack(random, height, random.randint(max(0, height - 4), height), random.choice([0, 0.1, 0.5]))
    else:
        board = waiting_for(random, height, piece)
    for row in board:
        if all(row):
            row[random.randrange(WIDTH)] = False
    return board


def scattered(random: Random, height: int, share: float) -> Board:
    """Cells filled by chance, up to some row."""
    board = empty_board(height)
    for row in board[: random.randint(0, height)]:
        row[:] = [random.random() < share for _ in row]
    return board


def stack(random: Random, height: int, level: int, share_of_holes: float) -> Board:
    """Columns about as high as their neighbours, with some holes."""
    board = empty_board(height)
    top, step = level, random.randint(0, 4)
    for column in range(WIDTH):
        top = min(height, max(0, top + random.randint(-step, step)))
        for row in range(top):
            board[row][column] = row == top - 1 or random.random() >= share_of_holes
    return board


def waiting_for(random: Random, height: int, piece: str) -> Board:
    """Rows that lack little more than one placement of the piece, so that it completes any combination of them."""
    shape = random.choice(ORIENTATIONS[piece])
    tall = max(y for _, y in shape) + 1
    left = random.randint(0, WIDTH - 1 - max(x for x, _ in shape))
    bottom = random.choice([0, height - tall, random.randint(0, height - tall)])
    cells = [(left + x, bottom + y) for x, y in shape]

    board = stack(random, height, random.randint(bottom, height), random.choice([0, 0.03, 0.2]))
    for row in board[bottom : bottom + tall]:
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


def board_with_caves(random: Random, rows: int) -> Board:
    """A stack into which tunnels are cut, or shelves with room under them: something to slide and to turn into."""
    if random.random() < 0.5:
        board = stack(random, rows, random.randint(rows // 2, rows), random.choice([0, 0.05]))
        for _ in range(random.randint(1, 8)):
            cut(random, board, filled=False)
    else:
        board = empty_board(rows)
        for _ in range(random.randint(1, 10)):
            cut(random, board, filled=True)
    return board


def cut(random: Random, board: Board, filled: bool) -> None:
    """Fill or empty a few cells side by side or above one another."""
    column = random.randrange(WIDTH)
    row = random.randrange(len(board))
    length = random.randint(1, 6)
    sideways = random.random() < 0.6
    for step in range(length):
        x, y = (column + step, row) if sideways else (column, row + step)
        if x < WIDTH and y < len(board):
            board[y][x] = filled


def board_to_move_in(random: Random, rows: int, piece: str) -> Board:
    """A board of some kind and that many rows, most often with free rows at the top, where pieces enter."""
    kind = random.randrange(6)
    if kind == 0:
        board = scattered(random, rows, random.uniform(0, 0.5))
    elif kind == 1:
        board = stack(random, rows, random.randint(0, rows), random.choice([0, 0.1, 0.3]))
    elif kind == 2:
        board = waiting_for(random, rows, piece)
    else:
        board = board_with_caves(random, rows)
    for row in board[rows - random.choice([0, 1, 2, 3, 4]) :]:
        row[:] = [False] * WIDTH
    for row in board:
        if all(row):
            row[random.randrange(WIDTH)] = False
    return board
