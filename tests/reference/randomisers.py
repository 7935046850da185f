"""Which piece comes next, in whole numbers of Python's own that are cut to 64 bits."""

from reference.board import Board, placements
from reference.features import MeasuredBoard, features
from reference.pieces import PIECES

BITS_64 = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(number: int) -> int:
    """SplitMix64's finishing mix."""
    number &= BITS_64
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & BITS_64
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & BITS_64
    return number ^ (number >> 31)


def key_of_game(seed: int, game: int) -> int:
    """SplitMix64 twice: the seed's first number is the start from which the games count."""
    return mixed(mixed(seed + GOLDEN) + (game + 1) * GOLDEN)


def below(bound: int, key: int, number: int) -> int:
    """Random number `number` of a game, as a fraction of 2³², times the bound."""
    high_half = mixed(key + (number + 1) * GOLDEN) >> 32
    return high_half * bound // 2**32


PIECES_OF_NES = "TJZOSLI"
SPAWN_IDS = [2, 7, 8, 10, 11, 14, 18]
COUNTS_OF_NES = {  # by the piece before: how many 64ths of the chance each piece of T J Z O S L I has
    "T": [2, 10, 12, 10, 10, 10, 10],
    "J": [12, 2, 10, 10, 10, 10, 10],
    "Z": [10, 12, 2, 10, 10, 10, 10],
    "O": [10, 10, 10, 4, 10, 10, 10],
    "S": [10, 10, 10, 10, 4, 10, 10],
    "L": [12, 10, 10, 10, 10, 2, 10],
    "I": [10, 10, 10, 10, 12, 10, 2],
}
DELLACHERIE = {  # twice the weights, for a landing height in half rows
    "eroded_cells": 2,
    "landing_height": -1,
    "row_transitions": -2,
    "column_transitions": -2,
    "holes": -8,
    "wells": -2,
}


class Register:
    """The console's 16 bits of chance, and its way to the next piece."""

    def __init__(self, start: int) -> None:
        self.bits = start
        self.spawn_count = 0
        self.before: int | None = None

    def step(self) -> None:
        new = (self.bits >> 1 ^ self.bits >> 9) & 1
        self.bits = self.bits >> 1 | new << 15

    def next_piece(self) -> str:
        self.spawn_count += 1
        number = (self.bits // 256 + self.spawn_count) % 8
        if number == 7 or number == self.before:
            self.step()
            spawn_id = 0 if self.before is None else SPAWN_IDS[self.before]
            number = (self.bits // 256 % 8 + spawn_id) % 7
        self.before = number
        return PIECES_OF_NES[number]


def worst_piece(board: Board) -> str:
    """The piece whose best straight drop is worst; one that fits nowhere is worse than all others."""
    before = MeasuredBoard(board)
    best = {}
    for piece in PIECES:
        found = [features(before, piece, place, True, DELLACHERIE) for place in placements(board, piece)]
        scores = [sum(weight * values[name] for name, weight in DELLACHERIE.items()) for values in found]
        best[piece] = max(scores, default=-(10**9))
    return min(PIECES, key=lambda piece: best[piece])


class Dealer:
    """Deals the pieces of one game, one after another."""

    def __init__(self, randomiser: str, seed: int, game: int) -> None:
        self.randomiser = randomiser
        self.key = key_of_game(seed, game)
        self.dealt = 0
        self.bag = ""
        self.before = ""
        start = randomiser.removeprefix("nes-")
        drawn = (1 + below(32767, self.key, 0)) * 2
        self.register = Register(drawn if start in ("nes", "counts") or start == randomiser else int(start, 16))

    def deal(self, board: Board | None = None) -> str:
        """The next piece; the board is what an adversary looks at."""
        piece = self.next_piece(self.dealt, board)
        self.dealt += 1
        self.before = piece
        return piece

    def next_piece(self, number: int, board: Board | None) -> str:
        kind, _, letters = self.randomiser.partition("-")
        if self.randomiser == "uniform":
            return PIECES[below(7, self.key, number)]
        if self.randomiser == "sz":
            return "SZ"[below(2, self.key, number)]
        if self.randomiser == "alternating-sz":
            return "SZ"[number % 2]
        if kind in ("only", "script"):
            return letters[number % len(letters)]
        if self.randomiser == "bag":
            return self.from_bag(number)
        if self.randomiser == "nes-counts":
            return self.by_counts(number)
        if kind == "nes":
            return self.from_register(number)
        if self.randomiser == "adversary" and board is not None:
            return worst_piece(board) if number else PIECES[below(7, self.key, 0)]
        raise ValueError(self.randomiser)

    def from_bag(self, number: int) -> str:
        self.bag = self.bag or PIECES
        piece = self.bag[below(len(self.bag), self.key, number)]
        self.bag = self.bag.replace(piece, "")
        return piece

    def from_register(self, number: int) -> str:
        steps = 1 + below(64, self.key, number + 1) if self.randomiser == "nes" else 1
        for _ in range(steps):
            self.register.step()
        return self.register.next_piece()

    def by_counts(self, number: int) -> str:
        if not self.before:
            return PIECES_OF_NES[below(7, self.key, 0)]
        drawn = below(64, self.key, number)
        for piece, chances in zip(PIECES_OF_NES, COUNTS_OF_NES[self.before], strict=True):
            if drawn < chances:
                return piece
            drawn -= chances
        raise AssertionError
