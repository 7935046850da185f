"""What the evolution screen is told of a run, whoever trains it."""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tetrion.app.evolution.history import NOTHING, History
from tetrion.app.evolution.pace import Pace
from tetrion.app.evolution.stage import Boards, Stage
from tetrion.app.problems import keep_problem
from tetrion.errors import TetrionError
from tetrion.training.recipe import Q_LEARNING, Recipe
from tetrion.training.run import Run

PATIENCE = 10.0  # seconds until whoever plays must have heard that the window closes
SOON = 0.2  # the same while the engine is compiled, which nobody can stop


class State(Enum):
    """What happens now, in words."""

    PREPARING = "Preparing the engine"
    PLAYING = "Playing"
    JUDGING = "Judging the favourites"
    DECIDING = "Judging the finalists on held-out games"
    WAITING = "Waiting for the next generation"
    ENDED = "The games have ended"  # of a generation that is played again
    STOPPED = "Stopped"
    FINISHED = "Finished"
    FAILED = "Failed"


@dataclass(frozen=True)
class Snapshot:
    """A run at a moment; nothing of it changes later."""

    state: State
    message: str  # what went wrong, if something did
    step: int  # the generation or episode that is seen, from 1; 0 while there is none
    planned: int
    boards: Boards | None
    history: History
    paused: bool


class Session(ABC):
    """A run that is watched; somebody plays in a thread until `close`."""

    def __init__(self, folder: Path, pace: Pace | None = None) -> None:
        self.folder, self.pace = folder, pace or Pace()
        self.recipe: Recipe = Run(folder).recipe
        self.planned = int(self.recipe.settings.episodes if self.learns_alone else self.recipe.stop.generations)
        self.state, self.message, self.step, self.history = State.PREPARING, "", 0, NOTHING
        self.stage = Stage(self.pace)
        self.thread = threading.Thread(target=self.work, name="tetrion-session", daemon=True)

    @property
    def learns_alone(self) -> bool:
        """Whether there is one learner and no population."""
        return self.recipe.learner == Q_LEARNING

    @property
    def ended(self) -> bool:
        """Whether nothing more happens by itself."""
        return self.state in (State.STOPPED, State.FINISHED, State.FAILED)

    @property
    def preparing(self) -> bool:
        """Whether the engine is compiled or loaded, which nobody can stop: nothing has been seen yet."""
        return self.state is State.PREPARING or (self.state is State.PLAYING and self.stage.boards is None)

    def snapshot(self) -> Snapshot:
        """What is to be seen now."""
        state = State.PREPARING if self.preparing else self.state
        state = State.JUDGING if self.stage.judging and state is State.PLAYING else state
        paused = self.pace.paused and not self.ended
        return Snapshot(state, self.message, self.step, self.planned, self.stage.boards, self.history, paused)

    def close(self) -> None:
        """Stop at once; what has been finished is kept."""
        self.pace.stopped = True
        self.thread.join(SOON if self.preparing else PATIENCE)
        self.stage.close()

    def work(self) -> None:
        """Do what the thread is there for, and tell how it ended."""
        try:
            self.state = self.play()
        except KeyboardInterrupt:
            self.state = State.STOPPED
        except (TetrionError, OSError) as problem:
            self.message, self.state = str(problem), State.FAILED
        except Exception as problem:  # a thread that dies silently would leave a screen that waits for ever
            where = f"What was finished is kept. Details are in {keep_problem(problem)}."
            self.message, self.state = f"It ended unexpectedly: {problem!r}. {where}", State.FAILED

    @abstractmethod
    def play(self) -> State:
        """Play until there is nothing more to do; tells how that ended."""
