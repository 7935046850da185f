"""The progress of training: what observers receive, and an estimate of the time left."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.progress import Observer, Progress
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray

_REPORT_SECONDS = 0.1  # between two reports within a step
_RECENT_PLAYS = 40  # whose speed is measured
_RECENT_STEPS = 10  # whose time beside the games is measured
_TREND_STEPS = 5  # of the two spans whose ratio is the growth of the games
_FIRST_GROWTH = 2.0  # of the games from one step to the next, assumed after the first step
_MAX_GROWTH = 4.0
_GROWTH_DAMPING = 0.85  # the growth of each step is this power of the growth before it
_FORECAST_STEPS = 100  # after which the damped growth has ended


@dataclass(frozen=True, kw_only=True)
class TrainingProgress(Progress):
    """The progress of a run, whose units are generations or episodes that have been saved."""

    learner: Learner
    """The learner, with the recipe, the metrics and the incumbents of the run."""
    workers: str
    """Description of the workers that play the games."""
    estimated_seconds: float | None
    """Estimated time to the end of the run, with its final games; None before the first generation has ended."""

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end of the run; None if unknown."""
        return self.estimated_seconds


class Play(NamedTuple):
    """Games that were played together: their pieces, and the time that they took."""

    pieces: int
    seconds: float


