"""The timeline of a replay: keyframes that allow jumping to any move quickly."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tetrion.engine.pieces import PIECES
from tetrion.game import Game
from tetrion.replay import GameEvent, Replay, repeat_event

MIN_KEYFRAME_MOVES = 16  # between two keyframes
_MAX_KEYFRAMES = 2000

IntegerArray = npt.NDArray[np.int64]


class TimelinePoint(NamedTuple):
    """A game at some point, and the index of its next event.

    The lists of the game contain only the placements and events since the last keyframe.
    """

    game: Game
    next_event: int


@dataclass(frozen=True)
class ReplayTimeline:
    """A replay with keyframes and all events; `scores`, `lines` and `heights` are the values after 0, 1, 2 … moves."""

    replay: Replay
    keyframes: tuple[TimelinePoint, ...]
    events: tuple[GameEvent, ...]
    scores: IntegerArray
    lines: IntegerArray
    heights: IntegerArray
    pieces: IntegerArray  # index in PIECES, one per move

    @property
    def move_count(self) -> int:
        """The number of moves."""
        return len(self.replay.placements)

    @property
    def is_real_time(self) -> bool:
        """Whether the game was played in real time with keys."""
        return self.replay.key_events is not None

    def count_pieces(self, moves: int) -> dict[str, int]:
        """Return how often each piece was placed in the first `moves` moves."""
        return dict(zip(PIECES, np.bincount(self.pieces[:moves], minlength=len(PIECES)).tolist(), strict=True))

    def count_clears(self, moves: int) -> list[int]:
        """Return how often one, two, three and four lines were cleared in the first `moves` moves."""
        counts: list[int] = np.bincount(np.diff(self.lines[: moves + 1]), minlength=5).tolist()
        return counts[1:5]

    def get_point(self, moves: int) -> TimelinePoint:
        """Return the game after a number of moves; in a real-time game, when the last of these pieces locks.

        After the last move, return the end of the game.
        """
        keyframe = self._find_keyframe(moves)
        game = keyframe.game.copy()
        if game.pieces < moves or moves == self.move_count:
            for _ in play_remaining_events(game, self.events[keyframe.next_event :], int(self.replay.result["frames"])):
                if game.pieces >= moves and moves < self.move_count:
                    break
        return TimelinePoint(game, keyframe.next_event + len(game.events))

    def get_full_game(self, moves: int) -> Game:
        """Return the game after a number of moves with its full history, so that it can be resumed and saved."""
        keyframe = self._find_keyframe(moves)
        game = self.get_point(moves).game
        game.placements_made[:0] = self.replay.placements[: keyframe.game.pieces]
        game.events[:0] = self.events[: keyframe.next_event]
        return game

    def _find_keyframe(self, moves: int) -> TimelinePoint:
        return self.keyframes[bisect_right(self.keyframes, moves, key=lambda keyframe: keyframe.game.pieces) - 1]


def build_timeline(replay: Replay) -> Iterator[int | ReplayTimeline]:
    """Play and verify a replay; yield the number of moves done from time to time, and finally the timeline."""
    game = Game(replay.rules, replay.seed, replay.number)
    keyframes = [TimelinePoint(game.copy(), 0)]
    events = list[GameEvent]()
    rows = [(game.score, game.lines, 0)]
    interval = max(MIN_KEYFRAME_MOVES, len(replay.placements) // _MAX_KEYFRAMES)
    for _ in replay.play_steps(game):
        while len(rows) <= game.pieces:
            rows.append((game.score, game.lines, len(game.stack.rows)))
        if game.pieces >= keyframes[-1].game.pieces + interval:
            events += game.events
            game.placements_made.clear()
            game.events.clear()
            keyframes.append(TimelinePoint(game.copy(), len(events)))
            yield game.pieces
    scores, lines, heights = np.array(rows).T
    pieces = np.array([PIECES.index(placement.piece) for placement in replay.placements], int)
    yield ReplayTimeline(
        replay=replay,
        keyframes=tuple(keyframes),
        events=(*events, *game.events),
        scores=scores,
        lines=lines,
        heights=heights,
        pieces=pieces,
    )


def play_remaining_events(game: Game, events: Iterable[GameEvent], end: int) -> Iterator[None]:
    """Repeat events in a game at their frames and advance it to frame `end`; yield after every event and lock."""
    for event in events:
        yield from advance_to_frame(game, event[0])
        repeat_event(game, event)
        yield
    yield from advance_to_frame(game, end)


def advance_to_frame(game: Game, frame: int) -> Iterator[None]:
    """Advance a game to a frame; yield whenever a piece locks."""
    while game.frames < frame and not game.is_over:
        game.tick_until_lock(frame - game.frames)
        yield
