"""The stage: the games of a generation, played so that they can be watched, paused and hurried.

All games go on together, a piece each at a time: the engine plays them up to a cap that rises. Nothing of the rules is
written here, and a game ends as it would have ended in one go.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tetrion.app.evolution.letters import Cells, Letters, stack_of
from tetrion.app.evolution.pace import Pace, Turn
from tetrion.drawing.stack import Stack
from tetrion.engine.play import CAPPED, OVER, PLAYING, UNLIMITED, Games, Setting, fastest
from tetrion.evaluation.watching import Watch
from tetrion.evaluation.workers import Workers
from tetrion.training.fitness import GamesSettings, fitness_of
from tetrion.training.optimisers.protocol import Numbers

SHOWN = 1 / 60  # seconds between two pictures
LEAP_SECONDS = 0.1
FIRST_LEAP = 100  # pieces
COLOURED = 40  # pieces that are placed one by one after a leap, so that most of what lies has its letter
MANY = 10 * COLOURED  # pieces of a leap that such steps do not slow down
SLOW = 0.02  # seconds: steps that take longer are played on all threads


@dataclass(frozen=True)
class Boards:
    """Everybody's games at a moment; nothing of it changes later. Individuals are counted from 0."""

    cells: Cells
    height: int
    lines: Numbers
    score: Numbers
    pieces: Numbers
    playing: Numbers  # whether a game of theirs goes on
    lost: Numbers  # whether the game that is seen was lost
    fitness: Numbers  # so far
    games: int  # that each of them plays
    move: int
    most_moves: int | None  # None: there is no end

    def __len__(self) -> int:
        return len(self.fitness)

    def stack(self, individual: int) -> Stack:
        """What lies on somebody's board."""
        return stack_of(self.cells[individual], self.height)


class Stage(Workers):
    """Threads of this machine whose games can be watched; `boards` is what they look like."""

    def __init__(self, pace: Pace) -> None:
        count = max(1, (os.cpu_count() or 1) - 1)  # one core is left to the window
        super().__init__(ThreadPoolExecutor(count, "tetrion-stage"), count, f"the window's {count} threads")
        self.pace, self.judging, self.leap, self.slow, self.shown = pace, False, FIRST_LEAP, False, 0.0
        self.boards: Boards | None = None
        self.open(GamesSettings())

    def close(self) -> None:
        """End the threads; one that still compiles ends by itself."""
        self.executor.shutdown(wait=False, cancel_futures=True)

    def open(self, settings: GamesSettings) -> None:
        """A new generation is about to play; the games of the last one stay to be seen until then."""
        self.settings = settings
        self.records: Games | None = None  # of the races before

    @property
    def unseen(self) -> Workers:
        """Whoever plays games that judge."""
        return Judging(self)

    def play(self, games: Games, setting: Setting, progress: Watch | None = None) -> bool:
        """Play all games to their ends as the pace has it, in place; tells whether somebody stopped them."""
        view = View(games, setting, self.settings, self.records, None if self.records is None else self.boards)
        while (games["status"] == PLAYING).any():
            turn = self.pace.turn(lambda: self.show(view, games, 0))
            if turn is Turn.STOP or (turn is Turn.LEAP and self.run(games, setting, view)):
                return True
            if turn is Turn.STEP:
                self.step(games, setting, view)
            self.show(view, games, SHOWN)
        view.changed = True
        self.show(view, games, 0)
        if progress:
            progress(games)
        self.records = games if self.records is None else np.concatenate([self.records, games])
        return False

    def step(self, games: Games, setting: Setting, view: "View") -> None:
        """Let everybody place one piece."""
        start = time.perf_counter()
        capped = setting._replace(most_pieces=min(setting.most_pieces, move_of(games) + 1))
        if self.slow:
            super().play(games, capped)
        else:
            fastest(setting)(games, capped, UNLIMITED)
        self.slow = time.perf_counter() - start > SLOW
        view.follow(games)
        reopen(games, setting)

    def run(self, games: Games, setting: Setting, view: "View") -> bool:
        """Play for a tenth of a second on all threads; tells whether somebody stopped it."""
        start, coloured = time.perf_counter(), COLOURED if self.leap >= MANY and not self.pace.hasty else 0
        end = min(move_of(games) + self.leap, setting.most_pieces - coloured)
        if end > move_of(games):
            if super().play(games, setting._replace(most_pieces=end), self.listen):
                return True
            taken = max(time.perf_counter() - start, 1e-6)
            self.leap = max(1, int(self.leap * min(LEAP_SECONDS / taken, 10)))
            reopen(games, setting)
        view.follow(games)
        for _ in range(coloured):
            if (games["status"] == PLAYING).any() and not self.pace.stopped:
                self.step(games, setting, view)
        return self.pace.stopped

    def listen(self, games: Games) -> None:
        """Hear whether somebody stops games that threads play."""
        if self.pace.stopped:
            raise KeyboardInterrupt

    def show(self, view: "View", games: Games, seconds: float) -> None:
        """Take a picture, if anything has changed and the last one is so old."""
        if view.changed and time.monotonic() - self.shown >= seconds:
            self.boards, self.shown, view.changed = view.boards(games), time.monotonic(), False


