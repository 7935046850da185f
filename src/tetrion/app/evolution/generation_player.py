"""The visible games of a generation, which can be watched, paused and fast-forwarded.

All games advance together, one piece at a time: the engine plays them up to a rising cap on the number of pieces.
This does not change how a game ends.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from tetrion.app.evolution.playback_control import PlaybackControl, PlaybackStep
from tetrion.board import EMPTY_CELL, Board, get_placement
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, select_fastest_play
from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import FullGameRecord, GameRecords, join_records
from tetrion.engine.rules import CLEARINGS
from tetrion.evaluation.worker_tasks import GamesObserver
from tetrion.evaluation.workers import Workers
from tetrion.stack import Stack
from tetrion.training.fitness import GamesSettings, compute_fitness_of_rows
from tetrion.training.optimisers.optimiser import NumpyArray

BOARDS_UPDATE_SECONDS = 1 / 60
_FAST_FORWARD_SECONDS = 0.1
_INITIAL_FAST_FORWARD_PIECES = 100
TRACKED_PIECES = 40  # placed one by one at the end of a fast-forward step, so that most cells have a known piece
_MIN_PIECES_FOR_TRACKING = 10 * TRACKED_PIECES  # a step of this length is hardly slowed down by tracking
_SLOW_STEP_SECONDS = 0.02  # longer steps are played on all threads


@dataclass(frozen=True)
class GenerationBoards:
    """An immutable snapshot of the games of all candidates, one board per candidate."""

    stacks: NumpyArray
    height: int
    lines: NumpyArray
    score: NumpyArray
    pieces: NumpyArray
    is_playing: NumpyArray  # whether the candidate has a game in progress
    is_lost: NumpyArray  # whether the game shown is over
    fitness: NumpyArray  # of the games so far
    games_per_candidate: int
    pieces_placed: int
    max_pieces: int | None  # None: unlimited

    def __len__(self) -> int:
        return len(self.fitness)


class GenerationPlayer(Workers):
    """Threads of this machine that play visible games; `boards` is the last snapshot of them."""

    def __init__(self, playback_control: PlaybackControl) -> None:
        count = max(1, (os.cpu_count() or 1) - 1)  # one core is left for the window
        super().__init__(ThreadPoolExecutor(count, "tetrion-games"), count, f"the window's {count} threads")
        self.playback_control = playback_control
        self.is_validating = False
        self.fast_forward_pieces = _INITIAL_FAST_FORWARD_PIECES
        self.is_step_slow = False
        self.last_shown = 0.0
        self.boards: GenerationBoards | None = None
        self.learner_game: GameRecords | None = None  # the game that a learner plays itself
        self.learner_view: GenerationView | None = None
        self.begin_generation(GamesSettings())

    def close(self) -> None:
        """Stop the threads without waiting for one that compiles."""
        self.executor.shutdown(wait=False, cancel_futures=True)

    def begin_generation(self, settings: GamesSettings) -> None:
        """Prepare for a new generation; the boards of the last one stay visible until it plays."""
        self.games_settings = settings
        self.earlier_games: GameRecords | None = None  # of earlier halving rounds in this generation

    @property
    def validation_workers(self) -> Workers:
        """The worker threads for validation games, which are not shown."""
        return ValidationWorkers(self)

    def play(self, games: GameRecords, engine_settings: EngineSettings, progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends at the playback speed, in place; return whether they were stopped."""
        previous = None if self.earlier_games is None else self.boards
        view = GenerationView(games, engine_settings, self.games_settings, self.earlier_games, previous)
        while (games["status"] == STATUS_PLAYING).any():
            step = self.playback_control.wait_for_step(lambda: self.update_boards(view, games, 0))
            if step is PlaybackStep.STOP:
                return True
            if step is PlaybackStep.FAST_FORWARD and self.fast_forward(games, engine_settings, view):
                return True
            if step is PlaybackStep.ONE_PIECE:
                self.play_one_piece(games, engine_settings, view)
            self.update_boards(view, games, BOARDS_UPDATE_SECONDS)
        view.has_changed = True
        self.update_boards(view, games, 0)
        if progress:
            progress(games)
        self.earlier_games = games if self.earlier_games is None else join_records([self.earlier_games, games])
        return False

    def show_game(self, game: GameRecords, settings: EngineSettings) -> None:
        """Show a game that a learner plays itself, and wait until its next piece is due.

        Raise KeyboardInterrupt if the game is to be stopped.
        """
        view = self.learner_view
        if view is None or game is not self.learner_game:
            view = GenerationView(game, settings, self.games_settings, None, None)
            self.learner_game = game
            self.learner_view = view
        view.update(game)
        is_over = game["status"][0] != STATUS_PLAYING or game["pieces"][0] >= settings.max_pieces
        self.update_boards(view, game, 0 if is_over else BOARDS_UPDATE_SECONDS)
        if is_over:
            return
        if self.playback_control.wait_for_step(lambda: self.update_boards(view, game, 0)) is PlaybackStep.STOP:
            raise KeyboardInterrupt

    def play_one_piece(self, games: GameRecords, engine_settings: EngineSettings, view: "GenerationView") -> None:
        """Place one piece in every game."""
        start = time.perf_counter()
        capped = engine_settings._replace(max_pieces=min(engine_settings.max_pieces, get_lowest_piece_count(games) + 1))
        if self.is_step_slow:
            super().play(games, capped)
        else:
            select_fastest_play(engine_settings)(games, capped, UNLIMITED)
        self.is_step_slow = time.perf_counter() - start > _SLOW_STEP_SECONDS
        view.update(games)
        resume_capped_games(games, engine_settings)

    def fast_forward(self, games: GameRecords, engine_settings: EngineSettings, view: "GenerationView") -> bool:
        """Play for about a tenth of a second on all threads; return whether the games were stopped."""
        start = time.perf_counter()
        is_long = self.fast_forward_pieces >= _MIN_PIECES_FOR_TRACKING and not self.playback_control.is_fast_forward
        tracked = TRACKED_PIECES if is_long else 0
        end = min(get_lowest_piece_count(games) + self.fast_forward_pieces, engine_settings.max_pieces - tracked)
        if end > get_lowest_piece_count(games):
            if super().play(games, engine_settings._replace(max_pieces=end), self.check_stopped):
                return True
            seconds = max(time.perf_counter() - start, 1e-6)
            self.fast_forward_pieces = max(1, int(self.fast_forward_pieces * min(_FAST_FORWARD_SECONDS / seconds, 10)))
            resume_capped_games(games, engine_settings)
        view.update(games)
        for _ in range(tracked):
            if (games["status"] == STATUS_PLAYING).any() and not self.playback_control.is_stopped:
                self.play_one_piece(games, engine_settings, view)
        return self.playback_control.is_stopped

    def check_stopped(self, games: GameRecords) -> None:
        """Raise KeyboardInterrupt if the games are to be stopped; called while threads play."""
        if self.playback_control.is_stopped:
            raise KeyboardInterrupt

    def update_boards(self, view: "GenerationView", games: GameRecords, seconds: float) -> None:
        """Update `boards` if the games have changed and the last update is at least `seconds` old."""
        if view.has_changed and time.monotonic() - self.last_shown >= seconds:
            self.boards = view.make_boards(games)
            self.last_shown = time.monotonic()
            view.has_changed = False


