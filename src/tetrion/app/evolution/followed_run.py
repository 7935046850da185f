"""A run that others train, or that has finished: its files are followed, and its games are played again."""

import threading
from contextlib import suppress
from pathlib import Path

from tetrion.agents import WeightedAgent
from tetrion.app.evolution.evolution_session import EvolutionSession, SessionState
from tetrion.app.evolution.playback_speed import PlaybackSpeed
from tetrion.app.evolution.run_history import load_run_history
from tetrion.engine.rules import Rules
from tetrion.errors import RunError, TetrionError
from tetrion.training.evolutionary_learner import play_generation
from tetrion.training.fitness import GamesSettings, TrainingWorkers, play_candidates
from tetrion.training.q_learner import QLearner
from tetrion.training.run import METRICS_FILE, Run
from tetrion.training.run_writer import lock_folder
from tetrion.training.seeds import SeedPurpose, derive_seed

_POLL_SECONDS = 1.0  # seconds between two looks at the files
LATEST_GENERATION = -1  # of all generations


class FollowedRun(EvolutionSession):
    """A run that is not trained here. `choose` plays a generation's games again; else the latest one is followed."""

    def __init__(self, folder: Path, playback_speed: PlaybackSpeed | None = None) -> None:
        super().__init__(folder, playback_speed)
        self.change_condition = threading.Condition()
        self.close_event = threading.Event()
        self.selected_generation = LATEST_GENERATION
        self.replay_requested = False
        self.is_finished = False
        self.is_trained_elsewhere = False
        self.metrics_mtime = 0
        try:
            self.read_files()
        except OSError as problem:
            raise RunError(f"{folder} cannot be read: {problem.strerror or problem}.") from None
        self.reader_thread = threading.Thread(target=self.poll_files, name="tetrion-reader", daemon=True)
        self.thread.start()
        self.reader_thread.start()

    @property
    def follows_latest(self) -> bool:
        """Whether it goes on to the latest generation by itself."""
        return self.selected_generation == LATEST_GENERATION

    def select_generation(self, number: int) -> None:
        """Play the games of a generation again, counted from 0, or follow the LATEST."""
        with self.change_condition:
            self.selected_generation = (
                number if number == LATEST_GENERATION else min(max(0, number), len(self.history) - 1)
            )
            self.replay_requested = self.playback_speed.is_stopped = True
            self.change_condition.notify_all()

    def select_relative(self, steps: int) -> None:
        """Play the games of a generation so many further on, or back."""
        self.select_generation((self.generation - 1 if self.follows_latest else self.selected_generation) + steps)

    def close(self) -> None:
        """Stop at once."""
        with self.change_condition:
            self.close_event.set()
            self.change_condition.notify_all()
        super().close()
        self.reader_thread.join(_POLL_SECONDS)

    def poll_files(self) -> None:
        """Look at the files every second; what is half written is read a second later."""
        while not self.close_event.wait(_POLL_SECONDS):
            with suppress(RunError, OSError):
                self.read_files()

    def read_files(self) -> None:
        """Read what is new."""
        self.is_finished = Run(self.folder).is_finished
        self.is_trained_elsewhere = not self.is_finished and is_being_trained(self.folder)
        written = (self.folder / METRICS_FILE).stat().st_mtime_ns
        if written != self.metrics_mtime:
            history = load_run_history(self.folder, self.history)
            with self.change_condition:
                self.history = history
                self.metrics_mtime = written
                self.change_condition.notify_all()

    def play(self) -> SessionState:
        """Play one generation after another, until the window closes."""
        played = None
        while not self.close_event.is_set():
            number = self.get_next_generation(played)
            if number is None:
                continue
            played = number
            self.generation = number + 1
            self.message = ""
            self.state = SessionState.PLAYING
            try:
                self.replay_generation(number)
            except KeyboardInterrupt:
                continue
            except TetrionError as problem:  # others may still be whole
                self.message = str(problem)
                self.state = SessionState.FAILED
        return SessionState.STOPPED

    def get_next_generation(self, played: int | None) -> int | None:
        """The generation to play; None after a second without one."""
        with self.change_condition:
            number = len(self.history) - 1 if self.follows_latest else self.selected_generation
            if number >= 0 and (number != played or self.replay_requested) and not self.close_event.is_set():
                self.replay_requested = self.playback_speed.is_stopped = self.playback_speed.is_fast_forward = False
                return number
            if self.state is not SessionState.FAILED:
                self.state = (
                    SessionState.WAITING
                    if self.is_trained_elsewhere and self.follows_latest
                    else SessionState.GAMES_OVER
                )
            self.change_condition.wait(_POLL_SECONDS)
            return None

    def replay_generation(self, number: int) -> None:
        """Play the games of a generation as they were played; of a Q-learner, a game by what it had learnt then."""
        run = Run(self.folder)
        team = TrainingWorkers(self.generation_player)
        most = int(self.history.max_pieces[number])
        if self.is_single_learner:
            agent, seed = load_episode_agent(run, number), derive_seed(self.recipe.seed, SeedPurpose.TRAINING, number)
            self.generation_player.begin_generation(GamesSettings())
            rules = Rules.parse(self.recipe.rules)
            play_candidates([agent], rules, GamesSettings(), max_pieces=most, seed=seed, workers=team)
            return
        design, candidates = self.recipe.make_design(), run.load_population(number).candidates.tolist()
        agents = [
            design.make_agent_from_parameters(numbers, f"individual {place}")
            for place, numbers in enumerate(candidates, 1)
        ]
        self.generation_player.begin_generation(self.recipe.games)
        play_generation(agents, self.recipe, number, most, team)


def load_episode_agent(run: Run, number: int) -> WeightedAgent:
    """What a Q-learner had learnt after an episode."""
    return QLearner(run.recipe).make_agent(run.incumbents[number], run.recipe.name)


def is_being_trained(folder: Path) -> bool:
    """Whether another process trains in a folder."""
    try:
        with lock_folder(folder):
            return False
    except RunError:
        return True
