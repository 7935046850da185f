"""A game as video frames at regular times, for all kinds of players."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise

from tetrion.agents import AnyAgent, Explanation, PythonAgent, RandomKeysAgent, WeightedAgent, load_weighted_agent
from tetrion.agents.random_keys import KEYS_PER_SECOND
from tetrion.board import Placement
from tetrion.drawing.board_animation import (
    CLEAR_MILLISECONDS,
    LOCK_MILLISECONDS,
    SLIDE_MILLISECONDS,
    AnimatedBoard,
    ease_out,
)
from tetrion.drawing.candidate_overlay import find_keep_clear_zones
from tetrion.drawing.piece_path import find_piece_path
from tetrion.drawing.scenes import lower_into_view
from tetrion.drawing.stack import Stack
from tetrion.drawing.video_drawing import VideoCaption, VideoFrame
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay

_SPAWN_MS = 120  # before the first key
_ROTATION_MS = 60
_STEP_DOWN_MS = 30
_EXPLANATION_MS = 500  # additional time before the first key to read the explanation
_FINAL_FRAME_MS = 2000
_MAX_CANDIDATES = 12  # placements that are explained

TimedFrame = tuple[float, Callable[[float], VideoFrame]]  # duration in ms, and the frame after a time in ms


@dataclass(frozen=True)
class Recording:
    """What is recorded: the player (an agent or a replay), the rules, and how many pieces."""

    player: AnyAgent | Replay
    rules: Rules
    seed: int
    max_pieces: int
    show_explanations: bool = False

    @property
    def player_name(self) -> str:
        """Name of the player."""
        if isinstance(self.player, Replay):
            return self.player.agent or "human player"
        return self.player.name

    def start_game(self) -> Game:
        """Return the game before its first piece."""
        return Game(self.rules, self.seed, self.player.number if isinstance(self.player, Replay) else 0)


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
    if isinstance(recording.player, RandomKeysAgent):
        yield from builder.animate_key_game(recording.player)
    else:
        with ExitStack() as exit_stack:
            choose = make_placement_chooser(recording, game, exit_stack)
            while not game.is_over and game.pieces < recording.max_pieces:
                yield from builder.animate_placement(choose(game.position))
    yield from builder.animate_end()


def make_placement_chooser(recording: Recording, game: Game, exit_stack: ExitStack) -> Callable[[Position], Placement]:
    """Return the function that chooses placements for the player; `exit_stack` ends its process."""
    player = recording.player
    if isinstance(player, Replay):
        placements = player.placements
        return lambda position: placements[position.pieces]
    if isinstance(player, PythonAgent):
        process = exit_stack.enter_context(player.start_process())
        process.begin_game(game.seed, game.number)
        return process.choose
    if isinstance(player, RandomKeysAgent):
        raise TetrionError(f"{player.name} presses keys and cannot choose placements.")
    return player.choose


class FrameBuilder:
    """Builds the frames of a game: its board and the panel next to it."""

    def __init__(self, recording: Recording, game: Game) -> None:
        self.recording = recording
        self.game = game
        self.stack = Stack(height=recording.rules.height)
        self.stack_heights: list[int] = []
        self.explaining_agent = find_explaining_agent(recording.player)
        self.caption = self.make_caption()

    def make_caption(self) -> VideoCaption:
        """Return the content of the panel before a piece is placed."""
        game = self.game
        recording = self.recording
        agent = self.explaining_agent
        counters = [("Lines", game.lines)] + (
            [("Level", game.level)] if recording.rules.level_system != "fixed" else []
        )
        has_modes = agent is not None and agent.second_mode is not None and not game.is_over
        return VideoCaption(
            name=recording.player_name,
            rules=str(recording.rules),
            seed=recording.seed,
            score=game.score,
            pieces=game.pieces,
            numbers=(*counters, ("Pieces", game.pieces)),
            next=game.next,
            preview=recording.rules.preview,
            mode=agent.get_mode_name(game.position) if agent and has_modes else "",
            is_second_mode=bool(agent and has_modes and agent.is_in_second_mode(game.position)),
            has_thinking=recording.show_explanations,
            explanation=self.explain_position(),
            explained_stack=self.stack,
            heights=tuple(self.stack_heights),
        )

    def explain_position(self) -> Explanation | None:
        """Return the explanation of the next placement, if it is shown and the agent can give one."""
        if (
            not self.recording.show_explanations
            or self.explaining_agent is None
            or isinstance(self.recording.player, RandomKeysAgent)
        ):
            return None
        if self.game.is_over:
            return Explanation(self.explaining_agent.name, "", (), 0)
        return self.explaining_agent.explain(self.game.position, _MAX_CANDIDATES)

    def animate_placement(self, placement: Placement) -> Iterator[TimedFrame]:
        """Yield the animation of a piece from its spawn to the clearing of rows."""
        self.caption = self.make_caption()
        position = self.game.position
        spawned = self.game.falling_piece
        path = [*([spawned] if spawned else []), *find_piece_path(position, placement)[1]]
        path = remove_final_drop(path) or [replace(placement, row=self.recording.rules.rows)]
        path = [lower_into_view(self.stack, step) for step in path]
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
        yield from self.animate_lock(placement, path[-1], lambda: self.game.place(placement))

    def animate_lock(
        self, placement: Placement, drop_start: Placement | None, place_piece: Callable[[], object]
    ) -> Iterator[TimedFrame]:
        """Yield the animation of a landing piece and cleared rows; `place_piece` updates the game."""
        stack = self.stack.with_locked_piece(placement)
        lines = self.game.lines
        place_piece()
        board = AnimatedBoard(stack, landed=placement, dropped_from=drop_start)
        yield LOCK_MILLISECONDS, lambda elapsed: self.make_frame(replace(board, lock_elapsed=elapsed), False)
        if self.game.lines > lines:
            yield (
                CLEAR_MILLISECONDS,
                lambda elapsed: self.make_frame(AnimatedBoard(stack, clear_elapsed=elapsed), False),
            )
            stack = stack.without_full_rows()
        self.stack = stack
        self.stack_heights.append(len(stack.rows))

    def animate_key_game(self, agent: RandomKeysAgent) -> Iterator[TimedFrame]:
        """Yield the animation of a real-time game until it is over or reaches the maximum number of pieces."""
        for _ in agent.press_keys(self.game):
            locked = self.game.placements_made[len(self.stack_heights) :]
            for placement in locked:
                yield from self.animate_lock(placement, None, lambda: None)
            if self.game.is_over or self.game.pieces >= self.recording.max_pieces:
                return
            self.caption = self.make_caption() if locked else self.caption
            yield (
                1000 / KEYS_PER_SECOND,
                hold_frame(self.make_frame(AnimatedBoard(self.stack, self.find_visible_piece()))),
            )

    def find_visible_piece(self) -> Placement | None:
        """Return the falling piece, lowered into the visible rows."""
        return lower_into_view(self.stack, self.game.falling_piece) if self.game.falling_piece else None

    def animate_end(self) -> Iterator[TimedFrame]:
        """Yield the final frame."""
        self.caption = self.make_caption()
        game = self.game
        message = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}" if game.is_over else ""
        frame = replace(self.make_frame(AnimatedBoard(self.stack, is_over=game.is_over), False), end_message=message)
        yield _FINAL_FRAME_MS, hold_frame(frame)

    def make_frame(self, board: AnimatedBoard, show_candidates: bool = True) -> VideoFrame:
        """Return a frame, with the ranked placements while a piece falls."""
        candidates = self.caption.explanation.candidates if self.caption.explanation else ()
        zones = find_keep_clear_zones(candidates[0].contributions, self.recording.rules.rows) if candidates else None
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


def find_explaining_agent(player: AnyAgent | Replay) -> WeightedAgent | None:
    """Return the weighted agent that can explain placements: the player, or the one named in a replay."""
    if isinstance(player, WeightedAgent):
        return player
    if isinstance(player, Replay) and player.agent:
        try:
            return load_weighted_agent(player.agent)
        except TetrionError:
            return None
    return None


def remove_final_drop(path: list[Placement]) -> list[Placement]:
    """Return the path without the straight steps down at its end, which are a drop."""
    end = len(path)
    while end > 1 and (path[end - 1].rotation, path[end - 1].column) == (path[end - 2].rotation, path[end - 2].column):
        end -= 1
    return path[:end]
