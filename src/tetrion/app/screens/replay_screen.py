"""Replay screen: plays a saved game forwards and backwards at any speed, and saves it as a web page."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np

from tetrion.agents import Decision
from tetrion.app.background_task import BackgroundTask
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.agent_game import CLEAR_PAUSE_SECONDS, DEFAULT_AGENT_SPEED, MAX_ANIMATED_SPEED, animate_move
from tetrion.app.games.game_tracker import STATISTICS_PIECE_ORDER
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.notices import MessageFunction
from tetrion.app.picker_options import format_rules
from tetrion.app.screens.game_panels import KEYCAP_LABELS, draw_pieces_column, split_around_board
from tetrion.app.toolkit.controls import (
    AGENT_SPEEDS,
    ButtonSpec,
    change_speed,
    compute_button_width,
    draw_buttons,
    draw_slider,
    draw_speed_slider,
    format_speed,
)
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay, measure_key_legend
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.atomic_files import write_atomically
from tetrion.board import Placement
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import LOCKED_CELL
from tetrion.drawing.layout import Box, Panel, Part, draw_column, flexible, inset, place, split_column, split_row
from tetrion.drawing.line_charts import ChartLine, draw_chart
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, STRONG_TEXT, get_piece_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    compute_score_panel_height,
    draw_action_on_board,
    draw_figures_row,
    draw_garbage_meter,
    draw_piece_strip,
    draw_score_panel,
)
from tetrion.engine.pieces import PIECES
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration, format_number, format_percent
from tetrion.evaluation.replay_review import Review
from tetrion.game import Game, GameEvent, tick_until_lock
from tetrion.game_facts import CLEAR_NAMES, ActionText, VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.position import uses_levels
from tetrion.replay import Replay, add_file_to_errors, load_unverified_replay, repeat_event
from tetrion.stack import LockedPiece
from tetrion.user_folders import describe_save_error, get_data_folder

MIN_KEYFRAME_MOVES = 16  # between two keyframes
_MAX_KEYFRAMES = 2000
REPLAY_SPEEDS = tuple(speed for speed in AGENT_SPEEDS if speed <= 1000)  # moves per second
REAL_TIME_SPEEDS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)  # multiples of the original speed
_MAX_KEYS_SHOWN = 8
_KEY_SHOWN_SECONDS = 0.5
_KEYS = [(["Home", "End"], "First, last"), (["−", "+"], "Speed")]
_MAX_CURVE_POINTS = 240
_MAX_PLAYER_BYTES = 60  # in the name of a page

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
            frame = self.end_frame if is_last else self.events[number].frame
            while game.frames < frame and not game.is_over and (is_end or game.pieces < moves):
                tick_until_lock(game, frame - game.frames)
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
            # Without its history a keyframe is small, and copying it takes the same time at every move.
            game.placements_made.clear()
            game.events.clear()
            keyframes.append((game.copy(), len(events)))
            yield game.pieces
    yield ReplayTimeline(replay, keyframes, [*events, *game.events], rows)


class ReplayPlayback:
    """The current point of a replay. With `autoplay` it advances by itself; `speed` is one of `speeds`."""

    def __init__(self, timeline: ReplayTimeline, first_move: int = 0) -> None:
        self.timeline = timeline
        self.autoplay = not first_move
        self.speeds = REAL_TIME_SPEEDS if timeline.is_real_time else REPLAY_SPEEDS
        self.default_speed = 1.0 if timeline.is_real_time else DEFAULT_AGENT_SPEED
        self.speed = self.default_speed
        self.locks: list[LockedPiece] = []  # since the screen last cleared the list
        self.keys: list[str] = []  # pressed recently, in real time
        self._keys_seconds_left = 0.0
        self._current_decision: Decision | None = None
        self._jump_to(first_move)

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
        has_piece = self.moves_made < self.timeline.move_count and not self._clear_seconds_left
        return self.timeline.replay.placements[self.moves_made] if has_piece else None

    @property
    def active_piece(self) -> Placement | None:
        """The current piece where it is drawn."""
        if self.game.is_over or (self._clear_seconds_left and not self.timeline.is_real_time):
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
        return animate_move(keys, falling, target, min(1.0, self._due_steps), self.speed).placement

    def seek(self, moves: int) -> None:
        """Jump to the point after a number of moves; a single step forwards locks a piece."""
        before, stack = self.moves_made, self.stack
        if moves != before or self._due_steps or self._clear_seconds_left:
            self._jump_to(moves)
        if self.moves_made == before + 1:
            self.locks.append(stack.lock_piece(self.timeline.replay.placements[before]))

    def _jump_to(self, moves: int) -> None:
        moves = max(0, min(self.timeline.move_count, moves))
        self.game, self._next_event = self.timeline.get_point(moves)
        self.stack = self.game.stack
        self.game.placements_made.clear()
        self._clear_seconds_left = 0.0  # until the next piece appears
        self._due_steps = 0.0  # moves, or frames of a real-time game
        self._current_decision = None
        self.keys.clear()
        if self.timeline.is_real_time and moves < self.timeline.move_count:
            while self.game.falling_piece is None and self.moves_made == moves and not self.is_over:
                self._advance_frames(1)  # until the next piece is visible

    def update(self, seconds: float) -> None:
        """Advance the playback by `seconds`."""
        self._keys_seconds_left -= seconds
        if self._keys_seconds_left <= 0:
            self.keys.clear()
        self._clear_seconds_left = max(0.0, self._clear_seconds_left - seconds)
        self.autoplay = self.autoplay and not self.is_over
        if not self.autoplay:
            return
        if self.timeline.is_real_time:
            self._due_steps += seconds * self.speed * self.game.rules.frames_per_second
            self._advance_frames(int(self._due_steps))
            self._due_steps %= 1
        elif not self._clear_seconds_left:
            self._due_steps += seconds * self.speed
            moves = int(self._due_steps)
            for placement in self.timeline.replay.placements[self.moves_made : self.moves_made + moves]:
                self.game.place(placement)
            if moves:
                self._due_steps = 0.0 if self.shows_motion else self._due_steps % 1
        self._process_locks()

    def _advance_frames(self, frames: int) -> None:
        """Advance a real-time game by a number of frames and repeat the events in them."""
        end = min(self.game.frames + frames, self.timeline.end_frame)
        events = self.timeline.events
        while self._next_event < len(events) and events[self._next_event].frame <= end:
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
            pause = CLEAR_PAUSE_SECONDS * min(1.0, 2 * self.default_speed / self.speed)
            self._clear_seconds_left = pause if lock.full_rows and self.shows_motion else 0.0


class ReplayLoader(BackgroundTask):
    """Loads a replay from a file, or takes one that is already loaded, and builds its timeline."""

    def __init__(self, file: str, replay: Replay | None = None) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.timeline: ReplayTimeline | None = None
        self.progress_text = "Reading the file."
        self.start()

    def run(self) -> None:
        """Read the file, verify the replay and build its timeline."""
        with add_file_to_errors(self.file or "The replay"):
            self.replay = self.replay or load_unverified_replay(self.file)
            for progress in build_timeline(self.replay):
                if self._stop_event.is_set():
                    return
                if isinstance(progress, ReplayTimeline):
                    self.timeline = progress
                else:
                    self.progress_text = f"Move {progress:,} of {len(self.replay.placements):,}"


class ReplayPageWriter(BackgroundTask):
    """Writes the web page of a replay, with grades if there is a review, and shows a message with its name."""

    must_finish = True

    def __init__(self, game: Replay | Path, show_message: MessageFunction, review: Review | None = None) -> None:
        super().__init__()
        self.game = game
        self.review = review
        self.show_message = show_message
        show_message("Saving the web page…")
        self.start()

    def run(self) -> None:
        """Load the replay if necessary, and write the page."""
        from tetrion.lab.replay_page import render_replay_page

        replay = Replay.load(self.game) if isinstance(self.game, Path) else self.game
        folder = get_data_folder() / "pages"
        content = render_replay_page(replay, self.review).encode()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = find_page_path(folder, replay, content)
            write_atomically(path, content)
        except OSError as error:
            raise TetrionError(describe_save_error("The page", folder, error)) from None
        self.show_message(f"Saved {path.name} in the folder {folder.name}.", file=path)

    def _run_thread(self) -> None:
        super()._run_thread()
        if self.problem:
            self.show_message(self.problem)


def find_page_path(folder: Path, replay: Replay, content: bytes) -> Path:
    """Return the path of a page, such as modern-1-guideline-34-lines.html, with a number if another page has it."""
    player = (replay.agent or HUMAN_PLAYER).encode()[:_MAX_PLAYER_BYTES].decode("utf-8", "ignore")
    lines = format_count(int(replay.result["lines"]), "line").replace(",", "")
    name = re.sub(r"[^\w.=]+", "-", f"{player} {replay.rules.name} {lines}").strip("-.")
    paths = (folder / f"{name}{f'-{number}' if number > 1 else ''}.html" for number in count(1))
    return next(path for path in paths if not path.exists() or path.read_bytes() == content)


class LoadedReplayScreen(Screen):
    """The base of screens that show a replay, given as a file or as an object, as soon as it is loaded."""

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None) -> None:
        super().__init__(window)
        self.file = file
        self.loader = ReplayLoader(file, replay)

    def on_leave(self) -> None:
        """Stop loading."""
        self.loader.stop()

    def draw(self, ui: Ui) -> None:
        """Draw the game, or the progress or the error of loading it."""
        replay, loader = self.loader.replay, self.loader
        texts = (replay.agent or HUMAN_PLAYER, format_rules(replay.rules), f"Seed {replay.seed}") if replay else ()
        frame = draw_frame(ui, self.title, [Chip(text, has_dot=number == 0) for number, text in enumerate(texts)])
        box, is_closed = frame.content, frame.is_closed
        if loader.problem:
            title, buttons = "This replay cannot be loaded", [("Back", "Esc")]
            is_closed |= bool(draw_overlay(ui, box, title, [loader.problem], buttons, width=420))
        elif not self.draw_game(ui, frame):
            text = describe_compilation() if loader.is_compiling else loader.progress_text
            ui.pen.draw_text("Loading", (box.centerx, box.centery - 16), 18, True, STRONG_TEXT, align=0.5)
            ui.pen.draw_paragraph(text, (box.centerx, box.centery + 14), box.width, 16, align=0.5)
        if ui.files:
            self.window.replace_screen(type(self)(self.window, ui.files[-1]))
        elif is_closed and self.window.screen is self:
            self.window.close_screen()

    def draw_game(self, ui: Ui, frame: Frame) -> bool:
        """Draw the game and act on the controls; return whether it is loaded."""
        raise NotImplementedError


class ReplayScreen(LoadedReplayScreen):
    """Screen that plays a replay; `move` is the first move to show."""

    title = "Replay"
    has_music = True

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, move: int = 0) -> None:
        super().__init__(window, file, replay)
        self.first_move = move
        self.playback: ReplayPlayback | None = None
        self.board_animator = BoardAnimator(window.settings.has_animation)
        self.action = ActionText()

    @property
    def is_moving(self) -> bool:
        """Whether the replay is being loaded or played."""
        if not self.playback:
            return not self.loader.problem
        return bool(self.action.lines) or (self.playback.autoplay and not self.playback.is_over)

    def update(self, seconds: float) -> None:
        """Advance the playback."""
        if self.playback is None and self.loader.timeline is not None:
            self.playback = ReplayPlayback(self.loader.timeline, self.first_move)
        if self.playback:
            self.playback.update(seconds)
            self.board_animator.update(seconds)
            self.action.update(seconds)
            self._report_locks(self.playback)

    def _report_locks(self, playback: ReplayPlayback) -> None:
        for lock in playback.locks if playback.shows_motion else ():
            self.window.sound.play(get_lock_sound(lock.lines))
            if playback.autoplay:
                self.board_animator.add_lock(lock)
        self.board_animator.track_piece(playback.active_piece, playback.moves_made)
        if playback.locks:
            self.action.add_lock(playback.locks[-1], playback.game.position)
            if playback.autoplay and playback.game.is_over:
                self.window.sound.play("over")
            playback.locks.clear()

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        if self.playback:
            self.playback.autoplay = False

    def _run_action(self, action: str, playback: ReplayPlayback) -> None:
        number, last = playback.moves_made, playback.timeline.move_count
        targets = {"before": number - 1, "after": number + 1, "first": 0, "last": last}
        if action in targets:
            self._seek(playback, targets[action])
        elif action == "play":
            if playback.is_over:
                playback.seek(0)
            playback.autoplay = not playback.autoplay
        elif action:
            playback.autoplay = False
        if action == "review":
            self.window.open_screen_by_name("review", file=self.file, replay=playback.timeline.replay)
        elif action == "page":
            ReplayPageWriter(playback.timeline.replay, self.window.show_message)
        elif action == "continue":
            game, mode = playback.timeline.get_full_game(playback.moves_made), playback.timeline.replay.mode
            self.window.open_screen_by_name("play", game=game, mode=mode)

    def _seek(self, playback: ReplayPlayback, moves: int) -> None:
        """Pause, cancel animations and show the point after a number of moves."""
        playback.autoplay = False
        self.board_animator = BoardAnimator(self.window.settings.has_animation)
        playback.seek(moves)

    def draw_game(self, ui: Ui, frame: Frame) -> bool:
        """Draw the game at the current move, and the controls."""
        playback, gap = self.playback, frame.gap
        if playback is None:
            return False
        side, fitted, right = split_around_board(ui.pen, frame, playback.game.rules.height)
        self._draw_board(ui.pen, fitted, playback)
        if side:
            draw_replay_column(ui.pen, side, gap, playback)
        parts = [Part(0 if side else 76), flexible(220), Part(40), Part(200, minimum=140)]
        strip, top, button_row, chart = split_column(right, parts, gap)
        if strip:
            draw_replay_strip(ui.pen, strip, playback)
        statistics, clears = split_row(top, [flexible()] * 2, gap)
        draw_piece_statistics(ui.pen, statistics, playback)
        draw_clears(ui.pen, clears, playback)
        self._draw_timeline(ui, chart, playback)
        continue_label = "Continue from here" if button_row.width > 540 else "Continue"
        buttons = [
            ButtonSpec("continue", continue_label, "C", is_enabled=not playback.game.is_over),
            ButtonSpec("review", "Review", "V"),
            ButtonSpec("page", "Save web page", "S"),
        ]
        action = draw_buttons(ui, button_row, buttons, align=1)[0]
        action = self._draw_footer(ui, frame, playback) or action
        if not ui.focus:
            ui.request_focus("play")
        if ui.is_key_pressed("Home", "End"):
            action = "first" if ui.is_key_pressed("Home") else "last"
        self._run_action(action, playback)
        return True

    def _draw_board(self, pen: Pen, fitted: FittedBoard, playback: ReplayPlayback) -> None:
        draw_garbage_meter(pen, fitted.box, fitted.cell_size, playback.game.position)
        if playback.game.is_over and not self.board_animator.is_clearing:
            origin = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, origin, fitted.cell_size, playback.stack, is_over=True, style=pen.style)
        else:
            is_hidden = self.board_animator.is_clearing and not playback.timeline.is_real_time
            active = None if is_hidden else playback.active_piece
            if active and not playback.timeline.is_real_time:
                active = playback.stack.lower_into_view(active)
            ghost = playback.target if self.window.settings.ghost and active else None
            self.board_animator.draw(pen, fitted, playback.stack, active=active, ghost=ghost)
        strength = self.action.get_strength(self.window.settings.has_animation)
        draw_action_on_board(pen, fitted.box, self.action.lines, strength)

    def _draw_timeline(self, ui: Ui, box: Box, playback: ReplayPlayback) -> None:
        """Draw the stack height over all moves, and a slider to seek."""
        timeline = playback.timeline
        inside = ui.pen.draw_panel(box, "Stack height", f"Move {playback.moves_made:,} of {timeline.move_count:,}")
        area, slider = split_column(inside, [flexible(), 20], 10)
        share = playback.moves_made / max(1, timeline.move_count)
        count = len(timeline.heights)
        heights = timeline.heights[np.linspace(0, count - 1, min(count, _MAX_CURVE_POINTS)).astype(int)].astype(float)
        done = np.where(np.arange(len(heights)) <= share * (len(heights) - 1), heights, np.nan)
        curves = ((heights, BOARD_OUTLINE), (done, ACCENT))
        lines = [ChartLine("", values.tolist(), colour, has_area=True) for values, colour in curves]
        plot = draw_chart(ui.pen, area, lines, low=0, high=timeline.replay.rules.height, show_end_labels=False)
        track = Box(plot.left, slider.top, plot.width, slider.height)
        value = draw_slider(ui, "seek", track, share, 1 / max(1, timeline.move_count))
        if value != share:
            self._seek(playback, round(value * timeline.move_count))

    def _draw_footer(self, ui: Ui, frame: Frame, playback: ReplayPlayback) -> str:
        label, icon = ("Pause", "pause") if playback.autoplay else ("Play", "play")
        width = compute_button_width(ui.pen, "Pause", "Space", "pause") + 8  # for both labels
        buttons = [
            ButtonSpec("play", label, "Space", icon, is_primary=True, width=width),
            ButtonSpec("before", "", "←", "back", is_enabled=playback.moves_made > 0),
            ButtonSpec("after", "", "→", "step", is_enabled=not playback.is_over),
        ]
        action, rest = draw_buttons(ui, frame.footer, buttons)
        slider, legend = split_row(rest, [flexible(300), Part(measure_key_legend(ui.pen, _KEYS), rank=1)], 16)
        steps = ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")
        playback.speed = draw_speed_slider(
            ui,
            slider,
            change_speed(playback.speed, steps, playback.speeds),
            short=not frame.is_wide,
            all_speeds=playback.speeds,
            format_text=format_real_time_speed if playback.timeline.is_real_time else format_speed,
        )
        if legend:
            draw_key_legend(ui, legend, _KEYS, align=1)
        return action


def format_real_time_speed(speed: float, short: bool) -> str:
    """Return the text for a multiple of the original speed."""
    return "Real time" if speed == 1 else f"{speed:g} ×" if short else f"{speed:g} × real time"


# Panels


def list_counters(playback: ReplayPlayback) -> list[tuple[str, str]]:
    """Return the lines, the level where it matters, and the pieces of a game, with their labels."""
    game = playback.game
    level = [("Level", f"{game.level:,}")] if uses_levels(game.rules) else []
    return [("Lines", f"{game.lines:,}"), *level, ("Pieces", f"{game.pieces:,}")]


def draw_replay_column(pen: Pen, box: Box, gap: int, playback: ReplayPlayback) -> None:
    """Draw the pieces, the counters and, where there is space, the keys and the result in a column."""
    game, is_real_time = playback.game, playback.timeline.is_real_time
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    top = draw_pieces_column(pen, box, game.rules, pieces, gap=gap, next_height=104)
    points_per_line = format_number(game.score / game.lines, 0) if game.lines else NO_VALUE
    rows = [*list_counters(playback), ("Points per line", points_per_line)]
    if is_real_time:
        rows.append(("Time", format_duration(game.frames / game.rules.frames_per_second)))
    below = Box(box.left, top, box.width, box.bottom - top)
    score_height = min(compute_score_panel_height(len(rows)), below.height)
    panels = [
        Panel(score_height, lambda box: draw_score_panel(pen, box, f"{game.score:,}", rows)),
        Panel(Part(104 if is_real_time else 0, rank=1), lambda box: draw_recent_keys(pen, box, playback)),
        Panel(Part(132, rank=2), lambda box: draw_result(pen, box, playback)),
    ]
    draw_column(below, gap, panels)


def draw_result(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the result at the end of the replay."""
    result = playback.timeline.replay.result
    inside = pen.draw_panel(box, "Final result" if result["over"] else "Last position")
    for name, row in zip(("score", "lines", "pieces"), split_column(inside, [flexible()] * 3), strict=True):
        pen.draw_row(row, name.capitalize(), f"{result[name]:,}")


