"""A run on the evolution screen: trained in this window, or finished or trained elsewhere and replayed."""

import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from enum import Enum
from pathlib import Path

from tetrion.agents.run_folders import BEST_AGENT_FILE
from tetrion.app.crash_log import describe_crash
from tetrion.app.evolution.generation_player import GenerationBoards, GenerationPlayer, PlaybackControl
from tetrion.errors import TetrionError, VersionError
from tetrion.training.evolutionary_learner import play_generation
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.folder_locks import is_folder_locked
from tetrion.training.run import METRICS_FILE, Run
from tetrion.training.trainer import resume
from tetrion.training.training_progress import TrainingProgress

_READ_SECONDS = 0.5  # between two looks at the files of a run
_IDLE_SECONDS = 0.05  # between two looks for a generation to replay
_CLOSE_SECONDS = 10.0  # to wait for the thread when the window closes
_CLOSE_SECONDS_COMPILING = 0.2  # while the engine is compiled, which cannot be interrupted


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
