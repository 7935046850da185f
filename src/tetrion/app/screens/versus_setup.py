"""What is chosen before a match: who plays, by which rules, from which seed, and how fast."""

from collections.abc import Sequence
from random import randrange

from tetrion.app.choices import agent_options, rules_options
from tetrion.app.games.match import Terms
from tetrion.app.games.meeting import FEWEST, MOST, Agreed, checked_match
from tetrion.app.games.seat import STEPS_UP_TO
from tetrion.app.shelf import PERSON
from tetrion.app.task import Task
from tetrion.app.toolkit.chrome import Action, Room, actions
from tetrion.app.toolkit.controls import BUTTON, button, button_width, segments, segments_width, stepper
from tetrion.app.toolkit.picker import Option, Picker
from tetrion.app.toolkit.speeds import speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BAD, DIM, FAINT, series
from tetrion.drawing.pen import PADDING, Box
from tetrion.engine.randomisers import LARGEST_SEED

WIDTH, LABELS = 680, 128  # of the panel, and of the words before each choice
ROW = 50
SEEDS = 1_000_000  # that are drawn from
OWN_RULES = "the agents' own"
USUAL_SPEED = 4.0
USUAL = (PERSON, "lee")
PACES = ("Same speed", "Own speed")


class Checking(Task):
    """Finds out beside the window whether players can meet: their files may be large, or wrong."""

    def __init__(self, players: Sequence[str], rules: str) -> None:
        super().__init__()
        self.asked = tuple(players), rules
        self.agreed: Agreed | None = None
        self.start()

    def work(self) -> None:
        """Let them be checked."""
        self.agreed = checked_match(*self.asked)


def player_options() -> list[Option]:
    """Who can play."""
    return [Option(PERSON, "a person at the keyboard"), *agent_options()]


def own_or_others() -> list[Option]:
    """The rules to choose from."""
    return [Option(OWN_RULES, "of the first that has some"), *rules_options()]


