"""Learning of patterns by temporal differences, one board after another, in Python integers."""

import math
from collections import defaultdict
from typing import NamedTuple

from tests.reference.board import Board, empty_board, fill_cells, full_rows, get_cells, remove_full_rows
from tests.reference.features import MeasuredBoard
from tests.reference.patterns import PATTERNS, TABLE_SIZES
from tests.reference.pieces import WIDTH
from tests.reference.randomisers import Dealer, compute_game_key, draw_below
from tests.reference.rules import Rules
from tests.reference.search import KnownState, Plan, Search, choose_placement, find_options

POINTS_PER_UNIT = 1024
ONE = 2**16  # the number 1 of errors, rates and shares
START_VALUE = -307
GARBAGE_NUMBERS = 128
FIRST_GARBAGE_NUMBER = 2**40
FREE_ROWS_ABOVE_GARBAGE = 6

Entry = tuple[str, int]  # the name of a pattern, and a number in its table


class Settings(NamedTuple):
    """What learning depends on; shares and the discount are multiples of 1 / 2^16."""

    patterns: tuple[str, ...]
    height: int
    discount: int
    garbage: int = 0
    episode_pieces: int = 0
    stages: tuple[str, ...] = ("space", "holes")
    two_piece_rules: Rules | None = None  # the rules of an agent with depth 2

    @property
    def depth(self) -> int:
        return 2 if self.two_piece_rules else 1

    @property
    def rules(self) -> Rules:
        """The rules of the games: without `two_piece_rules`, straight drops as long as there is room."""
        drops = Rules(self.height, hidden_rows=0, rotation="top-left", movement="drop", game_over="room")
        return self.two_piece_rules or drops


def list_entries(board: Board, patterns: tuple[str, ...]) -> list[Entry]:
    measured = MeasuredBoard(board)
    return [(name, entry) for name in patterns for entry in PATTERNS[name](measured)]


def compute_error(change: int, discount: int) -> int:
    """Return γ × exp(change) − 1, where the exponent is limited to −8 and to log 9."""
    exponent = max(-8 * POINTS_PER_UNIT, min(change, round(math.log(9) * POINTS_PER_UNIT)))
    return round(math.exp(exponent / POINTS_PER_UNIT) * ONE) * discount // ONE - ONE


