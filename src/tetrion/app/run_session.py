"""A run on the evolution screen: trained in this window, or finished or trained elsewhere and replayed.

All visible games of a generation advance together, one piece at a time: the engine plays them up to a rising cap on
the number of pieces. This does not change how a game ends.
"""

import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Literal

import numpy as np

from tetrion.agents.run_folders import BEST_AGENT_FILE
from tetrion.app.background_task import describe_crash
from tetrion.board import EMPTY_CELL, Board, get_placement
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, select_fastest_play
from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import FullGameRecord, GameRecords, join_records
from tetrion.engine.rules import CLEARINGS
from tetrion.errors import TetrionError, VersionError
from tetrion.evaluation.workers import GamesObserver, Workers
from tetrion.stack import Stack
from tetrion.training.evolutionary_learner import play_generation
from tetrion.training.fitness import GamesSettings, TrainingWorkers, compute_fitness_of_rows
from tetrion.training.folder_locks import is_folder_locked
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run import METRICS_FILE, Run
from tetrion.training.trainer import resume
from tetrion.training.training_progress import TrainingProgress

UNLIMITED_SPEED = math.inf  # moves per second
_CATCH_UP_SECONDS = 0.05  # a longer delay is not caught up
_MAX_WAIT_SECONDS = 0.02  # until a change of the playback takes effect
_BOARDS_UPDATE_SECONDS = 1 / 60
_FAST_FORWARD_SECONDS = 0.1
_INITIAL_FAST_FORWARD_PIECES = 100
_TRACKED_PIECES = 40  # placed one by one at the end of a fast-forward step, so that most cells have a known piece
_SLOW_STEP_SECONDS = 0.02  # longer steps are played on all threads


PlaybackStep = Literal["one piece", "fast forward", "stop"]  # the next action of the thread that plays
_READ_SECONDS = 0.5  # between two looks at the files of a run
_IDLE_SECONDS = 0.05  # between two looks for a generation to replay
_CLOSE_SECONDS = 10.0  # to wait for the thread when the window closes
_CLOSE_SECONDS_COMPILING = 0.2  # while the engine is compiled, which cannot be interrupted


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
        if count > 1 or self._is_step_slow:  # handing a fast step to threads would take longer than playing it
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


# Sessions.


class SessionState(Enum):
    """The state of a session; the values are shown in the window, with the name of a training step."""

    PREPARING = "Loading the engine"
    PLAYING = "Playing"
    VALIDATING = "Playing validation games"
    FINAL_GAMES = "Playing the final games"
    WAITING = "Waiting for the next {step}"
    GAMES_OVER = "All games over"  # of a generation that is replayed
    STOPPED = "Stopped"
    FINISHED = "Finished"
    FAILED = "Failed"


class RunSession(ABC):
    """A run that is watched. One thread plays games and another reads the files of the run, until `close`."""

    def __init__(self, folder: Path, playback_control: PlaybackControl) -> None:
        self.folder = folder
        self.run = Run(folder)  # as it was read last
        self.recipe = self.run.recipe
        self.step_name = self.recipe.learner_type.step_name
        self.playback_control = playback_control
        self.generation_player = GenerationPlayer(playback_control)
        self.thread_state = SessionState.PREPARING
        self.message = ""  # the error message, or ""
        self.has_other_versions = False  # whether training failed because the run was trained with other versions
        self.generation = 0  # the generation or episode shown, counted from 1; 0 before the first
        self.generation_count = 0  # finished generations or episodes
        self.step_pieces = (0, 0)  # of the current iteration of a learner without boards: placed, and in all
        self.is_finished = False
        self.is_trained_elsewhere = False  # by another program
        self.metrics_time = -1
        self.lock = threading.Lock()  # of the requests that stop a game
        self.close_event = threading.Event()
        self.read_files()
        self.thread = threading.Thread(target=self.run_thread, name="tetrion-session", daemon=True)
        self.reader_thread = threading.Thread(target=self.poll_files, name="tetrion-reader", daemon=True)
        self.thread.start()
        self.reader_thread.start()

    @property
    def has_boards(self) -> bool:
        """Whether games are shown; temporal differences learn from too many at once, and cannot be replayed."""
        return self.recipe.learner_type.has_parameters

    @property
    def has_agent(self) -> bool:
        """Whether the run has an agent that can play."""
        return (self.folder / BEST_AGENT_FILE).is_file()

    @property
    def boards(self) -> GenerationBoards | None:
        """The boards of the generation shown; None before the first."""
        return self.generation_player.boards

    @property
    def state(self) -> SessionState:
        """The state that is shown; while the engine is loaded or compiled there are no boards."""
        if self.thread_state is not SessionState.PLAYING:
            return self.thread_state
        if self.has_boards and self.boards is None:
            return SessionState.PREPARING
        return SessionState.VALIDATING if self.generation_player.is_validating else SessionState.PLAYING

    @property
    def is_over(self) -> bool:
        """Whether the session has ended."""
        return self.state in (SessionState.STOPPED, SessionState.FINISHED, SessionState.FAILED)

    @property
    def is_resting(self) -> bool:
        """Whether no games are played."""
        return self.is_over or self.state in (SessionState.GAMES_OVER, SessionState.WAITING)

    @property
    def content(self) -> tuple[object, ...]:
        """Everything that is shown; equal as long as nothing has changed."""
        status = self.is_finished, self.is_trained_elsewhere
        return self.state, self.message, self.generation, self.boards, self.step_pieces, self.run, status

    def close(self) -> None:
        """Stop the session; finished generations stay saved."""
        with self.lock:
            self.close_event.set()
            self.playback_control.is_stopped = True
        self.thread.join(_CLOSE_SECONDS_COMPILING if self.state is SessionState.PREPARING else _CLOSE_SECONDS)
        self.generation_player.close()
        self.reader_thread.join(_CLOSE_SECONDS)
        with suppress(TetrionError, OSError):
            self.read_files()

    def run_thread(self) -> None:
        """Run `play` and set the state that it ended with."""
        try:
            self.thread_state = self.play()
        except KeyboardInterrupt:
            self.thread_state = SessionState.STOPPED
        except Exception as error:  # otherwise the screen would wait forever
            is_expected = isinstance(error, TetrionError | OSError)
            self.message = str(error) if is_expected else describe_crash(error)
            self.has_other_versions = isinstance(error, VersionError)
            self.thread_state = SessionState.FAILED

    def poll_files(self) -> None:
        """Read the files again and again; incomplete files are read a moment later."""
        while not self.close_event.wait(_READ_SECONDS):
            try:
                with suppress(TetrionError, OSError):
                    self.read_files()
            except Exception as error:  # otherwise the thread would end without a message
                self.message = describe_crash(error)
                return

    def read_files(self) -> None:
        """Read the metrics of the run, and whether it is finished, if its files have changed."""
        path = self.folder / METRICS_FILE
        modified = path.stat().st_mtime_ns if path.exists() else 0
        if self.is_finished and modified == self.metrics_time:
            return
        run = Run(self.folder)
        self.is_finished = run.is_finished
        if modified != self.metrics_time:
            self.generation_count = run.generation_count  # raises RunError if the metrics are damaged
            self.run = run
            self.metrics_time = modified

    @abstractmethod
    def play(self) -> SessionState:
        """Play until nothing is left to do; return the final state."""