class Setup:
    """The choices. They stay as they were from one match to the next."""

    def __init__(self, players: Sequence[str] = (), rules: str = "", seed: int | None = None) -> None:
        self.players, self.rules, self.seed, self.speed = list(players or USUAL), rules, seed, USUAL_SPEED
        self.pace: int | None = None  # until somebody chooses one: together, unless a person plays
        self.begins = bool(players)  # as soon as it is known that it can
        self.pickers = [Picker(f"player {number + 1}", free="a file, class or folder") for number in range(MOST)]
        self.rules_picker = Picker("rules", free="rules such as nes:level=9")
        self._given = seed if seed is not None else 0
        self._removed: int | None = None  # in the frame that is being drawn
        self.checking = Checking(self.players, self.rules)

    @property
    def together(self) -> bool:
        """Whether all place their pieces at the same time."""
        return PERSON not in self.players if self.pace is None else self.pace == 0

    def terms(self) -> Terms | None:
        """What was chosen, if it can be."""
        agreed = self.checking.agreed
        if agreed is None:
            return None
        seed = randrange(SEEDS) if self.seed is None else self.seed
        return Terms(tuple(self.players), agreed, seed, self.together, self.speed)

    def update(self) -> None:
        """Look again whether the players can meet, if something was changed."""
        if self.checking.asked != (tuple(self.players), self.rules):
            self.checking = Checking(self.players, self.rules)

    def draw(self, ui: Ui, room: Room) -> Terms | None:
        """Draw the choices; gives back what to begin with when that is wanted."""
        if not ui.focus:
            ui.want("start")
        used, _ = actions(ui, room.footer, [Action("start", "Start", sign="play", primary=True, enabled=self._can)])
        panel = Box(0, room.content.top, min(WIDTH, room.content.width), self._height)
        panel.centerx = room.content.centerx
        panel.top += max(0, (room.content.height - panel.height) // 3)
        ui.pen.panel(panel)
        box = Box(panel.left + 2 * PADDING, panel.top + PADDING, panel.width - 4 * PADDING, ROW)
        for number in range(len(self.players)):
            self._player(ui, box, number)
            box = box.move(0, ROW)
        if len(self.players) < MOST:
            self._add(ui, box)
            box = box.move(0, ROW)
        ui.pen.rule(box.left, box.top + 6, box.width)
        self._rest(ui, box.move(0, 14))
        for number in range(len(self.players)):
            self._pick(ui, number)
        self._drop(ui)
        if self._removed is not None:
            del self.players[self._removed]
            self._removed = None
        if picked := self.rules_picker.draw_list(ui, own_or_others):
            self.rules = "" if picked == OWN_RULES else picked
        self.update()
        if used == "start" or (self.begins and self._can):
            self.begins = False
            return self.terms()
        self.begins = self.begins and not self.checking.problem
        return None

    @property
    def _can(self) -> bool:
        return self.checking.agreed is not None and self.checking.asked == (tuple(self.players), self.rules)

    @property
    def _height(self) -> int:
        rows = min(MOST, len(self.players) + 1) + 4
        return rows * ROW + 14 + 2 * PADDING + 44

    def _player(self, ui: Ui, box: Box, number: int) -> None:
        ui.pen.disc((box.left + 6, box.centery), 6, series(number))
        ui.pen.text(f"Player {number + 1}", (box.left + 24, box.centery), 16, False, DIM)
        wide = button_width(ui.pen, "Remove") + 8
        field = Box(box.left + LABELS, box.centery - BUTTON // 2, box.width - LABELS - wide - 12, BUTTON)
        self.pickers[number].draw(ui, field, self.players[number])
        place = Box(box.right - wide, field.top, wide, BUTTON)
        if button(ui, f"remove {number + 1}", place, "Remove", enabled=len(self.players) > FEWEST):
            self._removed = number

    def _pick(self, ui: Ui, number: int) -> None:
        self.players[number] = self.pickers[number].draw_list(ui, player_options) or self.players[number]

    def _add(self, ui: Ui, box: Box) -> None:
        wide = button_width(ui.pen, "Add a player") + 8
        place = Box(box.left + LABELS, box.centery - BUTTON // 2, wide, BUTTON)
        if button(ui, "add", place, "Add a player"):
            there = [option.value for option in agent_options()]
            self.players.append(next(name for name in ("dellacherie", "gavrilov", *there) if name not in self.players))

    def _rest(self, ui: Ui, box: Box) -> None:
        agreed = self.checking.agreed
        right = Box(box.left + LABELS, box.top, box.width - LABELS, ROW)
        self._label(ui, box, "Rules")
        shown = self.rules or (f"{OWN_RULES}: {agreed.rules}" if agreed else OWN_RULES)
        self.rules_picker.draw(ui, right.inflate(0, BUTTON - ROW), shown)
        box, right = box.move(0, ROW), right.move(0, ROW)
        self._seed(ui, box, right)
        box, right = box.move(0, ROW), right.move(0, ROW)
        self._label(ui, box, "Moves")
        wide = segments_width(ui.pen, PACES)
        chosen = segments(ui, "pace", Box(right.left, right.top, wide, ROW), PACES, 0 if self.together else 1)
        if chosen != (0 if self.together else 1):
            self.pace = chosen
        words = "the next piece when all have placed" if self.together else self._own_words()
        ui.pen.text(
            ui.pen.cut(words, right.width - wide - 16, 14), (right.left + wide + 16, right.centery), 14, False, FAINT
        )
        box, right = box.move(0, ROW), right.move(0, ROW)
        self._label(ui, box, "Speed")
        self.speed = speed_slider(ui, right, self.speed, fastest=STEPS_UP_TO, named=False)
        if self.checking.problem:
            ui.pen.paragraph(self.checking.problem, (box.left, box.bottom + 14), box.width, 14, BAD, most=2)

    def _own_words(self) -> str:
        return "agents as set, you in real time" if PERSON in self.players else "nobody waits for anybody"

    def _seed(self, ui: Ui, box: Box, right: Box) -> None:
        self._label(ui, box, "Seed")
        options = ("Random", "Given")
        wide = segments_width(ui.pen, options)
        given = segments(ui, "seed kind", Box(right.left, right.top, wide, ROW), options, int(self.seed is not None))
        if given:
            field = Box(right.left + wide + 16, right.centery - BUTTON // 2, 200, BUTTON)
            self._given = stepper(ui, "seed", field, self._given, 0, LARGEST_SEED)
        self.seed = self._given if given else None

    def _label(self, ui: Ui, box: Box, words: str) -> None:
        ui.pen.text(words, (box.left, box.centery), 16, False, DIM)

    def _drop(self, ui: Ui) -> None:
        """Take a file that is dropped onto the window: for the player in focus, else for the last one."""
        if ui.files and not any(picker.is_open for picker in self.pickers):
            names = [picker.name for picker in self.pickers[: len(self.players)]]
            number = names.index(ui.focus) if ui.focus in names else len(self.players) - 1
            self.players[number] = ui.files[-1]
