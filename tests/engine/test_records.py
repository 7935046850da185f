"""Records: the fields of a class become a NumPy type, and mypy knows them.

`make check` reports a needless `type: ignore`, so these comments test that mypy rejects unknown fields.
"""

from typing import get_args

import pytest

from tetrion.engine.agent_records import compile_agents
from tetrion.engine.batch_play import make_full_games, make_games
from tetrion.engine.compiler import compile_entry
from tetrion.engine.records import (
    AgentColumn,
    AgentRecord,
    FullGameRecord,
    GameColumn,
    GameRecord,
    GameRecords,
    compile_for_full_games,
)
from tetrion.engine.rules import Rules, make_rules_record


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
