"""Evaluation of an agent by multilevel splitting: a given number of replicates, or as many as a precision needs."""

import math
import time
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tetrion.agents import Agent, Chooser, as_agent, choose_rules
from tetrion.agents.weighted_agent import WeightedAgent, as_weighted_agent, get_agent_settings
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.randomisers import SCRIPTED, validate_seed
from tetrion.engine.rules import Rules, check_simple_drops, make_rules_record
from tetrion.errors import AgentError, RulesError, TetrionError
from tetrion.evaluation.agent_evaluation import plan_games, validate_precision
from tetrion.evaluation.confidence_intervals import Interval, compute_student_margin
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_mean_interval, format_percent
from tetrion.evaluation.splitting import CELLS_PER_PIECE, ReplicateBatch, Replicates, SplittingGames
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import Workers
from tetrion.notebook_display import make_short_repr
from tetrion.progress import Observer, Progress

DEFAULT_REPLICATES = 64  # also the number that is played at a time


@dataclass(frozen=True)
class MeanEstimate:
    """A mean and its 95 % confidence interval."""

    mean: float
    ci95: Interval

    @property
    def precision(self) -> float:
        """Half the width of the confidence interval as a share of the mean."""
        return (self.ci95[1] - self.ci95[0]) / 2 / self.mean


