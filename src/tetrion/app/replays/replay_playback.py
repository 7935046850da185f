"""A replay at any of its moves: a timeline with keyframes, and its playback in real time or placement by placement."""

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from tetrion.agents import Decision
from tetrion.app.games.agent_game import CLEAR_PAUSE_SECONDS, DEFAULT_AGENT_SPEED, MAX_ANIMATED_SPEED
from tetrion.app.games.agent_piece import MoveAnimation
from tetrion.app.toolkit.controls import AGENT_SPEEDS
from tetrion.board import Placement
from tetrion.engine.pieces import PIECES
from tetrion.game import Game
from tetrion.replay import GameEvent, Replay, repeat_event
from tetrion.stack import LockedPiece

MIN_KEYFRAME_MOVES = 16  # between two keyframes
_MAX_KEYFRAMES = 2000
REPLAY_SPEEDS = tuple(speed for speed in AGENT_SPEEDS if speed <= 1000)  # moves per second
REAL_TIME_SPEEDS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)  # multiples of the original speed
_MAX_STEPPED_SPEED = 60  # moves per second; at higher speeds, several moves are skipped per frame
_MAX_KEYS_SHOWN = 8
_KEY_SHOWN_SECONDS = 0.5

TimelinePoint = tuple[Game, int]  # with the index of its next event, and only the history since the last keyframe


class ReplayTimeline:
    """A replay with keyframes, from which any move is reached quickly."""

    def __init__(
        self, replay: Replay, keyframes: list[TimelinePoint], events: list[GameEvent], rows: list[tuple[int, int]]
    ) -> None:
        self.replay = replay
        self.move_count = len(replay.placements)
        self.end_frame = int(replay.result["frames"])
        self.is_real_time = replay.key_events is not None  # whether the game was played with keys
        self.keyframes = keyframes
        self.events = events
        self.lines, self.heights = np.array(rows).T  # after 0, 1, 2 … moves
        self._pieces = np.array([PIECES.index(placement.piece) for placement in replay.placements], int)

    def count_pieces(self, moves: int) -> dict[str, int]:
        """Return how often each piece was placed in the first `moves` moves."""
        return dict(zip(PIECES, np.bincount(self._pieces[:moves], minlength=len(PIECES)).tolist(), strict=True))

    def count_clears(self, moves: int) -> list[int]:
        """Return how often one, two, three and four lines were cleared in the first `moves` moves."""
        counts: list[int] = np.bincount(np.diff(self.lines[: moves + 1]), minlength=5).tolist()
        return counts[1:5]

    def get_point(self, moves: int) -> TimelinePoint:
        """Return the game after a number of moves, when the last of these pieces locks; after all, at its end."""
        keyframe, first_event = self._find_keyframe(moves)
        game = keyframe.copy()
        is_end = moves == self.move_count
        for number in range(first_event, len(self.events) + 1):
            is_last = number == len(self.events)
            frame = self.end_frame if is_last else self.events[number][0]
            while game.frames < frame and not game.is_over and (is_end or game.pieces < moves):
                game.tick_until_lock(frame - game.frames)
            if is_last or (game.pieces >= moves and not is_end):
                break
            repeat_event(game, self.events[number])
        return game, first_event + len(game.events)

    def get_full_game(self, moves: int) -> Game:
        """Return the game after a number of moves with its full history, so that it can be resumed and saved."""
        keyframe, event_count = self._find_keyframe(moves)
        game, _ = self.get_point(moves)
        game.placements_made[:0] = self.replay.placements[: keyframe.pieces]
        game.events[:0] = self.events[:event_count]
        return game

    def _find_keyframe(self, moves: int) -> TimelinePoint:
        return self.keyframes[bisect_right(self.keyframes, moves, key=lambda keyframe: keyframe[0].pieces) - 1]


