"""A game as video frames at regular times, for all kinds of players."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from tetrion.agents import Agent, Decision, Explanation, WeightedAgent, load_weighted_agent
from tetrion.agents.player import KeyStep
from tetrion.agents.random_keys import KEYS_PER_SECOND
from tetrion.agents.replay_agent import ReplayAgent
from tetrion.agents.stepped_game import (
    ClearEvent,
    DecisionEvent,
    EndEvent,
    ExplanationRequest,
    KeyEvent,
    PlacementEvent,
    step_game,
)
from tetrion.board import Placement
from tetrion.drawing.board_animation import (
    CLEAR_MILLISECONDS,
    LOCK_MILLISECONDS,
    SLIDE_MILLISECONDS,
    AnimatedBoard,
    ease_out,
)
from tetrion.drawing.candidate_overlay import find_keep_clear_zones
from tetrion.drawing.scenes import lower_into_view
from tetrion.drawing.video_drawing import VideoCaption, VideoFrame
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.replay import Replay
from tetrion.stack import LockedPiece

_SPAWN_MS = 120  # before the first key
_ROTATION_MS = 60
_STEP_DOWN_MS = 30
_EXPLANATION_MS = 500  # additional time before the first key to read the explanation
_FINAL_FRAME_MS = 2000
_MAX_CANDIDATES = 12  # placements that are explained

TimedFrame = tuple[float, Callable[[float], VideoFrame]]  # duration in ms, and the frame after a time in ms


@dataclass(frozen=True)
class Recording:
    """What is recorded: the agent, the rules, the seed and number of its game, and how many pieces."""

    agent: Agent
    rules: Rules
    seed: int
    max_pieces: int
    show_explanations: bool = False
    number: int = 0

    @classmethod
    def from_replay(cls, replay: Replay, max_pieces: int, show_explanations: bool = False) -> "Recording":
        """Return the recording of a saved game; the agent that it names explains the placements."""
        agent = ReplayAgent(replay, find_explaining_agent(replay))
        return cls(agent, replay.rules, replay.seed, max_pieces, show_explanations, replay.number)

    def start_game(self) -> Game:
        """Return the game before its first piece."""
        return Game(self.rules, self.seed, self.number)


@dataclass
class RecordingProgress:
    """Progress of a recording: the game and the number of frames generated."""

    game: Game
    frame_count: int = 0


def generate_frames(recording: Recording, frames_per_second: int, progress: RecordingProgress) -> Iterator[VideoFrame]:
    """Yield the frames of a game at a fixed rate; a frame that does not change is the same object again."""
    frame_ms = 1000 / frames_per_second
    elapsed = 0.0
    for duration_ms, get_frame in generate_timed_frames(recording, progress.game):
        while elapsed < duration_ms:
            progress.frame_count += 1
            yield get_frame(elapsed)
            elapsed += frame_ms
        elapsed -= duration_ms


def generate_timed_frames(recording: Recording, game: Game) -> Iterator[TimedFrame]:
    """Yield all parts of a game's animation, piece by piece."""
    builder = FrameBuilder(recording, game)
    explanations = ExplanationRequest(_MAX_CANDIDATES if recording.show_explanations else 0)
    with recording.agent.start_player() as player:
        for event in step_game(player, game, recording.max_pieces, explanations=explanations):
            if isinstance(event, DecisionEvent):
                yield from builder.animate_decision(event.decision)
            elif isinstance(event, KeyEvent):
                yield from builder.animate_key(event.step)
            elif isinstance(event, PlacementEvent):
                yield from builder.animate_lock(event.locked_piece)
            elif isinstance(event, ClearEvent):
                yield from builder.animate_clear(event.locked_piece)
            elif isinstance(event, EndEvent):
                yield from builder.animate_end(event.is_over)