@dataclass(frozen=True)
class SplittingEvaluation:
    """The result of multilevel splitting: the estimated means per game, and what was played for them.

    `levels` are aggregate heights (sums of the heights of the columns): the base, to which games return, and the levels
    above it.

    >>> import tetrion
    >>> result = tetrion.evaluate_by_splitting("dellacherie", "standard-10x10", precision=0.5, seed=1)
    >>> low, high = result.lines.ci95
    >>> low < result.lines.mean < high
    True
    """

    agent: str
    rules: Rules
    seed: int
    replicates: int
    levels: tuple[int, ...]
    lines: MeanEstimate
    pieces: MeanEstimate
    pieces_played: int
    seconds: float
    was_stopped: bool

    @property
    def pieces_per_second(self) -> float:
        """Pieces placed per second of playing time, over all games together."""
        return self.pieces_played / max(self.seconds, 1e-9)

    def __repr__(self) -> str:
        lines = f"{format_mean_interval(self.lines.mean, self.lines.ci95)} lines per game"
        replicates = format_count(self.replicates, "replicate")
        description = f"{self.agent}: {lines}, {replicates}, rules {self.rules}, seed {self.seed}"
        return make_short_repr("SplittingEvaluation", description)

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation as JSON data (`bench --splitting --json`)."""
        return {
            "agent": self.agent,
            "rules": str(self.rules),
            "rules_version": self.rules.behaviour_version,
            "seed": self.seed,
            "method": "splitting",
            "replicates": self.replicates,
            "levels": self.levels,
            "lines": asdict(self.lines),
            "pieces": asdict(self.pieces),
            "pieces_played": self.pieces_played,
            "pieces_per_second": self.pieces_per_second,
        }


def evaluate_by_splitting(
    agent: Agent | Chooser | str | Path,
    rules: Rules | str | None = None,
    seed: int = 0,
    *,
    precision: float | None = None,
    replicates: int | None = None,
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    on_progress: Observer[Progress] | None = None,
) -> SplittingEvaluation:
    """Estimate the mean length of an agent's games by multilevel splitting, without playing whole games.

    This is for strong agents: its cost grows with the logarithm of the length of the games. The agent must consist of
    weights, the rules must have straight drops and random pieces, and the games must have more than about 3,000 pieces.
    64 independent replicates are played, or `replicates` of them for a rough estimate; with `precision`, such as 0.05,
    as many more as are needed to know the mean number of lines to within 5 %. The other arguments are those of
    `evaluate`; a GPU is not supported. The same seed gives the same result for any number of workers.

    Ctrl-C stops the evaluation: replicates that are not finished are left out, and `was_stopped` is set in the result.
    """
    loaded_agent = as_agent(agent)
    chosen_rules = choose_rules([loaded_agent], rules)
    seed = validate_seed(seed)
    if precision is not None:
        precision = validate_precision(precision)
    compiled_agent = check_support(loaded_agent, chosen_rules)
    with open_workers(executor, workers, device) as opened_workers:
        settings = get_agent_settings(compiled_agent, chosen_rules)
        opened_workers.prepare(settings._replace(lower_height=0))
        games = SplittingGames(compiled_agent, settings, seed, opened_workers)
        rounds = SplittingRounds(games, precision, on_progress, replicates or DEFAULT_REPLICATES)
        was_stopped = rounds.play()
        seconds = time.perf_counter() - rounds.start
    pieces, lines = estimate_means(rounds.replicates)
    return SplittingEvaluation(
        agent=loaded_agent.name,
        rules=chosen_rules,
        seed=seed,
        replicates=len(rounds.replicates.pieces_per_excursion),
        levels=tuple(rounds.levels),
        lines=lines,
        pieces=pieces,
        pieces_played=rounds.games.pieces_played,
        seconds=seconds,
        was_stopped=was_stopped,
    )


def check_support(agent: Agent, rules: Rules) -> WeightedAgent:
    """Return the agent as a compiled one; raise an error if splitting does not support the agent or the rules."""
    agent.check_rules(rules)
    compiled_agent = as_weighted_agent(agent)
    remedy = "Measure whole games instead, without splitting."
    if compiled_agent is None:
        raise AgentError(f"Splitting needs an agent that consists of weights; given {agent.name}. {remedy}")
    record = make_rules_record(rules)[0]
    check_simple_drops(record, "Splitting", remedy)
    if record.randomiser == SCRIPTED or record.register:
        raise RulesError(f"Splitting needs random pieces; given the randomiser {rules.randomiser}. {remedy}")
    return compiled_agent


class SplittingRounds:
    """The replicates 1, 2, … of an evaluation, played in rounds and these in batches, and their levels."""

    def __init__(
        self,
        games: SplittingGames,
        precision: float | None,
        on_progress: Observer[Progress] | None,
        first_replicates: int,
    ) -> None:
        self.games = games
        self.precision = precision
        self.on_progress = on_progress
        self.start = time.perf_counter()
        self.levels = list[int]()
        self.replicates = Replicates(*(np.zeros(0) for _ in Replicates._fields))
        self.planned = first_replicates
        games.on_progress = self.report_progress

    @property
    def done(self) -> int:
        """The number of replicates that are finished."""
        return len(self.replicates.pieces_per_excursion)

    def play(self) -> bool:
        """Play replicates until the precision is reached; return whether Ctrl-C stopped them after the first ones."""
        try:
            self.levels = self.games.choose_levels()
            while self.done < self.planned:
                count = min(DEFAULT_REPLICATES, self.planned - self.done)
                batch = ReplicateBatch(self.games, self.done + 1, count, self.levels)
                parts = zip(self.replicates, batch.play(), strict=True)
                self.replicates = Replicates(*map(np.concatenate, parts))
                if self.precision and self.done == self.planned:
                    self.planned = self.plan_replicates(self.precision)
                self.report_progress()
        except KeyboardInterrupt:
            if not self.done:
                raise
            return True
        return False

    def plan_replicates(self, goal: float) -> int:
        """Return the number of replicates after the next round; it depends only on the results so far."""
        reached = estimate_means(self.replicates)[1].precision
        return self.done if reached <= goal else plan_games(self.done, reached, goal)

    def report_progress(self) -> None:
        """Report the progress to the observer."""
        if not self.on_progress:
            return
        reached = format_percent(estimate_means(self.replicates)[1].precision) if self.done else NO_VALUE
        progress = Progress(
            task=self.games.agent.name,
            done=self.done,
            planned=self.planned,
            unit="replicate",
            seconds=time.perf_counter() - self.start,
            pieces=self.games.pieces_played,
            details=(f"± {reached}",),
        )
        self.on_progress(progress)


def estimate_means(replicates: Replicates) -> tuple[MeanEstimate, MeanEstimate]:
    """Return the mean number of pieces and of lines per game, with their confidence intervals.

    The deaths per piece are a ratio of two means. Their interval is Student's for the logarithm, from the relative
    deviations of numerator and denominator (delta method). The number of lines follows from that of pieces, because all
    cells that are not left at the end were cleared.
    """
    deaths = float(replicates.deaths_per_excursion.mean())
    pieces = float(replicates.pieces_per_excursion.mean())
    if not deaths:
        raise TetrionError(
            f"No game ended in {format_count(len(replicates.pieces_per_excursion), 'replicate')} of splitting, so the "
            "mean length of games is unknown. Play capped games instead: they give a lower bound."
        )
    relative_rates = 1 + replicates.deaths_per_excursion / deaths - replicates.pieces_per_excursion / pieces
    factor = math.exp(compute_student_margin(relative_rates))
    cells_at_death = float(np.nanmean(replicates.cells_at_death))
    numbers = [pieces / deaths, pieces / deaths / factor, pieces / deaths * factor]
    lines = [(CELLS_PER_PIECE * number - cells_at_death) / BOARD_WIDTH for number in numbers]
    return MeanEstimate(numbers[0], (numbers[1], numbers[2])), MeanEstimate(lines[0], (lines[1], lines[2]))