class View:
    """The games of a race seen from outside: who shows which board, and how fit everybody is."""

    def __init__(
        self, games: Games, setting: Setting, settings: GamesSettings, before: Games | None, last: Boards | None
    ) -> None:
        self.setting, self.settings, self.last, self.changed = setting, settings, last, True
        self.letters = Letters(games)
        self.height = int(setting.rules["height"][0])
        self.who = np.unique(games["agent"])
        self.mine = [np.flatnonzero(games["agent"] == number) for number in self.who]
        self.before = before

    def follow(self, games: Games) -> None:
        """Games have gone on."""
        self.letters.follow(games)
        self.changed = True

    def boards(self, games: Games) -> Boards:
        """The picture of now."""
        going = games["status"] == PLAYING
        shown = np.array([mine[going[mine].argmax()] for mine in self.mine])  # the first that goes on, or the first
        seen = {name: games[name][shown] for name in ("lines", "score", "pieces")}
        fresh = Boards(
            self.letters.cells[shown],
            self.height,
            **seen,
            playing=np.array([going[mine].any() for mine in self.mine]),
            lost=games["status"][shown] == OVER,
            fitness=self.fitness(games),
            games=len(self.mine[0]),
            move=int(games["pieces"].max()),
            most_moves=None if self.setting.most_pieces == UNLIMITED else self.setting.most_pieces,
        )
        return fresh if self.last is None else self.among_all(fresh, self.last)

    def fitness(self, games: Games) -> Numbers:
        """How fit those are who play, with what they have played before."""
        earlier = [] if self.before is None else [self.before[self.before["agent"] == number] for number in self.who]
        now = [games[mine] for mine in self.mine]
        all_games = map(np.concatenate, zip(earlier, now, strict=True)) if earlier else now
        return np.array([fitness_of(played, self.settings) for played in all_games])

    def among_all(self, fresh: Boards, last: Boards) -> Boards:
        """The same with those who no longer race, as they were in the end."""
        parts = {}
        for name in ("cells", "lines", "score", "pieces", "playing", "lost", "fitness"):
            parts[name] = getattr(last, name).copy()
            parts[name][self.who] = getattr(fresh, name)
        return Boards(height=fresh.height, games=fresh.games, move=fresh.move, most_moves=fresh.most_moves, **parts)


class Judging(Workers):
    """The same threads for games that judge: at full speed, unseen."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage.executor, stage.count, stage.words)
        self.stage = stage

    def play(self, games: Games, setting: Setting, progress: Watch | None = None) -> bool:
        """Play all games to their ends, in place; tells whether somebody stopped them."""
        self.stage.judging = True
        try:
            return self.stage.pace.hold() or super().play(games, setting, self.listen)
        finally:
            self.stage.judging = False

    def listen(self, games: Games) -> None:
        """Hear whether somebody stops or pauses them."""
        if self.stage.pace.hold():
            raise KeyboardInterrupt


def move_of(games: Games) -> int:
    """How many pieces everybody has placed whose game goes on."""
    going = games["status"] == PLAYING
    return int(games["pieces"][going].min()) if going.any() else int(games["pieces"].max())


def reopen(games: Games, setting: Setting) -> None:
    """Let games go on that have met a cap of ours and not their own."""
    ours = (games["pieces"] < setting.most_pieces) & (games["lines"] < setting.most_lines)
    games["status"][(games["status"] == CAPPED) & ours] = PLAYING
