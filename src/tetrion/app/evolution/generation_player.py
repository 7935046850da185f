"""The stage: the games of a generation, played so that they can be watched, paused and hurried.

All games go on together, a piece each at a time: the engine plays them up to a cap that rises. Nothing of the rules is
written here, and a game ends as it would have ended in one go.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tetrion.app.evolution.cell_tracker import CellArray, CellTracker, make_stack
from tetrion.app.evolution.playback_speed import PlaybackSpeed, PlaybackStep
from tetrion.drawing.stack import Stack
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_OVER,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    GameRecords,
    select_fastest_play,
)
from tetrion.evaluation.worker_tasks import GamesObserver
from tetrion.evaluation.workers import Workers
from tetrion.training.fitness import GamesSettings, compute_fitness
from tetrion.training.optimisers.optimiser import NumpyArray

BOARDS_UPDATE_SECONDS = 1 / 60  # seconds between two pictures
_FAST_FORWARD_SECONDS = 0.1
_INITIAL_FAST_FORWARD_PIECES = 100  # pieces
TRACKED_PIECES = 40  # pieces that are placed one by one after a leap, so that most of what lies has its letter
_MIN_PIECES_FOR_TRACKING = 10 * TRACKED_PIECES  # pieces of a leap that such steps do not slow down
_SLOW_STEP_SECONDS = 0.02  # seconds: steps that take longer are played on all threads


@dataclass(frozen=True)
class GenerationBoards:
    """Everybody's games at a moment; nothing of it changes later. Individuals are counted from 0."""

    cells: CellArray
    height: int
    lines: NumpyArray
    score: NumpyArray
    pieces: NumpyArray
    is_playing: NumpyArray  # whether a game of theirs goes on
    is_lost: NumpyArray  # whether the game that is seen was lost
    fitness: NumpyArray  # so far
    games_per_candidate: int  # that each of them plays
    pieces_placed: int
    max_pieces: int | None  # None: there is no end

    def __len__(self) -> int:
        return len(self.fitness)

    def make_stack(self, candidate: int) -> Stack:
        """What lies on somebody's board."""
        return make_stack(self.cells[candidate], self.height)


