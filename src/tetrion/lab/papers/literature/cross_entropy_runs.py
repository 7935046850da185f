"""Runs of the cross-entropy method with and without noise, compared with the logs of MdpTetris."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.literature.literature_controllers import MDP_TETRIS
from tetrion.lab.reproduction.measured_values import ValueReader, make_ratio_reader
from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Claim, MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedOrdering, PublishedRange

_LOG_FOLDER = "experiments/cross_entropy_reproducing_original"
_LOGGED_GENERATIONS = 80
_QUICK_GENERATIONS = 15
_QUICK_SEED_COUNT = 3
_NOISE_QUOTATION = (
    "“it often converges to suboptimal policies. We apply noise for preventing early convergence of the cross-entropy "
    "method”"
)


class LoggedNoise(NamedTuple):
    """A kind of noise, the log of MdpTetris, the mean lines after generation 80 of its ten runs, and our runs.

    A mean is that of 30 games of the mean weights on the 10×20 board.
    """

    name: str
    log: str
    last_means: tuple[float, ...]
    seed_count: int = 10  # our runs, by default as many as in the logs

    @property
    def measurement_name(self) -> str:
        """Name of the measurement of our runs."""
        return f"cross-entropy-{self.name}"


LOGGED_NOISES = {
    noise.name: noise
    for noise in (
        LoggedNoise("none", "none", (116, 248, 400, 466, 1478, 1944, 348, 231, 312, 227)),
        LoggedNoise(
            "constant",
            "constant",
            (76_602, 132_962, 80_441, 79_870, 147_344, 98_575, 88_018, 100_188, 92_879, 131_821),
        ),
        LoggedNoise(
            "decreasing",
            "linear",
            (157_410, 3002, 126_747, 24_974, 4040, 113_415, 49_988, 6547, 129_674, 118_205),
            seed_count=5,  # these runs play the longest games
        ),
    )
}

CROSS_ENTROPY_TRAININGS = [
    TrainingMeasurement(
        noise.measurement_name,
        "cross-entropy",
        seed_count=noise.seed_count,
        quick_seed_count=_QUICK_SEED_COUNT,
        changes=(f"cross-entropy.noise={noise.name}", "validation.every=10", "validation.final_games=30"),
        quick_changes=(f"generations={_QUICK_GENERATIONS}", "validation.every=5"),
    )
    for noise in LOGGED_NOISES.values()
]


def compute_last_means(data: Mapping[str, Any]) -> MeasuredValue:
    """Return the mean over runs of the lines of the last mean weights, in the validation games of each run."""
    scores = [[value for value in run["metrics"]["validation"] if is_known(value)] for run in data["runs"]]
    means = np.array([values[-1] for values in scores])
    generations = len(data["runs"][0]["metrics"]["validation"])
    basis = f"{format_count(len(means), 'run')} of {generations} generations, 30 games each"
    return MeasuredValue(float(means.mean()), compute_mean_interval(means), basis=basis)


def is_known(value: float | None) -> bool:
    """Return whether a generation was validated."""
    return value is not None and math.isfinite(value)


def make_last_means_reader(noise: LoggedNoise) -> ValueReader:
    """Return a reader of the mean lines of our runs with one kind of noise."""
    return lambda results: compute_last_means(results[noise.measurement_name])


def make_log_reader(noise: LoggedNoise) -> ValueReader:
    """Return a reader of the mean lines after as many generations as in the logs; unknown if there are fewer."""

    def read_lines(results: MeasurementResults) -> MeasuredValue:
        data = results[noise.measurement_name]
        measured = compute_last_means(data)
        generations = len(data["runs"][0]["metrics"]["validation"])
        if generations < _LOGGED_GENERATIONS:
            reason = f"a quick reproduction ends after {generations} of {_LOGGED_GENERATIONS} generations"
            return MeasuredValue(text=f"{measured.formatted} after {generations} generations", basis=reason)
        return measured

    return read_lines


def make_log_claim(noise: LoggedNoise) -> Claim:
    """Return the claim of a log: the mean of its runs after the last generation."""
    means = np.array(noise.last_means)
    low, high = compute_mean_interval(means) or (math.nan, math.nan)
    text = (
        f"mean of ten runs {format_number(means.mean())} (95 % interval {format_number(low)} to {format_number(high)}; "
        f"single runs {format_number(means.min(), 0)} to {format_number(means.max(), 0)})"
    )
    noise_text = "without noise" if noise.name == "none" else f"with {noise.name} noise"
    return Claim(
        f"cross-entropy {noise_text} on Bertsekas' 21 features, lines per game after {_LOGGED_GENERATIONS} generations "
        "on 10×20",
        f"{MDP_TETRIS}, {_LOG_FOLDER}/{noise.log}, episode {_LOGGED_GENERATIONS} of ten runs",
        PublishedRange(text, low=low, high=high),
        make_log_reader(noise),
        difference_cause="the cause is not known",
    )


def make_noise_claim(name: str) -> Claim:
    """Return the claim of Szita and Lőrincz that noise helps, for one kind of noise."""
    readers = [make_last_means_reader(LOGGED_NOISES[noise]) for noise in (name, "none")]
    return Claim(
        f"cross-entropy with {name} noise gives more lines than without noise, 10×20",
        "Szita and Lőrincz 2006, “Learning Tetris Using the Noisy Cross-Entropy Method”, abstract",
        PublishedOrdering(_NOISE_QUOTATION, criterion="more lines per game with the same number of generations"),
        make_ratio_reader(*readers),
        difference_cause="the cause is not known",
    )


CROSS_ENTROPY_CLAIMS = [
    *(make_log_claim(noise) for noise in LOGGED_NOISES.values()),
    *(make_noise_claim(name) for name in ("constant", "decreasing")),
]
