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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetrion.agents.weighted_agent import WeightedAgent, raise_feature_errors
from tetrion.engine.batch_play import NO_LOWER_HEIGHT, UNLIMITED, EngineSettings
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placing import STATUS_OVER, STATUS_PLAYING
from tetrion.engine.randomisers import derive_random_keys
from tetrion.engine.records import GameRecord, GameRecords, join_records
from tetrion.errors import AgentError
from tetrion.evaluation.confidence_intervals import SampleArray
from tetrion.evaluation.workers import Workers

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
