"""Special games for Gavrilov's report: other key rates, the line-clearing bug, and piece sequences."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from tetrion.agents import RandomKeysAgent, load_weighted_agent
from tetrion.engine.batch_play import UNLIMITED, make_games, select_fastest_play
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, SHAPES
from tetrion.engine.placing import STATUS_CAPPED, STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.lab.reproduction.measurements import MeasurementContext, summarise_games

_FRAMES_PER_SECOND = 1000  # a key takes whole thousandths of a second
_KEY_RATES = (15, 60, 120, 200, 400)  # keys per second, before rounding
_SEQUENCE_PIECES = 2000  # length of the recorded piece sequences


def format_key_rate(rate: int) -> str:
    """Return the keys per second that are played for a key rate, as text: 400 keys of 2.5 ms are 500 keys of 2 ms."""
    return f"{_FRAMES_PER_SECOND / round(_FRAMES_PER_SECOND / rate):.0f}"


def summarise_without_time(result: Evaluation) -> dict[str, Any]:
    """Return the summary of games without their playing time."""
    return {name: value for name, value in summarise_games(result).items() if name != "time"}


def measure_key_rates(context: MeasurementContext) -> dict[str, Any]:
    """Measure games of the random player at several key rates."""
    games = 12 if context.is_quick else 300
    evaluations = {
        rate: context.play(RandomKeysAgent(f"random-keys-{rate}", keys_per_second=rate), "gavrilov", games)
        for rate in _KEY_RATES
    }
    return {str(rate): summarise_without_time(result) for rate, result in evaluations.items()}


def clear_rows_with_bug(columns: Sequence[int], full: int) -> list[int]:
    """Return the columns after the tutorial's line clear, which moves down only the cells above the highest full row.

    A partial row between two full rows therefore stays above an empty row, and the cells that move down are merged
    with it (Gavrilov 2023, section 7.3.2 and Figure 52). `full` has one bit per full row.
    """
    above, removed = full.bit_length(), full.bit_count()
    return [column & ((1 << above) - 1) & ~full | column >> above << above - removed for column in columns]


def find_full_rows(board: Sequence[int], placement: Sequence[int]) -> tuple[list[int], int]:
    """Return the columns after a placement, and the full rows as bits."""
    orientation, left, row = placement
    columns = list(board)
    for column_index, bits in enumerate(SHAPES[orientation], left):
        columns[column_index] |= bits << row
    full = columns[0]
    for column in columns[1:]:
        full &= column
    return columns, full


def play_piece_by_piece(
    agent: str, rules: str, games: int, seed: int, max_pieces: int
) -> Iterator[tuple[GameRecords, GameRecords]]:
    """Play games piece by piece; yield the records before and after each piece. The caller may change the latter."""
    settings, records = load_weighted_agent(agent).get_engine_settings(Rules.parse(rules)), make_games(games, seed)
    for pieces in range(1, max_pieces + 1):
        before = records.copy()
        step_settings = settings._replace(max_pieces=pieces)
        select_fastest_play(step_settings)(records, step_settings, UNLIMITED)
        records["status"][records["status"] == STATUS_CAPPED] = STATUS_PLAYING
        yield before, records
        if not (records["status"] == STATUS_PLAYING).any():
            return


def play_with_bug(agent: str, games: int, seed: int, max_pieces: int) -> tuple[GameRecords, int]:
    """Play games of an agent with the line-clearing bug; return them and the number of times it occurred."""
    bug_count, records = 0, make_games(games, seed)
    for before, records in play_piece_by_piece(agent, "gavrilov", games, seed, max_pieces):
        for number in np.flatnonzero(records["lines"] - before["lines"] >= 2):
            columns, full = find_full_rows(before["board"][number].tolist(), records["placement"][number].tolist())
            lowest = full & -full
            if full // lowest & (full // lowest + 1):  # the full rows are not adjacent
                records["board"][number] = clear_rows_with_bug(columns, full)
                bug_count += 1
    records["status"][records["status"] == STATUS_PLAYING] = STATUS_CAPPED
    return records, bug_count


def measure_line_clear_bug(agent: str, context: MeasurementContext) -> dict[str, Any]:
    """Measure games of an agent with the bug, and how often the bug occurred."""
    games, max_pieces = (200, 5000) if context.is_quick else (4000, 60_000)
    records, bug_count = play_with_bug(agent, games, context.seed, max_pieces)
    result = Evaluation.from_games(agent, Rules.parse("gavrilov"), context.seed, records, seconds=1.0)
    return {
        "with": summarise_without_time(result) | {"cap": max_pieces},
        "cleared_lines": int(records["lines"].sum()),
        "bug_count": bug_count,
    }


def record_piece_sequence(randomiser: str, seed: int) -> list[str]:
    """Return the piece sequence of the longest of 20 games with a randomiser."""
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
    """Return the largest number of pieces between two pieces of the same kind."""
    indices = [[index for index, piece in enumerate(pieces) if piece == kind] for kind in set(pieces)]
    return max(int(np.diff(kind_indices).max(initial=1)) - 1 for kind_indices in indices)


def find_longest_streak(pieces: Sequence[str]) -> int:
    """Return the largest number of equal pieces in a row."""
    return max(len(list(group)) for _, group in groupby(pieces))


def measure_piece_sequences(context: MeasurementContext) -> dict[str, Any]:
    """Measure the longest wait for a piece and the longest streak, from a bag and from uniform draws."""
    sequences = {randomiser: record_piece_sequence(randomiser, context.seed) for randomiser in ("bag", "uniform")}
    shortest = min(map(len, sequences.values()))
    return {
        randomiser: {
            "pieces": shortest,
            "wait": find_longest_wait(pieces[:shortest]),
            "streak": find_longest_streak(pieces[:shortest]),
        }
        for randomiser, pieces in sequences.items()
    }
