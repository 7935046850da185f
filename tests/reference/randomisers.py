"""Which piece comes next, in whole numbers of Python's own that are cut to 64 bits."""

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


class Dealer:
    """Deals the pieces of one game, one after another."""

    def __init__(self, randomiser: str, seed: int, game: int) -> None:
        self.randomiser = randomiser
        self.key = key_of_game(seed, game)
        self.dealt = 0
        self.bag = ""

    def deal(self) -> str:
        piece = self.next_piece(self.dealt)
        self.dealt += 1
        return piece

    def next_piece(self, number: int) -> str:
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
            self.bag = self.bag or PIECES
            piece = self.bag[below(len(self.bag), self.key, number)]
            self.bag = self.bag.replace(piece, "")
            return piece
        raise ValueError(self.randomiser)
