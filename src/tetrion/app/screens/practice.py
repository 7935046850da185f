"""Practice: a test bench, with pieces chosen and moved by hand, a board drawn with the mouse, and an agent to ask."""

from dataclasses import replace

import pygame

from tetrion.app.adviser import Adviser
from tetrion.app.bench import NO_ENTRY, UP, Bench, Free, History
from tetrion.app.choices import agent_options, rules_options, rules_words
from tetrion.app.chrome import MEDIUM, WIDE, Room, frame, legend, overlay
from tetrion.app.controls import BUTTON, button, slider, stepper
from tetrion.app.deciding import PREPARING
from tetrion.app.moving import Moving
from tetrion.app.picker import Picker
from tetrion.app.playing import heard_of_locks
from tetrion.app.practice_panels import (
    PIECES_HIGH,
    SIDE_BY_SIDE,
    WITH_NEXT,
    draw_features,
    draw_pieces,
    draw_warning,
)
from tetrion.app.readying import Readying
from tetrion.app.screen import Screen
from tetrion.app.ui import Ui, caption
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.boards import frame_of
from tetrion.drawing.contours import HINT
from tetrion.drawing.palette import BAD, DIM, STRONG
from tetrion.drawing.pen import PADDING, Box, Fitted
from tetrion.drawing.thinking import draw_thinking
from tetrion.engine.pieces import PIECES, WIDTH
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.position import Position

FASTEST = 20  # rows a second
FIRST_REPEAT, REPEAT = 0.18, 0.05  # seconds
REPEATED = ("left", "right", "down", UP)
TURNS = ("x", "c", "v", "b")  # keys to turn by, where the person's own is the arrow that moves up here
BEST = 5
PACE = 0.25  # seconds that a move of the agent is seen before it is made
MOST_MOVES = 999
BOARD_HIGH, TOOLS_WIDE = 208, 112  # heights, below one another and in two rows
AGENT_HIGH, AGENT_TALL, STATUS = 148, 198, 32
COLUMNS = {WIDE: 280, MEDIUM: 232}
LEAST_COLUMN = 440  # of the one in small windows
ABOVE = "The piece waits above the board: there is no room for it."
ASK = "Ask the agent, and its best placements appear here with what each feature adds to their scores."


