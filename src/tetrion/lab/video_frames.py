"""A game as frames of a video: at regular times, or one per step of the game, for all kinds of players."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from tetrion.agents import Agent, Decision, Explanation, WeightedAgent
from tetrion.agents.agent_loading import load_named_agent
from tetrion.agents.named.baseline_agents import KEYS_PER_SECOND
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
from tetrion.drawing.game_facts import VisiblePieces, describe_action, has_attack_layout
from tetrion.drawing.video_drawing import VideoCaption, VideoFrame
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.position import uses_levels
from tetrion.replay import Replay
from tetrion.stack import LockedPiece
from tetrion.text_cleaning import clean_name

_SPAWN_MS = 120  # before the first key
_ROTATION_MS = 60
_STEP_DOWN_MS = 30
_EXPLANATION_MS = 500  # additional time before the first key to read the explanation
_DROP_MS = 80
_FINAL_FRAME_MS = 2000
_SAMPLE_MS = 120  # frames per part of an animation in a GIF: one per this time
_MIN_SAMPLE_MS = 50  # shorter parts are skipped until their time adds up to this
_ACTION_PIECES = 2  # pieces for which an action text is shown
_MAX_CANDIDATES = 12  # placements that are explained

AnimationPart = tuple[float, Callable[[float], VideoFrame]]  # duration in ms, and the frame after a time in ms


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


class TimedFrame(NamedTuple):
    """A frame and how long it is shown."""

    frame: VideoFrame
    milliseconds: int  # a multiple of 10, as in a GIF


def generate_frames(recording: Recording, game: Game, frames_per_second: int) -> Iterator[VideoFrame]:
    """Play a game and yield its frames at a fixed rate; a frame that does not change is the same object again."""
    frame_ms = 1000 / frames_per_second
    elapsed = 0.0
    for duration_ms, get_frame in animate_game(recording, game):
        while elapsed < duration_ms:
            yield get_frame(elapsed)
            elapsed += frame_ms
        elapsed -= duration_ms


def sample_frames(recording: Recording, game: Game) -> Iterator[TimedFrame]:
    """Play a game and yield few frames: the middle of each part of its animation, or several if the part is long."""
    end_ms = shown_ms = 0.0
    for duration_ms, get_frame in animate_game(recording, game):
        is_still = get_frame(0) == get_frame(duration_ms)
        count = 1 if is_still else max(1, round(duration_ms / _SAMPLE_MS))
        for number in range(count):
            end_ms += duration_ms / count
            milliseconds = 10 * round((end_ms - shown_ms) / 10)
            if milliseconds >= _MIN_SAMPLE_MS:
                yield TimedFrame(get_frame(duration_ms * (number + 0.5) / count), milliseconds)
                shown_ms += milliseconds


def animate_game(recording: Recording, game: Game) -> Iterator[AnimationPart]:
    """Play a game and yield all parts of its animation, piece by piece."""
    builder = FrameBuilder(recording, game)
    explanations = ExplanationRequest(_MAX_CANDIDATES if recording.show_explanations else 0)
    with recording.agent.start_player() as player:
        for event in step_game(player, game, recording.max_pieces, explanations=explanations):
            if isinstance(event, DecisionEvent):
                yield from builder.animate_decision(event.decision)
            elif isinstance(event, KeyEvent) and not builder.has_target:
                yield from builder.animate_key(event.piece)
            elif isinstance(event, PlacementEvent):
                yield from builder.animate_lock(event)
            elif isinstance(event, ClearEvent):
                yield from builder.animate_clear(event.locked_piece)
            elif isinstance(event, EndEvent):
                yield from builder.animate_end(event.is_over)


class FrameBuilder:
    """Builds the frames of a game: its board and the panels next to it."""

    def __init__(self, recording: Recording, game: Game) -> None:
        self.recording = recording
        self.game = game
        self.rules = game.rules
        self.stack = game.stack
        self.has_target = False  # whether the player has decided where to place the current piece
        self.stack_heights: list[int] = []
        self._action: tuple[str, ...] = ()  # the last action text
        self._action_pieces = 0  # placed since then
        self.caption = self.make_caption(None)

    def make_caption(self, decision: Decision | None) -> VideoCaption:
        """Return the content of the panel before a piece is placed."""
        game = self.game
        counters = [("Lines", game.lines)]
        counters += [("Attack", game.attack)] if self.rules.attack != "none" else []
        counters += [("Level", game.level)] if uses_levels(self.rules) else []
        second_mode = getattr(self.recording.agent, "second_mode", None)
        return VideoCaption(
            name=clean_name(self.recording.agent.name),
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
            **self._make_attack_content(decision.placement if decision else None),
        )

    def _make_attack_content(self, placement: Placement | None) -> dict[str, Any]:
        """Return the fields of a caption that only the attack layout has."""
        if not has_attack_layout(self.rules):
            return {}
        position = self.game.position
        action = self._action if self._action_pieces < _ACTION_PIECES else ()
        pieces = VisiblePieces.from_position(position, placement)
        return {"position": position, "visible_pieces": pieces, "action": action}

    def animate_decision(self, decision: Decision) -> Iterator[AnimationPart]:
        """Yield the animation of a piece from its spawn to its target, if it has one."""
        self.caption = self.make_caption(decision)
        target = decision.placement
        self.has_target = target is not None
        if target is None:
            return
        steps = [step.piece for step in decision.find_keys() if step.piece]
        spawned = self.game.falling_piece if not target.hold else None
        start = [spawned] if spawned else []
        path = remove_final_drop([*start, *steps]) if steps else [replace(target, row=self.rules.rows)]
        path = [self.stack.lower_into_view(piece) for piece in path]
        ghost = None if decision.explanation else target
        yield (
            _SPAWN_MS + (_EXPLANATION_MS if self.recording.show_explanations else 0),
            hold_frame(self.make_frame(AnimatedBoard(self.stack, path[0], ghost=ghost))),
        )
        for before, after in pairwise(path):
            columns = before.column - after.column if before.rotation == after.rotation else 0
            frame = self.make_frame(AnimatedBoard(self.stack, after, ghost=ghost))
            if abs(columns) == 1 and before.row == after.row:
                yield move_piece(frame, (columns, 0), SLIDE_MILLISECONDS, ease_out)
            else:
                yield _STEP_DOWN_MS if after.rotation == before.rotation else _ROTATION_MS, hold_frame(frame)
        if rows := path[-1].row - target.row:
            frame = self.make_frame(AnimatedBoard(self.stack, target, ghost=ghost))
            yield move_piece(frame, (0, rows), _DROP_MS, lambda progress: progress)

    def animate_key(self, falling_piece: Placement | None) -> Iterator[AnimationPart]:
        """Yield the frame after a key of a player that has no target."""
        piece = self.stack.lower_into_view(falling_piece) if falling_piece else None
        yield 1000 / KEYS_PER_SECOND, hold_frame(self.make_frame(AnimatedBoard(self.stack, piece)))

    def animate_lock(self, event: PlacementEvent) -> Iterator[AnimationPart]:
        """Yield the animation of a piece that locks."""
        locked_piece = event.locked_piece
        self._action_pieces += 1
        if lines := describe_action(locked_piece, event.position):
            self._action, self._action_pieces = lines, 0
            self.caption = replace(self.caption, action=lines)
        board = AnimatedBoard(locked_piece.stack_before_clear, landed=locked_piece.placement)
        yield LOCK_MILLISECONDS, lambda elapsed: self.make_frame(replace(board, lock_elapsed=elapsed), False)
        garbage = self.game.garbage_rises.get(int(event.record.pieces), ())
        self.stack = locked_piece.stack_after_clear.with_garbage(garbage)
        self.stack_heights.append(len(self.stack.rows))

    def animate_clear(self, locked_piece: LockedPiece) -> Iterator[AnimationPart]:
        """Yield the animation of cleared rows."""
        stack = locked_piece.stack_before_clear
        yield (
            CLEAR_MILLISECONDS,
            lambda elapsed: self.make_frame(AnimatedBoard(stack, clear_elapsed=elapsed), False),
        )

    def animate_end(self, is_over: bool) -> Iterator[AnimationPart]:
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


def move_piece(
    frame: VideoFrame, offset: tuple[int, int], duration_ms: float, ease: Callable[[float], float]
) -> AnimationPart:
    """Return an animation of a piece that moves to its position in the frame, from columns and rows away.

    `ease` maps the share of the time to the share of the way.
    """

    def get_frame(elapsed: float) -> VideoFrame:
        share_left = 1 - ease(elapsed / duration_ms)
        board = replace(frame.board, active_offset=(share_left * offset[0], share_left * offset[1]))
        return replace(frame, board=board)

    return duration_ms, get_frame


def find_explaining_agent(replay: Replay) -> WeightedAgent | None:
    """Return the weighted agent that a replay names, one of the named agents; None if it names none."""
    try:
        agent = load_named_agent(replay.agent) if replay.agent else None
    except TetrionError:
        return None
    return agent if isinstance(agent, WeightedAgent) else None


def remove_final_drop(path: list[Placement]) -> list[Placement]:
    """Return the path without the straight steps down at its end, which are a drop."""
    end = len(path)
    while end > 1 and (path[end - 1].rotation, path[end - 1].column) == (path[end - 2].rotation, path[end - 2].column):
        end -= 1
    return path[:end]
