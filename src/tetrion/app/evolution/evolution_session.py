"""The state of a run on the evolution screen, whether it is trained in this window or elsewhere."""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tetrion.app.crash_log import describe_crash
from tetrion.app.evolution.generation_player import GenerationBoards, GenerationPlayer
from tetrion.app.evolution.playback_control import PlaybackControl
from tetrion.app.evolution.run_history import EMPTY_RUN_HISTORY, RunHistory
from tetrion.errors import TetrionError, VersionError
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run

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


@dataclass(frozen=True)
class SessionSnapshot:
    """An immutable snapshot of a session."""

    state: SessionState
    message: str  # the error message, or ""
    generation: int  # the generation or episode shown, counted from 1; 0 before the first
    max_generations: int
    boards: GenerationBoards | None
    history: RunHistory
    is_paused: bool

    def has_same_content(self, other: "SessionSnapshot | None") -> bool:
        """Return whether another snapshot shows the same; arrays are compared by identity."""
        if other is None or self.boards is not other.boards or self.history is not other.history:
            return False
        return (self.state, self.message, self.generation) == (other.state, other.message, other.generation)


class EvolutionSession(ABC):
    """A run that is watched; its thread plays games until `close`."""

    def __init__(self, folder: Path, playback_control: PlaybackControl | None = None) -> None:
        self.folder = folder
        self.playback_control = playback_control or PlaybackControl()
        self.recipe: Recipe = Run(folder).recipe
        self.step_name = self.recipe.learner_type.step_name
        self.max_generations = self.recipe.planned_steps
        self.state = SessionState.PREPARING
        self.message = ""
        self.has_other_versions = False  # whether training failed because the run was trained with other versions
        self.generation = 0
        self.history = EMPTY_RUN_HISTORY
        self.generation_player = GenerationPlayer(self.playback_control)
        self.thread = threading.Thread(target=self.run_thread, name="tetrion-session", daemon=True)

    @property
    def is_single_learner(self) -> bool:
        """Whether the run has one learner instead of a population, as in Q-learning."""
        return not self.recipe.learner_type.has_population

    @property
    def is_over(self) -> bool:
        """Whether the session has ended."""
        return self.state in (SessionState.STOPPED, SessionState.FINISHED, SessionState.FAILED)

    @property
    def is_resting(self) -> bool:
        """Whether no games are played."""
        return self.is_over or self.state in (SessionState.GAMES_OVER, SessionState.WAITING)

    @property
    def is_preparing(self) -> bool:
        """Whether the engine is being loaded or compiled, so that there are no boards yet."""
        return self.state is SessionState.PREPARING or (
            self.state is SessionState.PLAYING and self.generation_player.boards is None
        )

    def make_snapshot(self) -> SessionSnapshot:
        """Return the current state of the session."""
        state = SessionState.PREPARING if self.is_preparing else self.state
        if state is SessionState.PLAYING and self.generation_player.is_validating:
            state = SessionState.VALIDATING
        return SessionSnapshot(
            state=state,
            message=self.message,
            generation=self.generation,
            max_generations=self.max_generations,
            boards=self.generation_player.boards,
            history=self.history,
            is_paused=self.playback_control.is_paused and not self.is_over,
        )

    def close(self) -> None:
        """Stop the session; finished generations stay saved."""
        self.playback_control.is_stopped = True
        self.thread.join(_CLOSE_SECONDS_COMPILING if self.is_preparing else _CLOSE_SECONDS)
        self.generation_player.close()

    def run_thread(self) -> None:
        """Run `play` and set the state that it ended with."""
        try:
            self.state = self.play()
        except KeyboardInterrupt:
            self.state = SessionState.STOPPED
        except (TetrionError, OSError) as error:
            self.message = str(error)
            self.has_other_versions = isinstance(error, VersionError)
            self.state = SessionState.FAILED
        except Exception as error:  # otherwise the screen would wait forever
            self.message = f"{describe_crash(error)} Finished {self.step_name}s are saved."
            self.state = SessionState.FAILED

    @abstractmethod
    def play(self) -> SessionState:
        """Play until nothing is left to do; return the final state."""
