"""A game from its first piece on as pictures at regular times: whoever plays, and however long it takes to think."""

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

# milliseconds: before the first key, after a turn, for a step down
_SPAWN_MS = 120
_ROTATION_MS = 60
_STEP_DOWN_MS = 30
_EXPLANATION_MS = 500  # more before the first key, where thoughts are to be read
_FINAL_FRAME_MS = 2000  # how long the last picture is seen
_MAX_CANDIDATES = 12  # placements whose thoughts are told

TimedFrame = tuple[float, Callable[[float], VideoFrame]]  # so many milliseconds, and what is seen after some of them


@dataclass(frozen=True)
class Recording:
    """What is recorded: who plays (an agent, or a replay that has been played), by which rules, and how much of it."""

    player: AnyAgent | Replay
    rules: Rules
    seed: int
    max_pieces: int
    show_explanations: bool = False

    @property
    def player_name(self) -> str:
        """Who plays, in words."""
        if isinstance(self.player, Replay):
            return self.player.agent or "a person"
        return self.player.name

    def start_game(self) -> Game:
        """The game before its first piece."""
        return Game(self.rules, self.seed, self.player.number if isinstance(self.player, Replay) else 0)


@dataclass
class RecordingProgress:
    """How far a recording is: the game, how many pictures there are of it, and up to which piece they are written."""

    game: Game
    frame_count: int = 0
    frames_written: int = 0
    pieces_written: int = 0


def generate_frames(recording: Recording, frames_per_second: int, progress: RecordingProgress) -> Iterator[VideoFrame]:
    """What is seen of a game, so many times a second; a picture that stays is the same object again."""
    gap, due = 1000 / frames_per_second, 0.0
    for milliseconds, sight in generate_timed_frames(recording, progress.game):
        while due < milliseconds:
            progress.frame_count += 1
            yield sight(due)
            due += gap
        due -= milliseconds


def generate_timed_frames(recording: Recording, game: Game) -> Iterator[TimedFrame]:
    """Everything that is seen of a game, from piece to piece."""
    scene = FrameBuilder(recording, game)
    if isinstance(recording.player, RandomKeysAgent):
        yield from scene.animate_key_game(recording.player)
    else:
        with ExitStack() as ended_by_us:
            choose = make_placement_chooser(recording, game, ended_by_us)
            while not game.is_over and game.pieces < recording.max_pieces:
                yield from scene.animate_placement(choose(game.position))
    yield from scene.animate_end()


def make_placement_chooser(recording: Recording, game: Game, exit_stack: ExitStack) -> Callable[[Position], Placement]:
    """Who says where the next piece goes."""
    player = recording.player
    if isinstance(player, Replay):
        placements = player.placements
        return lambda position: placements[position.pieces]
    if isinstance(player, PythonAgent):
        child = exit_stack.enter_context(player.start_process())
        child.begin_game(game.seed, game.number)
        return child.choose
    if isinstance(player, RandomKeysAgent):
        raise TetrionError(f"{player.name} presses keys; it chooses no placements.")
    return player.choose


