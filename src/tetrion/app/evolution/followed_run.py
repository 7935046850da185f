"""A run that is trained elsewhere or finished: its files are polled, and its games are replayed."""

import threading
from contextlib import suppress
from pathlib import Path

from tetrion.app.crash_log import describe_crash
from tetrion.app.evolution.evolution_session import EvolutionSession, SessionState
from tetrion.app.evolution.playback_control import PlaybackControl
from tetrion.app.evolution.run_history import load_run_history
from tetrion.errors import RunError, TetrionError
from tetrion.training.evolutionary_learner import play_generation
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import METRICS_FILE, Run

_POLL_SECONDS = 1.0
LATEST_GENERATION = -1  # for `select_generation`


class FollowedRun(EvolutionSession):
    """A run that is not trained in this window. By default, the latest generation is replayed whenever one is added."""

    def __init__(self, folder: Path, playback_control: PlaybackControl | None = None) -> None:
        super().__init__(folder, playback_control)
        self.change_condition = threading.Condition()
        self.close_event = threading.Event()
        self.selected_generation = LATEST_GENERATION
        self.replay_requested = False
        self.is_finished = False
        self.is_trained_elsewhere = False
        self.metrics_mtime = 0
        try:
            self.read_files()
        except OSError as error:
            raise RunError(f"{folder} cannot be read: {error.strerror or error}.") from None
        self.reader_thread = threading.Thread(target=self.poll_files, name="tetrion-reader", daemon=True)
        self.thread.start()
        self.reader_thread.start()

    @property
    def follows_latest(self) -> bool:
        """Whether the latest generation is shown."""
        return self.selected_generation == LATEST_GENERATION

    def select_generation(self, number: int) -> None:
        """Replay a generation, counted from 0, or follow the latest one with LATEST_GENERATION."""
        with self.change_condition:
            if number != LATEST_GENERATION:
                number = min(max(0, number), len(self.history) - 1)
            self.selected_generation = number
            self.replay_requested = True
            self.playback_control.is_stopped = True
            self.change_condition.notify_all()

    def select_relative(self, steps: int) -> None:
        """Replay the generation that is `steps` after the current one, or before it if negative."""
        self.select_generation((self.generation - 1 if self.follows_latest else self.selected_generation) + steps)

    def close(self) -> None:
        """Stop the session and its reader thread."""
        with self.change_condition:
            self.close_event.set()
            self.change_condition.notify_all()
        super().close()
        self.reader_thread.join(_POLL_SECONDS)

    def poll_files(self) -> None:
        """Read the files every second; incomplete files are read again a second later."""
        while not self.close_event.wait(_POLL_SECONDS):
            try:
                with suppress(TetrionError, OSError):
                    self.read_files()
            except Exception as error:  # otherwise the thread would end without a message
                self.message = describe_crash(error)
                return

    def read_files(self) -> None:
        """Update the status and the history from the files of the run."""
        modified = (self.folder / METRICS_FILE).stat().st_mtime_ns
        if not self.is_finished or modified != self.metrics_mtime:
            self.is_finished = Run(self.folder).is_finished
        self.is_trained_elsewhere = not self.is_finished and is_being_trained(self.folder)
        if modified != self.metrics_mtime:
            history = load_run_history(self.folder, self.history)
            with self.change_condition:
                self.history = history
                self.metrics_mtime = modified
                self.change_condition.notify_all()

    def play(self) -> SessionState:
        """Replay the selected generations until the session is closed."""
        last_played = None
        while not self.close_event.is_set():
            number = self.get_next_generation(last_played)
            if number is None:
                continue
            last_played = number
            self.generation = number + 1
            self.message = ""
            self.state = SessionState.PLAYING
            try:
                self.replay_generation(number)
            except KeyboardInterrupt:
                continue
            except TetrionError as error:  # other generations may be readable
                self.message = str(error)
                self.state = SessionState.FAILED
        return SessionState.STOPPED

    def get_next_generation(self, last_played: int | None) -> int | None:
        """Return the generation to replay; wait up to a second and return None if there is none."""
        with self.change_condition:
            number = len(self.history) - 1 if self.follows_latest else self.selected_generation
            is_new = number != last_played or self.replay_requested
            if number >= 0 and is_new and not self.close_event.is_set():
                self.replay_requested = False
                self.playback_control.is_stopped = False
                self.playback_control.is_fast_forward = False
                return number
            if self.state is not SessionState.FAILED:
                is_waiting = self.is_trained_elsewhere and self.follows_latest
                self.state = SessionState.WAITING if is_waiting else SessionState.GAMES_OVER
            self.change_condition.wait(_POLL_SECONDS)
            return None

    def replay_generation(self, number: int) -> None:
        """Replay the games of a generation; a learner without a population plays one game as it was after the step."""
        learner = self.recipe.learner_type(self.recipe)
        agents = [
            learner.make_agent_from_parameters(parameters, f"candidate {index}")
            for index, parameters in enumerate(Run(self.folder).load_candidates(number), 1)
        ]
        self.generation_player.begin_generation(self.recipe.games)
        max_pieces = int(self.history.max_pieces[number])
        play_generation(agents, self.recipe, number, max_pieces, TrainingWorkers(self.generation_player))


def is_being_trained(folder: Path) -> bool:
    """Return whether another process holds the lock of a run folder."""
    try:
        with lock_folder(folder):
            return False
    except RunError:
        return True
