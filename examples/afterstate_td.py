"""Learn Tetris with TD(λ) and a small network that estimates the value of afterstates, in NumPy alone.

    pip install -e ".[rl]"
    python examples/afterstate_td.py --task jumanji
    python examples/afterstate_td.py --task standard-10x10 --steps 3000000 --seed 2 --json result.json

The same task, steps and seed give the same result to the bit on the same machine. Sources: Sutton 1988, "Learning to
predict by the methods of temporal differences" (TD(λ)); Sutton and Barto 2018, sections 6.8 (afterstates) and 12.2
(eligibility traces); Elfwing, Uchibe and Doya 2018, arXiv 1702.03118 (SiLU networks and TD(λ) on Tetris); Kingma and Ba
2015, arXiv 1412.6980 (Adam).
"""

import argparse
import json
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion import FEATURES, SummaryStatistics

try:
    import gymnasium
except ModuleNotFoundError:
    sys.exit('This example needs Gymnasium. Install it in the folder of the repository: pip install -e ".[rl]"')

Floats = NDArray[np.float32]


class Task(NamedTuple):
    """An environment, what counts in it, the rewards of 0 to 4 cleared lines for the learner, and the discount factor.

    Adam takes steps of a fixed size, so the rewards are scaled until values are within its reach, about 1 to 10.
    """

    environment: str
    options: dict[str, Any]
    evaluation_options: dict[str, Any]
    metric: str
    rewards: Floats
    discount: float


TASKS = {
    "jumanji": Task(
        environment="tetrion.envs:tetrion/JumanjiAfterstates-v0",
        options={},
        evaluation_options={},
        metric="score",
        rewards=np.array([0, 0.1, 0.25, 0.75, 3], np.float32),  # points / 400
        discount=0.995,
    ),
    "standard-10x10": Task(
        environment="tetrion.envs:tetrion/Afterstates-v0",
        options={"rules": "standard-10x10"},
        evaluation_options={"max_episode_steps": -1},
        metric="lines",
        rewards=np.array([0, 0.1, 0.2, 0.3, 0.4], np.float32),  # lines / 10
        discount=0.97,
    ),
}
# Of the board alone: the value of an afterstate must not depend on how the board came about.
INPUT_FEATURES = [
    *("row_transitions", "column_transitions", "holes", "wells", "hole_depth", "rows_with_holes", "diversity"),
    *("deepest_well", "max_height", "min_height", "aggregate_height", "bumpiness"),
    *(name for name in FEATURES if name.startswith(("height_", "difference_"))),
]
GAME_COUNT = 32
HIDDEN_UNITS = 32
TRACE_DECAY = 0.6  # λ
LEARNING_RATE = 0.002  # of Adam; decreases linearly to 0, so that the last games do not outweigh all others
NORMALISATION_STEPS = 300  # of random play, whose boards define the scale of the inputs
HELD_OUT_SEED = 10**9  # training uses lower seeds
REPORT_SECONDS = 5.0


