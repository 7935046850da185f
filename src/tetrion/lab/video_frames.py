"""A game as frames of a video: at regular times, or one per step of the game, for all kinds of players.

A frame shows the board, the preview, the counters, the agent and optionally the thinking panel.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

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
    PlayEvent,
    step_game,
)
from tetrion.agents.weighted_agent import as_weighted_agent, get_agent_settings, raise_feature_errors
from tetrion.board import Placement, get_placement
from tetrion.drawing.board_animation import (
    CLEAR_MILLISECONDS,
    LOCK_MILLISECONDS,
    SLIDE_MILLISECONDS,
    AnimatedBoard,
    draw_animated_board,
    ease_out,
)
from tetrion.drawing.board_drawing import compute_board_size
from tetrion.drawing.layout import Box, Panel, Part, draw_column, flexible, inset, place, split_column, split_row
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import ACCENT, BACKGROUND, DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, FittedBoard, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    compute_queue_height,
    compute_score_panel_height,
    draw_action_on_board,
    draw_figures_row,
    draw_game_over,
    draw_garbage_meter,
    draw_hold_panel,
    draw_piece_strip,
    draw_queue_column,
    draw_score_panel,
)
from tetrion.drawing.thinking_panel import (
    KeepClearZones,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    draw_thinking_panel,
    find_keep_clear_zones,
)
from tetrion.engine.batch_play import get_record_type, make_games_for, select_fastest_play
from tetrion.engine.piece_motion import KEY_DOWN, NO_TURN, get_spawn_state, move_piece
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import FullGameRecord, GameRecord
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.game_facts import NO_VISIBLE_PIECES, VisiblePieces, describe_action, has_attack_layout
from tetrion.position import Position, get_engine_settings, read_position, uses_levels
from tetrion.replay import Replay
from tetrion.stack import LockedPiece, Stack
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
# units
_MARGIN = 24
_COMPACT_MARGIN = 16
_PANEL_GAP = 16
_COLUMN_WIDTH = 200
_LOW_COLUMN_WIDTH = 144
_AGENT_HEIGHT = 108
_MODE_HEIGHT = 88
_HOLD_HEIGHT = 88
_SLOT_HEIGHT = 54  # of a next piece
_LOW_SLOT_HEIGHT = 28  # of one of many next pieces
_MAX_LARGE_PIECES = 2
_STRIP_HEIGHT = 74
_NAME_HEIGHT = 40
_MIN_THINKING_HEIGHT = 560  # of the thinking panel and the chart together
_CHART_SHARE = 0.27  # of that height
_CHART_PIECES = 120  # number of pieces that the chart goes back
_MAX_COMPACT_ASPECT_RATIO = 1.4  # width / height; wider videos with explanations have side panels
_MAX_SMALL_HEIGHT = 600  # pixels


@dataclass(frozen=True)
class VideoCaption:
    """The content next to the board, which changes once per piece; `numbers` are labelled counters."""

    name: str
    rules: str
    seed: int
    score: int
    pieces: int
    numbers: tuple[tuple[str, int], ...]
    next: str = ""
    preview: int = 0
    mode: str = ""
    is_second_mode: bool = False
    has_thinking: bool = False
    explanation: Explanation | None = None
    explained_stack: Stack | None = None  # the stack that `explanation` is about
    heights: tuple[int, ...] = ()
    position: Position | None = None  # None: the video shows the preview without hold, garbage and action text
    visible_pieces: VisiblePieces = NO_VISIBLE_PIECES
    action: tuple[str, ...] = ()  # the lines of the action text


@dataclass(frozen=True)
class VideoFrame:
    """A frame of a video: the animated board, the caption, and the candidate placements from best to worst."""

    board: AnimatedBoard
    caption: VideoCaption
    ranked_placements: tuple[Placement, ...] = ()
    zones: KeepClearZones | None = None
    end_message: str = ""  # shown when the game is over


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

    @property
    def bulk_agent(self) -> WeightedAgent | None:
        """The agent if `step_in_bulk` can play its game: with straight drops and small records."""
        agent = as_weighted_agent(self.agent)
        if agent is None or self.show_explanations or self.rules.movement != "drop":
            return None
        return agent if get_record_type(get_agent_settings(agent, self.rules)) is GameRecord else None


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


def sample_frames(recording: Recording, game: Game | None = None) -> Iterator[TimedFrame]:
    """Play a game and yield few frames: the middle of each part of its animation, or several if the part is long.

    Without `game`, the engine plays it in bulk if it can.
    """
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


def animate_game(recording: Recording, game: Game | None) -> Iterator[AnimationPart]:
    """Play a game and yield all parts of its animation, piece by piece."""
    if game is None and (bulk_agent := recording.bulk_agent):
        yield from FrameBuilder(recording, None).animate_events(step_in_bulk(bulk_agent, recording))
        return
    game = game or recording.start_game()
    explanations = ExplanationRequest(_MAX_CANDIDATES if recording.show_explanations else 0)
    with recording.agent.start_player() as player:
        events = step_game(player, game, recording.max_pieces, explanations=explanations)
        yield from FrameBuilder(recording, game).animate_events(events)


def step_in_bulk(agent: WeightedAgent, recording: Recording) -> Iterator[PlayEvent]:
    """Yield the events of a game that the engine's function for games in bulk plays: the same game as by `step_game`.

    Training has compiled this function. The functions of a `Game` may still have to be compiled, which takes a minute
    on a slow machine.
    """
    rules = recording.rules
    settings = get_agent_settings(agent, rules)
    games = make_games_for(settings, 1, recording.seed, recording.number)
    play = select_fastest_play(settings)
    records = [games[0].copy()]
    while len(records) < recording.max_pieces + rules.preview + 2 and play(games, settings, 1):
        records.append(games[0].copy())
    raise_feature_errors(agent)
    placements = [get_placement(OrientedPlacement(*after.placement.tolist()), rules.rotation) for after in records[1:]]
    for number, record in enumerate(records):  # bulk play deals no more pieces than the agent needs
        shown = placements[number : number + 1 + rules.preview]
        record.known = len(shown)
        record.queue[: len(shown)] = [PIECES.index(placement.piece) for placement in shown]
    stack = Stack(height=rules.height, clearing=rules.clearing)
    shown_records = records[: recording.max_pieces + 1]
    with agent.start_player() as player:
        for before, after, placement in zip(shown_records, shown_records[1:], placements, strict=False):
            position = read_position(before, rules)
            yield DecisionEvent(Decision(position, placement, player.get_mode_name(position)))
            locked_piece = stack.lock_piece(placement)
            stack = locked_piece.stack_after_clear
            yield PlacementEvent(locked_piece, cast("FullGameRecord", after), rules)
            if locked_piece.full_rows:
                yield ClearEvent(locked_piece)
    is_over = len(placements) <= recording.max_pieces and bool(games["status"][0] == STATUS_OVER)
    yield EndEvent(read_position(shown_records[-1], rules), is_over)


@lru_cache(512)
def find_drop_path(rules: Rules, piece: str, rotation: int, column: int) -> list[Placement]:
    """Return a piece where it spawns and after each key, on a shortest way to a rotation and column above the stack.

    The engine's `find_keys` does the same in compiled code, on any board.
    """
    record = get_engine_settings(rules).rules[0]
    empty_board = np.zeros(BOARD_WIDTH, np.int32)
    number = PIECES.index(piece)
    paths = [[get_spawn_state(record, number)]]
    reached = {*paths[0]}
    for path in paths:  # breadth first: the list grows while it is read
        state = path[-1]
        if (record.rotation_of_state[number, state.state], state.column) == (rotation, column):
            break
        for key in (key for key in range(KEY_DOWN) if record.has_key[key]):
            after = move_piece(empty_board, record, number, (state, NO_TURN), key).piece_state
            if after not in reached:
                reached.add(after)
                paths.append([*path, after])
    rotations = [int(record.rotation_of_state[number, state.state]) for state in path]
    return [
        Placement(piece, turned, int(state.column), int(state.row), rules.rotation)
        for turned, state in zip(rotations, path, strict=True)
    ]


class FrameBuilder:
    """Builds the frames of a game: its board and the panels next to it.

    `game` is the game whose events it receives; None if the engine has played it in bulk.
    """

    def __init__(self, recording: Recording, game: Game | None) -> None:
        self.recording = recording
        self.game = game
        self.rules = recording.rules
        self.stack = game.stack if game else Stack(height=self.rules.height, clearing=self.rules.clearing)
        self.has_target = False  # whether the player has decided where to place the current piece
        self.stack_heights: list[int] = []
        self._action: tuple[str, ...] = ()  # the last action text
        self._action_pieces = 0  # placed since then
        self.caption: VideoCaption

    def animate_events(self, events: Iterable[PlayEvent]) -> Iterator[AnimationPart]:
        """Yield the parts of the animation of a game."""
        for event in events:
            if isinstance(event, DecisionEvent):
                yield from self.animate_decision(event.decision)
            elif isinstance(event, KeyEvent) and not self.has_target:
                yield from self.animate_key(event.piece)
            elif isinstance(event, PlacementEvent):
                yield from self.animate_lock(event)
            elif isinstance(event, ClearEvent):
                yield from self.animate_clear(event.locked_piece)
            elif isinstance(event, EndEvent):
                yield from self.animate_end(event)

    def make_caption(self, position: Position, decision: Decision | None = None) -> VideoCaption:
        """Return the content of the panel before a piece is placed."""
        counters = [("Lines", position.lines)]
        counters += [("Attack", position.attack)] if self.rules.attack != "none" else []
        counters += [("Level", position.level)] if uses_levels(self.rules) else []
        second_mode = getattr(self.recording.agent, "second_mode", None)
        return VideoCaption(
            name=clean_name(self.recording.agent.name),
            rules=str(self.rules),
            seed=self.recording.seed,
            score=position.score,
            pieces=position.pieces,
            numbers=(*counters, ("Pieces", position.pieces)),
            next=position.next,
            preview=self.rules.preview,
            mode=decision.mode if decision else "",
            is_second_mode=bool(decision and second_mode and decision.mode == second_mode.names[1]),
            has_thinking=self.recording.show_explanations,
            explanation=decision.explanation if decision else None,
            explained_stack=self.stack,
            heights=tuple(self.stack_heights),
            **self._make_attack_content(position, decision.placement if decision else None),
        )

    def _make_attack_content(self, position: Position, placement: Placement | None) -> dict[str, Any]:
        """Return the fields of a caption that only the attack layout has."""
        if not has_attack_layout(self.rules):
            return {}
        action = self._action if self._action_pieces < _ACTION_PIECES else ()
        pieces = VisiblePieces.from_position(position, placement)
        return {"position": position, "visible_pieces": pieces, "action": action}

    def animate_decision(self, decision: Decision) -> Iterator[AnimationPart]:
        """Yield the animation of a piece from its spawn to its target, if it has one."""
        self.caption = self.make_caption(decision.position, decision)
        target = decision.placement
        self.has_target = target is not None
        if target is None:
            return
        path = [self.stack.lower_into_view(piece) for piece in self.find_path(decision, target)]
        ghost = None if decision.explanation else target
        yield (
            _SPAWN_MS + (_EXPLANATION_MS if self.recording.show_explanations else 0),
            hold_frame(self.make_frame(AnimatedBoard(self.stack, path[0], ghost=ghost))),
        )
        for before, after in pairwise(path):
            columns = before.column - after.column if before.rotation == after.rotation else 0
            frame = self.make_frame(AnimatedBoard(self.stack, after, ghost=ghost))
            if abs(columns) == 1 and before.row == after.row:
                yield animate_move(frame, (columns, 0), SLIDE_MILLISECONDS, ease_out)
            else:
                yield _STEP_DOWN_MS if after.rotation == before.rotation else _ROTATION_MS, hold_frame(frame)
        if rows := path[-1].row - target.row:
            frame = self.make_frame(AnimatedBoard(self.stack, target, ghost=ghost))
            yield animate_move(frame, (0, rows), _DROP_MS, lambda progress: progress)

    def find_path(self, decision: Decision, target: Placement) -> list[Placement]:
        """Return a piece before and after each key that leads to its target, without the final drop."""
        if self.game is None:
            return find_drop_path(self.rules, target.piece, target.rotation, target.column)
        steps = [step.piece for step in decision.find_keys() if step.piece]
        spawned = self.game.falling_piece if not target.hold else None
        start = [spawned] if spawned else []
        return remove_final_drop([*start, *steps]) if steps else [replace(target, row=self.rules.rows)]

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
        garbage = self.game.garbage_rises.get(int(event.record.pieces), ()) if self.game else ()
        self.stack = locked_piece.stack_after_clear.with_garbage(garbage)
        self.stack_heights.append(len(self.stack.rows))

    def animate_clear(self, locked_piece: LockedPiece) -> Iterator[AnimationPart]:
        """Yield the animation of cleared rows."""
        stack = locked_piece.stack_before_clear
        yield (
            CLEAR_MILLISECONDS,
            lambda elapsed: self.make_frame(AnimatedBoard(stack, clear_elapsed=elapsed), False),
        )

    def animate_end(self, event: EndEvent) -> Iterator[AnimationPart]:
        """Yield the final frame."""
        caption, is_over = self.make_caption(event.position), event.is_over
        if is_over and self.recording.show_explanations:
            caption = replace(caption, explanation=Explanation(self.recording.agent.name, "", (), 0))
        self.caption = caption
        lines = format_count(event.position.lines, "line")
        message = f"{lines}, {format_count(event.position.score, 'point')}" if is_over else ""
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


def animate_move(
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


@dataclass(frozen=True)
class VideoLayout:
    """The boxes of a frame in units; parts without a box are not shown."""

    board: FittedBoard
    column: Box | None = None
    strip: Box | None = None
    thinking: Box | None = None
    chart: Box | None = None


def is_small(size: tuple[int, int]) -> bool:
    """Return whether a video is so small that panels are larger compared with the board, to stay readable."""
    return size[1] <= _MAX_SMALL_HEIGHT


def compute_video_scale(size: tuple[int, int], has_thinking: bool) -> float:
    """Return the number of pixels per unit for a video of `size` pixels."""
    width, height = size
    if not has_thinking:
        units = (420, 480) if is_small(size) else (602, 720)
    else:
        units = (800, 700) if width < _MAX_COMPACT_ASPECT_RATIO * height else (1180, 720)
    return min(width / units[0], height / units[1])


def make_video_layout(pen: Pen, rows: int, has_thinking: bool) -> VideoLayout:
    """Return the layout for boards with `rows` visible rows."""
    is_compact = pen.width < _MAX_COMPACT_ASPECT_RATIO * pen.height if has_thinking else is_small(pen.surface.size)
    inside = inset(pen.area, _COMPACT_MARGIN if is_compact else _MARGIN)
    column_width = _LOW_COLUMN_WIDTH if is_compact else _COLUMN_WIDTH
    if not has_thinking:
        space, _ = split_row(inside, [flexible(), column_width], _PANEL_GAP)
        board = pen.fit_board(space, rows)
        whole = place(inside, board.box.width + _PANEL_GAP + column_width, board.box.height)
        whole.height = inside.bottom - whole.top
        place_of_board, place_of_column = split_row(whole, [board.box.width, flexible()], _PANEL_GAP)
        place_of_board.height = board.box.height
        return VideoLayout(board._replace(box=place_of_board), place_of_column)
    column: Box | None = None
    strip: Box | None = None
    if not is_compact:
        column, inside = split_row(inside, [column_width, flexible()], _PANEL_GAP)
    space = split_row(inside, [inside.width // 2 if is_compact else compute_board_size(34)[0]])[0]
    board = pen.fit_board(space, rows, 0)
    _, right = split_row(inside, [board.box.width, flexible()], _PANEL_GAP)
    if is_compact:
        _, strip, right = split_column(right, [_NAME_HEIGHT, _STRIP_HEIGHT + _PANEL_GAP, flexible()])
        strip.height = _STRIP_HEIGHT
    else:
        right.height = max(board.box.height, _MIN_THINKING_HEIGHT)
    chart_height = max(110, round(_CHART_SHARE * right.height) - _PANEL_GAP // 2)
    thinking, chart = split_column(right, [flexible(), chart_height], _PANEL_GAP)
    return VideoLayout(board, column, strip, thinking, chart)


def draw_video_frame(pen: Pen, frame: VideoFrame, previous: VideoFrame | None = None) -> None:
    """Draw a frame; parts that are equal to the `previous` frame, which the surface shows, are not redrawn."""
    caption, stack = frame.caption, frame.board.stack
    layout = make_video_layout(pen, stack.height, caption.has_thinking)
    if previous is None or previous.caption is not caption:
        pen.surface.fill(BACKGROUND)
        draw_caption(pen, layout, caption)
    elif previous == frame:
        return
    top_left = pen.to_pixel_point(layout.board.box.topleft)
    cell_size = layout.board.cell_size
    surface = pen.surface
    surface.fill(BACKGROUND, (top_left, compute_board_size(cell_size, stack.height)))

    def draw_under() -> None:
        if frame.zones:
            draw_keep_clear_zones(surface, top_left, cell_size, stack.height, frame.zones, label="Danger zone")
        draw_candidate_shades(surface, top_left, cell_size, stack, frame.ranked_placements)

    def draw_over() -> None:
        draw_best_candidates(surface, top_left, cell_size, stack, frame.ranked_placements)

    draw_animated_board(
        surface,
        top_left,
        cell_size,
        frame.board,
        style=pen.style,
        draw_below=draw_under,
        draw_above=draw_over,
    )
    draw_action_on_board(pen, layout.board.box, caption.action)
    if frame.end_message:
        draw_game_over(pen, layout.board.box, frame.end_message)


def draw_caption(pen: Pen, layout: VideoLayout, caption: VideoCaption) -> None:
    """Draw everything except the board."""
    if caption.position:
        draw_garbage_meter(pen, layout.board.box, layout.board.cell_size, caption.position)
    if layout.column:
        draw_side_panels(pen, layout.column, caption)
    if layout.strip:
        draw_strip(pen, layout.strip, caption)
    if layout.thinking and caption.explained_stack:
        draw_thinking_panel(pen, layout.thinking, caption.explanation, caption.explained_stack)
    if layout.chart and caption.explained_stack:
        draw_stack_heights(pen, layout.chart, caption.heights[-_CHART_PIECES:], caption.explained_stack.height)


def draw_side_panels(pen: Pen, column: Box, caption: VideoCaption) -> None:
    """Draw the panels for the agent, the pieces, the counters and the mode, without some if not all fit."""
    pieces = caption.visible_pieces
    numbers = [(label, f"{number:,}") for label, number in caption.numbers]
    draw_numbers = partial(draw_score_panel, score=f"{caption.score:,}", labelled_rows=numbers)
    slot_height = _SLOT_HEIGHT if caption.preview <= _MAX_LARGE_PIECES else _LOW_SLOT_HEIGHT
    next_pieces = pieces.next if caption.position else caption.next
    next_height = compute_queue_height(caption.preview, slot_height)
    draw_next = partial(draw_queue_column, pieces=next_pieces, piece_count=caption.preview)

    def draw_agent(box: Box) -> None:
        inside = pen.draw_panel(box, "Agent")
        name = pen.truncate_text(caption.name, inside.width, 18, True)
        pen.draw_text(name, (inside.left, box.top + 50), 18, True, ACCENT)
        rules = f"{caption.rules}, seed {caption.seed}"
        if pen.measure_text(rules, 14) > inside.width:
            rules = pen.truncate_text(caption.rules, inside.width, 14)
        pen.draw_text(rules, (inside.left, box.top + 80), 14, False, DIM_TEXT)

    def draw_mode(box: Box) -> None:
        inside = pen.draw_panel(box, "Mode")
        badge = Box(inside.left, box.top + 40, inside.width, 32)
        pen.draw_badge(badge, caption.mode.capitalize(), caption.is_second_mode)

    draw_column(
        column,
        _PANEL_GAP,
        [
            Panel(Part(_AGENT_HEIGHT, rank=2), draw_agent),
            Panel(_HOLD_HEIGHT * pieces.has_hold, lambda box: draw_hold_panel(pen, box, pieces)),
            Panel(Part(next_height, rank=0 if caption.position else 1), lambda box: draw_next(pen, box)),
            Panel(compute_score_panel_height(len(numbers)), lambda box: draw_numbers(pen, box.clip(column))),
            Panel(Part(_MODE_HEIGHT * bool(caption.mode), rank=3), draw_mode),
        ],
    )


def draw_strip(pen: Pen, box: Box, caption: VideoCaption) -> None:
    """Draw the agent's name, and below it a strip with the counters and the next piece."""
    middle = box.top - _NAME_HEIGHT // 2 - 4
    right = box.right
    for text in ([caption.mode] if caption.mode else []) + [caption.rules]:
        right -= pen.draw_chip(right, middle, text, text == caption.mode, max_width=box.width / 2) + 8
    name = pen.truncate_text(caption.name, right - box.left - 8, 18, True)
    pen.draw_text(name, (box.left, middle), 18, True, STRONG_TEXT)
    pen.draw_panel(box)
    numbers = (("Score", caption.score), *caption.numbers)
    if caption.position:
        pieces = caption.visible_pieces
        width = box.width - PANEL_PADDING - compute_piece_strip_width(pieces, caption.preview)
        row = Box(box.left + PANEL_PADDING, box.top, width, box.height)
        draw_figures_row(pen, row, [(label, f"{number:,}") for label, number in numbers])
        draw_piece_strip(pen, box, pieces, caption.preview)
        return
    right = box.right - (84 if caption.next else PANEL_PADDING)
    for column, (label, number) in enumerate(numbers):
        x = box.left + PANEL_PADDING + column * (right - box.left - PANEL_PADDING) / len(numbers)
        pen.draw_number((x, box.top + 22), label, f"{number:,}", 20)
    if caption.next:
        pen.draw_text("Next", (box.right - 46, box.top + 22), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((box.right - 46, box.top + 48), 13, caption.next[0])
