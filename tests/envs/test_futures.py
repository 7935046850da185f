"""`redraw_future`: a copy for a search keeps what a player can see, and has pieces and garbage of its own."""

import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.envs.env_games import ENVIRONMENT_IDS, assert_same_data, make_env
from tetrion.engine.pieces import PIECES
from tetrion.engine.randomisers import NES_PIECES, NES_TRANSITIONS
from tetrion.errors import ActionError, SeedError

SEED = 7
GARBAGE_RULES = "guideline:garbage_rows=2,garbage_interval=2,garbage_delay=3,garbage_messiness=50"


def make_started_env(environment_id: str = "tetrion/Placement-v0", steps: int = 5, **options: Any) -> Any:
    env = make_env(environment_id, **options)
    env.reset(seed=SEED)
    for _ in range(steps):
        env.step(env.sample_action())
    return env


def copy_with_new_future(env: Any, seed: int) -> Any:
    searched = copy.deepcopy(env)
    searched.unwrapped.redraw_future(seed=seed)
    return searched


def play_first_actions(env: Any, steps: int) -> str:
    """Place pieces by the first legal action; return the last known piece after each step."""
    dealt = ""
    for _ in range(steps):
        env.step(int(np.argmax(env.action_masks())))
        dealt += (env.position.piece + env.position.next)[-1]
    return dealt


def check_counts(counts: Counter[Any], probabilities: dict[Any, float]) -> None:
    """Compare counts with probabilities: nothing impossible, and everything else within five standard deviations."""
    total = sum(counts.values())
    assert set(counts) <= {name for name, probability in probabilities.items() if probability}
    for name, probability in probabilities.items():
        deviation = np.sqrt(total * probability * (1 - probability))
        assert abs(counts[name] - total * probability) <= 5 * deviation, name


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
@pytest.mark.parametrize("rules", ["standard:preview=2", GARBAGE_RULES])
def test_everything_visible_is_kept(environment_id: str, rules: str) -> None:
    env = make_started_env(environment_id, rules=rules, observation="dict")
    searched = copy_with_new_future(env, seed=1)
    assert searched.position == env.position
    np.testing.assert_array_equal(searched.action_masks(), env.action_masks())
    env._observation.write()
    searched._observation.write()
    assert_same_data(searched._observation.copy_one(0), env._observation.copy_one(0))


@pytest.mark.parametrize("rules", ["standard:preview=2", "nes", "guideline"])
def test_future_depends_on_the_seed_only(rules: str) -> None:
    env = make_started_env(rules=rules)
    futures = [play_first_actions(copy_with_new_future(env, seed), 6) for seed in range(20)]
    assert futures == [play_first_actions(copy_with_new_future(env, seed), 6) for seed in range(20)]
    assert len(set(futures)) > 15
    original = play_first_actions(copy.deepcopy(env), 6)
    assert play_first_actions(env, 6) == original, "a plain copy has the future of the original"
    assert original not in futures


@pytest.mark.parametrize("rules", ["standard:randomiser=bag,preview=1", "guideline:preview=3"])
@pytest.mark.parametrize("steps", [0, 3])
def test_next_piece_comes_from_the_rest_of_the_bag(rules: str, steps: int) -> None:
    env = make_env("tetrion/Placement-v0", rules=rules)
    env.reset(seed=SEED)
    dealt = env.position.piece + env.position.next
    while len(dealt) < env.rules.preview + 1 + steps:
        dealt += play_first_actions(env, 1)
    drawn = dealt[len(dealt) // 7 * 7 :]
    left = set(PIECES) - set(drawn)
    counts = Counter(play_first_actions(copy_with_new_future(env, seed), 1) for seed in range(150))
    check_counts(counts, {piece: (piece in left) / len(left) for piece in PIECES})


@pytest.mark.parametrize("rules", ["nes:randomiser=nes-counts", "nes"])
def test_next_piece_of_nes_follows_the_last_known_one(rules: str) -> None:
    env = make_started_env(rules=rules)
    last = NES_PIECES.index(env.position.next[-1])
    counts = Counter(play_first_actions(copy_with_new_future(env, seed), 1) for seed in range(500))
    if rules != "nes":  # with the register, the number of the piece matters as well
        probabilities = (NES_TRANSITIONS[last] / 64).tolist()
        check_counts(counts, dict(zip(NES_PIECES, probabilities, strict=True)))
    assert counts[NES_PIECES[last]] < 500 / 7
    assert len(counts) == 7


@pytest.mark.parametrize("randomiser", ["script-TIJLO", "nes-8988", "alternating-sz", "only-T"])
def test_pieces_that_the_rules_determine_stay(randomiser: str) -> None:
    env = make_started_env(rules=f"standard:randomiser={randomiser}")
    assert play_first_actions(copy_with_new_future(env, seed=1), 8) == play_first_actions(env, 8)


def find_gaps(env: Any, rows: int) -> tuple[int, ...]:
    """Play until so many further rows of garbage have risen; return the columns of their gaps, the first row first."""
    before = int(env._batch.games["received"][0])
    while env._batch.games["received"][0] < before + rows:
        env.step(int(np.argmax(env.action_masks())))
    risen = env._batch.games["received"][0] - before
    lowest = str(env.position.board).split("\n")[::-1][:risen][::-1]
    return tuple(row.index(".") for row in lowest[:rows])


def test_gaps_of_waiting_garbage_are_redrawn() -> None:
    env = make_env("tetrion/Placement-v0", rules="guideline:garbage_rows=1,garbage_interval=2,garbage_delay=2")
    env.reset(seed=SEED)
    while not env.position.garbage:
        env.step(int(np.argmax(env.action_masks())))
    counts = Counter(find_gaps(copy_with_new_future(env, seed), 1)[0] for seed in range(300))
    check_counts(counts, dict.fromkeys(range(10), 1 / 10))
    assert find_gaps(copy.deepcopy(env), 1) == find_gaps(env, 1)


def test_gap_of_a_batch_that_is_rising_is_known() -> None:
    """Without messiness, the further rows of a batch have the gap of its first row."""
    options = "garbage_rows=4,garbage_interval=3,garbage_delay=1,garbage_cap=1,garbage_messiness=0"
    env = make_env("tetrion/Placement-v0", rules=f"guideline:{options}")
    env.reset(seed=SEED)
    first = find_gaps(env, 1)
    assert {find_gaps(copy_with_new_future(env, seed), 2) for seed in range(20)} == {first * 2}


def test_later_episodes_stay_the_same_and_sampled_actions_differ() -> None:
    env = make_started_env(rules="standard:preview=3")
    assert len({copy_with_new_future(env, seed).sample_action() for seed in range(30)}) > 5
    searched = copy_with_new_future(env, seed=1)
    assert_same_data(searched.reset()[0], env.reset()[0])
    assert play_first_actions(searched, 8) == play_first_actions(env, 8)


def test_new_future_needs_a_started_environment_and_a_seed() -> None:
    env = make_env("tetrion/Placement-v0")
    with pytest.raises(ActionError, match="has not been reset"):
        env.redraw_future(seed=1)
    env.reset(seed=SEED)
    for seed in (-1, 1.5, None):
        with pytest.raises(SeedError):
            env.redraw_future(seed=seed)