class LiveTraining(RunSession):
    """A run that is trained in this window, with bit-identical results to `tetrion train`."""

    finished_generations = -1

    def __init__(self, folder: Path, playback_control: PlaybackControl, allow_other_versions: bool = False) -> None:
        self.allow_other_versions = allow_other_versions
        super().__init__(folder, playback_control)

    def play(self) -> SessionState:
        """Train until the run is finished."""
        resume(
            self.folder,
            executor=self.generation_player,
            allow_other_versions=self.allow_other_versions,
            on_progress=self.observe,
        )
        self.read_files()
        return SessionState.FINISHED

    def observe(self, progress: TrainingProgress) -> None:
        """Follow the progress of training: prepare for the next generation, or show that the final games are played."""
        self.generation_player.check_stopped()
        if (pieces := progress.learner.pieces_per_step) and progress.pieces_left is not None:
            placed = (progress.planned - progress.done) * pieces - progress.pieces_left
            self.step_pieces = round(placed), pieces
        if progress.done == self.finished_generations:
            return
        self.finished_generations = progress.done
        self.playback_control.is_fast_forward = False
        self.generation = min(progress.done + 1, progress.planned)
        if progress.done == progress.planned:
            self.thread_state = SessionState.FINAL_GAMES
        else:
            self.generation_player.begin_generation(self.recipe.games)
            self.thread_state = SessionState.PLAYING


class FollowedRun(RunSession):
    """A run that is not trained in this window. By default, the latest generation is replayed whenever one is added."""

    selected_generation: int | None = None  # counted from 0; None for the latest one
    replay_requested = False

    def select_relative(self, steps: int) -> None:
        """Replay the generation that is `steps` after the selected one, or before it if negative."""
        latest = self.generation_count - 1
        with self.lock:
            number = max(0, (latest if self.selected_generation is None else self.selected_generation) + steps)
            self.selected_generation = number if number < latest else None
            self.replay_requested = True
            self.playback_control.is_stopped = True

    def read_files(self) -> None:
        """Read the metrics and the status of the run, if its files have changed."""
        super().read_files()
        self.is_trained_elsewhere = not self.is_finished and is_folder_locked(self.folder)

    def play(self) -> SessionState:
        """Replay the selected generations until the session is closed."""
        last_played = None
        while not self.close_event.is_set():
            with self.lock:
                selected = self.selected_generation
                number = self.generation_count - 1 if selected is None else selected
                must_play = self.has_boards and number >= 0 and (number != last_played or self.replay_requested)
                if must_play:
                    self.replay_requested = False
                    self.playback_control.is_stopped = self.close_event.is_set()
                    self.playback_control.is_fast_forward = False
            if must_play:
                last_played = number
                self.replay_generation(number)
                continue
            if self.thread_state is not SessionState.FAILED:
                is_waiting = self.is_trained_elsewhere and selected is None
                self.thread_state = SessionState.WAITING if is_waiting else SessionState.GAMES_OVER
            if not self.has_boards:
                self.generation = self.generation_count
                self.thread_state = SessionState.FINISHED if self.is_finished else self.thread_state
            self.close_event.wait(_IDLE_SECONDS)
        return SessionState.STOPPED

    def replay_generation(self, number: int) -> None:
        """Replay the games of a generation; a learner without a population plays one game as it was after the step."""
        self.generation = number + 1
        self.message = ""
        self.thread_state = SessionState.PLAYING
        self.generation_player.begin_generation(self.recipe.games)
        learner = self.recipe.learner_type(self.recipe)
        try:
            agents = [
                learner.make_agent_from_parameters(parameters, f"candidate {index}")
                for index, parameters in enumerate(Run(self.folder).load_candidates(number), 1)
            ]
            max_pieces = getattr(self.recipe.settings, "max_pieces", 0)
            if self.run.has_population:
                max_pieces = int(self.run.metrics["max_pieces"][number])
            play_generation(agents, self.recipe, number, max_pieces, TrainingWorkers(self.generation_player))
        except KeyboardInterrupt:
            return
        except TetrionError as error:  # other generations may be readable
            self.message = str(error)
            self.thread_state = SessionState.FAILED
