"""The results of games: what is kept of their records, a third of the memory."""

from typing import Annotated, cast

from tetrion.engine.records import (
    ClearNumbers,
    FullGameRecord,
    GameColumn,
    GameRecords,
    Int64,
    Int64Array,
    Record,
    Records,
)


class GameResult(Record[GameColumn]):
    """The result of a game: the fields of its record that statistics and files need."""

    pieces: Int64
    lines: Int64
    score: Int64
    frames: Int64
    clears: Annotated[Int64Array, 4]
    status: Int64  # as wide as the other fields, so that there are no gaps, and equal results have equal bytes


class ModernGameResult(GameResult):
    """The result of a modern game."""

    attack: Int64
    sent: Int64
    received: Int64
    clears_by_spin: ClearNumbers
    back_to_backs: Int64
    longest_combo: Int64
    perfect_clears: Int64


GameResults = Records[GameResult]


def get_result_type(is_modern: bool) -> type[GameResult]:
    """Return the type of the results of research games or of modern ones."""
    return ModernGameResult if is_modern else GameResult


def copy_results(games: GameRecords | GameResults, results: GameResults) -> None:
    """Copy the results of games into an array of the same length, in one step that Ctrl-C cannot interrupt."""
    results[:] = games[list(results.dtype.names or ())]


def as_results(games: GameRecords | GameResults) -> GameResults:
    """Return the results of games; an array of results is returned as it is."""
    if games.dtype in (GameResult.dtype, ModernGameResult.dtype):
        return cast(GameResults, games)
    results = get_result_type(games.dtype == FullGameRecord.dtype).make_array(len(games))
    copy_results(games, results)
    return results
