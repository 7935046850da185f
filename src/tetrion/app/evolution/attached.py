"""A run that others train, or that has finished: its files are followed, and its games are played again."""

import threading
from contextlib import suppress
from pathlib import Path

from tetrion.agents import DataAgent
from tetrion.app.evolution.history import read_history
from tetrion.app.evolution.pace import Pace
from tetrion.app.evolution.session import Session, State
from tetrion.engine.rules import Rules
from tetrion.errors import RunError, TetrionError
from tetrion.training.evolution import play_generation
from tetrion.training.fitness import GamesSettings, Team, play_candidates
from tetrion.training.keeping import locked
from tetrion.training.q_training import QTraining
from tetrion.training.run import METRICS, Run
from tetrion.training.seeds import GAMES, derived

EVERY = 1.0  # seconds between two looks at the files
LATEST = -1  # of all generations


class Attached(Session):
    """A run that is not trained here. `choose` plays a generation's games again; else the latest one is followed."""

    def __init__(self, folder: Path, pace: Pace | None = None) -> None:
        super().__init__(folder, pace)
        self.changed, self.closed = threading.Condition(), threading.Event()
        self.wanted, self.again = LATEST, False
        self.finished, self.trained_elsewhere, self.written = False, False, 0
        try:
            self.look()
        except OSError as problem:
            raise RunError(f"{folder} cannot be read: {problem.strerror or problem}.") from None
        self.reader = threading.Thread(target=self.read_on, name="tetrion-reader", daemon=True)
        self.thread.start()
        self.reader.start()

    @property
    def follows(self) -> bool:
        """Whether it goes on to the latest generation by itself."""
        return self.wanted == LATEST

    def choose(self, number: int) -> None:
        """Play the games of a generation again, counted from 0, or follow the LATEST."""
        with self.changed:
            self.wanted = number if number == LATEST else min(max(0, number), len(self.history) - 1)
            self.again = self.pace.stopped = True
            self.changed.notify_all()

    def browse(self, steps: int) -> None:
        """Play the games of a generation so many further on, or back."""
        self.choose((self.step - 1 if self.follows else self.wanted) + steps)

    def close(self) -> None:
        """Stop at once."""
        with self.changed:
            self.closed.set()
            self.changed.notify_all()
        super().close()
        self.reader.join(EVERY)

    def read_on(self) -> None:
        """Look at the files every second; what is half written is read a second later."""
        while not self.closed.wait(EVERY):
            with suppress(RunError, OSError):
                self.look()

    def look(self) -> None:
        """Read what is new."""
        self.finished = Run(self.folder).finished
        self.trained_elsewhere = not self.finished and is_trained(self.folder)
        written = (self.folder / METRICS).stat().st_mtime_ns
        if written != self.written:
            history = read_history(self.folder, self.history)
            with self.changed:
                self.history, self.written = history, written
                self.changed.notify_all()

    def play(self) -> State:
        """Play one generation after another, until the window closes."""
        played = None
        while not self.closed.is_set():
            number = self.next_number(played)
            if number is None:
                continue
            played, self.step, self.message, self.state = number, number + 1, "", State.PLAYING
            try:
                self.play_again(number)
            except KeyboardInterrupt:
                continue
            except TetrionError as problem:  # others may still be whole
                self.message, self.state = str(problem), State.FAILED
        return State.STOPPED

    def next_number(self, played: int | None) -> int | None:
        """The generation to play; None after a second without one."""
        with self.changed:
            number = len(self.history) - 1 if self.follows else self.wanted
            if number >= 0 and (number != played or self.again) and not self.closed.is_set():
                self.again = self.pace.stopped = self.pace.hasty = False
                return number
            if self.state is not State.FAILED:
                self.state = State.WAITING if self.trained_elsewhere and self.follows else State.ENDED
            self.changed.wait(EVERY)
            return None

    def play_again(self, number: int) -> None:
        """Play the games of a generation as they were played; of a Q-learner, a game by what it had learnt then."""
        run, team, most = Run(self.folder), Team(self.stage), int(self.history.most_pieces[number])
        if self.learns_alone:
            agent, seed = learnt(run, number), derived(self.recipe.seed, GAMES, number)
            self.stage.open(GamesSettings())
            play_candidates([agent], Rules.parse(self.recipe.rules), GamesSettings(), most, seed, team)
            return
        design, candidates = self.recipe.design(), run.population(number).candidates.tolist()
        agents = [design.agent_of(numbers, f"individual {place}") for place, numbers in enumerate(candidates, 1)]
        self.stage.open(self.recipe.games)
        play_generation(agents, self.recipe, number, most, team)


def learnt(run: Run, number: int) -> DataAgent:
    """What a Q-learner had learnt after an episode."""
    return QTraining(run.recipe).agent(run.favourites[number], run.recipe.name)


def is_trained(folder: Path) -> bool:
    """Whether another process trains in a folder."""
    try:
        with locked(folder):
            return False
    except RunError:
        return True
