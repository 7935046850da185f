"""Training that is watched while it happens: the same run to the bit as `tetrion train` makes."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tetrion.app.evolution.history import read_history
from tetrion.app.evolution.pace import FASTEST, Pace, Turn
from tetrion.app.evolution.session import Session, Snapshot, State
from tetrion.app.evolution.stage import SHOWN, Stage, View
from tetrion.engine.play import PLAYING
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.training.fitness import GamesSettings
from tetrion.training.judging import Result
from tetrion.training.learner import Learner
from tetrion.training.q_training import QTraining
from tetrion.training.qlearning import STARTS, Dealer
from tetrion.training.trainer import Spectator, resume

READ_AGAIN = 0.5  # seconds between two readings of a run's files where generations take less


class Evolving(Session, Spectator):
    """A run that is trained here."""

    def __init__(self, folder: Path, pace: Pace | None = None, other_versions: bool = False) -> None:
        super().__init__(folder, pace)
        self.other_versions, self.read_at, self.unread = other_versions, 0.0, False
        self.thread.start()

    def play(self) -> State:
        """Train to the end."""
        resume(self.folder, workers=self.stage, other_versions=self.other_versions, spectator=self)
        self.history = read_history(self.folder, self.history)
        return State.FINISHED

    def begins(self, learner: Learner, workers: str) -> None:
        """Training begins, or goes on."""
        if isinstance(learner, QTraining):
            learner.learner.dealer = SeenDealer(learner, self.stage)
        self.history = read_history(self.folder)
        self.open(learner)
        self.state = State.PLAYING

    def learned(self, learner: Learner) -> None:
        """A generation has ended; the next one goes on at its usual pace."""
        self.pace.hasty = False
        self.unread = True
        if self.pace.speed < FASTEST:
            self.read()
        if not learner.done():
            self.open(learner)

    def read(self) -> None:
        """Read how it went so far."""
        self.unread, self.read_at = False, time.monotonic()
        self.history = read_history(self.folder, self.history)

    def snapshot(self) -> Snapshot:
        """What is to be seen now; generations that fly by are read about twice a second."""
        if self.unread and time.monotonic() - self.read_at >= READ_AGAIN:
            with suppress(RunError, OSError):
                self.read()
        return super().snapshot()

    def open(self, learner: Learner) -> None:
        """The next generation is about to play."""
        self.step = min(len(learner.rows) + 1, self.planned)
        self.stage.open(self.recipe.games)

    def judges(self) -> None:
        """The end has come."""
        self.history, self.state = read_history(self.folder, self.history), State.DECIDING

    def finishes(self, learner: Learner, result: Result) -> None:
        """All is done and kept."""
        self.state = State.FINISHED


class SeenDealer(Dealer):
    """A Q-learner's dealer whose games are seen on a stage; it deals and places as any other."""

    def __init__(self, learner: QTraining, stage: Stage) -> None:
        settings = learner.learner.settings
        start: Mapping[str, float] = STARTS[settings.features]
        super().__init__(Rules.parse(learner.recipe.rules), start, float(settings.constant))
        self.stage, self.seen = stage, self.setting._replace(most_pieces=settings.pieces)

    def begin(self, seed: int, number: int) -> None:
        """Deal the first piece of a game of a seed."""
        super().begin(seed, number)
        self.view = View(self.games, self.seen, GamesSettings(), None, None)

    def place(self, place: int) -> int:
        """Let the current piece come to rest at the stage's pace."""
        if self.stage.pace.turn(lambda: self.stage.show(self.view, self.games, 0)) is Turn.STOP:
            raise KeyboardInterrupt
        lines = super().place(place)
        self.view.follow(self.games)
        over = self.game["status"] != PLAYING
        self.stage.show(self.view, self.games, 0 if over else SHOWN)
        return lines
