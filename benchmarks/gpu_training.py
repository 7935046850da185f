"""Training on a GPU compared with playing: pieces per second of both, measured in turn.

python -m benchmarks.gpu_training [--rounds 5] [--json FILE]

The share is the speed of training divided by that of `tetrion bench --device cuda`, with the agent that the recipe
trained or with that of its first candidate.
"""

import platform
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import format_table, make_parser, make_result, save_result
from benchmarks.gpu import measure_speed
from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation import open_gpu
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.learner import Learner
from tetrion.training.recipe import Recipe

PLAYED_GAMES = 400_000
PLAY_SECONDS = 2.0


class Trial(NamedTuple):
    """A recipe, the number of steps of a measurement, and the named agent that it trained, if any."""

    recipe: str
    steps: int
    agent: str = ""


TRIALS = (
    Trial("record-10x10", 3, "tetrion-1-10x10"),
    Trial("record", 3, "tetrion-1"),
    Trial("record-tables", 1),
)


def make_training(trial: Trial) -> tuple[Learner, Callable[[], float]]:
    """Return a learner, and a function that trains for some steps and returns its pieces per second."""
    recipe = Recipe.load(trial.recipe, ("validation.every=0",))
    learner = recipe.learner_type(recipe)
    workers = TrainingWorkers(open_gpu())

    def measure() -> float:
        pieces = learner.total_pieces
        start = time.perf_counter()
        for _ in range(trial.steps):
            learner.step(workers)
        return (learner.total_pieces - pieces) / (time.perf_counter() - start)

    learner.step(workers)  # compiles the kernels, and learns so much that games do not end at once
    return learner, measure


def measure_trial(trial: Trial, rounds: int) -> dict[str, Any]:
    """Measure training and playing in turn."""
    learner, measure_training = make_training(trial)
    agent: WeightedAgent = (
        load_weighted_agent(trial.agent)
        if trial.agent
        else learner.make_agent(np.zeros(len(learner.parameter_names)), trial.recipe)
    )
    training_speeds, playing_speeds = [], []
    for _ in range(rounds):
        training_speeds.append(measure_training())
        playing_speeds.append(
            measure_speed(PLAYED_GAMES, PLAY_SECONDS, agent, learner.recipe.rules)["pieces_per_second"]
        )
    shares = [trained / played for trained, played in zip(training_speeds, playing_speeds, strict=True)]
    return {
        "recipe": trial.recipe,
        "training": statistics.median(training_speeds),
        "playing": statistics.median(playing_speeds),
        "share": statistics.median(shares),
        "lowest_share": min(shares),
        "highest_share": max(shares),
    }


def format_gpu_training(result: Any) -> str:
    """Return the table of the speeds of training and playing on a GPU."""
    rows = [
        [
            f"`{trial['recipe']}`",
            f"{trial['training'] / 1e6:,.0f} M",
            f"{trial['playing'] / 1e6:,.0f} M",
            f"{trial['share']:.0%} ({trial['lowest_share']:.0%} to {trial['highest_share']:.0%})".replace("%", " %"),
        ]
        for trial in result["trials"]
    ]
    return (
        format_table(["recipe", "training, pieces/s", "playing, pieces/s", "share (lowest to highest)"], rows)
        + f"\nMeasured with `{result['command']} --rounds {result['rounds']}` ({result['device']}, {result['date']}); "
        "medians of alternating rounds\n"
    )


def main() -> None:
    """Measure, print the results, and write them to a file if requested."""
    parser = make_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="alternating measurements of training and playing")
    options = parser.parse_args()
    result = make_result(
        "python -m benchmarks.gpu_training",
        processor=None,
        device=open_gpu().description.removeprefix("GPU "),
        python=platform.python_version(),
        rounds=options.rounds,
        games=PLAYED_GAMES,
        trials=[measure_trial(trial, options.rounds) for trial in TRIALS],
    )
    save_result(options.json, result)


if __name__ == "__main__":
    main()
