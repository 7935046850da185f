"""The results of games: what is kept of their records, a third of the memory."""

from typing import Annotated, cast

from tetrion.engine.batch_play import get_record_type
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
from tetrion.engine.rules import Rules
from tetrion.position import get_engine_settings


class GameResult(Record[GameColumn]):
    """The result of a game: the fields of its record that statistics and files need."""

    pieces: Int64
    lines: Int64
    score: Int64
    frames: Int64
    clears: Annotated[Int64Array, 4]
    status: Int64  # as wide as the other fields, so that there are no gaps, and equal results have equal bytes


class FullGameResult(GameResult):
    """The result of a game with hold, spins, attack or garbage."""

    attack: Int64
    sent: Int64
    received: Int64
    clears_by_spin: ClearNumbers
    back_to_backs: Int64
    longest_combo: Int64
    perfect_clears: Int64


GameResults = Records[GameResult]


def get_result_type(rules: Rules) -> type[GameResult]:
    """Return the type of the results of games under these rules: full, if games in bulk have full records."""
    return FullGameResult if get_record_type(get_engine_settings(rules)) is FullGameRecord else GameResult


def has_attack(results: GameResults) -> bool:
    """Return whether results have the columns of attack and spins."""
    return bool(results.dtype == FullGameResult.dtype)


def copy_results(games: GameRecords | GameResults, results: GameRecords | GameResults) -> None:
    """Copy the results of games into an array of the same length, in one step that Ctrl-C cannot interrupt."""
    results[:] = games[list(results.dtype.names or ())]


def as_results(games: GameRecords | GameResults, rules: Rules) -> GameResults:
    """Return the results of games under these rules; an array of results is returned as it is."""
    if games.dtype in (GameResult.dtype, FullGameResult.dtype):
        return cast(GameResults, games)
    results = get_result_type(rules).make_array(len(games))
    copy_results(games, results)
    return results