def list_sharers(entry: Entry, stages: tuple[str, ...]) -> set[Entry]:
    """Return the entries that share the weight of an entry; none for an empty row, which has no points.

    Mirrored rows share one, and so do stages that the settings do not distinguish.
    """
    name, number = entry
    if name.startswith("hole_rows"):
        return {entry}
    codes = TABLE_SIZES[name] // 16
    stage, code = divmod(number, codes)
    mirrored = code
    if name == "row_cells":
        mirrored = int(f"{code:0{WIDTH}b}"[::-1], 2)
        if code == 0:
            return set()
    spaces = [stage // 4] if "space" in stages else range(4)
    holes = [stage % 4] if "holes" in stages else range(4)
    return {(name, (4 * i + j) * codes + k) for i in spaces for j in holes for k in (code, mirrored)}


class LearningGame:
    """A game that is followed by a new one after each death or episode."""

    def __init__(self, settings: Settings, seed: int, number: int) -> None:
        self.settings = settings
        self.rules = settings.rules
        self.key = compute_game_key(seed, number)
        self.dealer = Dealer("uniform", seed, number)
        self.board = empty_board(self.rules.rows)
        self.known = ""
        self.pieces = 0
        self.lines = 0
        self.deaths = 0

    def play_piece(self, tables: dict[str, list[int]]) -> bool:
        """Place a piece and return whether the game continues.

        If there is no room for the piece, the next game starts with it.
        """
        while len(self.known) < self.settings.depth:
            self.known += self.dealer.deal()
        plan = Plan(tables, depth=self.settings.depth)
        placement = choose_placement(self.board, self.known, self.rules, 0, plan)
        if placement is None:
            return False
        cells = get_cells(self.known[0], placement, self.rules.rotation)
        with_piece = fill_cells(self.board, cells)
        self.lines += len(full_rows(with_piece))
        self.board = remove_full_rows(with_piece)
        self.pieces += 1
        self.known = self.known[1:]
        return not self.rules.ends_game(cells, self.board)

    def find_learned_board(self, tables: dict[str, list[int]]) -> Board | None:
        """Return the board to learn from: with two pieces, the one after the best placement of the next piece.

        Return None if the game does not survive the next piece.
        """
        if self.settings.depth == 1 or not self.known:
            return self.board
        options = find_options(KnownState(self.board, self.known[0]), Search(self.rules, 0, Plan(tables)))
        survivors = [option for option in options if option.survives]
        return max(survivors, key=lambda option: option.points).state.board if survivors else None

    def is_episode_over(self) -> bool:
        length = self.settings.episode_pieces
        return length > 0 and (self.pieces + self.key % 2**16) % length == 0

    def begin(self) -> None:
        """Begin a game, on an empty board or above rows of garbage."""
        self.board = empty_board(self.rules.rows)
        first = FIRST_GARBAGE_NUMBER + self.pieces * GARBAGE_NUMBERS

        def draw(bound: int, number: int) -> int:
            return draw_below(bound, self.key, first + number)

        if draw(ONE, 0) >= self.settings.garbage:
            return
        gaps: set[int] = set()
        max_rows = max(self.settings.height - FREE_ROWS_ABOVE_GARBAGE, 0)
        for row in range(draw(max_rows + 1, 1)):
            choice = draw(16, 2 + 4 * row)
            if row == 0 or choice < 8:
                gaps = {draw(WIDTH, 3 + 4 * row)}
                if choice % 2 == 0:
                    gaps.add(draw(WIDTH, 4 + 4 * row))
                if choice % 8 < 2:
                    gaps.add(draw(WIDTH, 5 + 4 * row))
            self.board[row] = [column not in gaps for column in range(WIDTH)]


class PatternLearning:
    """Tables that are learned from games."""

    def __init__(self, settings: Settings, seed: int, game_count: int) -> None:
        self.settings = settings
        self.games = [LearningGame(settings, seed, number) for number in range(game_count)]
        self.tables = {name: [0] * TABLE_SIZES[name] for name in settings.patterns}
        self.weights: dict[Entry, int] = defaultdict(int)
        self.step_sums: dict[Entry, int] = defaultdict(int)
        self.step_sizes: dict[Entry, int] = defaultdict(int)

    def compute_value(self, entries: list[Entry]) -> int:
        return min(START_VALUE - sum(self.tables[name][number] for name, number in entries), 0)

    def update(self, piece_count: int, rate: int) -> None:
        """Play pieces of each game with fixed tables, then change the tables."""
        errors: dict[Entry, int] = defaultdict(int)
        visits: dict[Entry, int] = defaultdict(int)
        for game in self.games:
            for _ in range(piece_count):
                board = game.find_learned_board(self.tables)
                assert board
                before = list_entries(board, self.settings.patterns)
                next_board = game.find_learned_board(self.tables) if game.play_piece(self.tables) else None
                is_dead = next_board is None
                next_value = self.compute_value(list_entries(next_board, self.settings.patterns)) if next_board else 0
                change = next_value - self.compute_value(before)
                error = compute_error(change, ONE if is_dead else self.settings.discount)
                for entry in before:
                    errors[entry] += error
                    visits[entry] += 1
                game.deaths += is_dead
                if is_dead or game.is_episode_over():
                    game.begin()
        for entry in {sharer for visited in visits for sharer in list_sharers(visited, self.settings.stages)}:
            self.change_weight(entry, list_sharers(entry, self.settings.stages), errors, visits, rate)

    def change_weight(
        self, entry: Entry, sources: set[Entry], errors: dict[Entry, int], visits: dict[Entry, int], rate: int
    ) -> None:
        """Change a weight by rate × mean error, reduced by temporal coherence; a weight has ten fractional bits."""
        visit_count = sum(visits.get(source, 0) for source in sources)
        error = sum(errors.get(source, 0) for source in sources)
        step = error * rate // 2**12 // (visit_count + 1)
        total, size = self.step_sums[entry], self.step_sizes[entry]
        self.step_sums[entry] += step
        self.step_sizes[entry] += abs(step)
        self.weights[entry] -= step * abs(total) // size if size else step
        name, number = entry
        self.tables[name][number] = math.floor(self.weights[entry] / 2**10 + 0.5)
