"""The visible games of a generation, and their playback: speed, pause, fast-forward and stop.

All games advance together, one piece at a time: the engine plays them up to a rising cap on the number of pieces.
This does not change how a game ends.
"""

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tetrion.board import EMPTY_CELL, Board, get_placement
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, select_fastest_play
from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import FullGameRecord, GameRecords, join_records
from tetrion.engine.rules import CLEARINGS
from tetrion.evaluation.workers import GamesObserver, Workers
from tetrion.stack import Stack
from tetrion.training.fitness import GamesSettings, compute_fitness_of_rows
from tetrion.training.optimisers.optimiser import NumpyArray

UNLIMITED_SPEED = math.inf  # moves per second
_CATCH_UP_SECONDS = 0.05  # a longer delay is not caught up
_MAX_WAIT_SECONDS = 0.02  # until a change of the playback takes effect
_BOARDS_UPDATE_SECONDS = 1 / 60
_FAST_FORWARD_SECONDS = 0.1
_INITIAL_FAST_FORWARD_PIECES = 100
_TRACKED_PIECES = 40  # placed one by one at the end of a fast-forward step, so that most cells have a known piece
_SLOW_STEP_SECONDS = 0.02  # longer steps are played on all threads


PlaybackStep = Literal["one piece", "fast forward", "stop"]  # the next action of the thread that plays


class PlaybackControl:
    """The playback of a session: set by the window, and polled by the thread that plays."""

    def __init__(self, speed: float = 60.0) -> None:
        self.speed = speed  # moves per second
        self.is_paused = False
        self.is_fast_forward = False  # until the current games have ended
        self.is_stopped = False
        self._due_moves = 1.0
        self._last_update = time.monotonic()

    def skip(self) -> None:
        """Play the current games to their ends as fast as possible; this ends a pause."""
        self.is_paused = False
        self.is_fast_forward = True

    def wait_for_step(self, before_wait: Callable[[], None] = lambda: None) -> PlaybackStep:
        """Wait until the next step is due and return it; `before_wait` is called before each wait."""
        while not self.is_stopped:
            if not self.is_paused and (self.is_fast_forward or self.speed == UNLIMITED_SPEED):
                return "fast forward"
            seconds = self._compute_wait_seconds()
            if not seconds:
                self._due_moves -= 1
                return "one piece"
            before_wait()
            time.sleep(min(seconds, _MAX_WAIT_SECONDS))
        return "stop"

    def _compute_wait_seconds(self) -> float:
        """Return the time until the next piece is due."""
        now = time.monotonic()
        elapsed = now - self._last_update
        self._last_update = now
        if self.is_paused:
            return math.inf
        speed = min(self.speed, 1e9)
        self._due_moves = min(self._due_moves + elapsed * speed, 1 + _CATCH_UP_SECONDS * speed)
        return max(0.0, (1 - self._due_moves) / speed)


@dataclass(frozen=True, eq=False)
class GenerationBoards:
    """An immutable snapshot of the games of all candidates, one board per candidate."""

    stacks: NumpyArray
    games: GameRecords  # the games shown
    all_games: GameRecords  # of the generation so far
    is_playing: NumpyArray  # whether the candidate has a game in progress
    fitness: NumpyArray  # of the games so far
    games_per_candidate: int
    pieces_placed: int
    max_pieces: int | None  # None: unlimited

    def __len__(self) -> int:
        return len(self.fitness)

    @property
    def is_lost(self) -> NumpyArray:
        """Whether the game shown is over."""
        return np.asarray(self.games["status"] == STATUS_OVER)


