"""Observations: what the arrays contain, compared with positions and with the slow reference."""

from typing import Any

import numpy as np
import pytest

from tests.envs.env_games import MODERN_PLACEMENT_RULES, PLACEMENT_RULES, make_env, make_vector_env
from tests.reference.features import FEATURES as REFERENCE_FEATURES, MeasuredBoard, features_of_cells
from tetrion import FEATURES, Placement
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import PRESETS
from tetrion.envs.options import BOARD_FEATURE_NAMES, DEFAULT_MAX_PLACEMENTS

SEED = 11
STEPS = 15
EMPTY = ".........."


def draw_plane(plane: Any) -> list[str]:
    """Return a plane as rows of text, top to bottom."""
    return ["".join(".#"[cell] for cell in row) for row in plane]


def draw_cells(cells: tuple[tuple[int, int], ...], rows: int) -> list[str]:
    """Return cells (column, row from the floor) as rows of text, top to bottom."""
    return ["".join(".#"[(column, row) in cells] for column in range(10)) for row in range(rows - 1, -1, -1)]


def play_random_steps(env: Any) -> Any:
    """Yield the observation and the position of each step of random games."""
    observation, _ = env.reset(seed=SEED)
    for _ in range(STEPS):
        yield observation, env.position
        observation, _, is_terminated, _, _ = env.step(env.sample_action())
        if is_terminated:
            observation, _ = env.reset()


@pytest.mark.parametrize("rules", ["standard", "nes", "medico:preview=3"])
def test_planes_show_board_and_pieces(rules: str) -> None:
    env = make_env("tetrion/Placement-v0", rules=rules)
    for planes, position in play_random_steps(env):
        assert draw_plane(planes[0]) == str(position.board).split("\n")
        known = position.piece + position.next
        assert len(planes) == 1 + len(known)
        for plane, letter in zip(planes[1:], known, strict=True):
            spawn = Placement(letter, 0, 0, 0, position.rules.rotation)
            height = max(row for _, row in spawn.cells) + 1
            left = position.__class__.from_board(position.board.__class__(), letter, rules=position.rules).spawn
            top = [(column + left.column, row) for column, row in spawn.cells]
            assert draw_plane(plane) == draw_cells(tuple(top), height) + [EMPTY] * (env.rules.rows - height)


@pytest.mark.parametrize("rules", PRESETS)
def test_planes_of_keys_show_the_falling_piece(rules: str) -> None:
    env = make_env("tetrion/Keys-v0", rules=rules)
    for planes, position in play_random_steps(env):
        rows = planes.shape[1]
        assert rows == min(env.rules.rows + 4, 32)
        falling = env.falling_piece
        assert draw_plane(planes[0])[rows - position.rules.rows :] == str(position.board).split("\n")
        assert draw_plane(planes[1]) == draw_cells(falling.cells if falling else (), rows)
        assert planes[1].sum() == (4 if falling else 0)


def test_columns_of_keys_contain_the_falling_piece() -> None:
    env = make_env("tetrion/Keys-v0", rules="nes", observation="columns")
    for columns, position in play_random_steps(env):
        falling = env.falling_piece
        location = [0, 0, 0, 0]
        if falling:
            location = [1, env._batch.falls[0].piece_state[0], falling.column, falling.row]
        pieces = [PIECES.index(letter) for letter in position.piece + position.next]
        assert columns.tolist() == [*position.board.columns, *pieces, *location]


@pytest.mark.parametrize("environment_id", ["tetrion/Placement-v0", "tetrion/Keys-v0"])
@pytest.mark.parametrize("rules", ["nes", "guideline"])
def test_features_are_those_of_the_board(environment_id: str, rules: str) -> None:
    env = make_env(environment_id, rules=rules, observation="features", features=BOARD_FEATURE_NAMES)
    for features, position in play_random_steps(env):
        measured = position.board.measure_features()
        pieces = [float(letter == known) for known in position.piece + position.next for letter in PIECES]
        expected = [*(measured[name] for name in BOARD_FEATURE_NAMES), *pieces]
        assert features[: len(expected)].tolist() == expected
        added = (4 if "Keys" in environment_id else 0) + (10 if rules == "guideline" else 0)  # hold and three numbers
        assert len(features) == len(expected) + added


def test_dict_contains_board_pieces_and_mask() -> None:
    env = make_env("tetrion/Placement-v0", rules="medico:preview=2", observation="dict")
    for observation, position in play_random_steps(env):
        assert draw_plane(observation["board"]) == str(position.board).split("\n")
        assert PIECES[observation["piece"]] == position.piece
        assert [PIECES[number] for number in observation["preview"]] == list(position.next)
        assert observation["action_mask"].sum() == len(position.placements())
    assert "preview" not in make_env("tetrion/Placement-v0", observation="dict").observation_space.spaces


@pytest.mark.parametrize("rules", [*PLACEMENT_RULES, *MODERN_PLACEMENT_RULES])
def test_afterstates_equal_the_reference(rules: str) -> None:
    env = make_env("tetrion/Afterstates-v0", rules=rules, observation="dict", features=list(FEATURES))
    for observation, position in play_random_steps(env):
        legal = np.flatnonzero(observation["action_mask"])
        placements = position.placements()
        assert len(legal) == len(placements)
        rows = [[bool(column >> row & 1) for column in position.board.columns] for row in range(position.rules.rows)]
        before = MeasuredBoard(rows)
        for action, placement in zip(legal.tolist(), placements, strict=True):
            after = position.after(placement)
            assert observation["lines"][action] == after.lines - position.lines
            assert tuple(observation["columns"][action]) == after.board.columns
            assert draw_plane(observation["boards"][action]) == str(after.board).split("\n")
            expected = features_of_cells(before, placement.piece, list(placement.cells), True, REFERENCE_FEATURES)
            values = {name: np.float32(expected[name]) for name in FEATURES}
            assert dict(zip(FEATURES, observation["features"][action], strict=True)) == values
        illegal = observation["action_mask"] == 0
        for part in ("lines", "columns", "boards", "features"):
            assert not observation[part][illegal].any()


def test_too_many_placements_are_left_out() -> None:
    rules = "standard:movement=reach"
    env = make_env("tetrion/Afterstates-v0", rules=rules, max_placements=5, observation="columns")
    for observation, position in play_random_steps(env):
        expected = [position.after(placement).board.columns for placement in position.placements()[:5]]
        assert [tuple(columns) for columns in observation["columns"][: len(expected)]] == expected
        assert observation["action_mask"].tolist() == [1] * len(expected) + [0] * (5 - len(expected))
    assert make_env("tetrion/Placement-v0", rules=rules).action_space.n == DEFAULT_MAX_PLACEMENTS


def test_arrays_are_copies_unless_the_user_wants_none() -> None:
    for copy in (True, False):
        envs = make_vector_env("tetrion/Placement-v0", 3, copy=copy)
        first, infos = envs.reset(seed=SEED)
        kept = first.copy()
        second, *_ = envs.step(envs.sample_actions())
        assert np.shares_memory(first, second) != copy
        assert np.array_equal(first, kept) == copy
        assert not np.shares_memory(infos["action_mask"], envs._batch.mask)
