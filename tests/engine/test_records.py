"""Records: the fields of a class become a NumPy type, and mypy knows them.

`make check` reports a needless `type: ignore`, so these comments test that mypy rejects unknown fields.
"""

from typing import Annotated, get_args

import numpy as np
import pytest

from tetrion.engine.agent_records import compile_agents
from tetrion.engine.batch_play import make_full_games, make_games
from tetrion.engine.compiler import MEMORY_ALIGNMENT, compile_entry
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.lookahead import SearchScratch
from tetrion.engine.placement_choice import BasicScratch, SimdScratch
from tetrion.engine.records import (
    AgentColumn,
    AgentRecord,
    FullGameRecord,
    GameColumn,
    GameRecord,
    GameRecords,
    Int32Array,
    Int64,
    Record,
    compile_for_full_games,
)
from tetrion.engine.rules import Rules, make_rules_record

STORED_GAME_FIELDS = [  # of the files that `games_to_bytes` writes
    ("key", "<u8"),
    ("bag", "<i8"),
    ("pieces", "<i8"),
    ("lines", "<i8"),
    ("score", "<i8"),
    ("frames", "<i8"),
    ("clears", "<i8", (4,)),
    ("board", "<i4", (10,)),
    ("agent", "<i4"),
    ("status", "<i4"),
    ("placement", "<i8", (3,)),
    ("known", "<i8"),
    ("queue", "<i8", (8,)),
]


class PointRecord(Record[str]):
    """A record for these tests."""

    number: Int64
    values: Annotated[Int32Array, 3]


class WidePointRecord(PointRecord):
    """A record with a longer field, and one more."""

    values: Annotated[Int32Array, (2, 5)]
    weight: Int64


def test_fields_of_simd_scratch_start_at_cache_lines() -> None:
    for scratch in (SimdScratch, SearchScratch):
        fields = scratch.dtype.fields
        assert fields
        assert [name for name, (_, offset, *_) in fields.items() if offset % MEMORY_ALIGNMENT] == []
        assert scratch.dtype.isalignedstruct
    assert BasicScratch.dtype == np.dtype([("heights", np.int32, 19), ("values", np.int32, MAX_FEATURES)], align=True)


def test_fields_are_attributes_that_refer_to_the_array() -> None:
    points = PointRecord.make_array(2)
    points[1].number = 7
    points[1].values[2] = 5
    assert points["number"].tolist() == [0, 7]
    assert points["values"].tolist() == [[0, 0, 0], [0, 0, 5]]


def test_stored_games_keep_their_fields() -> None:
    assert GameRecord.dtype.descr == STORED_GAME_FIELDS
    assert GameRecord.dtype.itemsize == 224


def test_small_record_is_the_start_of_a_full_one() -> None:
    small, full = GameRecord.dtype.fields, FullGameRecord.dtype.fields
    assert small
    assert full
    assert list(full)[: len(small)] == list(small)
    assert {name: full[name] for name in small} == dict(small)


@compile_for_full_games(default=-1)
def add_to_combo(game: FullGameRecord, number: int) -> int:
    """Add a number to the combo of a game, and return the sum."""
    game.combo += number
    return int(game.combo)


@compile_entry(seconds=1)
def add_to_combo_compiled(games: GameRecords, number: int) -> int:
    """Call `add_to_combo` from compiled code."""
    return add_to_combo(games[0], number)


def test_functions_for_full_games_do_nothing_in_small_ones() -> None:
    """In Python and in compiled code, with both records."""
    small, full = make_games(1, 1), make_full_games(1, 1)
    before = small.tobytes()
    for add in (lambda games, number: add_to_combo(games[0], number), add_to_combo_compiled):
        full["combo"] = 5
        assert add(full, 3) == full["combo"][0] == 8
        assert add(small, 3) == -1
        assert small.tobytes() == before


def test_columns_are_fields() -> None:
    names = GameRecord.dtype.names or ()
    assert get_args(GameColumn)[: len(names)] == names
    assert set(get_args(GameColumn)) <= set(FullGameRecord.dtype.names or ())
    assert set(get_args(AgentColumn)) <= set(AgentRecord.dtype.names or ())


def test_unknown_fields_are_rejected() -> None:
    games = make_games(1, seed=1)
    agents, _ = compile_agents([({"holes": -1.0}, True)])
    rules = make_rules_record(Rules())
    with pytest.raises(AttributeError, match="peices"):
        assert games[0].peices  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="dept"):
        assert agents[0].dept  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="hight"):
        assert rules[0].hight  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="peices"):
        assert games["peices"]  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="peices"):
        games["peices"] = 1  # type: ignore[index]
    with pytest.raises(ValueError, match="dept"):
        assert agents["dept"]  # type: ignore[call-overload]