class GenerationView:
    """The games of a halving round, reduced to one board and one fitness per candidate."""

    def __init__(
        self,
        games: GameRecords,
        engine_settings: EngineSettings,
        games_settings: GamesSettings,
        previous_boards: GenerationBoards | None = None,
    ) -> None:
        self.games = games
        self.engine_settings = engine_settings
        self.games_settings = games_settings
        self.previous_boards = previous_boards
        self.has_changed = True
        rules = engine_settings.rules[0]
        self.stack_tracker = StackTracker(games, int(rules.height), list(CLEARINGS)[rules.clearing])
        self.candidates = np.unique(games["agent"])
        self.game_indices = find_game_indices(games, self.candidates)
        self.earlier_games = games[:0] if previous_boards is None else previous_boards.all_games
        earlier_indices = find_game_indices(self.earlier_games, self.candidates)
        self.all_indices = np.hstack([earlier_indices, self.game_indices + len(self.earlier_games)])

    @property
    def is_over(self) -> bool:
        """Whether no game is in progress."""
        return not (self.games["status"] == STATUS_PLAYING).any()

    @property
    def lowest_piece_count(self) -> int:
        """The lowest number of pieces placed in the games in progress, or the highest if all are over."""
        is_playing = self.games["status"] == STATUS_PLAYING
        return int(self.games["pieces"][is_playing].min() if is_playing.any() else self.games["pieces"].max())

    def resume_capped_games(self) -> None:
        """Resume games that stopped at the rising cap of the playback, not at the cap of the settings."""
        games, settings = self.games, self.engine_settings
        is_below_cap = (games["pieces"] < settings.max_pieces) & (games["lines"] < settings.max_lines)
        games["status"][(games["status"] == STATUS_CAPPED) & is_below_cap] = STATUS_PLAYING

    def update(self) -> None:
        """Track the pieces that were placed in the games."""
        self.stack_tracker.update(self.games)
        self.has_changed = True

    def make_boards(self) -> GenerationBoards:
        """Return a snapshot; each candidate shows its first game in progress, or its first game if all are over.

        Candidates that were eliminated by successive halving keep their last boards.
        """
        games, settings = self.games, self.engine_settings
        is_playing = (games["status"] == STATUS_PLAYING)[self.game_indices]
        shown = self.game_indices[np.arange(len(self.candidates)), is_playing.argmax(axis=1)]
        all_games = join_records([self.earlier_games, games])
        rows = {
            "stacks": self.stack_tracker.stacks[shown],
            "games": games[shown],
            "is_playing": is_playing.any(axis=1),
            "fitness": compute_fitness_of_rows(all_games[self.all_indices], self.games_settings),
        }
        if self.previous_boards is not None:
            for name, values in rows.items():
                rows[name] = getattr(self.previous_boards, name).copy()
                rows[name][self.candidates] = values
        return GenerationBoards(
            **rows,
            all_games=all_games,
            games_per_candidate=self.game_indices.shape[1],
            pieces_placed=int(games["pieces"].max()),
            max_pieces=None if settings.max_pieces == UNLIMITED else settings.max_pieces,
        )


def find_game_indices(games: GameRecords, candidates: NumpyArray) -> NumpyArray:
    """Return the indices of the games of candidates, one row per candidate; all have the same number of games."""
    return np.array([np.flatnonzero(games["agent"] == number) for number in candidates])


class StackTracker:
    """The stacks of a batch of games; call `update` whenever pieces were placed."""

    def __init__(self, games: GameRecords, height: int, clearing: str = "standard") -> None:
        self.stacks = np.array([Stack(height=height, clearing=clearing) for _ in games], object)
        self.last_games = games.copy()
        self.last_games["pieces"] = 0
        self.update(games)

    def update(self, games: GameRecords) -> None:
        """Update the stacks; if several pieces were placed since the last call, their cells become unknown."""
        last, self.last_games = self.last_games, games.copy()
        placed = (games["pieces"] - last["pieces"]).tolist()
        has_risen = count_garbage(games) > count_garbage(last)
        has_moved_rows = ((games["lines"] > last["lines"]) | has_risen).tolist()
        can_place = (~has_risen).tolist()  # lists: arrays would be slower one by one
        stacks = self.stacks.tolist()
        for index, placement in enumerate(games["placement"].tolist()):
            if placed[index] == 1 and can_place[index]:
                stacks[index] = stacks[index].after_placement(get_placement(OrientedPlacement(*placement)))
            elif placed[index]:
                known = replace(stacks[index], rows=()) if has_moved_rows[index] else stacks[index]
                stacks[index] = add_unknown_cells(known, games["board"][index].tolist())
        self.stacks = np.array(stacks, object)


def count_garbage(games: GameRecords) -> NumpyArray:
    """Return the rows of garbage that each game has received; games with small records have none."""
    has_garbage = games.dtype == FullGameRecord.dtype
    return games["received"] if has_garbage else np.zeros_like(games["pieces"])


def add_unknown_cells(stack: Stack, columns: list[int]) -> Stack:
    """Return a stack with the further cells of a board as unknown cells."""
    board = Stack.from_board(Board(tuple(columns), MAX_ROWS))
    rows = (
        "".join(cell if (known := stack.get_cell(x, y)) == EMPTY_CELL else known for x, cell in enumerate(row))
        for y, row in enumerate(board.rows)
    )
    return replace(stack, rows=tuple(rows))