class FrameBuilder:
    """Builds the frames of a game: its board and the panel next to it."""

    def __init__(self, recording: Recording, game: Game) -> None:
        self.recording = recording
        self.game = game
        self.rules = game.rules
        self.stack = game.stack
        self.drop_start: Placement | None = None  # where the current piece starts its last, straight fall
        self.stack_heights: list[int] = []
        self.caption = self.make_caption(None)

    def make_caption(self, decision: Decision | None) -> VideoCaption:
        """Return the content of the panel before a piece is placed."""
        game = self.game
        counters = [("Lines", game.lines)] + ([("Level", game.level)] if self.rules.level_system != "fixed" else [])
        second_mode = getattr(self.recording.agent, "second_mode", None)
        return VideoCaption(
            name=self.recording.agent.name,
            rules=str(self.rules),
            seed=game.seed,
            score=game.score,
            pieces=game.pieces,
            numbers=(*counters, ("Pieces", game.pieces)),
            next=game.next,
            preview=self.rules.preview,
            mode=decision.mode if decision else "",
            is_second_mode=bool(decision and second_mode and decision.mode == second_mode.names[1]),
            has_thinking=self.recording.show_explanations,
            explanation=decision.explanation if decision else None,
            explained_stack=self.stack,
            heights=tuple(self.stack_heights),
        )

    def animate_decision(self, decision: Decision) -> Iterator[TimedFrame]:
        """Yield the animation of a piece from its spawn to the start of its drop, if it has a target."""
        self.caption = self.make_caption(decision)
        self.drop_start = None
        if decision.placement is None:
            return
        spawned = self.game.falling_piece
        steps = [step.piece for step in decision.find_keys()]
        path = remove_final_drop([piece for piece in (spawned, *steps) if piece])
        path = path or [replace(decision.placement, row=self.rules.rows)]
        path = [lower_into_view(self.stack, piece) for piece in path]
        yield (
            _SPAWN_MS + (_EXPLANATION_MS if self.recording.show_explanations else 0),
            hold_frame(self.make_frame(AnimatedBoard(self.stack, path[0]))),
        )
        for before, after in pairwise(path):
            columns = before.column - after.column if before.rotation == after.rotation else 0
            frame = self.make_frame(AnimatedBoard(self.stack, after))
            if abs(columns) == 1 and before.row == after.row:
                yield SLIDE_MILLISECONDS, slide_frame(frame, columns)
            else:
                yield _STEP_DOWN_MS if after.row < before.row else _ROTATION_MS, hold_frame(frame)
        self.drop_start = path[-1]

    def animate_key(self, step: KeyStep) -> Iterator[TimedFrame]:
        """Yield the frame after a key of a player that has no target."""
        if self.drop_start is None:
            piece = lower_into_view(self.stack, step.piece) if step.piece else None
            yield 1000 / KEYS_PER_SECOND, hold_frame(self.make_frame(AnimatedBoard(self.stack, piece)))

    def animate_lock(self, locked_piece: LockedPiece) -> Iterator[TimedFrame]:
        """Yield the animation of a landing piece."""
        board = AnimatedBoard(
            locked_piece.stack_before_clear, landed=locked_piece.placement, dropped_from=self.drop_start
        )
        yield LOCK_MILLISECONDS, lambda elapsed: self.make_frame(replace(board, lock_elapsed=elapsed), False)
        self.stack = locked_piece.stack_after_clear
        self.stack_heights.append(len(self.stack.rows))

    def animate_clear(self, locked_piece: LockedPiece) -> Iterator[TimedFrame]:
        """Yield the animation of cleared rows."""
        stack = locked_piece.stack_before_clear
        yield (
            CLEAR_MILLISECONDS,
            lambda elapsed: self.make_frame(AnimatedBoard(stack, clear_elapsed=elapsed), False),
        )

    def animate_end(self, is_over: bool) -> Iterator[TimedFrame]:
        """Yield the final frame."""
        game = self.game
        explanation = Explanation(self.recording.agent.name, "", (), 0) if self.recording.show_explanations else None
        self.caption = replace(self.make_caption(None), explanation=explanation if is_over else None)
        message = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}" if is_over else ""
        frame = replace(self.make_frame(AnimatedBoard(self.stack, is_over=is_over), False), end_message=message)
        yield _FINAL_FRAME_MS, hold_frame(frame)

    def make_frame(self, board: AnimatedBoard, show_candidates: bool = True) -> VideoFrame:
        """Return a frame, with the ranked placements while a piece falls."""
        candidates = self.caption.explanation.candidates if self.caption.explanation else ()
        zones = find_keep_clear_zones(candidates[0].contributions, self.rules.rows) if candidates else None
        ranked_placements = tuple(candidate.placement for candidate in candidates) if show_candidates else ()
        return VideoFrame(board, self.caption, ranked_placements, zones)


def hold_frame(frame: VideoFrame) -> Callable[[float], VideoFrame]:
    """Return an animation that does not change."""
    return lambda elapsed: frame


def slide_frame(frame: VideoFrame, columns: int) -> Callable[[float], VideoFrame]:
    """Return an animation of a piece that slides sideways from `columns` away to its position in the frame."""

    def get_frame(elapsed: float) -> VideoFrame:
        offset = columns * (1 - ease_out(elapsed / SLIDE_MILLISECONDS)), 0.0
        return replace(frame, board=replace(frame.board, active_offset=offset))

    return get_frame


def find_explaining_agent(replay: Replay) -> WeightedAgent | None:
    """Return the weighted agent that a replay names; None if it names none."""
    try:
        return load_weighted_agent(replay.agent) if replay.agent else None
    except TetrionError:
        return None


def remove_final_drop(path: list[Placement]) -> list[Placement]:
    """Return the path without the straight steps down at its end, which are a drop."""
    end = len(path)
    while end > 1 and (path[end - 1].rotation, path[end - 1].column) == (path[end - 2].rotation, path[end - 2].column):
        end -= 1
    return path[:end]
