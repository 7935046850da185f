"""Evaluation of an agent: a given number of games, or as many as a precision needs."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tetrion.agents import Agent, Chooser, as_agent, choose_rules
from tetrion.engine.batch_play import STATUS_OVER, STATUS_PLAYING, UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.records import GameRecord, GameRecords, join_records
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.agent_games import AgentGames
from tetrion.evaluation.game_statistics import Evaluation, compute_relative_half_width, estimate_mean
from tetrion.evaluation.number_format import format_percent
from tetrion.evaluation.stepped_games import GameLimits
from tetrion.evaluation.worker_selection import open_workers
from tetrion.evaluation.workers import Workers, validate_count
from tetrion.progress import Observer, Progress

DEFAULT_GAMES = 100
MAX_GAMES = 10**7  # each takes a few hundred bytes of memory
MIN_GAMES_FOR_PRECISION = 100
MAX_GAMES_FOR_PRECISION = 10**6
MIN_PRECISION = 0.001  # share of the mean
MAX_PRECISION = 0.5
# If after this many games none has ended by the rules, or no line was cleared, the mean stays unknown.
GIVE_UP_AFTER_GAMES = 1000
MAX_ROUND_GROWTH = 10  # largest growth factor of the number of games per round, as early estimates may be wrong
PIECES_PER_LINE = 2.5  # a line has ten cells, a piece four
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
    on_progress: Observer[Progress] | None = None,
) -> Evaluation:
    """Play games 0, 1, … of a seed with an agent and summarise them.

    `agent` is an agent, an object with a method `choose(position)`, or anything that `load_agent` accepts. `rules` are
    `Rules` or text such as `standard:height=14` (default: the rules that the agent was made for). The number of games
    is `games` (default: 100). With `precision`, such as 0.05, games are played until the mean number of lines is known
    to within 5 %: half the width of its 95 % confidence interval is at most 5 % of the mean. This takes 100 to
    1,000,000 games.

    The games are played by `workers` threads (default: one per core), or by an `executor`:
    `connect_cluster("tcp://host:8786")`, any executor of `concurrent.futures`, or Dask's own. With `device="cuda"` the
    GPU plays all games at once. The result does not depend on this choice. `on_progress` is called with a `Progress`
    several times per second.

    Ctrl-C stops the evaluation: unfinished games count as capped, games that have not begun are left out, and
    `was_stopped` is set in the result.
    """
    loaded_agent = as_agent(agent)
    chosen_rules = choose_rules([loaded_agent], rules)
    seed = validate_seed(seed)
    limits = GameLimits(
        UNLIMITED if max_pieces is None else validate_count("max_pieces", max_pieces),
        UNLIMITED if max_lines is None else validate_count("max_lines", max_lines),
    )
    count = get_first_round_size(games, precision)
    with open_workers(executor, workers, device) as opened_workers:
        agent_games = AgentGames(loaded_agent, chosen_rules, seed, opened_workers, limits)
        agent_games.warm_up()
        start = time.perf_counter()
        rounds = list[GameRecords]()
        was_stopped = False

        def report_progress(round_games: GameRecords) -> None:
            if on_progress:
                seconds = time.perf_counter() - start
                all_games = [*rounds, round_games]
                on_progress(compute_progress(loaded_agent.name, all_games, seconds, precision, limits=limits))

        try:
            while count and not was_stopped:
                records, was_stopped = agent_games.play(sum(map(len, rounds)), count, report_progress)
                rounds.append(records)
                count = count_further_games(rounds, precision) if precision else 0
        except KeyboardInterrupt:  # between two rounds
            was_stopped = True
        seconds = time.perf_counter() - start
    records = join_records(rounds or [GameRecord.make_array(0)])
    has_begun = (records["status"] != STATUS_PLAYING) | (records["pieces"] > 0)
    if not has_begun.any():
        raise KeyboardInterrupt
    return Evaluation.from_games(
        loaded_agent.name,
        chosen_rules,
        seed,
        records[has_begun],
        seconds=seconds,
        was_stopped=was_stopped,
        game_numbers=np.flatnonzero(has_begun),
    )


def validate_precision(precision: object) -> float:
    """Return the precision, or raise a `TetrionError` if it is not a number in the allowed range."""
    if isinstance(precision, bool) or not isinstance(precision, int | float | np.number):
        raise TetrionError(f"precision must be a share of the mean, such as 0.05 for 5 %; given {precision!r}.")
    if not MIN_PRECISION <= precision <= MAX_PRECISION:
        raise TetrionError(
            f"precision must be between 0.1 % (0.001) and 50 % (0.5) of the mean; given {precision:g}, which is "
            f"{100 * precision:g} %. For 5 % write 0.05."
        )
    return float(precision)


def get_first_round_size(games: int | None, precision: float | None) -> int:
    """Return the number of games of the first round."""
    if precision is None:
        return validate_count("games", DEFAULT_GAMES if games is None else games, MAX_GAMES)
    if games is not None:
        raise TetrionError(
            f"Give a number of games or a precision, not both; given games {games} and precision {precision}. "
            "With a precision, the number of games follows from it."
        )
    validate_precision(precision)
    return MIN_GAMES_FOR_PRECISION


def count_further_games(rounds: Sequence[GameRecords], goal: float) -> int:
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


def compute_precision(rounds: Sequence[GameRecords]) -> float | None:
    """Return the precision of the mean lines of finished games, as `evaluate` defines it; None if it is unknown."""
    lines, status = (np.concatenate([games[name] for games in rounds]) for name in ("lines", "status"))
    finished = status != STATUS_PLAYING
    if not finished.any():
        return None
    return compute_relative_half_width(*estimate_mean(lines[finished], int((status == STATUS_OVER).sum())))


def compute_progress(
    task: str,
    rounds: Sequence[GameRecords],
    seconds: float,
    goal: float | None = None,
    planned: int = 0,
    *,
    limits: GameLimits | None = None,
) -> Progress:
    """Return the progress of games; `planned` is their number, or 0 for those of the rounds.

    With a precision as `goal`, the planned games are the estimated number needed for it. With the `limits` of a game,
    the pieces that are left are estimated too.
    """
    done = sum(int((games["status"] != STATUS_PLAYING).sum()) for games in rounds)
    planned = planned or sum(map(len, rounds))
    details: tuple[str, ...] = ()
    if goal is not None:
        reached = compute_precision(rounds)
        details = (f"± {'–' if reached is None else format_percent(reached)}",)
        if reached is not None and reached > goal:
            planned = max(planned, estimate_games_for_precision(goal, done, reached))
    return Progress(
        task=task,
        done=done,
        planned=planned,
        seconds=seconds,
        pieces=sum(int(games["pieces"].sum()) for games in rounds),
        pieces_left=limits and estimate_pieces_left(rounds, planned, limits),
        details=details,
    )


def estimate_pieces_left(rounds: Sequence[GameRecords], planned: int, limits: GameLimits) -> float | None:
    """Estimate the number of pieces that `planned` games still need; None if no game has ended and none is capped.

    Every piece is taken to end the game with the same probability, which is how the length of games is distributed
    approximately. As long as no game has ended, all games are expected to reach their limit.
    """
    status, pieces = (np.concatenate([games[name] for games in rounds]) for name in ("status", "pieces"))
    deaths = int((status == STATUS_OVER).sum())
    limit = min(limits.max_pieces, limits.max_lines * PIECES_PER_LINE)
    if not deaths and limit >= UNLIMITED:
        return None
    placed = np.concatenate([pieces[status == STATUS_PLAYING], np.zeros(max(0, planned - len(status)))])
    distances = np.maximum(limit - placed, 0.0)
    if not deaths:
        return float(distances.sum())
    mean = float(pieces.sum()) / deaths
    return float((mean * -np.expm1(-distances / mean)).sum())