class ValueNetwork:
    """The value of afterstates, V(x) = w · silu(xW + b) + c, with inputs x of mean 0 and variance 1."""

    def __init__(self, boards: Floats, generator: np.random.Generator) -> None:
        self.mean = boards.mean(0)
        self.deviation = np.maximum(boards.std(0), 1e-3)
        size = boards.shape[1]
        weights = generator.standard_normal((size, HIDDEN_UNITS), np.float32) / np.float32(np.sqrt(size))
        self.parameters = [weights, *(np.zeros(count, np.float32) for count in (HIDDEN_UNITS, HIDDEN_UNITS, 1))]
        self.gradient_means = [np.zeros_like(parameter) for parameter in self.parameters]
        self.gradient_squares = [np.zeros_like(parameter) for parameter in self.parameters]
        self.update_count = 0

    def compute_values(self, features: Floats) -> Floats:
        """Return the value of each row of features."""
        sums = self.normalise(features) @ self.parameters[0] + self.parameters[1]
        values: Floats = (sums * sigmoid(sums)) @ self.parameters[2] + self.parameters[3]
        return values

    def compute_gradients(self, features: Floats) -> list[Floats]:
        """Return the gradient of the value with respect to each parameter, for each row of features."""
        inputs = self.normalise(features)
        sums = inputs @ self.parameters[0] + self.parameters[1]
        sigmoids = sigmoid(sums)
        slopes = sigmoids * (1 + sums * (1 - sigmoids)) * self.parameters[2]
        ones = np.ones((len(inputs), 1), np.float32)
        return [inputs[:, :, None] * slopes[:, None, :], slopes, sums * sigmoids, ones]

    def update(self, directions: list[Floats], rate: float) -> None:
        """Change the parameters in the given directions, each scaled by its recent size (Adam)."""
        self.update_count += 1
        rate *= np.sqrt(1 - 0.999**self.update_count) / (1 - 0.9**self.update_count)
        for parameter, direction, mean, square in zip(
            self.parameters, directions, self.gradient_means, self.gradient_squares, strict=True
        ):
            mean += 0.1 * (direction - mean)
            square += 0.001 * (direction**2 - square)
            parameter += np.float32(rate) * mean / (np.sqrt(square) + 1e-8)

    def choose_actions(self, observation: dict[str, Any], task: Task, playing: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the action with the largest reward + γ V(afterstate) of each game that is being played, else 0.

        There is no other exploration: the random pieces lead to enough different boards.
        """
        legal = (observation["action_mask"] == 1) & playing[:, None]
        values = np.full(legal.shape, -np.inf, np.float32)
        afterstates = observation["features"][legal]
        values[legal] = task.rewards[observation["lines"][legal]] + task.discount * self.compute_values(afterstates)
        actions: NDArray[np.int64] = values.argmax(1)
        return actions

    def normalise(self, features: Floats) -> Floats:
        """Return the inputs of the network: features of mean 0 and variance 1 in random play."""
        normalised: Floats = (features - self.mean) / self.deviation
        return normalised


def sigmoid(numbers: Floats) -> Floats:
    """Return 1 / (1 + exp(−x)), in a form that cannot overflow."""
    result: Floats = 0.5 * np.tanh(0.5 * numbers) + 0.5
    return result


def make_environments(task: Task, count: int, **options: Any) -> Any:
    """Create a vector environment; without copies, because every observation is used before the next step."""
    options = task.options | {"features": INPUT_FEATURES, "copy": False} | options
    return gymnasium.make_vec(task.environment, num_envs=count, **options)


def make_network(task: Task, seed: int) -> ValueNetwork:
    """Create a network whose inputs are scaled by the boards of random play."""
    environments = make_environments(task, GAME_COUNT)
    observation, _ = environments.reset(seed=seed)
    boards = []
    is_over = np.zeros(GAME_COUNT, np.bool_)  # such games have no afterstates
    for _ in range(NORMALISATION_STEPS):
        boards.append(observation["features"][(observation["action_mask"] == 1) & ~is_over[:, None]])
        observation, _, is_over, *_ = environments.step(environments.sample_actions())
    return ValueNetwork(np.concatenate(boards), np.random.default_rng(seed))


def train(task: Task, steps: int, seed: int) -> ValueNetwork:
    """Learn by TD(λ) from `steps` placements in parallel games, and return the network."""
    network = make_network(task, seed)
    traces = [np.zeros((GAME_COUNT, *parameter.shape), np.float32) for parameter in network.parameters]
    environments = make_environments(task, GAME_COUNT)
    observation, _ = environments.reset(seed=seed)
    games = np.arange(GAME_COUNT)
    afterstates = np.zeros((GAME_COUNT, len(INPUT_FEATURES)), np.float32)
    is_learning = np.zeros(GAME_COUNT, np.bool_)  # whether the value of the last afterstate is to be corrected now
    has_ended = np.zeros(GAME_COUNT, np.bool_)
    results: deque[int] = deque(maxlen=100)
    start = last_report = time.perf_counter()
    for step in range(0, steps, GAME_COUNT):
        actions = network.choose_actions(observation, task, ~has_ended)
        next_afterstates = observation["features"][games, actions]
        rewards = task.rewards[observation["lines"][games, actions]]
        # Where a game is over, no reward follows: the value of its last afterstate should be 0.
        targets = np.where(has_ended, 0, rewards + task.discount * network.compute_values(next_afterstates))
        errors = np.where(is_learning, targets - network.compute_values(afterstates), 0).astype(np.float32)
        for trace, gradient in zip(traces, network.compute_gradients(afterstates), strict=True):
            trace *= task.discount * TRACE_DECAY
            trace += gradient
            trace[~is_learning] = 0  # each game has a trace of its own, which does not continue in the next episode
        directions = [np.einsum("g,g...->...", errors, trace) / GAME_COUNT for trace in traces]
        network.update(directions, LEARNING_RATE * (1 - step / steps))
        afterstates = next_afterstates
        observation, _, terminated, truncated, infos = environments.step(actions)
        # After an end the environment ignores the action and starts the next episode: nothing can be learned from it.
        # A truncated game would have continued, but how is unknown: its last afterstate keeps its value, from which
        # the afterstate before it has learned.
        is_learning = ~has_ended & (terminated | ~truncated)
        has_ended = terminated | truncated
        results.extend(infos[task.metric][has_ended].tolist())
        if time.perf_counter() - last_report > REPORT_SECONDS and results:
            last_report = time.perf_counter()
            speed = (step + GAME_COUNT) / (last_report - start)
            mean = sum(results) / len(results)
            print(f"{step:>12,} steps  {speed:>8,.0f} steps/s  {mean:>10,.1f} {task.metric} per game", flush=True)
    return network


def evaluate(network: ValueNetwork, task: Task, game_count: int) -> NDArray[np.int64]:
    """Return the results of held-out games, one per seed, each played to its end."""
    environments = make_environments(task, game_count, **task.evaluation_options)
    observation, _ = environments.reset(seed=HELD_OUT_SEED)
    results = np.zeros(game_count, np.int64)
    playing = np.ones(game_count, np.bool_)
    while playing.any():
        actions = network.choose_actions(observation, task, playing)
        observation, _, terminated, truncated, infos = environments.step(actions)
        ended_now = playing & (terminated | truncated)
        results[ended_now] = infos[task.metric][ended_now]
        playing &= ~ended_now
    return results


def parse_options() -> argparse.Namespace:
    """Return the options of the command line, checked."""
    parser = argparse.ArgumentParser(description="Learn Tetris with TD(λ) and afterstate values.")
    parser.add_argument("--task", choices=TASKS, default="jumanji", help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=20_000_000, help="placements in training (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the games and of the network (default: 1)")
    parser.add_argument("--games", type=int, default=200, help="held-out games after training (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result to FILE")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps must be at least 1; given {options.steps}.")
    if not 0 <= options.seed < HELD_OUT_SEED - GAME_COUNT:
        parser.error(f"--seed must be from 0 to {HELD_OUT_SEED - GAME_COUNT - 1}; given {options.seed}.")
    if options.games < 3:
        parser.error(f"--games must be at least 3, for a confidence interval; given {options.games}.")
    if options.json and (options.json.is_dir() or not options.json.parent.is_dir()):
        parser.error(f"--json must be a file in an existing folder; given {options.json}.")
    return options


def main() -> None:
    """Learn, play held-out games and print their mean with its 95 % confidence interval."""
    options = parse_options()
    task = TASKS[options.task]
    start = time.perf_counter()
    network = train(task, options.steps, options.seed)
    seconds = time.perf_counter() - start
    print(f"Training took {seconds:,.0f} s. Playing {options.games:,} held-out games.", flush=True)
    statistics = SummaryStatistics.from_numbers(evaluate(network, task, options.games))
    low, high = statistics.ci95
    print(f"{statistics.mean:,.1f} {task.metric} per game (95 % confidence interval: {low:,.1f} to {high:,.1f})")
    if options.json:
        result = {"learner": "afterstate TD(λ)", "task": options.task, "seed": options.seed, "steps": options.steps}
        result |= {"seconds": round(seconds, 1), "metric": task.metric, "games": options.games}
        result |= {"mean": statistics.mean, "low": low, "high": high}
        options.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