class GenerationPlayer(Workers):
    """Threads of this machine whose games can be watched; `boards` is what they look like."""

    def __init__(self, playback_speed: PlaybackSpeed) -> None:
        count = max(1, (os.cpu_count() or 1) - 1)  # one core is left to the window
        super().__init__(ThreadPoolExecutor(count, "tetrion-stage"), count, f"the window's {count} threads")
        self.playback_speed = playback_speed
        self.is_validating = False
        self.fast_forward_pieces = _INITIAL_FAST_FORWARD_PIECES
        self.is_step_slow = False
        self.last_shown = 0.0
        self.boards: GenerationBoards | None = None
        self.begin_generation(GamesSettings())

    def close(self) -> None:
        """End the threads; one that still compiles ends by itself."""
        self.executor.shutdown(wait=False, cancel_futures=True)

    def begin_generation(self, settings: GamesSettings) -> None:
        """A new generation is about to play; the games of the last one stay to be seen until then."""
        self.games_settings = settings
        self.earlier_games: GameRecords | None = None  # of the races before

    @property
    def without_observer(self) -> Workers:
        """Whoever plays games that judge."""
        return ValidationWorkers(self)

    def play(self, games: GameRecords, setting: EngineSettings, progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends as the pace has it, in place; tells whether somebody stopped them."""
        view = GenerationView(
            games, setting, self.games_settings, self.earlier_games, None if self.earlier_games is None else self.boards
        )
        while (games["status"] == STATUS_PLAYING).any():
            turn = self.playback_speed.wait_for_step(lambda: self.update_boards(view, games, 0))
            if turn is PlaybackStep.STOP or (
                turn is PlaybackStep.FAST_FORWARD and self.fast_forward(games, setting, view)
            ):
                return True
            if turn is PlaybackStep.ONE_PIECE:
                self.play_one_piece(games, setting, view)
            self.update_boards(view, games, BOARDS_UPDATE_SECONDS)
        view.has_changed = True
        self.update_boards(view, games, 0)
        if progress:
            progress(games)
        self.earlier_games = games if self.earlier_games is None else np.concatenate([self.earlier_games, games])
        return False

    def play_one_piece(self, games: GameRecords, setting: EngineSettings, view: "GenerationView") -> None:
        """Let everybody place one piece."""
        start = time.perf_counter()
        capped = setting._replace(max_pieces=min(setting.max_pieces, count_pieces_placed(games) + 1))
        if self.is_step_slow:
            super().play(games, capped)
        else:
            select_fastest_play(setting)(games, capped, UNLIMITED)
        self.is_step_slow = time.perf_counter() - start > _SLOW_STEP_SECONDS
        view.update(games)
        resume_capped_games(games, setting)

    def fast_forward(self, games: GameRecords, setting: EngineSettings, view: "GenerationView") -> bool:
        """Play for a tenth of a second on all threads; tells whether somebody stopped it."""
        start, coloured = (
            time.perf_counter(),
            TRACKED_PIECES
            if self.fast_forward_pieces >= _MIN_PIECES_FOR_TRACKING and not self.playback_speed.is_fast_forward
            else 0,
        )
        end = min(count_pieces_placed(games) + self.fast_forward_pieces, setting.max_pieces - coloured)
        if end > count_pieces_placed(games):
            if super().play(games, setting._replace(max_pieces=end), self.check_stopped):
                return True
            taken = max(time.perf_counter() - start, 1e-6)
            self.fast_forward_pieces = max(1, int(self.fast_forward_pieces * min(_FAST_FORWARD_SECONDS / taken, 10)))
            resume_capped_games(games, setting)
        view.update(games)
        for _ in range(coloured):
            if (games["status"] == STATUS_PLAYING).any() and not self.playback_speed.is_stopped:
                self.play_one_piece(games, setting, view)
        return self.playback_speed.is_stopped

    def check_stopped(self, games: GameRecords) -> None:
        """Hear whether somebody stops games that threads play."""
        if self.playback_speed.is_stopped:
            raise KeyboardInterrupt

    def update_boards(self, view: "GenerationView", games: GameRecords, seconds: float) -> None:
        """Take a picture, if anything has changed and the last one is so old."""
        if view.has_changed and time.monotonic() - self.last_shown >= seconds:
            self.boards = view.make_boards(games)
            self.last_shown = time.monotonic()
            view.has_changed = False


class GenerationView:
    """The games of a race seen from outside: who shows which board, and how fit everybody is."""

    def __init__(
        self,
        games: GameRecords,
        setting: EngineSettings,
        settings: GamesSettings,
        before: GameRecords | None,
        last: GenerationBoards | None,
    ) -> None:
        self.setting = setting
        self.games_settings = settings
        self.previous_boards = last
        self.has_changed = True
        self.cell_tracker = CellTracker(games)
        self.height = int(setting.rules["height"][0])
        self.candidates = np.unique(games["agent"])
        self.game_indices = [np.flatnonzero(games["agent"] == number) for number in self.candidates]
        self.earlier_games = before

    def update(self, games: GameRecords) -> None:
        """Games have gone on."""
        self.cell_tracker.update(games)
        self.has_changed = True

    def make_boards(self, games: GameRecords) -> GenerationBoards:
        """The picture of now."""
        going = games["status"] == STATUS_PLAYING
        shown = np.array(
            [mine[going[mine].argmax()] for mine in self.game_indices]
        )  # the first that goes on, or the first
        seen = {name: games[name][shown] for name in ("lines", "score", "pieces")}
        fresh = GenerationBoards(
            self.cell_tracker.cells[shown],
            self.height,
            **seen,
            is_playing=np.array([going[mine].any() for mine in self.game_indices]),
            is_lost=games["status"][shown] == STATUS_OVER,
            fitness=self.compute_fitness(games),
            games_per_candidate=len(self.game_indices[0]),
            pieces_placed=int(games["pieces"].max()),
            max_pieces=None if self.setting.max_pieces == UNLIMITED else self.setting.max_pieces,
        )
        return fresh if self.previous_boards is None else self.merge_with_previous(fresh, self.previous_boards)

    def compute_fitness(self, games: GameRecords) -> NumpyArray:
        """How fit those are who play, with what they have played before."""
        earlier = (
            []
            if self.earlier_games is None
            else [self.earlier_games[self.earlier_games["agent"] == number] for number in self.candidates]
        )
        now = [games[mine] for mine in self.game_indices]
        all_games = map(np.concatenate, zip(earlier, now, strict=True)) if earlier else now
        return np.array([compute_fitness(played, self.games_settings) for played in all_games])

    def merge_with_previous(self, fresh: GenerationBoards, last: GenerationBoards) -> GenerationBoards:
        """The same with those who no longer race, as they were in the end."""
        parts = {}
        for name in ("cells", "lines", "score", "pieces", "playing", "lost", "fitness"):
            parts[name] = getattr(last, name).copy()
            parts[name][self.candidates] = getattr(fresh, name)
        return GenerationBoards(
            height=fresh.height,
            games_per_candidate=fresh.games_per_candidate,
            pieces_placed=fresh.pieces_placed,
            max_pieces=fresh.max_pieces,
            **parts,
        )


class ValidationWorkers(Workers):
    """The same threads for games that judge: at full speed, unseen."""

    def __init__(self, stage: GenerationPlayer) -> None:
        super().__init__(stage.executor, stage.count, stage.description)
        self.generation_player = stage

    def play(self, games: GameRecords, setting: EngineSettings, progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place; tells whether somebody stopped them."""
        self.generation_player.is_validating = True
        try:
            return self.generation_player.playback_speed.wait_while_paused() or super().play(
                games, setting, self.check_stopped
            )
        finally:
            self.generation_player.is_validating = False

    def check_stopped(self, games: GameRecords) -> None:
        """Hear whether somebody stops or pauses them."""
        if self.generation_player.playback_speed.wait_while_paused():
            raise KeyboardInterrupt


def count_pieces_placed(games: GameRecords) -> int:
    """How many pieces everybody has placed whose game goes on."""
    going = games["status"] == STATUS_PLAYING
    return int(games["pieces"][going].min()) if going.any() else int(games["pieces"].max())


def resume_capped_games(games: GameRecords, setting: EngineSettings) -> None:
    """Let games go on that have met a cap of ours and not their own."""
    ours = (games["pieces"] < setting.max_pieces) & (games["lines"] < setting.max_lines)
    games["status"][(games["status"] == STATUS_CAPPED) & ours] = STATUS_PLAYING
