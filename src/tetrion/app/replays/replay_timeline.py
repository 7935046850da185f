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
from tetrion.replay import GameEvent, Replay, repeat_event

MIN_KEYFRAME_MOVES = 16  # moves from one note to the next
_MAX_KEYFRAMES = 2000

IntegerArray = npt.NDArray[np.int64]


class TimelinePoint(NamedTuple):
    """A game somewhere in its course, what stands in it, and which of all events comes next.

    The game's own lists hold what has happened since a note was made of it.
    """

    game: Game
    stack: Stack
    next_event: int


@dataclass(frozen=True)
class ReplayTimeline:
    """A replay, notes of its course, everything that happened in it, and numbers after 0, 1, 2 … moves."""

    replay: Replay
    keyframes: tuple[TimelinePoint, ...]
    events: tuple[GameEvent, ...]
    scores: IntegerArray
    lines: IntegerArray
    heights: IntegerArray
    pieces: IntegerArray  # by their place in PIECES, one a move

    @property
    def move_count(self) -> int:
        """How many there are."""
        return len(self.replay.placements)

    @property
    def is_real_time(self) -> bool:
        """Whether the game was in real time, with keys."""
        return self.replay.key_events is not None

    def count_pieces(self, moves: int) -> dict[str, int]:
        """How many of each piece have come to rest in so many moves."""
        return dict(zip(PIECES, np.bincount(self.pieces[:moves], minlength=len(PIECES)).tolist(), strict=True))

    def count_clears(self, moves: int) -> list[int]:
        """How often one to four lines have been cleared in so many moves."""
        cleared: list[int] = np.bincount(np.diff(self.lines[: moves + 1]), minlength=5).tolist()
        return cleared[1:5]

    def get_point(self, moves: int) -> TimelinePoint:
        """The game after so many moves; in real time, when the last of their pieces has just come to rest.

        After the last move it is the end of the game.
        """
        note = self._find_keyframe(moves)
        game, stack = note.game.copy(), note.stack
        if game.pieces < moves or moves == self.move_count:
            for _ in play_remaining_events(game, self.events[note.next_event :], int(self.replay.result["frames"])):
                if game.pieces >= moves and moves < self.move_count:
                    break
        for placement in game.placements_made:
            stack = stack.after_placement(placement)
        return TimelinePoint(game, stack, note.next_event + len(game.events))

    def get_full_game(self, moves: int) -> Game:
        """The game after so many moves with everything that has happened, so that it can be gone on with and kept."""
        note, game = self._find_keyframe(moves), self.get_point(moves).game
        game.placements_made[:0] = self.replay.placements[: note.game.pieces]
        game.events[:0] = self.events[: note.next_event]
        return game

    def _find_keyframe(self, moves: int) -> TimelinePoint:
        return self.keyframes[bisect_right(self.keyframes, moves, key=lambda note: note.game.pieces) - 1]


def build_timeline(replay: Replay) -> Iterator[int | ReplayTimeline]:
    """Play a replay through and check it: tells now and then how many moves it has come to, and last the reel."""
    game, stack = Game(replay.rules, replay.seed, replay.number), Stack(height=replay.rules.height)
    notes = [TimelinePoint(game.copy(), stack, 0)]
    events = list[GameEvent]()
    numbers = [(game.score, game.lines, 0)]
    every = max(MIN_KEYFRAME_MOVES, len(replay.placements) // _MAX_KEYFRAMES)
    for _ in replay.play_steps(game):
        for placement in game.placements_made[len(numbers) - 1 - notes[-1].game.pieces :]:
            stack = stack.after_placement(placement)
            numbers.append((game.score, game.lines, len(stack.rows)))
        if game.pieces >= notes[-1].game.pieces + every:
            events += game.events
            game.placements_made.clear()
            game.events.clear()
            notes.append(TimelinePoint(game.copy(), stack, len(events)))
            yield game.pieces
    scores, lines, heights = np.array(numbers).T
    pieces = np.array([PIECES.index(placement.piece) for placement in replay.placements], int)
    yield ReplayTimeline(replay, tuple(notes), (*events, *game.events), scores, lines, heights, pieces)


def play_remaining_events(game: Game, events: Iterable[GameEvent], end: int) -> Iterator[None]:
    """Let the events that are left happen in a game at their frames, and time pass to its end, halting in between."""
    for event in events:
        yield from advance_to_frame(game, event[0])
        repeat_event(game, event)
        yield
    yield from advance_to_frame(game, end)


def advance_to_frame(game: Game, frame: int) -> Iterator[None]:
    """Let time pass in a game up to a frame, halting when a piece comes to rest."""
    while game.frames < frame and not game.is_over:
        game.tick_until_lock(frame - game.frames)
        yield