class TimeEstimator:
    """Estimates the time left, from the speed of the games, their growth, and the final games after the last step.

    Better candidates play longer games, so the steps of a run take longer and longer, until the games reach their limit
    of pieces. The growth is extrapolated, but damped, because the games of a recipe without a limit grow ever slower.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.plays = deque[Play](maxlen=_RECENT_PLAYS)
        self.other_seconds = deque[float](maxlen=_RECENT_STEPS)  # of each step, beside its games
        self.step_play_seconds = 0.0
        self.validation_mean: float | None = None  # pieces per game of the last validation games

    def add_play(self, pieces: int, seconds: float) -> None:
        """Add games that have ended."""
        self.plays.append(Play(pieces, seconds))
        self.step_play_seconds += seconds

    def add_step(self, seconds: float) -> None:
        """Add a step that has ended; the first one may have loaded compiled code, and its speed is forgotten."""
        self.other_seconds.append(max(seconds - self.step_play_seconds, 0.0))
        self.step_play_seconds = 0.0
        if len(self.other_seconds) == 2:
            recent = list(self.plays)[len(self.plays) // 2 :]
            self.plays.clear()
            self.plays.extend(recent)
            self.other_seconds.popleft()

    @property
    def seconds_per_piece(self) -> float | None:
        """The mean speed of the last games."""
        plays = [play for play in self.plays if play.pieces]
        if not plays:
            return None
        return sum(play.seconds for play in plays) / sum(play.pieces for play in plays)

    def estimate_pieces(self) -> float:
        """Return the expected pieces of all games from the next step to the end of the run."""
        learner = self.learner
        step_count = max(learner.recipe.planned_steps - len(learner.metric_rows), 0)
        if learner.is_done():
            step_count = 0
        validation = learner.recipe.validation
        validation_limit = validation.max_pieces or np.inf
        if learner.pieces_per_step is not None:
            growth = np.ones(1)
            mean = float(self.validation_mean or 0)
            step_pieces = float(step_count * learner.pieces_per_step)
        else:
            means = learner.get_mean_pieces()
            growth = forecast_growth(means, min(step_count, _FORECAST_STEPS))
            mean = float(np.mean(means[-_TREND_STEPS:]))
            games = learner.get_games_per_step()
            forecast = np.minimum(mean * growth, max(learner.game_limit, mean))
            step_pieces = games * float(forecast.sum() + forecast[-1] * max(step_count - _FORECAST_STEPS, 0))
            if not step_count:
                step_pieces = 0.0
        validation_means = np.minimum(growth * (self.validation_mean or mean), validation_limit)
        validations = step_count // validation.every if validation.every else 0
        validation_pieces = validations * validation.games * float(validation_means.mean())
        return step_pieces + validation_pieces + learner.count_final_games() * float(validation_means[-1])

    def estimate_seconds(self, pieces_done: int) -> float | None:
        """Return the time left, of whose pieces some have been placed in a step or in final games that go on now."""
        speed = self.seconds_per_piece
        if speed is None or not self.learner.metric_rows:
            return None
        steps_left = 0 if self.learner.is_done() else self.learner.recipe.planned_steps - len(self.learner.metric_rows)
        other_seconds = float(np.median(self.other_seconds)) if self.other_seconds else 0.0
        return max(self.estimate_pieces() - pieces_done, 0.0) * speed + steps_left * other_seconds


def forecast_growth(means: Sequence[float], count: int) -> NumpyArray:
    """Return the factors by which games are expected to be longer than now in the next `count` steps (at least one).

    `means` are the mean pieces per game of the finished steps. The growth is the ratio of two spans of steps.
    """
    span = min(len(means) // 2, _TREND_STEPS)
    if span:
        recent, before = (float(np.mean(part)) for part in (means[-span:], means[-2 * span : -span]))
        growth = min(max((recent / max(before, 1.0)) ** (1 / span), 1.0), _MAX_GROWTH)
    else:
        growth = _FIRST_GROWTH
    exponents = np.cumsum(_GROWTH_DAMPING ** np.arange(1, max(count, 1) + 1))
    return np.asarray(growth**exponents if count else np.ones(1))


class TrainingReporter:
    """Reports the progress of a run to an observer."""

    def __init__(self, learner: Learner, workers: str, on_progress: Observer[TrainingProgress] | None) -> None:
        self.learner = learner
        self.workers = workers
        self.on_progress = on_progress
        self.estimator = TimeEstimator(learner)
        self.task = ""
        self.pieces = 0  # of games that have ended
        self.step_pieces = 0  # of this step, apart from validation games
        self.unsaved_pieces = 0  # of a step that a learner plays without the workers
        self.final_games = 0  # planned; 0 before they are played
        self.final_games_done = 0
        self.start_time = self.step_start_time = self.report_time = time.perf_counter()

    def begin_final_games(self) -> None:
        """Report that the final games begin."""
        self.final_games = self.learner.count_final_games()
        self.step_pieces = 0
        self.report_final_games(0)

    def report_final_games(self, done: int, pieces: int = 0) -> None:
        """Report the number of final games that have ended among those that are played now."""
        done += self.final_games_done
        self.report(f"Playing the final games ({done:,} of {self.final_games:,})", pieces)

    def report_games(self, games: GameRecords) -> None:
        """Report games that are being played."""
        pieces = int(games["pieces"].sum())
        if self.final_games:
            ended = games["pieces"][games["status"] != STATUS_PLAYING]
            if len(ended) and not self.final_games_done:  # short games end first
                mean = float(ended.mean())
                self.estimator.validation_mean = max(self.estimator.validation_mean or mean, mean)
            self.report_final_games(len(ended), pieces)
        else:
            self.report(self.task, pieces)

    def add_games(self, games: GameRecords, seconds: float, is_validation: bool) -> None:
        """Add games that have ended."""
        pieces = int(games["pieces"].sum())
        self.pieces += pieces
        self.estimator.add_play(pieces, seconds)
        if self.final_games:
            self.final_games_done += len(games)
            self.step_pieces += pieces
            self.estimator.validation_mean = self.step_pieces / self.final_games_done
        elif is_validation:
            self.estimator.validation_mean = pieces / len(games)
        else:
            self.step_pieces += pieces

    def report_pieces(self, pieces: int) -> None:
        """Report the number of pieces placed in a step so far by a learner itself; called as often as it changes."""
        self.unsaved_pieces = pieces
        if time.perf_counter() - self.report_time > _REPORT_SECONDS:
            self.report(self.task)

    def report_step(self) -> None:
        """Report the end of a step, which has been saved."""
        seconds = time.perf_counter() - self.step_start_time
        if not self.step_pieces:  # the games were played by the learner itself
            pieces = int(self.learner.get_column("pieces", 1)[0])
            self.pieces += pieces
            self.estimator.add_play(pieces, seconds - self.estimator.step_play_seconds)
        self.estimator.add_step(seconds)
        self.step_pieces = self.unsaved_pieces = 0
        self.step_start_time = time.perf_counter()
        self.report(self.task)

    def report(self, task: str, pieces: int = 0) -> None:
        """Report what is being done, and the pieces of games that have not ended yet."""
        self.task = task
        self.report_time = time.perf_counter()
        if not self.on_progress:
            return
        done = len(self.learner.metric_rows)
        planned = done if self.learner.is_done() else self.learner.recipe.planned_steps
        seconds = self.report_time - self.start_time
        pieces_per_step = self.learner.pieces_per_step
        steps_pieces_left = None
        estimated_seconds = self.estimator.estimate_seconds(self.step_pieces + self.unsaved_pieces + pieces)
        if pieces_per_step is not None:
            steps_pieces_left = (planned - done) * pieces_per_step - self.unsaved_pieces
            if estimated_seconds is None and self.unsaved_pieces:  # an iteration may take minutes
                estimated_seconds = seconds * steps_pieces_left / self.unsaved_pieces
        self.on_progress(
            TrainingProgress(
                task=task,
                done=done,
                planned=planned,
                unit=self.learner.step_name,
                seconds=seconds,
                pieces=self.pieces + self.unsaved_pieces + pieces,
                pieces_left=steps_pieces_left,
                details=tuple(self.learner.describe_step()),
                learner=self.learner,
                workers=self.workers,
                estimated_seconds=estimated_seconds,
            )
        )