class GenerationPlayer(Workers):
    """Threads of this machine that play visible games; `boards` is the last snapshot of them."""

    def __init__(self, playback_control: PlaybackControl) -> None:
        count = max(1, (os.cpu_count() or 1) - 1)  # one core is left for the window
        super().__init__(ThreadPoolExecutor(count, "tetrion-games"), count, f"the window's {count} threads")
        self.playback_control = playback_control
        self.boards: GenerationBoards | None = None
        self.is_validating = False
        self.fast_forward_pieces = _INITIAL_FAST_FORWARD_PIECES
        self._is_step_slow = False
        self._last_shown = 0.0
        self._learner_view: GenerationView | None = None  # of the game that a learner plays itself
        self.begin_generation(GamesSettings())

    def close(self) -> None:
        """Stop the threads without waiting for one that compiles."""
        self.executor.shutdown(wait=False, cancel_futures=True)

    def begin_generation(self, settings: GamesSettings) -> None:
        """Prepare for a new generation; the boards of the last one stay visible until it plays."""
        self.games_settings = settings
        self.previous_boards: GenerationBoards | None = None  # of the last halving round in this generation

    @property
    def validation_workers(self) -> Workers:
        """The worker threads for validation games, which are not shown."""
        return ValidationWorkers(self)

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends at the playback speed, in place; return whether they were stopped."""
        view = GenerationView(games, settings, self.games_settings, self.previous_boards)
        while not view.is_over:
            step = self.playback_control.wait_for_step(lambda: self.update_boards(view))
            if step == "stop":
                return True
            if step == "one piece":
                self.place_pieces(view, 1)
            else:
                self.fast_forward(view)
            self.update_boards(view, _BOARDS_UPDATE_SECONDS)
        view.has_changed = True
        self.update_boards(view)
        if on_progress:
            on_progress(games)
        self.previous_boards = self.boards
        return False

    def show_game(self, game: GameRecords, settings: EngineSettings) -> None:
        """Show a game that a learner plays itself, and wait until its next piece is due.

        Raise KeyboardInterrupt if the game is to be stopped.
        """
        view = self._learner_view
        if view is None or game is not view.games:
            view = self._learner_view = GenerationView(game, settings, self.games_settings)
        view.update()
        is_over = view.is_over or game["pieces"][0] >= settings.max_pieces
        self.update_boards(view, 0 if is_over else _BOARDS_UPDATE_SECONDS)
        if not is_over and self.playback_control.wait_for_step(lambda: self.update_boards(view)) == "stop":
            raise KeyboardInterrupt

    def place_pieces(self, view: GenerationView, count: int) -> None:
        """Place a number of pieces in every game; a single one on this thread, if that is fast enough."""
        start = time.perf_counter()
        settings = view.engine_settings
        capped = settings._replace(max_pieces=min(settings.max_pieces, view.lowest_piece_count + count))
        if count > 1 or self._is_step_slow:
            super().play(view.games, capped, self.check_stopped)
        else:
            select_fastest_play(settings)(view.games, capped, UNLIMITED)
        if count == 1:
            self._is_step_slow = time.perf_counter() - start > _SLOW_STEP_SECONDS
        view.update()
        view.resume_capped_games()

    def fast_forward(self, view: GenerationView) -> None:
        """Play for about a tenth of a second on all threads; the last pieces of a long step are placed one by one."""
        tracked = min(_TRACKED_PIECES, self.fast_forward_pieces // 10)
        untracked = view.engine_settings.max_pieces - view.lowest_piece_count - tracked
        if untracked > 0:
            start = time.perf_counter()
            self.place_pieces(view, min(self.fast_forward_pieces, untracked))
            seconds = max(time.perf_counter() - start, 1e-6)
            self.fast_forward_pieces = max(1, int(self.fast_forward_pieces * min(_FAST_FORWARD_SECONDS / seconds, 10)))
        for _ in range(tracked):
            if not view.is_over and not self.playback_control.is_stopped:
                self.place_pieces(view, 1)

    def check_stopped(self, games: GameRecords | None = None) -> None:
        """Wait while playback is paused, and raise KeyboardInterrupt if it is stopped; called while threads play."""
        while self.playback_control.is_paused and not self.playback_control.is_stopped:
            time.sleep(_MAX_WAIT_SECONDS)
        if self.playback_control.is_stopped:
            raise KeyboardInterrupt

    def update_boards(self, view: GenerationView, seconds: float = 0) -> None:
        """Update `boards` if the games have changed and the last update is at least `seconds` old."""
        if view.has_changed and time.monotonic() - self._last_shown >= seconds:
            self.boards = view.make_boards()
            self._last_shown = time.monotonic()
            view.has_changed = False


class ValidationWorkers(Workers):
    """The threads of a GenerationPlayer for validation games, which are played at full speed and not shown."""

    def __init__(self, player: GenerationPlayer) -> None:
        super().__init__(player.executor, player.count, player.description)
        self.player = player

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place; return whether they were stopped."""
        self.player.is_validating = True
        try:
            return super().play(games, settings, self.player.check_stopped)
        finally:
            self.player.is_validating = False
