"""The results of games: what is kept of their records, a third of the memory."""

from typing import Annotated, cast

from tetrion.engine.records import GameColumn, GameRecords, Int64, Int64Array, Record, Records

_RESULT_COLUMNS: list[GameColumn] = ["pieces", "lines", "score", "frames", "clears", "status"]


class GameResult(Record[GameColumn]):
    """The result of a game: the fields of its record that statistics and files need."""

    pieces: Int64
    lines: Int64
    score: Int64
    frames: Int64
    clears: Annotated[Int64Array, 4]
    status: Int64  # as wide as the other fields, so that there are no gaps, and equal results have equal bytes


GameResults = Records[GameResult]


def copy_results(games: GameRecords | GameResults, results: GameResults) -> None:
    """Copy the results of games into an array of the same length, in one step that Ctrl-C cannot interrupt."""
    results[:] = games[_RESULT_COLUMNS]


def as_results(games: GameRecords | GameResults) -> GameResults:
    """Return the results of games; an array of results is returned as it is."""
    if games.dtype == GameResult.dtype:
        return cast(GameResults, games)
    results = GameResult.make_array(len(games))
    copy_results(games, results)
    return results
