"""What the evolution screen is told of a run, whoever trains it."""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tetrion.app.crash_log import log_crash
from tetrion.app.evolution.generation_player import GenerationBoards, GenerationPlayer
from tetrion.app.evolution.playback_speed import PlaybackSpeed
from tetrion.app.evolution.run_history import EMPTY_RUN_HISTORY, RunHistory
from tetrion.errors import TetrionError
from tetrion.training.recipe import Q_LEARNING_NAME, Recipe
from tetrion.training.run import Run

_CLOSE_SECONDS = 10.0  # seconds until whoever plays must have heard that the window closes
_CLOSE_SECONDS_COMPILING = 0.2  # the same while the engine is compiled, which nobody can stop


class SessionState(Enum):
    """What happens now, in words."""

    PREPARING = "Preparing the engine"
    PLAYING = "Playing"
    VALIDATING = "Judging the favourites"
    FINAL_GAMES = "Judging the finalists on held-out games"
    WAITING = "Waiting for the next generation"
    GAMES_OVER = "The games have ended"  # of a generation that is played again
    STOPPED = "Stopped"
    FINISHED = "Finished"
    FAILED = "Failed"


@dataclass(frozen=True)
class SessionSnapshot:
    """A run at a moment; nothing of it changes later."""

    state: SessionState
    message: str  # what went wrong, if something did
    generation: int  # the generation or episode that is seen, from 1; 0 while there is none
    max_generations: int
    boards: GenerationBoards | None
    history: RunHistory
    is_paused: bool


class EvolutionSession(ABC):
    """A run that is watched; somebody plays in a thread until `close`."""

    def __init__(self, folder: Path, playback_speed: PlaybackSpeed | None = None) -> None:
        self.folder = folder
        self.playback_speed = playback_speed or PlaybackSpeed()
        self.recipe: Recipe = Run(folder).recipe
        self.max_generations = int(
            self.recipe.settings.episodes if self.is_single_learner else self.recipe.stop.generations
        )
        self.state = SessionState.PREPARING
        self.message = ""
        self.generation = 0
        self.history = EMPTY_RUN_HISTORY
        self.generation_player = GenerationPlayer(self.playback_speed)
        self.thread = threading.Thread(target=self.run_thread, name="tetrion-session", daemon=True)

    @property
    def is_single_learner(self) -> bool:
        """Whether there is one learner and no population."""
        return self.recipe.learner == Q_LEARNING_NAME

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens by itself."""
        return self.state in (SessionState.STOPPED, SessionState.FINISHED, SessionState.FAILED)

    @property
    def is_preparing(self) -> bool:
        """Whether the engine is compiled or loaded, which nobody can stop: nothing has been seen yet."""
        return self.state is SessionState.PREPARING or (
            self.state is SessionState.PLAYING and self.generation_player.boards is None
        )

    def make_snapshot(self) -> SessionSnapshot:
        """What is to be seen now."""
        state = SessionState.PREPARING if self.is_preparing else self.state
        state = (
            SessionState.VALIDATING if self.generation_player.is_validating and state is SessionState.PLAYING else state
        )
        paused = self.playback_speed.is_paused and not self.is_over
        return SessionSnapshot(
            state,
            self.message,
            self.generation,
            self.max_generations,
            self.generation_player.boards,
            self.history,
            paused,
        )

    def close(self) -> None:
        """Stop at once; what has been finished is kept."""
        self.playback_speed.is_stopped = True
        self.thread.join(_CLOSE_SECONDS_COMPILING if self.is_preparing else _CLOSE_SECONDS)
        self.generation_player.close()

    def run_thread(self) -> None:
        """Do what the thread is there for, and tell how it ended."""
        try:
            self.state = self.play()
        except KeyboardInterrupt:
            self.state = SessionState.STOPPED
        except (TetrionError, OSError) as problem:
            self.message = str(problem)
            self.state = SessionState.FAILED
        except Exception as problem:  # a thread that dies silently would leave a screen that waits for ever
            where = f"What was finished is kept. Details are in {log_crash(problem)}."
            self.message = f"It ended unexpectedly: {problem!r}. {where}"
            self.state = SessionState.FAILED

    @abstractmethod
    def play(self) -> SessionState:
        """Play until there is nothing more to do; tells how that ended."""
