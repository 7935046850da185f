"""Mean length of long games by multilevel splitting.

A good player returns to a low board again and again, and a game ends only in one of millions of excursions. The method
is forward flux sampling (Allen, Warren and ten Wolde 2005, doi:10.1103/PhysRevLett.94.018104), a form of multilevel
splitting with a fixed number of trials per level (Garvels 2000). The levels are aggregate heights, the sums of the
heights of the columns. Excursions begin where a game that came from the base level reaches the first level. The
deaths per excursion are the product of the probabilities of reaching the next level (at last, death) before the base
level; those of each level are estimated from trials that start with copies of the games that reached it, and continue
with other random pieces. The mean number of pieces per game is the number of pieces per excursion divided by the deaths
per excursion (renewal-reward theorem, for games that follow each other).
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion.agents import Agent, Chooser, as_agent, choose_rules
from tetrion.agents.weighted_agent import WeightedAgent, as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.engine.batch_play import NO_LOWER_HEIGHT, UNLIMITED, EngineSettings
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placing import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.randomisers import SCRIPTED, derive_random_keys, validate_seed
from tetrion.engine.records import GameRecord, GameRecords, join_records
from tetrion.engine.rules import Rules, check_simple_drops, make_rules_record
from tetrion.errors import AgentError, RulesError, TetrionError
from tetrion.evaluation.agent_evaluation import plan_games, validate_precision
from tetrion.evaluation.confidence_intervals import Interval, SampleArray, compute_student_margin
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_mean_interval, format_percent
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import Workers
from tetrion.notebook_display import make_short_repr
from tetrion.progress import Observer, Progress

DEFAULT_REPLICATES = 64  # also the number that is played at a time
CELLS_PER_PIECE = 4
TRIALS_PER_LEVEL = 400
LEVEL_STEP = BOARD_WIDTH  # one row; a level is then reached from the one below with a probability of about 0.4
_GAMES_PER_REPLICATE = 20  # from which excursions begin
_EXCURSIONS_PER_GAME = 20
_FIRST_EXCURSIONS = 5  # of each game, which are not counted: the game still depends on the empty board
_PILOT_GAMES = 256
_PILOT_PIECES = 300  # per game; then it does not depend on the empty board any more
_PILOT_SNAPSHOTS = 5  # after consecutive pieces: filled cells are multiples of ten after every fifth piece
_BASE_QUANTILE = 0.75  # of the aggregate heights in the pilot games
_MAX_PILOT_DEATHS = 0.1  # share of the pilot games
_KEYS_PER_REPLICATE = 2**32


class Replicates(NamedTuple):
    """Independent estimates, one element per replicate."""

    deaths_per_excursion: SampleArray
    pieces_per_excursion: SampleArray
    cells_at_death: SampleArray  # filled cells of the final boards; NaN if no trial died


class SplittingGames:
    """The games of an agent: its settings, the workers that play, and the number of pieces played so far.

    Replicate 0 is the pilot, which chooses the levels.
    """

    def __init__(self, agent: WeightedAgent, settings: EngineSettings, seed: int, workers: Workers) -> None:
        self.agent = agent
        self.settings = settings
        self.seed = seed
        self.workers = workers
        self.pieces_played = 0
        self.on_progress: Callable[[], None] = lambda: None

    def make_keys(self, replicate: int, first: int, count: int) -> NDArray[np.uint64]:
        """Return the keys of `count` games of a replicate, starting with number `first`."""
        return derive_random_keys(self.seed, replicate * _KEYS_PER_REPLICATE + first, count)

    def play(self, games: GameRecords, lower: int, upper: int, max_pieces: int = UNLIMITED) -> NDArray[np.int64]:
        """Continue the games between two levels until they reach one of these, die, or have `max_pieces` pieces.

        Return the number of placed pieces of each game.
        """
        heights = compute_aggregate_heights(games)
        is_between = (games["status"] != STATUS_OVER) & (heights > lower) & (heights < upper)
        games["status"][is_between] = STATUS_PLAYING
        before = games["pieces"].copy()
        settings = self.settings._replace(lower_height=lower, upper_height=upper, max_pieces=max_pieces)
        if self.workers.play(games, settings, self.check_and_report):
            raise KeyboardInterrupt
        placed: NDArray[np.int64] = games["pieces"] - before
        self.pieces_played += int(placed.sum())
        return placed

    def check_and_report(self, games: GameRecords) -> None:
        """Raise the error of a custom feature, if there is one, and report the progress."""
        raise_feature_errors(self.agent)
        self.on_progress()

    def choose_levels(self) -> list[int]:
        """Return the base level and the levels above it, chosen by short games; raise an error if these end."""
        games = GameRecord.make_array(_PILOT_GAMES)
        games["key"] = self.make_keys(0, 0, _PILOT_GAMES)
        heights = []
        for snapshot in range(_PILOT_SNAPSHOTS):
            self.play(games, NO_LOWER_HEIGHT, UNLIMITED, _PILOT_PIECES + snapshot)
            heights.append(compute_aggregate_heights(games)[games["status"] != STATUS_OVER])
        deaths = int((games["status"] == STATUS_OVER).sum())
        if deaths > _MAX_PILOT_DEATHS * _PILOT_GAMES:
            raise AgentError(
                f"The games of {self.agent.name} are too short for splitting: {deaths} of {_PILOT_GAMES} ended within "
                f"{_PILOT_PIECES} pieces. Measure whole games instead, without splitting."
            )
        base = int(np.quantile(np.concatenate(heights), _BASE_QUANTILE))
        top = BOARD_WIDTH * int(self.settings.rules[0].height)
        return [base, *range(base + LEVEL_STEP, max(top, base + LEVEL_STEP + 1), LEVEL_STEP)]


class ReplicateBatch:
    """Replicates `first`, `first + 1`, …, played together; the result of each depends only on its number."""

    def __init__(self, games: SplittingGames, first: int, count: int, levels: list[int]) -> None:
        self.games = games
        self.first = first
        self.count = count
        self.base, self.first_level, *self.levels = levels
        self.used_keys = np.zeros(count, np.int64)

    def take_keys(self, replicate: int, count: int) -> NDArray[np.uint64]:
        """Return `count` keys of a replicate that were not used before."""
        first = int(self.used_keys[replicate])
        self.used_keys[replicate] += count
        return self.games.make_keys(self.first + replicate, first, count)

    def play(self) -> Replicates:
        """Play the excursions, then the trials of each level up to death."""
        entrances, pieces = self.play_excursions()
        deaths = np.ones(self.count)
        for level in [*self.levels, UNLIMITED]:
            shares, entrances = self.play_trials(entrances, level)
            deaths *= shares
        cells = [float(count_cells(games).mean()) if len(games) else np.nan for games in entrances]
        return Replicates(deaths, pieces, np.array(cells))

    def play_excursions(self) -> tuple[list[GameRecords], SampleArray]:
        """Play games from the base to the first level and back, many times; a game that ends is followed by a new one.

        Return the games at the beginnings of excursions, by replicate, and the mean number of pieces from one beginning
        to the next.
        """
        games = join_records([self.begin_games(number, _GAMES_PER_REPLICATE) for number in range(self.count)])
        self.games.play(games, NO_LOWER_HEIGHT, self.first_level)
        entrances = []
        pieces = np.zeros(len(games))
        for excursion in range(_FIRST_EXCURSIONS + _EXCURSIONS_PER_GAME):
            if excursion == _FIRST_EXCURSIONS:
                pieces[:] = 0
            if excursion >= _FIRST_EXCURSIONS:
                entrances.append(games.copy())
            pieces += self.games.play(games, self.base, UNLIMITED)
            for index in np.flatnonzero(games["status"] == STATUS_OVER).tolist():
                games[index] = self.begin_games(index // _GAMES_PER_REPLICATE, 1)[0]
            pieces += self.games.play(games, NO_LOWER_HEIGHT, self.first_level)
        starts = range(0, len(games), _GAMES_PER_REPLICATE)
        by_replicate = [
            join_records([part[start : start + _GAMES_PER_REPLICATE] for part in entrances]) for start in starts
        ]
        return by_replicate, pieces.reshape(self.count, -1).mean(axis=1) / _EXCURSIONS_PER_GAME

    def begin_games(self, replicate: int, count: int) -> GameRecords:
        """Return new games of a replicate."""
        games = GameRecord.make_array(count)
        games["key"] = self.take_keys(replicate, count)
        return games

    def play_trials(self, entrances: list[GameRecords], level: int) -> tuple[SampleArray, list[GameRecords]]:
        """Play trials from the games that reached the previous level, by replicate, to a level or back to the base.

        Return the shares of the trials that reached the level, by replicate, and the games of these trials.
        """
        parts = [self.make_trials(number, games) for number, games in enumerate(entrances)]
        games = join_records(parts)
        self.games.play(games, self.base, level)
        has_reached = (games["status"] == STATUS_OVER) | (compute_aggregate_heights(games) >= level)
        ends = np.cumsum([len(part) for part in parts])
        slices = [slice(end - len(part), end) for end, part in zip(ends, parts, strict=True)]
        shares = np.array([has_reached[part].sum() / TRIALS_PER_LEVEL for part in slices])
        return shares, [games[part][has_reached[part]] for part in slices]

    def make_trials(self, replicate: int, entrances: GameRecords) -> GameRecords:
        """Return copies of games with other random pieces; the numbers of copies differ by at most one."""
        if not len(entrances):
            return entrances
        keys = self.take_keys(replicate, TRIALS_PER_LEVEL + 1)
        offset = int(keys[-1] >> np.uint64(11)) / 2**53
        indices = (np.arange(TRIALS_PER_LEVEL) + offset) * len(entrances) / TRIALS_PER_LEVEL
        trials = entrances[indices.astype(np.int64)]
        trials["key"] = keys[:-1]
        return trials


def compute_aggregate_heights(games: GameRecords) -> NDArray[np.int64]:
    """Return the sum of the heights of the columns of each game's board."""
    bit_lengths = np.frexp(games["board"].astype(np.float64))[1]
    heights: NDArray[np.int64] = bit_lengths.sum(axis=1, dtype=np.int64)
    return heights


def count_cells(games: GameRecords) -> NDArray[np.int64]:
    """Return the number of filled cells of each game's board: those of its pieces that were not cleared."""
    cells: NDArray[np.int64] = CELLS_PER_PIECE * games["pieces"] - BOARD_WIDTH * games["lines"]
    return cells


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
        replicates = format_count(self.replicates, "replicate") + (", stopped" if self.was_stopped else "")
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
    keep_partial: bool = False,
) -> SplittingEvaluation:
    """Estimate the mean length of an agent's games by multilevel splitting, without playing whole games.

    This is for strong agents: its cost grows with the logarithm of the length of the games. The agent must consist of
    weights, the rules must have straight drops and random pieces, and the games must have more than about 3,000 pieces.
    64 independent replicates are played, or `replicates` of them for a rough estimate; with `precision`, such as 0.05,
    as many more as are needed to know the mean number of lines to within 5 %. The other arguments are those of
    `evaluate`; a GPU is not supported. The same seed gives the same result for any number of workers.

    Ctrl-C stops the evaluation with a `KeyboardInterrupt`. With `keep_partial`, the finished replicates are returned
    instead, if there are any, and `was_stopped` is set in the result.
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
    if was_stopped and not keep_partial:
        raise KeyboardInterrupt
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