class PracticeScreen(Screen):
    """The test bench."""

    title = "Practice"

    def __init__(self, window: Window, rules: str = "", agent: str = "", position: Position | None = None) -> None:
        super().__init__(window)
        self.rules_text = rules or window.settings.play_rules
        self.adviser = Adviser(agent or window.settings.hint_agent)
        self.gravity = 0  # rows a second
        self.moves = 10  # that the agent is to make
        self.left = 0  # of them
        self.history: History | None = None
        self.free: Free | None = None
        self.moving = Moving(window.settings.moves)
        self._position = position
        self._readying = Readying()
        self._asked: Bench | None = None
        self._stroke: Bench | None = None
        self._draws, self._last_cell = True, (0, 0)
        self._held: dict[str, float] = {}
        self._fallen = self._waited = 0.0
        self._fitted = Fitted(1, Box(0, 0, 0, 0))
        self._rules_picker = Picker("rules", free=True)
        self._agent_picker = Picker("agent", free=True)

    @property
    def bench(self) -> Bench:
        """What stands on the bench."""
        if self.history is None:
            raise TetrionError("The bench is not ready yet.")
        return self._stroke or self.history.now

    # What a person does.

    def handle(self, event: pygame.event.Event) -> bool:
        """Take the keys of the piece, and the mouse on the board."""
        if self.history is None or self._rules_picker.is_open or self._agent_picker.is_open:
            return False
        if event.type == pygame.KEYDOWN:
            return self._key(event)
        if event.type == pygame.KEYUP:
            self._held.pop(self._action(event.key), None)
        return self._mouse(event)

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
        if letter.isdigit() and 1 <= int(letter) <= len(PIECES):
            letter = PIECES[int(letter) - 1]
        if len(letter) == 1 and letter in PIECES:
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
        if free is None or self.left:
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
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT):
            cell = self._cell(event.pos)
            if cell is None:
                return False
            self._stroke, self._draws, self._last_cell = self.bench, event.button == pygame.BUTTON_LEFT, cell
            self.window.ui.focus, self.left = "", 0
            self._paint(cell)
            return True
        if event.type == pygame.MOUSEMOTION and self._stroke:
            self._drag(event.pos)
        elif event.type == pygame.MOUSEBUTTONUP and self._stroke:
            stroke, self._stroke = self._stroke, None
            self._take(stroke)
            return True
        elif event.type == pygame.MOUSEBUTTONUP and self.window.ui.focus == "gravity":
            self.window.ui.focus = ""
        return False

    def _cell(self, pixel: tuple[int, int]) -> tuple[int, int] | None:
        """The cell of the board under a pixel; None outside."""
        fitted, pen = self._fitted, self.window.ui.pen
        left, top = pen.point(fitted.box.topleft)
        column = (pixel[0] - left - frame_of(fitted.cell)) // fitted.cell
        row = self.bench.rules.height - 1 - (pixel[1] - top - frame_of(fitted.cell)) // fitted.cell
        inside = 0 <= column < WIDTH and 0 <= row < self.bench.rules.height
        return (column, row) if inside else None

    def _drag(self, pixel: tuple[int, int]) -> None:
        """Draw every cell on the way from the last one."""
        cell = self._cell(pixel)
        if cell is None or cell == self._last_cell:
            return
        (x, y), (to_x, to_y) = self._last_cell, cell
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, steps + 1):
            self._paint((x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)))
        self._last_cell = cell

    def _paint(self, cell: tuple[int, int]) -> None:
        if self._stroke is None or (self._draws and self.free and cell in self.free.placement.cells):
            return
        try:
            self._stroke = self._stroke.filled(*cell, self._draws)
        except TetrionError as mistake:
            self.window.tell(str(mistake))

    # What happens on the bench.

    def _take(self, bench: Bench) -> None:
        """Let another bench stand there, with the piece where it was if it can be."""
        if self.history:
            self.history.take(bench)
            self._settle()

    def _settle(self) -> None:
        bench = self.bench
        self.free = (self.free.on(bench) if self.free else None) or Free.entering(bench)
        self._fallen = 0.0

    def _turn_back(self, back: bool) -> None:
        if self.history and (self.history.undo() if back else self.history.redo()):
            self.left, self.free = 0, None
            self._settle()
            self._sound("choose")

    def _place(self, placement: Placement) -> None:
        bench = self.bench
        try:
            after, lock = bench.placed(placement, seed=bench.pieces)
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            self.left = 0
            return
        self.moving.lock(lock)
        for sound in heard_of_locks([lock]):
            self._sound(sound)
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

    def _ask(self) -> None:
        bench = self.bench
        try:
            position = bench.position
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            return
        self._asked, self._waited = bench, 0.0
        self.adviser.ask(position, BEST, afresh=True)

    @property
    def _advice(self) -> Placement | None:
        decision = self.adviser.decision
        return decision.placement if decision and self.history and self._asked is self.history.now else None

    # Time.

    def update(self, seconds: float) -> None:
        """Let the piece fall, keys repeat and the agent play."""
        if self.history is None:
            if self._readying.done:
                self._begin()
            return
        self.moving.moves = self.window.settings.moves
        self.moving.update(seconds)
        self.adviser.update()
        for action in list(self._held):
            self._held[action] -= seconds
            while self._held.get(action, 1.0) <= 0:
                self._held[action] += REPEAT
                self._do(action)
        self._fall(seconds)
        self._let_play(seconds)
        self.moving.see(self.free.placement if self.free else None, self.bench.pieces)

    def _begin(self) -> None:
        try:
            bench = Bench.of(self._position) if self._position else Bench.empty(Rules.parse(self.rules_text))
        except TetrionError as mistake:
            self.window.tell(str(mistake))
            self.rules_text = "standard"
            bench = Bench.empty(Rules.parse(self.rules_text))
        self.rules_text = str(bench.rules)
        self.history = History(bench)
        self._settle()

    def _fall(self, seconds: float) -> None:
        if not self.gravity or not self.free or self.left or self._stroke:
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

    def _let_play(self, seconds: float) -> None:
        if not self.left or self._stroke:
            return
        if self.adviser.problem and self._asked is self.bench:
            self.left = 0
        elif self._asked is not self.bench:
            self._ask()
        elif (advice := self._advice) is not None:
            self._waited += seconds
            if self._waited >= PACE:
                self.left -= 1
                self._place(advice)

    def rest(self) -> None:
        """Let go of keys when the window loses the focus."""
        self._held.clear()
        if self._stroke:
            stroke, self._stroke = self._stroke, None
            self._take(stroke)

    def leave(self) -> None:
        """End what goes on beside it."""
        self.adviser.close()

    def _sound(self, name: str) -> None:
        self.window.sound.play(name)

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the bench and what stands beside it."""
        chips = [rules_words(self.bench.rules)] if self.history else []
        room, leave = frame(ui, self.title, chips=chips, agent=self.adviser.name, back="Back")
        if self.history is None:
            words = self._readying.problem or PREPARING
            headline = "The engine has failed" if self._readying.problem else "One moment"
            leave |= bool(overlay(ui, room.content, headline, [words], [("Back", "")], width=380))
        else:
            self._draw_bench(ui, room)
        if leave:
            self.window.back()

    def _draw_bench(self, ui: Ui, room: Room) -> None:
        content, rules = room.content, self.bench.rules
        if room.compact:
            space = Box(content.left, content.top, content.width - LEAST_COLUMN - room.gap, content.height)
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
        if rules_text := self._rules_picker.draw_list(ui, rules_options()):
            self._choose_rules(rules_text)
        if agent := self._agent_picker.draw_list(ui, agent_options()):
            self.adviser.change(agent)
            self._asked, self.left = None, 0

    def _draw_board(self, ui: Ui) -> None:
        bench, free = self.bench, None if self._stroke else self.free
        active = free.placement if free else None
        ghost = free.landed.placement if free and self.window.settings.ghost else None
        advice = self._advice
        ghost = None if ghost in (active, advice) else ghost
        contours = [(advice, HINT)] if advice and not self._stroke else []
        self.moving.draw(ui.pen, self._fitted, bench.stack, active=active, ghost=ghost, contours=contours)
        if words := self._warning():
            draw_warning(ui.pen, self._fitted.box, words)

    def _warning(self) -> str:
        if self._stroke:
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
        draw_features(ui.pen, Box(box.left, top, box.width, box.bottom - top), self.bench)

    def _draw_right(self, ui: Ui, room: Room, box: Box) -> None:
        high = AGENT_HIGH if box.width >= LEAST_COLUMN else AGENT_TALL
        high -= STATUS if room.compact else 0
        self._draw_agent(ui, Box(box.left, box.top, box.width, high))
        top = box.top + high + room.gap
        self._draw_thinking(ui, Box(box.left, top, box.width, box.bottom - top))

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
        if box.width < LEAST_COLUMN:
            self._draw_gravity(ui, Box(inside.left, inside.top, inside.width, 64))
            self._rules_picker.draw(ui, Box(inside.left, inside.top + 80, inside.width, BUTTON), self.rules_text)
            self._draw_steps(ui, Box(inside.left, inside.bottom - BUTTON, inside.width, BUTTON))
            return
        half = (inside.width - PADDING) // 2
        self._draw_gravity(ui, Box(inside.left, inside.top - 8, half, 48))
        self._rules_picker.draw(ui, Box(inside.right - half, inside.top - 4, half, BUTTON), self.rules_text)
        self._draw_steps(ui, Box(inside.left, inside.bottom - BUTTON + 4, inside.width, BUTTON))

    def _draw_gravity(self, ui: Ui, box: Box) -> None:
        rows = "1 row a second" if self.gravity == 1 else f"{self.gravity} rows a second"
        ui.pen.text("Gravity", (box.left, box.top + 10), 14, True, DIM)
        words = rows if self.gravity else "Off"
        ui.pen.text(words, (box.right, box.top + 10), 14, False, STRONG if self.gravity else DIM, align=1)
        track = Box(box.left + 8, box.bottom - 28, box.width - 16, 24)
        share = slider(ui, "gravity", track, self.gravity / FASTEST, step=1 / FASTEST)
        self.gravity = round(share * FASTEST)

    def _draw_steps(self, ui: Ui, box: Box) -> None:
        history = self.history
        if history is None:
            return
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

    def _draw_agent(self, ui: Ui, box: Box) -> None:
        """Whom to ask, the question, and what to do with the answer."""
        pen, inside = ui.pen, box.inflate(-2 * PADDING, -2 * PADDING)
        pen.panel(box)
        wide = box.width >= LEAST_COLUMN
        ask, place = (96, 128) if wide else ((inside.width - 8) // 2, (inside.width - 8) // 2)
        field = Box(inside.left, inside.top, inside.width - (ask + place + 16 if wide else 0), BUTTON)
        self._agent_picker.draw(ui, field, self.adviser.agent)
        top = inside.top if wide else field.bottom + 10
        left = field.right + 8 if wide else inside.left
        if button(ui, "ask", Box(left, top, ask, BUTTON), "Ask", key="A", primary=True, enabled=not self.left):
            self._ask()
        place_box = Box(left + ask + 8, top, place, BUTTON)
        advice = self._advice
        if button(ui, "place", place_box, "Place it", key="P", enabled=advice is not None and not self.left) and advice:
            self._place(advice)
        self._draw_moves(ui, Box(inside.left, top + BUTTON + 10, inside.width, BUTTON))
        words, ink = self._status()
        if box.height in (AGENT_HIGH, AGENT_TALL):
            pen.text(pen.cut(words, inside.width, 14), (inside.left, inside.bottom - 6), 14, False, ink)

    def _draw_moves(self, ui: Ui, box: Box) -> None:
        wide = min(200, box.width - 128)
        self.moves = stepper(ui, "moves", Box(box.left, box.top, 120, BUTTON), self.moves, 1, MOST_MOVES)
        place = Box(box.left + 128, box.top, wide, BUTTON)
        words = "Stop" if self.left else "Let it play"
        if button(ui, "let it play", place, words, sign="pause" if self.left else "play"):
            self.left, self._asked = (0 if self.left else self.moves), None

    def _status(self) -> tuple[str, str]:
        adviser = self.adviser
        if self._asked is not None and adviser.problem:
            return adviser.problem, BAD
        if adviser.thinking and self._asked is not None:
            return "Preparing the engine for it." if adviser.preparing else "Thinking…", DIM
        if self.left:
            return f"{self.left} of {self.moves} moves left", DIM
        if self._advice:
            return f"{adviser.name} would play at the dotted outline.", DIM
        return "Moves that it makes in a row can be taken back.", DIM

    def _draw_thinking(self, ui: Ui, box: Box) -> None:
        decision = self.adviser.decision
        if decision and self._advice and self.history:
            time = f"{1000 * decision.seconds:,.0f} ms" if decision.seconds >= 0.001 else "under 1 ms"
            draw_thinking(ui.pen, box, decision.explanation, self.history.now.stack, time=time)
            return
        inside = ui.pen.panel(box, "Thinking")
        words = self._status()[0] if self._asked is not None else ASK
        ui.pen.paragraph(words, (inside.left, inside.top + 12), inside.width, 16, DIM)

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
