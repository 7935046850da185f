"""Environments under modern rules: hold, spins, attack and garbage in actions, observations and rewards."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.envs.env_games import MODERN_KEY_RULES, MODERN_PLACEMENT_RULES, make_env, make_vector_env
from tests.reference.features import ATTACK_FEATURES as REFERENCE_FEATURES, Outcome
from tetrion import Game, Placement, Position
from tetrion.agents import load_weighted_agent
from tetrion.engine.features.attack_features import ATTACK_FEATURES
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import SPIN_KINDS
from tetrion.envs.options import DEFAULT_MAX_MODERN_PLACEMENTS
from tetrion.game import copy_game_record

SEED = 4
GARBAGE_RULES = "guideline:attack=libtetris,garbage_rows=2,garbage_interval=5,garbage_messiness=30,garbage_delay=2"
COUNTERS = ("attack", "sent", "received", "perfect_clears", "combo", "back_to_back")
MAX_SHOWN_COMBO = 31
MAX_SHOWN_BACK_TO_BACK = 63


def play_like_an_agent(env: Any, steps: int) -> Iterator[tuple[Placement, Any]]:
    """Let the agent `modern-1` play; yield its placements and the results of the steps."""
    agent = load_weighted_agent("modern-1")
    for _ in range(steps):
        placement = agent.choose(env.position)
        assert placement is not None
        result = env.step(env.find_action(placement))
        yield placement, result
        if result[2]:
            env.reset()


def list_states(game: Game) -> dict[str, int]:
    """Return what a player sees beside board and pieces, read from a position and from the next lock."""
    position = game.position
    rows = game.rules.rows
    states = {
        "hold": PIECES.index(position.hold) + 1 if position.hold else 0,
        "can_hold": int(position.can_hold),
        "combo": min(position.combo, MAX_SHOWN_COMBO),
        "back_to_back": min(position.back_to_back, MAX_SHOWN_BACK_TO_BACK),
        "garbage": min(sum(rows for rows, _ in position.garbage), rows),
        "garbage_due": sum(rows for rows, pieces in position.garbage if pieces == 0),
    }
    states["garbage_due"] = min(states["garbage_due"], game.rules.garbage_cap, rows)
    unused = ([] if game.rules.hold else ["hold", "can_hold"]) + ([] if game.rules.garbage_rows else ["garbage"])
    unused += ["garbage_due"] if "garbage" in unused else []
    return {name: value for name, value in states.items() if name not in unused}


def play_beside_game(env: Any, steps: int = 30) -> Iterator[tuple[Any, Game]]:
    """Play random steps in an environment and in a game; yield the observation and the game."""
    observation, _ = env.reset(seed=SEED)
    game = Game(env.rules, SEED)
    meanings = env.get_action_meanings()
    for _ in range(steps):
        yield observation, game
        action = env.sample_action()
        if hasattr(env, "get_placement"):
            game.place(env.get_placement(action))
        else:
            if action:
                game.press(meanings[action])
            if not game.is_over:
                game.tick(env.rules.frames_per_key)
        observation, _, is_over, _, _ = env.step(action)
        if is_over:
            observation, _ = env.reset()
            game = Game(env.rules, SEED, game.number + 1)


@pytest.mark.parametrize("rules", ["tetrio", GARBAGE_RULES])
def test_information_is_that_of_the_game(rules: str) -> None:
    env = make_env("tetrion/Placement-v0", rules=rules, reward="attack")
    env.reset(seed=SEED)
    game = Game(rules, SEED)
    spins = set()
    for placement, (_, reward, is_terminated, _, info) in play_like_an_agent(env, 150):
        attack = int(copy_game_record(game).attack)
        game.place(placement)
        record = copy_game_record(game)
        assert reward == record.attack - attack
        assert {name: info[name] for name in COUNTERS} == {name: int(getattr(record, name)) for name in COUNTERS}
        assert SPIN_KINDS[info["spin"]] == placement.spin
        assert (info["pieces"], info["lines"], info["score"]) == (game.pieces, game.lines, game.score)
        spins.add(placement.spin)
        if is_terminated:
            game = Game(rules, SEED, game.number + 1)
    assert "full" in spins
    assert info["attack"] > 0


def test_hold_and_spins_are_actions() -> None:
    env = make_env("tetrion/Placement-v0", rules="guideline")
    assert env.action_space.n == DEFAULT_MAX_MODERN_PLACEMENTS
    env.reset(seed=SEED)
    placements = env.position.placements()
    meanings = env.get_action_meanings()
    assert meanings[: len(placements)] == [str(placement) for placement in placements]
    assert set(meanings[len(placements) :]) == {"illegal"}
    held = [placement for placement in placements if placement.hold]
    assert held
    assert {placement.piece for placement in held} == {env.position.next[0]}
    piece = env.position.piece
    env.step(env.find_action(held[0]))
    assert env.position.hold == piece


def test_straight_drops_with_hold_have_actions_by_rotation_and_column() -> None:
    env = make_env("tetrion/Placement-v0", rules="standard:hold=1,preview=1")
    assert env.action_space.n == 80
    meanings = env.get_action_meanings()
    assert (meanings[13], meanings[53]) == ("rotation 1, column 3", "hold, rotation 1, column 3")
    env.reset(seed=SEED)
    for _ in range(20):
        for action in np.flatnonzero(env.action_masks()).tolist():
            placement = env.get_placement(action)
            assert action == 40 * placement.hold + 10 * placement.rotation + placement.column
        if env.step(env.sample_action())[2]:
            env.reset()
    assert make_env("tetrion/Placement-v0", rules="standard:scoring=guideline").action_space.n == 40


def test_keys_of_hold_and_half_turn_are_actions() -> None:
    keys = ("none", "left", "right", "rotate", "back", "down", "drop", "hold")
    assert make_env("tetrion/Keys-v0", rules="guideline").get_action_meanings() == list(keys)
    env = make_env("tetrion/Keys-v0", rules="tetrio")
    assert env.get_action_meanings() == [*keys[:5], "half", *keys[5:]]
    env.reset(seed=SEED)
    piece, hold = env.position.piece, env.action_space.n - 1
    assert env.action_masks()[hold]
    _, _, _, _, info = env.step(hold)
    assert info["is_legal"]
    assert (env.position.hold, env.position.can_hold) == (piece, False)
    assert not env.action_masks()[hold]
    _, _, _, _, info = env.step(hold)
    assert not info["is_legal"]


@pytest.mark.parametrize(
    ("environment_id", "rules"),
    [
        *(("tetrion/Placement-v0", rules) for rules in MODERN_PLACEMENT_RULES),
        *(("tetrion/Keys-v0", rules) for rules in MODERN_KEY_RULES),
    ],
)
def test_observations_contain_what_a_player_sees(environment_id: str, rules: str) -> None:
    for kind in ("columns", "features", "planes", "dict"):
        env = make_env(environment_id, rules=rules, observation=kind)
        for observation, game in play_beside_game(env):
            states = list_states(game)
            assert env.observation_space.contains(observation)
            if kind == "columns":
                assert observation[: 10 + 1 + len(game.next)].tolist() == [
                    *game.board.columns,
                    *(PIECES.index(letter) for letter in game.piece + game.next[: game.rules.preview]),
                ]
                assert observation[-len(states) :].tolist() == list(states.values())
            elif kind == "dict":
                shown = {name: int(np.asarray(observation[name]).item()) for name in states}
                assert shown == states
            elif kind == "features":
                hold = [float(letter == game.position.hold) for letter in PIECES] if game.rules.hold else []
                numbers = [*hold, *list(states.values())[1 if hold else 0 :]]
                assert observation[-len(numbers) :].tolist() == numbers
            else:
                check_planes(observation, game, states)


def check_planes(planes: Any, game: Game, states: dict[str, int]) -> None:
    """Compare the last planes of an observation with the states of a game."""
    known = 1 + game.rules.preview
    assert len(planes) == 1 + known + len(states)
    for plane, (name, value) in zip(planes[1 + known :], states.items(), strict=True):
        if name == "hold":
            assert plane.sum() == (4 if value else 0)
            queue = (game.piece + game.next)[:known]
            if value and game.position.hold in queue[1:]:  # drawn like the pieces of the preview
                np.testing.assert_array_equal(plane, planes[1 + queue.index(game.position.hold, 1)])
        elif name == "can_hold":
            assert (plane == value).all()
        else:
            assert plane.sum() == 10 * value
            assert not plane[: len(plane) - value].any()


@pytest.mark.parametrize("rules", ["tetrio", GARBAGE_RULES, "standard:height=8,hold=1,preview=1"])
def test_afterstates_contain_attack_spins_and_features(rules: str) -> None:
    env = make_env("tetrion/Afterstates-v0", rules=rules, features=list(ATTACK_FEATURES))
    observation, _ = env.reset(seed=SEED)
    for _, result in play_like_an_agent(env, 20):
        observation = result[0] if not result[2] else env.reset()[0]
        check_afterstates(env, env.position, observation)


def check_afterstates(env: Any, position: Position, observation: dict[str, Any]) -> None:
    """Compare the rows of an observation with the positions after the placements."""
    assert env.observation_space.contains(observation)
    for action, placement in enumerate(env._batch.list_placements(0)):
        row = {name: observation[name][action] for name in ("attacks", "spins", "holds", "combos", "back_to_backs")}
        if placement is None:
            assert not any(row.values())
            assert not observation["features"][action].any()
            continue
        after = position.after(placement)
        game = Game.from_position(position, SEED)
        game.place(placement)
        attack = after.attack - position.attack
        assert after.attack == game.attack
        assert row == {
            "attacks": attack,
            "spins": SPIN_KINDS.index(placement.spin),
            "holds": placement.hold,
            "combos": after.combo,
            "back_to_backs": after.back_to_back,
        }
        cells = [[bool(column >> y & 1) for column in after.board.columns] for y in range(after.board.rows)]
        lines = after.lines - position.lines
        facts = (placement.piece, placement.spin, lines, attack, after.combo, after.back_to_back > 0)
        outcome = Outcome(cells, position.rules.height, *facts)
        expected = {name: REFERENCE_FEATURES[name](outcome) for name in ATTACK_FEATURES}
        assert dict(zip(ATTACK_FEATURES, observation["features"][action].tolist(), strict=True)) == expected


@pytest.mark.parametrize("environment_id", ["tetrion/Placement-v0", "tetrion/Keys-v0"])
def test_games_start_with_nothing_left_of_the_game_before(environment_id: str) -> None:
    rules = "tetrio:height=6,hidden_rows=2,garbage_rows=2,garbage_interval=2"
    envs = make_vector_env(environment_id, 1, rules=rules)
    envs.reset(seed=SEED)
    is_over = False
    while not is_over:
        *_, is_terminated, _, _ = envs.step(envs.sample_actions())
        is_over = bool(is_terminated[0])
    envs.step([0])  # starts game 1
    fresh = make_vector_env(environment_id, 1, rules=rules)
    fresh.reset(seed=SEED, options={"number": 1})
    for name in envs._batch.games.dtype.names:
        if name != "placement":  # the last one, of a game that has none
            np.testing.assert_array_equal(envs._batch.games[name], fresh._batch.games[name], err_msg=name)
