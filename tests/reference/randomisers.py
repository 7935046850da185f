"""Piece sequences, with 64-bit arithmetic in Python integers."""

from tests.reference.board import Board, find_drops
from tests.reference.features import MeasuredBoard, features
from tests.reference.pieces import PIECES

MASK_64 = 2**64 - 1
SPLITMIX_INCREMENT = 0x9E3779B97F4A7C15


def mix_bits(number: int) -> int:
    """Return the output mix of SplitMix64 for a state."""
    number &= MASK_64
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK_64
    return number ^ (number >> 31)


def compute_game_key(seed: int, game: int) -> int:
    """Return the random key of a game: output `game` of SplitMix64, started from the first output for the seed."""
    return mix_bits(mix_bits(seed + SPLITMIX_INCREMENT) + (game + 1) * SPLITMIX_INCREMENT)


def draw_below(bound: int, key: int, number: int) -> int:
    """Return random number `number` of a game, at least 0 and less than `bound`."""
    high_bits = mix_bits(key + (number + 1) * SPLITMIX_INCREMENT) >> 32
    return high_bits * bound // 2**32


NES_PIECES = "TJZOSLI"
NES_SPAWN_IDS = [2, 7, 8, 10, 11, 14, 18]
NES_COUNTS = {  # by previous piece: probabilities of T J Z O S L I in 64ths
    "T": [2, 10, 12, 10, 10, 10, 10],
    "J": [12, 2, 10, 10, 10, 10, 10],
    "Z": [10, 12, 2, 10, 10, 10, 10],
    "O": [10, 10, 10, 4, 10, 10, 10],
    "S": [10, 10, 10, 10, 4, 10, 10],
    "L": [12, 10, 10, 10, 10, 2, 10],
    "I": [10, 10, 10, 10, 12, 10, 2],
}
DELLACHERIE = {  # weights times two, because landing_height counts half rows
    "eroded_cells": 2,
    "landing_height": -1,
    "row_transitions": -2,
    "column_transitions": -2,
    "holes": -8,
    "wells": -2,
}


class ShiftRegister:
    """The 16-bit random register of the NES and its choice of the next piece."""

    def __init__(self, start: int) -> None:
        self.bits = start
        self.spawn_count = 0
        self.previous: int | None = None

    def step(self) -> None:
        new_bit = (self.bits >> 1 ^ self.bits >> 9) & 1
        self.bits = self.bits >> 1 | new_bit << 15

    def choose_piece(self) -> str:
        self.spawn_count += 1
        number = (self.bits // 256 + self.spawn_count) % 8
        if number == 7 or number == self.previous:
            self.step()
            spawn_id = 0 if self.previous is None else NES_SPAWN_IDS[self.previous]
            number = (self.bits // 256 % 8 + spawn_id) % 7
        self.previous = number
        return NES_PIECES[number]


def find_worst_piece(board: Board) -> str:
    """Return the piece whose best straight drop is worst; a piece without a placement is the worst."""
    before = MeasuredBoard(board)
    best_scores = {}
    for piece in PIECES:
        outcomes = [features(before, piece, drop, True, DELLACHERIE) for drop in find_drops(board, piece)]
        scores = [sum(weight * values[name] for name, weight in DELLACHERIE.items()) for values in outcomes]
        best_scores[piece] = max(scores, default=-(10**9))
    return min(PIECES, key=lambda piece: best_scores[piece])


class Dealer:
    """The piece sequence of one game."""

    def __init__(self, randomiser: str, seed: int, game: int) -> None:
        self.randomiser = randomiser
        self.key = compute_game_key(seed, game)
        self.dealt_count = 0
        self.bag = ""
        self.previous = ""
        suffix = randomiser.removeprefix("nes-")
        is_random_start = suffix in ("nes", "counts") or suffix == randomiser
        start = (1 + draw_below(32767, self.key, 0)) * 2 if is_random_start else int(suffix, 16)
        self.register = ShiftRegister(start)

    def deal(self, board: Board | None = None) -> str:
        """Return the next piece; only the adversary needs the board."""
        piece = self.draw_piece(self.dealt_count, board)
        self.dealt_count += 1
        self.previous = piece
        return piece

    def draw_piece(self, number: int, board: Board | None) -> str:
        kind, _, letters = self.randomiser.partition("-")
        if self.randomiser == "uniform":
            return PIECES[draw_below(7, self.key, number)]
        if self.randomiser == "sz":
            return "SZ"[draw_below(2, self.key, number)]
        if self.randomiser == "alternating-sz":
            return "SZ"[number % 2]
        if kind in ("only", "script"):
            return letters[number % len(letters)]
        if self.randomiser == "bag":
            return self.draw_from_bag(number)
        if self.randomiser == "nes-counts":
            return self.draw_by_counts(number)
        if kind == "nes":
            return self.draw_from_register(number)
        if self.randomiser == "adversary" and board is not None:
            return find_worst_piece(board) if number else PIECES[draw_below(7, self.key, 0)]
        raise ValueError(self.randomiser)

    def draw_from_bag(self, number: int) -> str:
        self.bag = self.bag or PIECES
        piece = self.bag[draw_below(len(self.bag), self.key, number)]
        self.bag = self.bag.replace(piece, "")
        return piece

    def draw_from_register(self, number: int) -> str:
        steps = 1 + draw_below(64, self.key, number + 1) if self.randomiser == "nes" else 1
        for _ in range(steps):
            self.register.step()
        return self.register.choose_piece()

    def draw_by_counts(self, number: int) -> str:
        if not self.previous:
            return NES_PIECES[draw_below(7, self.key, 0)]
        drawn = draw_below(64, self.key, number)
        for piece, count in zip(NES_PIECES, NES_COUNTS[self.previous], strict=True):
            if drawn < count:
                return piece
            drawn -= count
        raise AssertionError
