"""Practice: a test bench, with pieces chosen and moved by hand, a board drawn with the mouse, and an agent to ask."""

from dataclasses import replace

import pygame

from tetrion.app.choices import rules_options, rules_words
from tetrion.app.games.asking import HIGH, STATUS, TALL, WIDE_FROM, Asking
from tetrion.app.games.bench import NO_ENTRY, UP, Bench, Free, History
from tetrion.app.games.brush import Brush
from tetrion.app.games.moving import MovingBoard
from tetrion.app.games.playing import heard_of_lock
from tetrion.app.screen import Screen
from tetrion.app.screens.practice_panels import (
    PIECES_HIGH,
    SIDE_BY_SIDE,
    WITH_NEXT,
    draw_features,
    draw_pieces,
    draw_warning,
)
from tetrion.app.toolkit.chrome import MEDIUM, WIDE, Room, frame, legend
from tetrion.app.toolkit.controls import BUTTON, button, slider
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui, caption
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT
from tetrion.drawing.palette import DIM, STRONG
from tetrion.drawing.pen import PADDING, Box, Fitted
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.words import counted
from tetrion.position import Position

FASTEST = 20  # rows a second
FIRST_REPEAT, REPEAT = 0.18, 0.05  # seconds
REPEATED = ("left", "right", "down", UP)
TURNS = ("x", "c", "v", "b")  # keys to turn by, where the person's own is the arrow that moves up here
BOARD_HIGH, TOOLS_WIDE = 208, 112  # heights, below one another and in two rows
COLUMNS = {WIDE: 280, MEDIUM: 232}
LEAST_PANEL = 80  # the height below which one hides
ABOVE = "The piece waits above the board: there is no room for it."


