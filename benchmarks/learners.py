"""The results of the learners in `examples`: python -m benchmarks.learners.

Each learner writes one file per task and seed into benchmarks/results/learners (`--json FILE`). This command adds the
results of two agents on the same tasks, for comparison; `python -m benchmarks.pages` makes the tables from all files.
"""

import json
from itertools import groupby
from statistics import fmean
from typing import Any, Literal, NamedTuple

from benchmarks.common import RESULTS_FOLDER, format_table, save_result
from tetrion.evaluation import SummaryStatistics, evaluate
from tetrion.evaluation.number_format import NO_VALUE, format_mean_interval, format_number

LEARNERS_FOLDER = RESULTS_FOLDER / "learners"
AGENTS = ("lowest", "du")
GAMES = 2000


class LearningTask(NamedTuple):
    """A task of the learners: the rules, the largest number of pieces, and what is counted."""

    rules: str
    max_pieces: int | None
    metric: Literal["lines", "score"]
    description: str


TASKS = {
    "jumanji": LearningTask("standard-10x10:scoring=flat", 400, "score", "points per game of at most 400 pieces"),
    "standard-10x10": LearningTask("standard-10x10", None, "lines", "lines per game, without a limit"),
}


def measure_agent(name: str, task_name: str) -> dict[str, Any]:
    """Return the result of an agent on a task, in the form that the learners write."""
    task = TASKS[task_name]
    evaluation = evaluate(name, task.rules, GAMES, max_pieces=task.max_pieces)
    numbers = evaluation.per_game[task.metric]
    # A game of a task ends with its last piece, so that the mean is not to be corrected for capped games.
    statistics = SummaryStatistics.from_numbers(numbers)
    if not statistics.has_interval:
        raise ValueError(f"A confidence interval needs at least three games; given {GAMES}.")
    return {
        **{"learner": f"agent `{name}`", "task": task_name, "seed": evaluation.seed, "steps": None, "seconds": None},
        **{"metric": task.metric, "games": GAMES},
        **{"mean": statistics.mean, "low": statistics.ci95[0], "high": statistics.ci95[1]},
    }


def load_learner_results() -> list[dict[str, Any]]:
    """Return all saved results, ordered by learner, steps and seed."""
    results = [json.loads(path.read_text("utf-8")) for path in LEARNERS_FOLDER.glob("*.json")]
    return sorted(results, key=lambda result: (*identify_training(result), result["seed"]))


def identify_training(result: dict[str, Any]) -> tuple[str, int]:
    """Return what results with different seeds have in common: the learner and the number of steps, 0 for an agent."""
    return result["learner"], result["steps"] or 0


def format_learners() -> str:
    """Return one table per task, with one row per learner and number of steps; the best one comes last."""
    results = load_learner_results()
    headers = ["learner", "mean over seeds", "each seed", "held-out games", "steps", "training time"]
    parts = []
    for name, task in TASKS.items():
        of_task = [result for result in results if result["task"] == name]
        trainings = [list(seeds) for _, seeds in groupby(of_task, key=identify_training)]
        trainings.sort(key=lambda seeds: fmean(result["mean"] for result in seeds))
        rows = [make_learner_row(seeds) for seeds in trainings]
        parts.append(f"**`{name}`**: {task.description}\n\n{format_table(headers, rows)}\n")
    return (
        "".join(parts)
        + "With 95 % confidence intervals over the games of a seed. The agents are measured with `python -m "
        "benchmarks.learners`.\n"
    )


def make_learner_row(seeds: list[dict[str, Any]]) -> list[str]:
    """Return the table cells of a learner on one task, from its results with different seeds."""
    learner, steps = identify_training(seeds[0])
    seconds = fmean(result["seconds"] or 0 for result in seeds)
    return [
        learner,
        format_number(fmean(result["mean"] for result in seeds)),
        ", ".join(format_mean_interval(result["mean"], (result["low"], result["high"])) for result in seeds),
        f"{sum(result['games'] for result in seeds):,}",
        f"{steps:,}" if steps else NO_VALUE,
        f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s" if seconds else NO_VALUE,
    ]


def main() -> None:
    """Measure the agents on all tasks and save their results beside those of the learners."""
    for agent in AGENTS:
        for task_name in TASKS:
            result = measure_agent(agent, task_name)
            save_result(LEARNERS_FOLDER / f"{agent}-{task_name}.json", result, prints=False)
            print(f"{agent}, {task_name}: {result['mean']:,.1f} {result['metric']} per game", flush=True)


if __name__ == "__main__":
    main()
