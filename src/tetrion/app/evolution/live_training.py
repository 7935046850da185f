"""Training in the window, with bit-identical results to `tetrion train`."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.generation_player import BOARDS_UPDATE_SECONDS, GenerationPlayer, GenerationView
from tetrion.app.evolution.playback_control import UNLIMITED_SPEED, PlaybackControl, PlaybackStep
from tetrion.app.evolution.run_history import load_run_history
from tetrion.engine.batch_play import STATUS_PLAYING
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.training.fitness import GamesSettings
from tetrion.training.learner import Learner
from tetrion.training.q_learner import QLearner
from tetrion.training.q_learning import INITIAL_WEIGHTS, GameEnvironment
from tetrion.training.trainer import TrainingObserver, resume
from tetrion.training.validation import TrainingResult

_HISTORY_READ_SECONDS = 0.5  # shortest time between two reads of the files of a run


class LiveTraining(EvolutionSession, TrainingObserver):
    """A run that is trained in this window."""

    def __init__(
        self, folder: Path, playback_control: PlaybackControl | None = None, allow_other_versions: bool = False
    ) -> None:
        super().__init__(folder, playback_control)
        self.allow_other_versions = allow_other_versions
        self.last_read = 0.0
        self.has_unread_generations = False
        self.thread.start()

    def play(self) -> SessionState:
        """Train until the run is finished."""
        resume(
            self.folder, workers=self.generation_player, allow_other_versions=self.allow_other_versions, observer=self
        )
        self.history = load_run_history(self.folder, self.history)
        return SessionState.FINISHED

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Show the first games when training starts or resumes."""
        if isinstance(learner, QLearner):
            learner.algorithm.environment = VisibleEnvironment(learner, self.generation_player)
        self.history = load_run_history(self.folder)
        self.begin_generation(learner)
        self.state = SessionState.PLAYING

    def on_step(self, learner: Learner) -> None:
        """End fast-forward and update the history when a generation has ended."""
        self.playback_control.is_fast_forward = False
        self.has_unread_generations = True
        if self.playback_control.speed < UNLIMITED_SPEED:
            self.update_history()
        if not learner.is_done():
            self.begin_generation(learner)

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

    def begin_generation(self, learner: Learner) -> None:
        """Prepare for the next generation."""
        self.generation = min(len(learner.metric_rows) + 1, self.max_generations)
        self.generation_player.begin_generation(self.recipe.games)

    def on_finals(self) -> None:
        """Show that the final games are being played."""
        self.history = load_run_history(self.folder, self.history)
        self.state = SessionState.FINAL_GAMES

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """Show that the run is finished."""
        self.state = SessionState.FINISHED


class VisibleEnvironment(GameEnvironment):
    """The game environment of a Q-learner with visible games; its results are identical to those of GameEnvironment."""

    def __init__(self, learner: QLearner, generation_player: GenerationPlayer) -> None:
        settings = learner.algorithm.settings
        initial_weights: Mapping[str, float] = INITIAL_WEIGHTS[settings.features]
        super().__init__(Rules.parse(learner.recipe.rules), initial_weights, float(settings.bias))
        self.generation_player = generation_player
        self.view_settings = self.settings._replace(max_pieces=settings.max_pieces)

    def begin_game(self, seed: int, number: int) -> None:
        """Start a game with a seed and deal its first piece."""
        super().begin_game(seed, number)
        self.view = GenerationView(self.games, self.view_settings, GamesSettings(), None, None)

    def place(self, encoded_placement: int) -> int:
        """Place the current piece at the playback speed and return the number of cleared lines."""
        player = self.generation_player
        step = player.playback_control.wait_for_step(lambda: player.update_boards(self.view, self.games, 0))
        if step is PlaybackStep.STOP:
            raise KeyboardInterrupt
        lines = super().place(encoded_placement)
        self.view.update(self.games)
        is_over = self.game.status != STATUS_PLAYING
        player.update_boards(self.view, self.games, 0 if is_over else BOARDS_UPDATE_SECONDS)
        return lines
