"""Games of Gavrilov's that the engine does not play by itself: other key rates, his rows that do not come down."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Any

import numpy as np

from tetrion.agents import RandomKeysAgent, load_weighted_agent
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_PLAYING,
    UNLIMITED,
    GameRecords,
    make_games,
    select_fastest_play,
)
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, SHAPES
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.game import Game
from tetrion.lab.reproduction.measurements import MeasurementContext, summarise_games

_KEY_RATES = (15, 60, 120, 200, 400)  # keys a second
_SEQUENCE_PIECES = 2000  # pieces whose order is looked at


@dataclass(frozen=True)
class RandomKeysAtRate(RandomKeysAgent):
    """Random keys, so many a second."""

    keys_per_second: int = 60

    def press_keys(self, game: Game) -> Iterator[None]:
        """Press a key and let the time to the next one pass, each time that it is asked for more."""
        random, keys = Random(f"{game.seed}/{game.number}"), game.rules.keys.split("+")
        frames = max(round(game.rules.frames_per_second / self.keys_per_second), 1)
        while not game.is_over:
            game.press(random.choice(keys))
            game.tick(frames)
            yield


def summarise_without_time(result: Evaluation) -> dict[str, Any]:
    """What is kept of games, but how long they took."""
    return {name: value for name, value in summarise_games(result).items() if name != "time"}


def measure_key_rates(laboratory: MeasurementContext) -> dict[str, Any]:
    """The random player's games, by how many keys a second it presses."""
    games = 30 if laboratory.is_quick else 300
    played = {
        rate: laboratory.play(RandomKeysAtRate(f"random-keys-{rate}", keys_per_second=rate), "gavrilov", games)
        for rate in _KEY_RATES
    }
    return {str(rate): summarise_without_time(result) for rate, result in played.items()}


def clear_rows_with_bug(columns: Sequence[int], full: int) -> list[int]:
    """Columns after full rows were removed as in the tutorial, which moves only what lies above the highest of them.

    A partial row between two full ones so stays where it is, above an empty one, and what comes down is laid over it
    (Gavrilov 2023, section 7.3.2 and Figure 52).
    """
    above, removed = full.bit_length(), full.bit_count()
    return [column & ((1 << above) - 1) & ~full | column >> above << above - removed for column in columns]


def find_full_rows(board: Sequence[int], placement: Sequence[int]) -> tuple[list[int], int]:
    """The columns with a piece in its place, and which rows are full then, as bits."""
    orientation, left, row = placement
    columns = list(board)
    for place, bits in enumerate(SHAPES[orientation], left):
        columns[place] |= bits << row
    full = columns[0]
    for column in columns[1:]:
        full &= column
    return columns, full


def play_piece_by_piece(
    agent: str, rules: str, games: int, seed: int, max_pieces: int
) -> Iterator[tuple[GameRecords, GameRecords]]:
    """Games played piece by piece: after each the records as they were and as they are, which may be changed."""
    setting, records = load_weighted_agent(agent).get_engine_settings(Rules.parse(rules)), make_games(games, seed)
    for pieces in range(1, max_pieces + 1):
        before = records.copy()
        upto = setting._replace(max_pieces=pieces)
        select_fastest_play(upto)(records, upto, UNLIMITED)
        records["status"][records["status"] == STATUS_CAPPED] = STATUS_PLAYING
        yield before, records
        if not (records["status"] == STATUS_PLAYING).any():
            return


def play_with_bug(games: int, seed: int, max_pieces: int) -> tuple[GameRecords, int]:
    """Games of the trained agent in which rows hang as in the tutorial, and how often that happened."""
    hung, records = 0, make_games(games, seed)
    for before, records in play_piece_by_piece("gavrilov", "gavrilov", games, seed, max_pieces):
        for number in np.flatnonzero(records["lines"] - before["lines"] >= 2):
            columns, full = find_full_rows(before["board"][number].tolist(), records["placement"][number].tolist())
            lowest = full & -full
            if full // lowest & (full // lowest + 1):  # not all next to each other
                records["board"][number] = clear_rows_with_bug(columns, full)
                hung += 1
    records["status"][records["status"] == STATUS_PLAYING] = STATUS_CAPPED
    return records, hung


def measure_line_clear_bug(laboratory: MeasurementContext) -> dict[str, Any]:
    """The trained agent's games with the bug and without it, the same pieces in both."""
    games, most = (200, 5000) if laboratory.is_quick else (1000, 30_000)
    records, hung = play_with_bug(games, laboratory.seed, most)
    found = Evaluation.from_games("gavrilov", Rules.parse("gavrilov"), laboratory.seed, records, seconds=1.0)
    without = laboratory.play("gavrilov", "gavrilov", games, most)
    return {
        "with": summarise_without_time(found) | {"cap": most},
        "without": summarise_without_time(without) | {"cap": most},
        "lines_a_bug": float(records["lines"].sum()) / max(1, hung),
    }


def record_piece_sequence(randomiser: str, seed: int) -> list[str]:
    """The pieces of the longest of a few games by a randomiser, in order."""
    steps = [
        (records["status"] == STATUS_PLAYING, PIECE_OF_ORIENTATION[records["placement"][:, 0]])
        for _, records in play_piece_by_piece(
            "gavrilov", f"gavrilov:randomiser={randomiser}", 20, seed, _SEQUENCE_PIECES
        )
    ]
    alive, pieces = (np.array(part) for part in zip(*steps, strict=True))
    longest = int(alive.sum(axis=0).argmax())
    return [str(piece) for piece in pieces[alive[:, longest], longest]]


def find_longest_wait(pieces: Sequence[str]) -> int:
    """The most pieces between two of the same kind."""
    places = {kind: [place for place, piece in enumerate(pieces) if piece == kind] for kind in set(pieces)}
    return max(int(np.diff(kind).max(initial=1)) - 1 for kind in places.values())


def find_longest_streak(pieces: Sequence[str]) -> int:
    """The most pieces of one kind in a row."""
    return max(len(list(same)) for _, same in groupby(pieces))


def measure_piece_sequences(laboratory: MeasurementContext) -> dict[str, Any]:
    """How long one waits for a piece, and how often it comes in a row, from a bag and by the tutorial's way."""
    order = {randomiser: record_piece_sequence(randomiser, laboratory.seed) for randomiser in ("bag", "uniform")}
    shortest = min(map(len, order.values()))
    return {
        randomiser: {
            "pieces": shortest,
            "wait": find_longest_wait(pieces[:shortest]),
            "streak": find_longest_streak(pieces[:shortest]),
        }
        for randomiser, pieces in order.items()
    }