def build_timeline(replay: Replay) -> Iterator[int | ReplayTimeline]:
    """Play and verify a replay; yield the number of moves done from time to time, and finally the timeline."""
    game = Game(replay.rules, replay.seed, replay.number)
    keyframes, events = [(game.copy(), 0)], list[GameEvent]()
    rows = [(game.lines, 0)]
    interval = max(MIN_KEYFRAME_MOVES, len(replay.placements) // _MAX_KEYFRAMES)
    for _ in replay.play_steps(game):
        while len(rows) <= game.pieces:
            rows.append((game.lines, len(game.stack.rows)))
        if game.pieces >= keyframes[-1][0].pieces + interval:
            events += game.events
            game.placements_made.clear()
            game.events.clear()
            keyframes.append((game.copy(), len(events)))
            yield game.pieces
    yield ReplayTimeline(replay, keyframes, [*events, *game.events], rows)


class ReplayPlayback:
    """The current point of a replay. With `autoplay` it advances by itself; `speed` is one of `speeds`."""

    def __init__(self, timeline: ReplayTimeline, autoplay: bool = True) -> None:
        self.timeline = timeline
        self.autoplay = autoplay
        self.speeds = REAL_TIME_SPEEDS if timeline.is_real_time else REPLAY_SPEEDS
        self.default_speed = 1.0 if timeline.is_real_time else DEFAULT_AGENT_SPEED
        self.speed = self.default_speed
        self.clearing_lock: LockedPiece | None = None
        self.locks: list[LockedPiece] = []  # since the screen last cleared the list
        self.keys: list[str] = []  # pressed recently, in real time
        self._clear_seconds_left = 0.0
        self._due_steps = 0.0  # moves, or frames of a real-time game
        self._keys_seconds_left = 0.0
        self._current_decision: Decision | None = None
        self._jump_to(0)

    # Current state.

    @property
    def is_over(self) -> bool:
        """Whether the replay has ended."""
        return self.moves_made >= self.timeline.move_count and self.game.frames >= self.timeline.end_frame

    @property
    def moves_made(self) -> int:
        """The number of moves made so far."""
        return self.game.pieces

    @property
    def shows_motion(self) -> bool:
        """Whether the speed is low enough to animate every move."""
        return self.speed <= MAX_ANIMATED_SPEED * self.default_speed / DEFAULT_AGENT_SPEED

    @property
    def target(self) -> Placement | None:
        """The placement of the current piece."""
        has_piece = self.moves_made < self.timeline.move_count and not self.clearing_lock
        return self.timeline.replay.placements[self.moves_made] if has_piece else None

    @property
    def active_piece(self) -> Placement | None:
        """The current piece where it is drawn."""
        if self.game.is_over or (self.clearing_lock and not self.timeline.is_real_time):
            return None
        falling = self.game.falling_piece
        target = self.target
        if self.timeline.is_real_time or target is None or not self._due_steps:
            return falling
        if not self.shows_motion:
            return target
        if self._current_decision is None or self._current_decision.position.pieces != self.moves_made:
            self._current_decision = Decision(self.game.position, target)
        keys = self._current_decision.find_keys()
        return MoveAnimation(keys, falling, target, min(1.0, self._due_steps), self.speed).placement

    # Seeking.

    def seek(self, moves: int) -> None:
        """Jump to the point after a number of moves."""
        moves = max(0, min(self.timeline.move_count, moves))
        if moves != self.moves_made or self._due_steps or self.clearing_lock:
            self._jump_to(moves)

    def step(self, moves: int) -> None:
        """Go forwards by a number of moves, or back if it is negative."""
        before = self.moves_made
        stack = self.stack
        self.seek(before + moves)
        if self.moves_made == before + 1:
            self.locks.append(stack.lock_piece(self.timeline.replay.placements[before]))

    def _jump_to(self, moves: int) -> None:
        self.game, self._next_event = self.timeline.get_point(moves)
        self.stack = self.game.stack
        self.game.placements_made.clear()
        self.clearing_lock = None
        self._due_steps = 0.0
        self._current_decision = None
        self.keys.clear()
        if self.timeline.is_real_time and moves < self.timeline.move_count:
            while self.game.falling_piece is None and self.moves_made == moves and not self.is_over:
                self._advance_frames(1)  # until the next piece is visible

    # Playback.

    def update(self, seconds: float) -> None:
        """Advance the playback by `seconds`."""
        self._keys_seconds_left -= seconds
        if self._keys_seconds_left <= 0:
            self.keys.clear()
        if self.clearing_lock:
            self._clear_seconds_left -= seconds
            if self._clear_seconds_left <= 0:
                self.clearing_lock = None
        self.autoplay = self.autoplay and not self.is_over
        if not self.autoplay:
            return
        if self.timeline.is_real_time:
            self._due_steps += seconds * self.speed * self.game.rules.frames_per_second
            frames = int(self._due_steps)
            self._due_steps %= 1
            self._advance_frames(frames)
            self._process_locks()
        elif not self.clearing_lock:
            self._due_steps += seconds * self.speed
            if self._due_steps >= 1:
                self._make_moves(int(self._due_steps))

    def _make_moves(self, moves: int) -> None:
        remainder = self._due_steps % 1
        if self.speed > _MAX_STEPPED_SPEED:
            self.seek(self.moves_made + moves)
            self._due_steps = remainder
            return
        for _ in range(min(moves, self.timeline.move_count - self.moves_made)):
            self.game.place(self.timeline.replay.placements[self.moves_made])
        self._due_steps = 0.0 if self.shows_motion else remainder
        self._process_locks()

    def _advance_frames(self, frames: int) -> None:
        """Advance a real-time game by a number of frames and repeat the events in them."""
        end = min(self.game.frames + frames, self.timeline.end_frame)
        events = self.timeline.events
        while self._next_event < len(events) and events[self._next_event][0] <= end:
            frame, action, key = events[self._next_event]
            self.game.tick(max(0, frame - self.game.frames))
            repeat_event(self.game, events[self._next_event])
            self._next_event += 1
            if action in ("press", "keydown"):
                self.keys = [*self.keys[1 - _MAX_KEYS_SHOWN :], key]
                self._keys_seconds_left = _KEY_SHOWN_SECONDS
        self.game.tick(max(0, end - self.game.frames))

    def _process_locks(self) -> None:
        """Update the stack with the pieces that have locked."""
        placements = self.game.placements_made[:]
        self.game.placements_made.clear()
        for number, placement in enumerate(placements, self.game.pieces - len(placements) + 1):
            lock = self.stack.lock_piece(placement)
            self.stack = lock.stack_after_clear
            if rows := self.game.garbage_rises.get(number):
                self.stack = self.stack.with_garbage(rows)
            self.locks.append(lock)
            self.clearing_lock = lock if lock.full_rows and self.shows_motion else None
            self._clear_seconds_left = CLEAR_PAUSE_SECONDS * min(1.0, 2 * self.default_speed / self.speed)
