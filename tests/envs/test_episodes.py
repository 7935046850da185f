"""Episodes: the same games as in `Game`, in single and in vector environments, reproducible and independent."""

import copy
import gc
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.envs.env_games import (
    ENVIRONMENT_IDS,
    KEY_RULES,
    MODERN_KEY_RULES,
    MODERN_PLACEMENT_RULES,
    PLACEMENT_RULES,
    assert_same_data,
    assert_same_state,
    make_env,
    make_vector_env,
)
from tetrion import Game
from tetrion.agents import load_weighted_agent
from tetrion.engine.pieces import PIECES

SEED = 7
MAX_GROWTH = 2_000_000  # bytes
MODERN_RULES = "tetrio:height=5,hidden_rows=2,garbage_rows=1,garbage_interval=2"
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def measure_memory() -> int:
    """Return the memory of this process in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("rules", [*PLACEMENT_RULES, *MODERN_PLACEMENT_RULES])
def test_placements_give_the_same_games_as_game(rules: str) -> None:
    env = make_env("tetrion/Placement-v0", rules=rules)
    env.reset(seed=SEED)
    for number in range(2):
        game = Game(rules, SEED, number)
        assert_same_state(env, game)
        while not game.is_over and game.pieces < 25:
            placements = game.placements()
            legal = np.flatnonzero(env.action_masks()).tolist()
            assert [env.get_placement(action) for action in legal] == placements
            action = env.sample_action()
            lines = game.place(env.get_placement(action))
            _, reward, is_terminated, is_truncated, info = env.step(action)
            assert (reward, is_terminated, is_truncated) == (lines, game.is_over, False)
            assert (info["pieces"], info["lines"], info["score"]) == (game.pieces, game.lines, game.score)
            assert_same_state(env, game)
        env.reset()


@pytest.mark.parametrize("rules", [*KEY_RULES, *MODERN_KEY_RULES])
@pytest.mark.parametrize("frames", [1, None])
def test_keys_give_the_same_games_as_game(rules: str, frames: int | None) -> None:
    env = make_env("tetrion/Keys-v0", rules=rules, frames_per_step=frames)
    env.reset(seed=SEED)
    game = Game(rules, SEED)
    keys = env.get_action_meanings()
    random = np.random.default_rng(SEED)
    for _ in range(150):
        action = int(random.integers(len(keys)))
        if random.random() < 0.5:
            action = env.sample_action()
        is_effective = bool(env.action_masks()[action])
        if action:
            assert game.press(keys[action]) == is_effective
        if not game.is_over:
            game.tick(frames or game.rules.frames_per_key)
        _, _, is_terminated, _, info = env.step(action)
        assert env.falling_piece == game.falling_piece
        assert info["is_legal"] == is_effective
        assert_same_state(env, game)
        assert info["score"] == game.score
        if is_terminated:
            env.reset()
            game = Game(rules, SEED, game.number + 1)
            assert_same_state(env, game)


@pytest.mark.parametrize("rules", ["standard", MODERN_RULES])
def test_information_has_types_of_numpy(rules: str) -> None:
    """TorchRL reads the type of each value, and Gymnasium collects numbers and arrays in arrays of their type."""
    env = make_env("tetrion/Placement-v0", rules=rules)
    _, first = env.reset(seed=SEED)
    *_, info = env.step(env.sample_action())
    assert first.keys() == info.keys()
    kept = copy.deepcopy(info)
    dtypes = {"action_mask": np.dtype(np.int8), "is_legal": np.dtype(np.bool_)}
    for name, value in info.items():
        assert value.dtype == first[name].dtype == dtypes.get(name, np.dtype(np.int64))
        assert value.shape == (env.action_masks().shape if name == "action_mask" else ())
    env.step(env.sample_action())
    assert_same_data(info, kept)


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("rules", ["standard", MODERN_RULES])
def test_same_seed_gives_the_same_episodes(environment_id: str, rules: str) -> None:
    first, second = make_env(environment_id, rules=rules), make_env(environment_id, rules=rules)
    for seed in (SEED, None, None, SEED):
        assert_same_data(first.reset(seed=seed), second.reset(seed=seed))
        for _ in range(30):
            action = first.sample_action()
            assert action == second.sample_action()
            result = first.step(action)
            assert_same_data(result, second.step(action))
            if result[2]:
                break


def test_seeds_and_game_numbers_select_the_game() -> None:
    env = make_env("tetrion/Placement-v0", rules="standard:preview=6")

    def get_pieces(**arguments: Any) -> str:
        env.reset(**arguments)
        return str(env.position.piece + env.position.next)

    games = [Game("standard:preview=6", SEED, number) for number in range(6)]
    assert get_pieces(seed=SEED) == games[0].piece + games[0].next
    assert get_pieces() == games[1].piece + games[1].next
    assert get_pieces(options={"number": 5}) == games[5].piece + games[5].next
    assert get_pieces(seed=SEED, options={"number": 2}) == games[2].piece + games[2].next
    assert get_pieces() == games[3].piece + games[3].next
    envs = make_vector_env("tetrion/Placement-v0", 2, rules="standard:preview=6", observation="columns")
    observations, _ = envs.reset(seed=[SEED, SEED], options={"number": np.int64(4)})
    for observation in observations:
        assert "".join(PIECES[number] for number in observation[10:]) == games[4].piece + games[4].next


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("rules", ["guideline:garbage_rows=1,garbage_interval=2"])
def test_copies_continue_the_same_game_independently(
    environment_id: str, duplicate: Callable[[Any], Any], rules: str
) -> None:
    env = make_env(environment_id, observation="dict", rules=rules)
    env.reset(seed=SEED)
    for _ in range(5):
        env.step(env.sample_action())
    alone, other = duplicate(env), duplicate(env)
    for _ in range(5):
        action = alone.sample_action()
        result = alone.step(action)
        assert other.step(0)[4]["action_mask"] is not result[4]["action_mask"]
        assert_same_data(result, env.step(env.sample_action()))


def test_agent_plays_in_an_environment_as_in_a_game() -> None:
    agent = load_weighted_agent("du")
    env: Any = gymnasium.make("tetrion/Jumanji-v0")
    env.reset(seed=SEED)
    game = Game("standard-10x10:scoring=flat", SEED)
    total = 0.0
    is_over = False
    while not is_over:
        placement = agent.choose(env.unwrapped.position)
        _, reward, is_terminated, is_truncated, _ = env.step(env.unwrapped.find_action(placement))
        total += reward
        is_over = is_terminated or is_truncated
    game.play(agent, 400)
    assert (total, is_truncated) == (game.score, game.pieces == 400)
    assert_same_state(env.unwrapped, game)


def test_truncation_and_termination() -> None:
    env: Any = gymnasium.make("tetrion/Placement-v0", max_episode_steps=3)
    env.reset(seed=SEED)
    ends = [env.step(env.unwrapped.sample_action())[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    env = make_env("tetrion/Placement-v0", rules="standard:height=4")
    env.reset(seed=SEED)
    is_terminated = False
    while not is_terminated:
        *_, is_terminated, is_truncated, _ = env.step(env.sample_action())
        assert not is_truncated
    envs = make_vector_env("tetrion/Placement-v0", 2, max_episode_steps=3)
    envs.reset(seed=SEED)
    for step in range(1, 9):
        *_, is_terminations, is_truncations, _ = envs.step(envs.sample_actions())
        assert is_truncations.tolist() == [step % 4 == 3] * 2
        assert not is_terminations.any()


@pytest.mark.slow
@needs_linux
def test_memory_stays_constant_over_ten_million_steps() -> None:
    envs = make_vector_env("tetrion/Placement-v0", 10_000)
    envs.reset(seed=SEED)

    def play(steps: int) -> int:
        for _ in range(steps):
            envs.step(envs.sample_actions())
        return measure_memory()

    before = play(100)
    assert play(1_000) <= before + MAX_GROWTH


@pytest.mark.slow
@needs_linux
def test_memory_of_a_single_environment_stays_constant() -> None:
    env = make_env("tetrion/Afterstates-v0", observation="dict", rules="guideline:garbage_rows=1")
    env.reset(seed=SEED)

    def play(steps: int) -> int:
        for _ in range(steps):
            if env.step(env.sample_action())[2]:
                env.reset()
        return measure_memory()

    before = play(1_000)
    assert play(8_000) <= before + MAX_GROWTH