class FrameBuilder:
    """A game on its way into a film: what stands on its board and beside it."""

    def __init__(self, recording: Recording, game: Game) -> None:
        self.recording = recording
        self.game = game
        self.stack = Stack(height=recording.rules.height)
        self.stack_heights: list[int] = []
        self.explaining_agent = find_explaining_agent(recording.player)
        self.caption = self.make_caption()

    def make_caption(self) -> VideoCaption:
        """What stands beside the board before a piece is placed."""
        game = self.game
        film = self.recording
        thinker = self.explaining_agent
        numbers = [("Lines", game.lines)] + ([("Level", game.level)] if film.rules.level_system != "fixed" else [])
        modes = thinker is not None and thinker.second_mode is not None and not game.is_over
        return VideoCaption(
            film.player_name,
            str(film.rules),
            film.seed,
            game.score,
            game.pieces,
            (*numbers, ("Pieces", game.pieces)),
            game.next,
            film.rules.preview,
            thinker.get_mode_name(game.position) if thinker and modes else "",
            bool(thinker and modes and thinker.is_in_second_mode(game.position)),
            film.show_explanations,
            self.explain_position(),
            self.stack,
            tuple(self.stack_heights),
        )

    def explain_position(self) -> Explanation | None:
        """Why the piece goes where it goes, as far as the agent can tell and it is wanted."""
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
        """A piece appears, goes its way, drops and locks, and full rows go."""
        self.caption, position = self.make_caption(), self.game.position
        entered = self.game.falling_piece
        path = [*([entered] if entered else []), *find_piece_path(position, placement)[1]]
        path = remove_final_drop(path) or [replace(placement, row=self.recording.rules.rows)]
        path = [lower_into_view(self.stack, step) for step in path]
        yield (
            _SPAWN_MS + (_EXPLANATION_MS if self.recording.show_explanations else 0),
            hold_frame(self.make_frame(AnimatedBoard(self.stack, path[0]))),
        )
        for before, after in pairwise(path):
            across = before.column - after.column if before.rotation == after.rotation else 0
            there = self.make_frame(AnimatedBoard(self.stack, after))
            if abs(across) == 1 and before.row == after.row:
                yield SLIDE_MILLISECONDS, slide_frame(there, across)
            else:
                yield _STEP_DOWN_MS if after.row < before.row else _ROTATION_MS, hold_frame(there)
        yield from self.animate_lock(placement, path[-1], lambda: self.game.place(placement))

    def animate_lock(
        self, placement: Placement, drop_start: Placement | None, place_piece: Callable[[], object]
    ) -> Iterator[TimedFrame]:
        """A piece comes to rest, and full rows go; `place` lets the game know."""
        lying, lines = self.stack.with_locked_piece(placement), self.game.lines
        place_piece()
        landed = AnimatedBoard(lying, landed=placement, dropped_from=drop_start)
        yield LOCK_MILLISECONDS, lambda elapsed: self.make_frame(replace(landed, lock_elapsed=elapsed), False)
        if self.game.lines > lines:
            yield (
                CLEAR_MILLISECONDS,
                lambda elapsed: self.make_frame(AnimatedBoard(lying, clear_elapsed=elapsed), False),
            )
            lying = lying.without_full_rows()
        self.stack = lying
        self.stack_heights.append(len(lying.rows))

    def animate_key_game(self, agent: RandomKeysAgent) -> Iterator[TimedFrame]:
        """A game of keys in real time, until it is over or has its pieces."""
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
        """Where the piece in play is seen."""
        return lower_into_view(self.stack, self.game.falling_piece) if self.game.falling_piece else None

    def animate_end(self) -> Iterator[TimedFrame]:
        """The last picture."""
        self.caption, game = self.make_caption(), self.game
        words = f"{format_count(game.lines, 'line')}, {format_count(game.score, 'point')}" if game.is_over else ""
        last = replace(self.make_frame(AnimatedBoard(self.stack, is_over=game.is_over), False), end_message=words)
        yield _FINAL_FRAME_MS, hold_frame(last)

    def make_frame(self, moving: AnimatedBoard, show_candidates: bool = True) -> VideoFrame:
        """A picture, with the placements that are considered while a piece is in play."""
        candidates = self.caption.explanation.candidates if self.caption.explanation else ()
        marks = find_keep_clear_zones(candidates[0].contributions, self.recording.rules.rows) if candidates else None
        ranked = tuple(candidate.placement for candidate in candidates) if show_candidates else ()
        return VideoFrame(moving, self.caption, ranked, marks)


def hold_frame(frame: VideoFrame) -> Callable[[float], VideoFrame]:
    """A picture that does not change."""
    return lambda elapsed: frame


def slide_frame(frame: VideoFrame, columns: int) -> Callable[[float], VideoFrame]:
    """A piece that slides from so many columns away to where it is in a picture."""

    def seen(elapsed: float) -> VideoFrame:
        away = columns * (1 - ease_out(elapsed / SLIDE_MILLISECONDS)), 0.0
        return replace(frame, board=replace(frame.board, active_offset=away))

    return seen


def find_explaining_agent(player: AnyAgent | Replay) -> WeightedAgent | None:
    """Who can tell why: an agent made of numbers, or the one that a replay names, if it is known."""
    if isinstance(player, WeightedAgent):
        return player
    if isinstance(player, Replay) and player.agent:
        try:
            return load_weighted_agent(player.agent)
        except TetrionError:
            return None
    return None


def remove_final_drop(path: list[Placement]) -> list[Placement]:
    """A way without the steps straight down at its end, which are a drop."""
    end = len(path)
    while end > 1 and (path[end - 1].rotation, path[end - 1].column) == (path[end - 2].rotation, path[end - 2].column):
        end -= 1
    return path[:end]
