"""Cross-checks with other environments, repeated with recorded games, so that the environments are not needed.

`recorded_games.json` contains a game of the agent `lowest` in each environment: method, argument and reply.
"""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cross_checks.__main__ import (
    CROSS_CHECKS,
    JUMANJI,
    TETRIS_GYMNASIUM,
    format_cross_checks,
    make_choose_function,
)
from benchmarks.cross_checks.checks import (
    BOARDS,
    ENDS,
    EXTRA_ACTIONS,
    GAINS,
    LOCATIONS,
    MISSING_ACTIONS,
    MOVES,
    CheckCounts,
    list_actions,
    make_rotation_system,
    read_position,
)
from benchmarks.cross_checks.environment_hosts import HOSTS
from tetrion import Rules
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS

RECORDED = json.loads(Path(__file__).with_name("recorded_games.json").read_text("utf-8"))
CHECKS = {JUMANJI: CROSS_CHECKS[0], TETRIS_GYMNASIUM: CROSS_CHECKS[3]}
Reply = dict[str, Any]


@pytest.fixture(autouse=True)
def _rotation_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROTATION_SYSTEMS, TETRIS_GYMNASIUM, make_rotation_system(RECORDED["pieces"]))


def repeat_game(environment: str, exchanges: list[Any]) -> CheckCounts:
    """Check a recorded game; the moves that are sent must be the recorded ones."""
    remaining = iter(exchanges)

    def ask(method: str, argument: Any) -> Reply:
        recorded_method, recorded_argument, reply = next(remaining)
        assert [method, json.loads(json.dumps(argument))] == [recorded_method, recorded_argument]
        return dict(reply)

    check = CHECKS[environment]
    counts = CheckCounts()
    seed = exchanges[0][1]
    check.check_game(ask, seed, make_choose_function("lowest", seed), rules=Rules.parse(check.rules), counts=counts)
    assert next(remaining, None) is None
    return counts


@pytest.mark.parametrize("environment", CHECKS)
def test_recorded_games_have_no_differences(environment: str) -> None:
    exchanges = RECORDED[environment]
    counts = repeat_game(environment, exchanges)
    assert set(counts.different.values()) == {0}
    assert counts.compared[BOARDS] == len(exchanges) - 1 > 20
    assert counts.returns == [sum(reply["gain"] for _, _, reply in exchanges)]
    assert counts.returns[0] > 0


def fill_top_cell(reply: Reply) -> None:
    reply["grid"][0] = "#" + reply["grid"][0][1:]


def gain_more(reply: Reply) -> None:
    reply["gain"] += 1


def continue_game(reply: Reply) -> None:
    reply["is_over"] = not reply["is_over"]


def move_piece(reply: Reply) -> None:
    reply["corners"][0][0] += 1


@pytest.mark.parametrize(
    ("environment", "change", "kind"),
    [
        (JUMANJI, fill_top_cell, BOARDS),
        (JUMANJI, gain_more, GAINS),
        (TETRIS_GYMNASIUM, fill_top_cell, BOARDS),
        (TETRIS_GYMNASIUM, gain_more, GAINS),
        (TETRIS_GYMNASIUM, move_piece, LOCATIONS),
    ],
)
def test_differences_are_counted(environment: str, change: Callable[[Reply], None], kind: str) -> None:
    exchanges = copy.deepcopy(RECORDED[environment])
    last_reply = next(reply for _, _, reply in reversed(exchanges) if reply.get("corners") != [[]])
    change(last_reply)
    counts = repeat_game(environment, exchanges)
    assert {name for name, count in counts.different.items() if count} == {kind}


@pytest.mark.parametrize("environment", CHECKS)
def test_early_end_is_counted(environment: str) -> None:
    exchanges = copy.deepcopy(RECORDED[environment][:10])
    continue_game(exchanges[-1][2])
    assert repeat_game(environment, exchanges).different[ENDS] == 1


@pytest.mark.parametrize(("is_legal", "kind"), [(True, EXTRA_ACTIONS), (False, MISSING_ACTIONS)])
def test_wrong_action_masks_are_counted(is_legal: bool, kind: str) -> None:
    exchanges = copy.deepcopy(RECORDED[JUMANJI])
    mask = exchanges[1][2]["mask"]
    played = exchanges[2][1]
    rotation, column = next([r, c] for r in range(4) for c in range(10) if mask[r][c] != is_legal and [r, c] != played)
    mask[rotation][column] = is_legal
    counts = repeat_game(JUMANJI, exchanges)
    assert {name: count for name, count in counts.different.items() if count} == {kind: 1}


def test_moves_without_a_counterpart_are_counted() -> None:
    exchanges = copy.deepcopy(RECORDED[JUMANJI][:2])
    exchanges[1][2]["mask"] = [[False] * 10] * 4
    assert repeat_game(JUMANJI, exchanges).different[MOVES] == 1


def test_jumanji_observation_is_translated() -> None:
    shapes = [["##..", "#...", "#...", "...."], ["###.", "..#.", "....", "...."]] * 2
    reply = {"grid": ["." * 10] * 9 + ["####......"], "shapes": shapes, "first_column": 0, "mask": [[True] * 10] * 4}
    position = read_position(reply, Rules.parse("standard-10x10"))
    assert position.piece == "J"
    assert position.board.heights == (1, 1, 1, 1, 0, 0, 0, 0, 0, 0)
    actions = list(list_actions(reply))
    assert len(actions) == 40
    placement = next(p for p in position.placements() if p.cells == ((2, 1), (3, 1), (4, 0), (4, 1)))
    assert [(action.rotation, action.column) for action in actions if action.leads_to(placement)] == [(1, 2), (3, 2)]


def test_all_checks_have_a_host() -> None:
    assert {check.host for check in CROSS_CHECKS} == set(HOSTS)


def test_table_of_cross_checks() -> None:
    check = {"environment": "jumanji", "version": "1", "actions": "placements", "player": "du", "games": 2}
    check |= {"compared": dict.fromkeys((MOVES, BOARDS, GAINS, ENDS), 800) | {EXTRA_ACTIONS: 32000}}
    check |= {
        "different": {MOVES: 0, BOARDS: 1, GAINS: 2, ENDS: 3, EXTRA_ACTIONS: 4},
        "mean": 6900,
        "ci95": [6800, 7000],
    }
    result: dict[str, object] = {"checks": [check], "tetrion": [{"agent": "dt10", "games": 9, "mean": 5, "ci95": None}]}
    result |= {"command": "it", "processor": "this", "date": "today"}
    lines = format_cross_checks(result).splitlines()
    assert lines[2] == "| jumanji 1, placements: `du` | 2 | 800 | 0 | 1 | 2 | 3 | 4 of 32,000 | – | – |"
    assert lines[-4:] == [
        "| jumanji's environment | `du` | 2 | 6,900 ± 100 |",
        "| Tetrion's engine | `dt10` | 9 | 5.00 |",
        "",
        "Measured with `it` (this, today)",
    ]