def draw_recent_keys(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the keys that were pressed last, in real time."""
    inside = pen.draw_panel(box, "Keys")
    left, top = inside.left, inside.top + 12
    for number, key in enumerate(playback.keys, 1):
        label = KEYCAP_LABELS[key]
        if left + pen.measure_keycap(label) > inside.right:
            left, top = inside.left, top + 30
        left += pen.draw_keycap((left, top), label, "pressed" if number == len(playback.keys) else "") + 6


def draw_replay_strip(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the counters and the pieces in one row instead of a column; counters that do not fit are left out."""
    game = playback.game
    pen.draw_panel(box)
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    width = compute_piece_strip_width(pieces, game.rules.preview)
    figures, strip = split_row(inset(box, 16, 0), [flexible(), width], 12)
    draw_figures_row(pen, figures, [("Score", f"{game.score:,}"), *list_counters(playback)])
    draw_piece_strip(pen, strip.move(16, 0), pieces, game.rules.preview)


def draw_piece_statistics(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw how often each piece was placed so far, with bars."""
    inside = pen.draw_panel(box, "Piece statistics", format_count(playback.moves_made, "piece"))
    counts = playback.timeline.count_pieces(playback.moves_made)
    max_count, colours = max(1, *counts.values()), get_piece_colours(pen.style.palette)
    for letter, row in zip(STATISTICS_PIECE_ORDER, split_column(inside, [flexible()] * len(counts)), strict=True):
        piece, bar, number = split_row(row, [50, flexible(), 44], 12)
        pen.draw_piece(piece.center, min(13, row.height // 3), letter, LOCKED_CELL)
        pen.draw_bar(place(bar, bar.width, 6), counts[letter] / max_count, colours[letter])
        pen.draw_text(f"{counts[letter]:,}", number.midright, 16, True, STRONG_TEXT, align=1)


def draw_clears(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the clears so far, or attack, spins and combos, as many rows as fit."""
    inside = pen.draw_panel(box, "Clears")
    clears = playback.timeline.count_clears(playback.moves_made)
    lines = sum(number * count for number, count in enumerate(clears, 1))
    rate = format_percent(4 * clears[3] / lines) if clears[3] else "0 %" if lines else NO_VALUE
    rows = [*zip(CLEAR_NAMES, (f"{count:,}" for count in clears), strict=True), ("Tetris rate", rate)]
    if has_attack_layout(playback.game.rules):
        rows = list_attack_figures(playback.game)
    for (label, value), row in zip(rows, split_column(inside, [Part(36, 20, rank=1)] * len(rows)), strict=True):
        if row:
            pen.draw_row(row, label, value)
