"""Evaluation of an agent: a given number of games, or as many as a precision needs, with their progress."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.agents import Agent, Chooser, as_agent, choose_rules
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.placing import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.records import GameRecords, join_records
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError, describe_value
from tetrion.evaluation.agent_games import AgentGames, GameLimits
from tetrion.evaluation.agent_strengths import PIECES_PER_LINE, get_expected_pieces
from tetrion.evaluation.game_statistics import (
    Evaluation,
    GameResults,
    compute_relative_half_width,
    copy_results,
    estimate_mean,
    get_result_type,
)
from tetrion.evaluation.number_format import format_percent
from tetrion.evaluation.progress_bar import observe_progress
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import Workers, validate_count
from tetrion.progress import Observer, Progress

DEFAULT_GAMES = 100
MAX_GAMES = 10**7  # the result of each takes 72 bytes of memory
GAMES_PER_BATCH = 10**6  # the record of each takes 224 bytes; a GPU needs hundreds of thousands of games at a time
MIN_GAMES_FOR_PRECISION = 100
MAX_GAMES_FOR_PRECISION = 10**6
MIN_PRECISION = 0.001  # share of the mean
MAX_PRECISION = 0.5
# If after this many games none has ended by the rules, or no line was cleared, the mean stays unknown.
GIVE_UP_AFTER_GAMES = 1000
MAX_ROUND_GROWTH = 10  # largest growth factor of the number of games per round, as early estimates may be wrong
GAMES_SAFETY_FACTOR = 1.03  # so that most evaluations need no third round


def evaluate(
    agent: Agent | Chooser | str | Path,
    rules: Rules | str | None = None,
    games: int | None = None,
    seed: int = 0,
    *,
    precision: float | None = None,
    max_pieces: int | None = None,
    max_lines: int | None = None,
    workers: int | None = None,
    executor: Executor | Workers | None = None,
    device: str = "cpu",
    progress: bool | None = None,
    on_progress: Observer[Progress] | None = None,
    keep_partial: bool = False,
) -> Evaluation:
    """Play games 0, 1, … of a seed with an agent and summarise them.

    `agent` is an agent, an object with a method `choose(position)`, or anything that `load_agent` accepts. `rules` are
    `Rules` or text such as `standard:height=14` (default: the rules that the agent was made for). The number of games
    is `games` (default: 100; at most 10,000,000). With `precision`, such as 0.05, games are played until the mean
    number of lines is known to within 5 %: half the width of its 95 % confidence interval is at most 5 % of the mean.
    This takes 100 to 1,000,000 games.

    The games are played by `workers` threads (default: one per core), or by an `executor`:
    `connect_cluster("tcp://host:8786")`, any executor of `concurrent.futures`, or Dask's own. With `device="cuda"` the
    GPU plays them, up to a million at a time. The result does not depend on this choice.

    A bar shows the `progress` in notebooks and terminals, or everywhere with True and nowhere with False. `on_progress`
    is called with a `Progress` several times per second, by default instead of the bar.

    Ctrl-C stops the evaluation with a `KeyboardInterrupt`. With `keep_partial`, the games so far are returned instead:
    unfinished games count as capped, games that have not begun are left out, and `was_stopped` is set in the result.

    >>> import tetrion
    >>> tetrion.evaluate("lowest", "standard-10x10", games=100, seed=1)
    <Evaluation lowest: 2.54 −0.33 +0.38 lines per game, 100 games, 0 capped, rules standard-10x10, seed 1>
    """
    loaded_agent = as_agent(agent)
    chosen_rules = choose_rules([loaded_agent], rules)
    seed = validate_seed(seed)
    limits = GameLimits(
        UNLIMITED if max_pieces is None else validate_count("max_pieces", max_pieces),
        UNLIMITED if max_lines is None else validate_count("max_lines", max_lines),
    )
    count = get_first_round_size(games, precision)
    with (
        open_workers(executor, workers, device) as opened_workers,
        observe_progress(loaded_agent.name, progress, on_progress) as observer,
    ):
        agent_games = AgentGames(loaded_agent, chosen_rules, seed, opened_workers, limits)
        agent_games.warm_up()
        rounds = GameRounds(agent_games, precision, observer)
        was_stopped = rounds.play(count)
        seconds = time.perf_counter() - rounds.start
    if was_stopped and not keep_partial:
        raise KeyboardInterrupt
    results = rounds.join_results()
    begun = np.flatnonzero((results["status"] != STATUS_PLAYING) | (results["pieces"] > 0))
    if not len(begun):
        raise KeyboardInterrupt
    return Evaluation.from_games(
        loaded_agent.name,
        chosen_rules,
        seed,
        results if len(begun) == len(results) else results[begun],
        seconds=seconds,
        was_stopped=was_stopped,
        planned=len(results),
        game_numbers=begun,
    )


class GameRounds:
    """The games 0, 1, … of an evaluation, played in rounds and these in batches, of which only the results are kept."""

    def __init__(
        self, agent_games: AgentGames, precision: float | None, on_progress: Observer[Progress] | None
    ) -> None:
        self.agent_games = agent_games
        self.precision = precision
        self.on_progress = on_progress
        self.start = time.perf_counter()
        self.result_type = get_result_type(agent_games.rules)
        self.expected_pieces = get_expected_pieces(agent_games.agent.name, agent_games.rules)
        self.results = list[GameResults]()  # one array per round; games of later batches have not begun
        self.totals = GameTotals()  # of the finished batches

    def play(self, count: int) -> bool:
        """Play `count` games, then more until the precision is reached; return whether Ctrl-C stopped them."""
        try:
            while count:
                if self.play_round(count):
                    return True
                count = count_further_games(self.results, self.precision) if self.precision else 0
        except KeyboardInterrupt:  # between two batches
            return True
        return False

    def play_round(self, count: int) -> bool:
        """Play the next `count` games in batches; return whether Ctrl-C stopped them."""
        results = self.result_type.make_array(count)
        self.results.append(results)
        for start in range(0, count, GAMES_PER_BATCH):
            batch_results = results[start : start + GAMES_PER_BATCH]
            games, was_stopped = self.agent_games.play(self.totals.games, len(batch_results), self.report_progress)
            copy_results(games, batch_results)
            self.totals = self.totals.add(games)
            del games  # frees the memory before the next batch needs it
            if was_stopped:
                return True
        return False

    def join_results(self) -> GameResults:
        """Return the results of all rounds; the large array of a single round is not copied."""
        return (
            self.results[0] if len(self.results) == 1 else join_records([self.result_type.make_array(0), *self.results])
        )

    def report_progress(self, batch: GameRecords) -> None:
        """Report the progress of all rounds, given the games that are being played."""
        if not self.on_progress:
            return
        totals = self.totals.add(batch)
        planned = sum(map(len, self.results))
        details: tuple[str, ...] = ()
        if self.precision is not None:
            reached = compute_precision([*self.results, batch])
            details = (f"± {'–' if reached is None else format_percent(reached)}",)
            if reached is not None and reached > self.precision:
                planned = max(planned, estimate_games_for_precision(self.precision, totals.finished, reached))
        progress = Progress(
            task=self.agent_games.agent.name,
            done=totals.finished,
            planned=planned,
            seconds=time.perf_counter() - self.start,
            pieces=totals.pieces,
            pieces_left=estimate_pieces_left(batch, totals, planned, self.agent_games.limits, self.expected_pieces),
            details=details,
        )
        self.on_progress(progress)


def validate_precision(precision: object) -> float:
    """Return the precision, or raise a `TetrionError` if it is not a number in the allowed range."""
    if isinstance(precision, bool) or not isinstance(precision, int | float | np.number):
        raise TetrionError(
            f"precision must be a share of the mean, such as 0.05 for 5 %; given {describe_value(precision)}."
        )
    if not MIN_PRECISION <= precision <= MAX_PRECISION:
        raise TetrionError(
            f"precision must be between 0.1 % (0.001) and 50 % (0.5) of the mean; given {precision:g}, which is "
            f"{100 * precision:g} %. For 5 % write 0.05."
        )
    return float(precision)


def get_first_round_size(games: int | None, precision: float | None) -> int:
    """Return the number of games of the first round."""
    if precision is None:
        is_too_large = isinstance(games, int) and games > MAX_GAMES
        remedy = "For more games, measure several seeds." if is_too_large else ""
        return validate_count("games", DEFAULT_GAMES if games is None else games, MAX_GAMES, remedy)
    if games is not None:
        raise TetrionError(
            f"Give a number of games or a precision, not both; given games {games} and precision {precision}. "
            "With a precision, the number of games follows from it."
        )
    validate_precision(precision)
    return MIN_GAMES_FOR_PRECISION


def count_further_games(rounds: Sequence[GameResults], goal: float) -> int:
    """Return the number of games of the next round, 0 if there is none; it depends only on the results so far."""
    played = sum(map(len, rounds))
    reached = compute_precision(rounds)
    if reached is not None and reached <= goal:
        return 0
    return plan_games(played, reached, goal) - played


def plan_games(played: int, reached: float | None, goal: float) -> int:
    """Return the total number of games after the next round, given the games played and the precision reached."""
    if reached is None and played >= GIVE_UP_AFTER_GAMES:
        return played
    needed = 2 * played if reached is None else estimate_games_for_precision(goal, played, reached)
    return min(needed, MAX_ROUND_GROWTH * played, MAX_GAMES_FOR_PRECISION)


def estimate_games_for_precision(goal: float, played: int, reached: float) -> int:
    """Estimate the total number of games for a precision, given the precision that `played` games reached."""
    return min(math.ceil(played * (reached / goal) ** 2 * GAMES_SAFETY_FACTOR), MAX_GAMES_FOR_PRECISION)


def compute_precision(games: Sequence[GameRecords | GameResults]) -> float | None:
    """Return the precision of the mean lines of finished games, as `evaluate` defines it; None if it is unknown."""
    lines = np.concatenate([part["lines"] for part in games])
    status = np.concatenate([part["status"] for part in games])
    finished = status != STATUS_PLAYING
    if not finished.any():
        return None
    return compute_relative_half_width(*estimate_mean(lines[finished], int((status == STATUS_OVER).sum())))


class GameTotals(NamedTuple):
    """The number of games, how many of them have finished or ended by the rules, and the sum of their pieces."""

    games: int = 0
    finished: int = 0
    deaths: int = 0
    pieces: int = 0

    def add(self, games: GameRecords) -> "GameTotals":
        """Return the totals of these games and further ones."""
        status = games["status"].copy()  # faster than to read a field of the records twice
        return GameTotals(
            games=self.games + len(games),
            finished=self.finished + int((status != STATUS_PLAYING).sum()),
            deaths=self.deaths + int((status == STATUS_OVER).sum()),
            pieces=self.pieces + int(games["pieces"].sum()),
        )


def estimate_pieces_left(
    batch: GameRecords, totals: GameTotals, planned: int, limits: GameLimits, expected_pieces: float | None = None
) -> float | None:
    """Estimate the number of pieces that `planned` games still need; None if this is unknown.

    `batch` are the games that are being played, and `totals` describe them and all earlier games. Every piece is taken
    to end the game with the same probability, which is how the length of games is distributed approximately. As long as
    no game has ended, their mean length is taken to be `expected_pieces`, or all games to reach their limit.
    """
    limit = min(limits.max_pieces, limits.max_lines * PIECES_PER_LINE)
    mean = max(totals.pieces, 1) / totals.deaths if totals.deaths else expected_pieces
    if mean is None and limit >= UNLIMITED:
        return None
    placed = batch["pieces"][batch["status"] == STATUS_PLAYING]
    distances = np.append(np.maximum(limit - placed, 0.0), limit)  # the last one is that of a game not yet begun
    if mean is not None:
        distances = mean * -np.expm1(-distances / mean)
    waiting_games = max(0, planned - totals.games)
    return float(distances[:-1].sum() + waiting_games * distances[-1])