class GenerationView:
    """The games of a halving round, reduced to one board and one fitness per candidate."""

    def __init__(
        self,
        games: GameRecords,
        engine_settings: EngineSettings,
        games_settings: GamesSettings,
        earlier_games: GameRecords | None,
        previous_boards: GenerationBoards | None,
    ) -> None:
        self.engine_settings = engine_settings
        self.games_settings = games_settings
        self.previous_boards = previous_boards
        self.has_changed = True
        self.height = int(engine_settings.rules[0].height)
        clearing = list(CLEARINGS)[engine_settings.rules[0].clearing]
        self.stack_tracker = StackTracker(games, self.height, clearing)
        self.candidates = np.unique(games["agent"])
        self.game_indices = find_game_indices(games, self.candidates)
        self.earlier_games = games[:0] if earlier_games is None else earlier_games
        earlier_indices = find_game_indices(self.earlier_games, self.candidates)
        self.all_indices = np.hstack([earlier_indices, self.game_indices + len(self.earlier_games)])

    def update(self, games: GameRecords) -> None:
        """Track the pieces that were placed in the games."""
        self.stack_tracker.update(games)
        self.has_changed = True

    def make_boards(self, games: GameRecords) -> GenerationBoards:
        """Return a snapshot; each candidate shows its first game in progress, or its first game if all are over."""
        is_playing = (games["status"] == STATUS_PLAYING)[self.game_indices]
        shown = self.game_indices[np.arange(len(self.candidates)), is_playing.argmax(axis=1)]
        boards = GenerationBoards(
            stacks=self.stack_tracker.stacks[shown],
            height=self.height,
            lines=games["lines"][shown],
            score=games["score"][shown],
            pieces=games["pieces"][shown],
            is_playing=is_playing.any(axis=1),
            is_lost=games["status"][shown] == STATUS_OVER,
            fitness=self.compute_fitness(games),
            games_per_candidate=self.game_indices.shape[1],
            pieces_placed=int(games["pieces"].max()),
            max_pieces=None if self.engine_settings.max_pieces == UNLIMITED else self.engine_settings.max_pieces,
        )
        return boards if self.previous_boards is None else self.merge_with_previous(boards, self.previous_boards)

    def compute_fitness(self, games: GameRecords) -> NumpyArray:
        """Return the fitness of each candidate over these games and its earlier ones."""
        all_games = join_records([self.earlier_games, games])
        return compute_fitness_of_rows(all_games[self.all_indices], self.games_settings)

    def merge_with_previous(self, boards: GenerationBoards, previous: GenerationBoards) -> GenerationBoards:
        """Return the boards of all candidates: those eliminated by successive halving keep their last boards."""
        merged = {}
        for name in ("stacks", "lines", "score", "pieces", "is_playing", "is_lost", "fitness"):
            merged[name] = getattr(previous, name).copy()
            merged[name][self.candidates] = getattr(boards, name)
        return GenerationBoards(
            height=boards.height,
            games_per_candidate=boards.games_per_candidate,
            pieces_placed=boards.pieces_placed,
            max_pieces=boards.max_pieces,
            **merged,
        )