class PracticeScreen(Screen):
    """The test bench."""

    title = "Practice"

    def __init__(self, window: Window, rules: str = "", agent: str = "", position: Position | None = None) -> None:
        super().__init__(window)
        self.rules_text = rules or window.settings.play_rules
        self.asking = Asking(agent or window.settings.hint_agent)
        self.gravity = 0  # rows a second
        self.history = History(self._first_bench(position))
        self.free: Free | None = None
        self.moving = MovingBoard(window.settings.moves)
        self._brush = Brush()
        self._held: dict[str, float] = {}
        self._fallen = 0.0
        self._fitted = Fitted(1, Box(0, 0, 0, 0))
        self._rules_picker = Picker("rules", free="rules such as nes:level=9")
        self._settle()

    @property
    def bench(self) -> Bench:
        """What stands on the bench."""
        return self._brush.stroke or self.history.now

    # What a person does.

    def handle(self, event: pygame.event.Event) -> bool:
        """Take the keys of the piece, and the mouse on the board."""
        if event.type == pygame.KEYUP:
            self._held.pop(self._action(event.key), None)
        if self._rules_picker.is_open or self.asking.picker.is_open:
            return False
        return self._key(event) if event.type == pygame.KEYDOWN else self._mouse(event)

    def _key(self, event: pygame.event.Event) -> bool:
        if getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_META):
            return self._step_back_or_forth(event)
        focus, action = self.window.ui.focus, self._action(event.key)
        if focus in ("gravity", "moves") and (event.key in (pygame.K_LEFT, pygame.K_RIGHT) or focus == "moves"):
            return False
        if focus.startswith(("piece ", "next ")) and event.key in (pygame.K_LEFT, pygame.K_RIGHT):
            return False
        if action:
            self._do(action)
            if action in REPEATED:
                self._held[action] = FIRST_REPEAT
            return True
        letter = pygame.key.name(event.key).upper()
        letter = dict(zip("1234567", PIECES, strict=True)).get(letter, letter)
        if letter in list(PIECES):
            self._choose(letter)
            return True
        return False

    def _step_back_or_forth(self, event: pygame.event.Event) -> bool:
        if event.key == pygame.K_z:
            self._turn_back(not event.mod & pygame.KMOD_SHIFT)
        elif event.key == pygame.K_y:
            self._turn_back(False)
        else:
            return False
        return True

    def _keys(self) -> dict[str, int]:
        """The keys of the bench by what they do: the person's own, and the arrow that moves up."""
        own = {name: pygame.key.key_code(key) for name, key in self.window.settings.keys.items()}
        keys = {name: own[name] for name in ("left", "right", "rotate", "back", "down", "drop")}
        if keys["rotate"] == pygame.K_UP:
            turns = (pygame.key.key_code(name) for name in TURNS)
            keys["rotate"] = next((code for code in turns if code not in keys.values()), pygame.K_TAB)
        return keys | {UP: pygame.K_UP}

    def _action(self, code: int) -> str:
        return next((action for action, key in self._keys().items() if key == code), "")

    def _do(self, action: str) -> None:
        free = self.free
        if free is None or self.asking.left:
            return
        if action == "drop":
            self._place(free.landed.placement)
        elif (now := free.after(action)) is not None:
            self.free = now
            self._sound({"rotate": "rotate", "back": "rotate", "down": "step"}.get(action, "move"))

    def _choose(self, letter: str, as_next: bool = False) -> None:
        bench = self.bench
        changed = replace(bench, next=letter + bench.next[1:]) if as_next else replace(bench, piece=letter)
        self._take(changed)
        self._sound("choose")

    def _mouse(self, event: pygame.event.Event) -> bool:
        brush, ui = self._brush, self.window.ui
        piece = self.free.placement if self.free else None
        if brush.begin(event, self.bench, ui.pen, self._fitted, piece):
            ui.focus = ""
            self.asking.stop()
        elif brush.stroke and event.type == pygame.MOUSEMOTION:
            brush.drag(event, ui.pen, self._fitted, piece)
        elif brush.stroke and event.type == pygame.MOUSEBUTTONUP:
            self._end_stroke()
            return True
        elif event.type == pygame.MOUSEBUTTONUP and ui.focus == "gravity":
            ui.focus = ""
        if brush.mistake:
            self.window.tell(brush.mistake)
            brush.mistake = ""
        return bool(brush.stroke) and event.type == pygame.MOUSEBUTTONDOWN

    def _end_stroke(self) -> None:
        if (drawn := self._brush.end()) is not None:
            self._take(drawn)

    # What happens on the bench.

    def _take(self, bench: Bench) -> None:
        """Let another bench stand there, with the piece where it was if it can be."""
        self.history.take(bench)
        self._settle()

    def _settle(self) -> None:
        bench = self.bench
        self.free = (self.free.on(bench) if self.free else None) or Free.entering(bench)
        self._fallen = 0.0

    def _turn_back(self, back: bool) -> None:
        if self.history.undo() if back else self.history.redo():
            self.asking.stop()
            self.free = None
            self._settle()
            self._sound("choose")

    def _place(self, placement: Placement) -> None:
        bench = self.bench
        try:
            after, lock = bench.placed(placement, seed=bench.pieces)
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            self.asking.stop()
            return
        self.moving.lock(lock)
        self._sound(heard_of_lock(lock.lines))
        self.free = None
        self._take(after)

    def _choose_rules(self, text: str) -> None:
        try:
            rules = Rules.parse(text)
            bench = self.bench.with_rules(rules)
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            return
        self.rules_text, self.free = text, None
        self._take(bench)

    # Time.

    def update(self, seconds: float) -> None:
        """Let the piece fall, keys repeat and the agent play."""
        self.moving.moves = self.window.settings.moves
        self.moving.update(seconds)
        for action in list(self._held):
            self._held[action] -= seconds
            while self._held.get(action, 1.0) <= 0:
                self._held[action] += REPEAT
                self._do(action)
        self._fall(seconds)
        if not self._brush.stroke and (move := self.asking.update(seconds, self.bench)) is not None:
            self._place(move)
        self.moving.see(self.free.placement if self.free else None, self.bench.pieces)

    def _first_bench(self, position: Position | None) -> Bench:
        if position:
            self.rules_text = str(position.rules)
            return Bench.of(position)
        try:
            return Bench.empty(Rules.parse(self.rules_text))
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            self.rules_text = "standard"
            return Bench.empty(Rules.parse(self.rules_text))

    def _fall(self, seconds: float) -> None:
        if not self.gravity or not self.free or self.asking.left or self._brush.stroke:
            self._fallen = 0.0
            return
        self._fallen += seconds * self.gravity
        while self._fallen >= 1 and self.free:
            self._fallen -= 1
            if self.free.rests:
                if self.free.top >= self.bench.rules.rows:  # it cannot come to rest there
                    return
                self._place(self.free.placement)
                return
            self.free = self.free.after("down")

    def rest(self) -> None:
        """Let go of keys when the window loses the focus."""
        self._held.clear()
        self._end_stroke()

    def leave(self) -> None:
        """End what goes on beside it."""
        self.asking.adviser.close()

    def _sound(self, name: str) -> None:
        self.window.sound.play(name)

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the bench and what stands beside it."""
        chips = [rules_words(self.bench.rules)]
        room, leave = frame(ui, self.title, chips=chips, agent=self.asking.adviser.name)
        self._draw_bench(ui, room)
        if leave:
            self.window.back()

    def _draw_bench(self, ui: Ui, room: Room) -> None:
        content, rules = room.content, self.bench.rules
        if room.compact:
            space = Box(content.left, content.top, content.width - WIDE_FROM - room.gap, content.height)
            self._fitted = ui.pen.fitted(space, rules.height, align=0)
            left = self._fitted.box.right + room.gap
            self._draw_column(ui, room, Box(left, content.top, content.right - left, content.height))
        else:
            column = COLUMNS[room.form]
            left_box = Box(content.left, content.top, column, content.height)
            least = 320 if room.form == MEDIUM else 400
            space = Box(left_box.right + room.gap, content.top, 0, content.height)
            space.width = content.width - column - least - 2 * room.gap
            self._fitted = ui.pen.fitted(space, rules.height, align=0)
            self._draw_left(ui, room, left_box)
            right = self._fitted.box.right + room.gap
            self._draw_right(ui, room, Box(right, content.top, content.right - right, content.height))
        self._draw_board(ui)
        self._draw_legend(ui, room)
        if rules_text := self._rules_picker.draw_list(ui, rules_options):
            self._choose_rules(rules_text)
        self.asking.draw_list(ui)

    def _draw_board(self, ui: Ui) -> None:
        bench, free = self.bench, None if self._brush.stroke else self.free
        active = free.placement if free else None
        ghost = free.landed.placement if free and self.window.settings.ghost else None
        advice = self.asking.advice(bench)
        ghost = None if ghost in (active, advice) else ghost
        contours = [(advice, HINT)] if advice else []
        self.moving.draw(ui.pen, self._fitted, bench.stack, active=active, ghost=ghost, contours=contours)
        if words := self._warning():
            draw_warning(ui.pen, self._fitted.box, words)

    def _warning(self) -> str:
        if self._brush.stroke:
            return ""
        if self.free is None:
            return NO_ENTRY.format(piece=self.bench.piece)
        lowest = min(row for _, row in self.free.placement.cells)
        return ABOVE if lowest >= self.bench.rules.height else ""

    def _draw_left(self, ui: Ui, room: Room, box: Box) -> None:
        high = WITH_NEXT if self.bench.next else PIECES_HIGH
        self._draw_pieces(ui, Box(box.left, box.top, box.width, high), beside=False)
        board = Box(box.left, box.top + high + room.gap, box.width, BOARD_HIGH)
        self._draw_tools(ui, board)
        top = board.bottom + room.gap
        if box.bottom - top >= LEAST_PANEL:
            draw_features(ui.pen, Box(box.left, top, box.width, box.bottom - top), self.bench)

    def _draw_right(self, ui: Ui, room: Room, box: Box) -> None:
        high = (HIGH if box.width >= WIDE_FROM else TALL) - (STATUS if room.compact else 0)
        agent = Box(box.left, box.top, box.width, high)
        if (move := self.asking.draw(ui, agent, self.bench, status=not room.compact)) is not None:
            self._place(move)
        top = agent.bottom + room.gap
        if box.bottom - top >= LEAST_PANEL:
            self.asking.draw_thinking(ui, Box(box.left, top, box.width, box.bottom - top), self.bench)

    def _draw_column(self, ui: Ui, room: Room, box: Box) -> None:
        self._draw_pieces(ui, Box(box.left, box.top, box.width, SIDE_BY_SIDE), beside=True)
        tools = Box(box.left, box.top + SIDE_BY_SIDE + room.gap, box.width, TOOLS_WIDE)
        self._draw_tools(ui, tools)
        rest = Box(box.left, tools.bottom + room.gap, box.width, box.bottom - tools.bottom - room.gap)
        self._draw_right(ui, room, rest)

    def _draw_pieces(self, ui: Ui, box: Box, *, beside: bool) -> None:
        current, following = draw_pieces(ui, box, self.bench, beside=beside)
        if current:
            self._choose(current)
        if following:
            self._choose(following, as_next=True)

    def _draw_tools(self, ui: Ui, box: Box) -> None:
        """Gravity, rules, and steps back and forth: below one another, or in two rows where it is wide."""
        inside = box.inflate(-2 * PADDING, -2 * PADDING)
        ui.pen.panel(box)
        if box.width < WIDE_FROM:
            self._draw_gravity(ui, Box(inside.left, inside.top, inside.width, 64))
            self._rules_picker.draw(ui, Box(inside.left, inside.top + 80, inside.width, BUTTON), self.rules_text)
            self._draw_steps(ui, Box(inside.left, inside.bottom - BUTTON, inside.width, BUTTON))
            return
        half = (inside.width - PADDING) // 2
        self._draw_gravity(ui, Box(inside.left, inside.top - 8, half, 48))
        self._rules_picker.draw(ui, Box(inside.right - half, inside.top - 4, half, BUTTON), self.rules_text)
        self._draw_steps(ui, Box(inside.left, inside.bottom - BUTTON + 4, inside.width, BUTTON))

    def _draw_gravity(self, ui: Ui, box: Box) -> None:
        ui.pen.text("Gravity", (box.left, box.top + 10), 14, True, DIM)
        words = f"{counted(self.gravity, 'row')} a second" if self.gravity else "Off"
        ui.pen.text(words, (box.right, box.top + 10), 14, False, STRONG if self.gravity else DIM, align=1)
        track = Box(box.left + 8, box.bottom - 28, box.width - 16, 24)
        share = slider(ui, "gravity", track, self.gravity / FASTEST, step=1 / FASTEST)
        self.gravity = round(share * FASTEST)

    def _draw_steps(self, ui: Ui, box: Box) -> None:
        history = self.history
        wide = (box.width - 16) // 3
        for number, (name, enabled) in enumerate(
            (("Undo", history.can_undo), ("Redo", history.can_redo), ("Clear", bool(self.bench.stack.rows)))
        ):
            place = Box(box.left + number * (wide + 8), box.top, wide, BUTTON)
            if button(ui, name.lower(), place, name, enabled=enabled):
                if name == "Clear":
                    self._take(self.bench.cleared())
                else:
                    self._turn_back(name == "Undo")

    def _draw_legend(self, ui: Ui, room: Room) -> None:
        keys = {action: caption(code) for action, code in self._keys().items()}
        entries: list[tuple[list[str], str]] = [
            ([keys["left"], keys["right"], keys[UP], keys["down"]], "Move"),
            ([keys["rotate"], keys["back"]], "Rotate"),
            ([keys["drop"]], "Drop"),
            (["1–7"], "Piece"),
            (["Ctrl", "Z"], "Undo"),
            ([], "The mouse draws, its right button erases"),
        ]
        legend(ui, room.footer, entries)
