"""Training that is watched while it happens: the same run to the bit as `tetrion train` makes."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.generation_player import BOARDS_UPDATE_SECONDS, GenerationPlayer, GenerationView
from tetrion.app.evolution.playback_speed import UNLIMITED_SPEED, PlaybackSpeed, PlaybackStep
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

_HISTORY_READ_SECONDS = 0.5  # seconds between two readings of a run's files where generations take less


class LiveTraining(EvolutionSession, TrainingObserver):
    """A run that is trained here."""

    def __init__(
        self, folder: Path, playback_speed: PlaybackSpeed | None = None, allow_other_versions: bool = False
    ) -> None:
        super().__init__(folder, playback_speed)
        self.allow_other_versions = allow_other_versions
        self.last_read = 0.0
        self.has_unread_generations = False
        self.thread.start()

    def play(self) -> SessionState:
        """Train to the end."""
        resume(
            self.folder, workers=self.generation_player, allow_other_versions=self.allow_other_versions, observer=self
        )
        self.history = load_run_history(self.folder, self.history)
        return SessionState.FINISHED

    def on_begin(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""
        if isinstance(learner, QLearner):
            learner.algorithm.environment = VisibleDealer(learner, self.generation_player)
        self.history = load_run_history(self.folder)
        self.begin_generation(learner)
        self.state = SessionState.PLAYING

    def on_step(self, learner: Learner) -> None:
        """A generation has ended; the next one goes on at its usual pace."""
        self.playback_speed.is_fast_forward = False
        self.has_unread_generations = True
        if self.playback_speed.speed < UNLIMITED_SPEED:
            self.update_history()
        if not learner.is_done():
            self.begin_generation(learner)

    def update_history(self) -> None:
        """Read how it went so far."""
        self.has_unread_generations = False
        self.last_read = time.monotonic()
        self.history = load_run_history(self.folder, self.history)

    def make_snapshot(self) -> SessionSnapshot:
        """What is to be seen now; generations that fly by are read about twice a second."""
        if self.has_unread_generations and time.monotonic() - self.last_read >= _HISTORY_READ_SECONDS:
            with suppress(RunError, OSError):
                self.update_history()
        return super().make_snapshot()

    def begin_generation(self, learner: Learner) -> None:
        """The next generation is about to play."""
        self.generation = min(len(learner.metric_rows) + 1, self.max_generations)
        self.generation_player.begin_generation(self.recipe.games)

    def on_finals(self) -> None:
        """The end has come."""
        self.history = load_run_history(self.folder, self.history)
        self.state = SessionState.FINAL_GAMES

    def on_finish(self, learner: Learner, result: TrainingResult) -> None:
        """All is done and kept."""
        self.state = SessionState.FINISHED


class VisibleDealer(GameEnvironment):
    """A Q-learner's dealer whose games are seen on a stage; it deals and places as any other."""

    def __init__(self, learner: QLearner, stage: GenerationPlayer) -> None:
        settings = learner.algorithm.settings
        start: Mapping[str, float] = INITIAL_WEIGHTS[settings.features]
        super().__init__(Rules.parse(learner.recipe.rules), start, float(settings.bias))
        self.generation_player = stage
        self.view_setting = self.settings._replace(max_pieces=settings.max_pieces)

    def begin_game(self, seed: int, number: int) -> None:
        """Deal the first piece of a game of a seed."""
        super().begin_game(seed, number)
        self.view = GenerationView(self.games, self.view_setting, GamesSettings(), None, None)

    def place(self, place: int) -> int:
        """Let the current piece come to rest at the stage's pace."""
        if (
            self.generation_player.playback_speed.wait_for_step(
                lambda: self.generation_player.update_boards(self.view, self.games, 0)
            )
            is PlaybackStep.STOP
        ):
            raise KeyboardInterrupt
        lines = super().place(place)
        self.view.update(self.games)
        over = self.game["status"] != STATUS_PLAYING
        self.generation_player.update_boards(self.view, self.games, 0 if over else BOARDS_UPDATE_SECONDS)
        return lines