def find_game_indices(games: GameRecords, candidates: NumpyArray) -> NumpyArray:
    """Return the indices of the games of candidates, one row per candidate; all have the same number of games."""
    return np.array([np.flatnonzero(games["agent"] == number) for number in candidates])


class StackTracker:
    """The stacks of a batch of games; call `update` whenever pieces were placed."""

    def __init__(self, games: GameRecords, height: int, clearing: str = "standard") -> None:
        self.stacks = np.array([Stack(height=height, clearing=clearing) for _ in games], object)
        self.pieces = np.zeros_like(games["pieces"])
        self.lines = games["lines"].copy()
        self.garbage = count_garbage(games)
        self.update(games)

    def update(self, games: GameRecords) -> None:
        """Update the stacks; if several pieces were placed since the last call, their cells become unknown."""
        placed = (games["pieces"] - self.pieces).tolist()
        garbage = count_garbage(games)
        has_risen = (garbage > self.garbage).tolist()
        has_moved_rows = ((games["lines"] > self.lines) | (garbage > self.garbage)).tolist()
        stacks = self.stacks.tolist()
        for index, placement in enumerate(games["placement"].tolist()):  # lists: arrays would be slower one by one
            if placed[index] == 1 and not has_risen[index]:
                stacks[index] = stacks[index].after_placement(get_placement(OrientedPlacement(*placement)))
            elif placed[index]:
                known = replace(stacks[index], rows=()) if has_moved_rows[index] else stacks[index]
                stacks[index] = add_unknown_cells(known, games["board"][index].tolist())
        self.stacks = np.array(stacks, object)
        self.pieces = games["pieces"].copy()
        self.lines = games["lines"].copy()
        self.garbage = garbage


def count_garbage(games: GameRecords) -> NumpyArray:
    """Return the rows of garbage that each game has received; games with small records have none."""
    has_garbage = games.dtype == FullGameRecord.dtype
    return games["received"].copy() if has_garbage else np.zeros_like(games["pieces"])


def add_unknown_cells(stack: Stack, columns: list[int]) -> Stack:
    """Return a stack with the further cells of a board as unknown cells."""
    board = Stack.from_board(Board(tuple(columns), MAX_ROWS))
    rows = (
        "".join(cell if (known := stack.get_cell(x, y)) == EMPTY_CELL else known for x, cell in enumerate(row))
        for y, row in enumerate(board.rows)
    )
    return replace(stack, rows=tuple(rows))


class ValidationWorkers(Workers):
    """The threads of a GenerationPlayer for validation games, which are played at full speed and not shown."""

    def __init__(self, generation_player: GenerationPlayer) -> None:
        super().__init__(generation_player.executor, generation_player.count, generation_player.description)
        self.generation_player = generation_player

    def play(self, games: GameRecords, engine_settings: EngineSettings, progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place; return whether they were stopped."""
        self.generation_player.is_validating = True
        try:
            return self.generation_player.playback_control.wait_while_paused() or super().play(
                games, engine_settings, self.check_stopped
            )
        finally:
            self.generation_player.is_validating = False

    def check_stopped(self, games: GameRecords) -> None:
        """Wait while playback is paused, and raise KeyboardInterrupt if the games are to be stopped."""
        if self.generation_player.playback_control.wait_while_paused():
            raise KeyboardInterrupt


def get_lowest_piece_count(games: GameRecords) -> int:
    """Return the lowest number of pieces placed in the games in progress, or the highest if all are over."""
    is_playing = games["status"] == STATUS_PLAYING
    return int(games["pieces"][is_playing].min()) if is_playing.any() else int(games["pieces"].max())


def resume_capped_games(games: GameRecords, engine_settings: EngineSettings) -> None:
    """Resume games that stopped at the rising cap of the playback, not at the cap of the settings."""
    is_below_cap = (games["pieces"] < engine_settings.max_pieces) & (games["lines"] < engine_settings.max_lines)
    games["status"][(games["status"] == STATUS_CAPPED) & is_below_cap] = STATUS_PLAYING
