"""Training in the window, with bit-identical results to `tetrion train`."""

import time
from contextlib import suppress
from pathlib import Path

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.playback_control import UNLIMITED_SPEED, PlaybackControl
from tetrion.app.evolution.run_history import load_run_history
from tetrion.errors import RunError
from tetrion.training.trainer import TrainingProgress, resume

_HISTORY_READ_SECONDS = 0.5  # shortest time between two reads of the files of a run


class LiveTraining(EvolutionSession):
    """A run that is trained in this window."""

    def __init__(
        self, folder: Path, playback_control: PlaybackControl | None = None, allow_other_versions: bool = False
    ) -> None:
        super().__init__(folder, playback_control)
        self.allow_other_versions = allow_other_versions
        self.finished_generations = -1
        self.last_read = 0.0
        self.has_unread_generations = False
        self.thread.start()

    def play(self) -> SessionState:
        """Train until the run is finished."""
        resume(
            self.folder,
            executor=self.generation_player,
            allow_other_versions=self.allow_other_versions,
            on_progress=self.observe,
        )
        self.history = load_run_history(self.folder, self.history)
        return SessionState.FINISHED

    def observe(self, progress: TrainingProgress) -> None:
        """Follow the progress of training: prepare for the next generation, or show that the final games are played."""
        if progress.done == self.finished_generations:
            return
        self.finished_generations = progress.done
        self.playback_control.is_fast_forward = False
        self.has_unread_generations = True
        is_last = progress.done == progress.planned
        if is_last or self.playback_control.speed < UNLIMITED_SPEED:
            self.update_history()
        self.generation = min(progress.done + 1, progress.planned)
        if not is_last:
            self.generation_player.begin_generation(self.recipe.games)
        self.state = SessionState.FINAL_GAMES if is_last else SessionState.PLAYING

    def update_history(self) -> None:
        """Read the history from the files of the run."""
        self.has_unread_generations = False
        self.last_read = time.monotonic()
        self.history = load_run_history(self.folder, self.history)

    def make_snapshot(self) -> SessionSnapshot:
        """Return the current state; the history is read at most twice per second."""
        if self.has_unread_generations and time.monotonic() - self.last_read >= _HISTORY_READ_SECONDS:
            with suppress(RunError, OSError):
                self.update_history()
        return super().make_snapshot()
