"""A replay played through once and noted on the way, so that any of its moves is had at once."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import PIECES
from tetrion.game import Game
from tetrion.replay import Event, Replay, repeat

EVERY = 16  # moves from one note to the next
MOST_NOTES = 2000

Numbers = npt.NDArray[np.int64]


class Spot(NamedTuple):
    """A game somewhere in its course, what stands in it, and which of all events comes next.

    The game's own lists hold what has happened since a note was made of it.
    """

    game: Game
    stack: Stack
    event: int


@dataclass(frozen=True)
class Reel:
    """A replay, notes of its course, everything that happened in it, and numbers after 0, 1, 2 … moves."""

    replay: Replay
    notes: tuple[Spot, ...]
    events: tuple[Event, ...]
    scores: Numbers
    lines: Numbers
    heights: Numbers
    pieces: Numbers  # by their place in PIECES, one a move

    @property
    def moves(self) -> int:
        """How many there are."""
        return len(self.replay.placements)

    @property
    def timed(self) -> bool:
        """Whether the game was in real time, with keys."""
        return self.replay.keys is not None

    def counts(self, moves: int) -> dict[str, int]:
        """How many of each piece have come to rest in so many moves."""
        return dict(zip(PIECES, np.bincount(self.pieces[:moves], minlength=len(PIECES)).tolist(), strict=True))

    def clears(self, moves: int) -> list[int]:
        """How often one to four lines have been cleared in so many moves."""
        cleared: list[int] = np.bincount(np.diff(self.lines[: moves + 1]), minlength=5).tolist()
        return cleared[1:5]

    def at(self, moves: int) -> Spot:
        """The game after so many moves; in real time, when the last of their pieces has just come to rest.

        After the last move it is the end of the game.
        """
        note = self._note_before(moves)
        game, stack = note.game.copy(), note.stack
        if game.pieces < moves or moves == self.moves:
            for _ in rest_of(game, self.events[note.event :], int(self.replay.result["frames"])):
                if game.pieces >= moves and moves < self.moves:
                    break
        for placement in game.placements_made:
            stack = stack.after(placement)
        return Spot(game, stack, note.event + len(game.events))

    def whole(self, moves: int) -> Game:
        """The game after so many moves with everything that has happened, so that it can be gone on with and kept."""
        note, game = self._note_before(moves), self.at(moves).game
        game.placements_made[:0] = self.replay.placements[: note.game.pieces]
        game.events[:0] = self.events[: note.event]
        return game

    def _note_before(self, moves: int) -> Spot:
        return self.notes[bisect_right(self.notes, moves, key=lambda note: note.game.pieces) - 1]


def wound(replay: Replay) -> Iterator[int | Reel]:
    """Play a replay through and check it: tells now and then how many moves it has come to, and last the reel."""
    game, stack = Game(replay.rules, replay.seed, replay.number), Stack(height=replay.rules.height)
    notes, events, numbers = [Spot(game.copy(), stack, 0)], list[Event](), [(game.score, game.lines, 0)]
    every = max(EVERY, len(replay.placements) // MOST_NOTES)
    for _ in replay.course(game):
        for placement in game.placements_made[len(numbers) - 1 - notes[-1].game.pieces :]:
            stack = stack.after(placement)
            numbers.append((game.score, game.lines, len(stack.rows)))
        if game.pieces >= notes[-1].game.pieces + every:
            events += game.events
            game.placements_made.clear()
            game.events.clear()
            notes.append(Spot(game.copy(), stack, len(events)))
            yield game.pieces
    scores, lines, heights = np.array(numbers).T
    pieces = np.array([PIECES.index(placement.piece) for placement in replay.placements], int)
    yield Reel(replay, tuple(notes), (*events, *game.events), scores, lines, heights, pieces)


def rest_of(game: Game, events: Iterable[Event], end: int) -> Iterator[None]:
    """Let the events that are left happen in a game at their frames, and time pass to its end, halting in between."""
    for event in events:
        yield from waited(game, event[0])
        repeat(game, event)
        yield
    yield from waited(game, end)


def waited(game: Game, frame: int) -> Iterator[None]:
    """Let time pass in a game up to a frame, halting when a piece comes to rest."""
    while game.frames < frame and not game.over:
        game.tick_until_lock(frame - game.frames)
        yield
