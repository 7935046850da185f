"""Evolution: a generation's small boards while it trains, and how it went so far."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tetrion.agents.names import BEST
from tetrion.app.evolution.attached import Attached
from tetrion.app.evolution.evolving import Evolving
from tetrion.app.evolution.pace import Pace
from tetrion.app.evolution.run_copies import free_folder, save_copy, shortened
from tetrion.app.evolution.session import Session, Snapshot, State
from tetrion.app.readiness import PREPARING
from tetrion.app.screen import Screen
from tetrion.app.screens.evolution_learner import draw_learner
from tetrion.app.screens.evolution_panels import Panels, result_of
from tetrion.app.screens.evolution_start import Start, Wish, individuals
from tetrion.app.screens.evolution_tiles import Grid
from tetrion.app.shelf import run_folder
from tetrion.app.start import made
from tetrion.app.toolkit.chrome import Action, Room, actions, frame, legend, overlay
from tetrion.app.toolkit.controls import slider
from tetrion.app.toolkit.speeds import SPEEDS as EVERY_SPEED
from tetrion.app.toolkit.speeds import speed_words
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import DIM, TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import checked_seed
from tetrion.errors import TetrionError
from tetrion.evaluation.words import counted
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import begin

SPEEDS = EVERY_SPEED[EVERY_SPEED.index(1) :]  # moves a second
USUAL = 60
WIDEST, NARROWEST = 170, 84  # of the slider
LEGEND = [(["Tab"], "Next"), (["←", "→"], "Change"), (["Enter"], "Open")]
OTHER_VERSIONS = "was made with other versions"


class EvolutionScreen(Screen):
    """A run that is trained here, or one that others train or have trained."""

    title = "Evolution"

    def __init__(
        self,
        window: Window,
        recipe: str = "",
        run: str = "",
        seed: int | None = None,
        changes: Sequence[str] = (),
        out: str = "",
    ) -> None:
        super().__init__(window)
        self.session: Session | None = None
        self.pace, self.grid, self.panels, self.start = Pace(USUAL), Grid(), Panels(), Start()
        self.problem, self.has_agent, self.passed = "", False, 0.0
        if run:
            self.attach(Path(run))
        elif recipe:
            self.start = Start(recipe, seed or 0)
            self.begin_by(recipe, seed, changes, out)

    # Runs.

    def begin_by(self, name: str, seed: int | None, changes: Sequence[str], out: str) -> None:
        """Begin a run as a command says it."""
        try:
            recipe = Recipe.load(name, changes)
            recipe = recipe if seed is None else recipe.with_(seed=checked_seed(seed))
        except TetrionError as mistake:
            self.problem = str(mistake)
            return
        self.fulfil(Wish(Path(out) if out else free_folder(run_folder(), f"{recipe.name}-{recipe.seed}"), recipe))

    def fulfil(self, wish: Wish) -> None:
        """Begin a run, or open one."""
        if wish.recipe is None:
            self.attach(wish.folder)
            return
        try:
            begin(wish.recipe, wish.folder)
        except (TetrionError, OSError) as mistake:
            self.problem = str(mistake)
            return
        self.train(wish.folder)

    def attach(self, folder: Path) -> None:
        """Look at a run without training it."""
        self.change(lambda: Attached(folder, self.pace))

    def train(self, folder: Path, other_versions: bool = False) -> None:
        """Train, or go on with training."""
        self.change(lambda: Evolving(folder, self.pace, other_versions))

    def change(self, make: Callable[[], Session]) -> None:
        """Leave one run for another."""
        if self.session:
            self.session.close()
        self.session, self.problem, self.has_agent = None, "", False
        self.pace = Pace(self.pace.speed)
        self.grid, self.panels = Grid(), Panels()
        try:
            self.session = make()
        except (TetrionError, OSError) as mistake:
            self.problem = str(mistake)

    def leave(self) -> None:
        """Stop training; what has finished is kept, and it can be gone on with."""
        if not self.session:
            return
        trained = isinstance(self.session, Evolving) and not self.session.ended
        self.session.close()
        if trained:
            kept = len(self.session.history)
            words = f"{counted(kept, 'generation')} of {self.session.planned:,}"
            self.window.tell(f"Training is stopped, with {words} kept in {shortened(self.session.folder)}.")

    # What is seen.

    def update(self, seconds: float) -> None:
        """Let time pass, and notice that a run has an agent or has finished."""
        self.passed = seconds
        if self.session:
            if not self.has_agent and len(self.session.history):
                self.has_agent = (self.session.folder / BEST).is_file()
            if self.panels.result is None and self.finished:
                self.panels.result = result_of(Run(self.session.folder))

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        if isinstance(self.session, Attached):
            return self.session.finished
        return self.session is not None and self.session.state is State.FINISHED

    def draw(self, ui: Ui) -> None:
        """Draw the choices, or the run."""
        room, leave = frame(ui, self.title, self.chips())
        if self.session:
            self.draw_run(ui, room, self.session)
        else:
            wish = self.start.draw(ui, room)
            legend(ui, room.footer, LEGEND)
            if not ui.focus:
                ui.want("start")
            if wish:
                self.window.sound.play("choose")
                self.fulfil(wish)
        self.draw_problem(ui, room)
        if leave:
            self.window.back()

    def chips(self) -> list[str]:
        """What is trained, in a few words."""
        if not self.session:
            return []
        recipe, name = self.session.recipe, self.session.recipe.name
        many = individuals(recipe)
        chips = [f"{name[:1].upper()}{name[1:]} recipe", f"{many:,} individuals" if many else ""]
        return [*chips, f"Seed {recipe.seed:,}", self.status()]

    def status(self) -> str:
        """Who trains a run that is looked at."""
        if not isinstance(self.session, Attached):
            return ""
        if self.session.finished:
            return "Finished"
        return "Trained elsewhere" if self.session.trained_elsewhere else "Not finished"

    def draw_run(self, ui: Ui, room: Room, session: Session) -> None:
        """Draw boards, panels and the footer."""
        now = session.snapshot()
        self.grid.update(now.boards, self.passed, self.window.settings.moves)
        covered = self.grid.lay_out(ui.pen, room)
        if now.boards is None:
            words = PREPARING if now.state is State.PREPARING else "No generation has finished yet."
            ui.pen.text(words, covered.center, 16, False, DIM, align=0.5)
        elif session.learns_alone:
            draw_learner(ui.pen, covered, now, isinstance(session, Attached))
        else:
            self.grid.draw(ui.pen, covered, now.boards, session.recipe.games)
        left = covered.right + room.gap
        beside = Box(left, room.content.top, room.content.right - left, room.content.height)
        steps = self.panels.draw(ui, beside, room, session, now)
        if isinstance(session, Attached) and steps:
            session.browse(steps)
        self.draw_footer(ui, room, session, now)

    def draw_problem(self, ui: Ui, room: Room) -> None:
        """Say what went wrong, if something did."""
        session = self.session
        failed = session is not None and session.state is State.FAILED and not isinstance(session, Attached)
        told = session.message if session and session.message else self.problem
        if not told:
            return
        versions = failed and OTHER_VERSIONS in told
        buttons = [("Go on all the same", "")] if versions else []
        used = overlay(ui, room.content, "That did not work", [told], [*buttons, ("Back", "")], width=480)
        if used == "Go on all the same" and session:
            self.train(session.folder, other_versions=True)
        elif used or ui.pressed("Esc"):
            self.dismiss()

    def dismiss(self) -> None:
        """Go on after a problem: with another generation, or from the start."""
        self.problem = ""
        if isinstance(self.session, Attached):
            self.session.message = ""
        elif self.session:
            self.session.close()
            self.session, self.start = None, Start(self.start.recipe, self.start.seed)

    # The footer.

    def draw_footer(self, ui: Ui, room: Room, session: Session, now: Snapshot) -> None:
        """Draw what a person can do."""
        used, left = actions(ui, room.footer, self.footer_actions(room, session, now))
        right = self.draw_pages(ui, room, left, now)
        if now.state is not State.FINISHED:
            self.draw_speed(ui, Box(left, room.footer.top, right - left, room.footer.height))
        used = used or ("save" if room.compact and ui.pressed("S") else "")
        if used:
            self.act(used, session)
        if not ui.focus:
            ui.want("browse" if now.state is State.FINISHED else "pause")

    def footer_actions(self, room: Room, session: Session, now: Snapshot) -> list[Action]:
        """The buttons of now."""
        short = room.form != "wide"
        going = now.state in (State.PREPARING, State.PLAYING, State.JUDGING, State.DECIDING)
        pause = Action("pause", "Continue", "Space", "play", True, going)
        if not now.paused:
            pause = Action("pause", "Pause", "Space", "pause", True, going)
        best = Action(
            "best", "Best" if short else "Watch best", "B", "" if room.compact else "play", enabled=self.has_agent
        )
        if isinstance(session, Attached):
            again = Action("again", "Again" if short else "Play again", "R")
            resumable = not session.finished and not session.trained_elsewhere
            resume = [Action("resume", "Resume" if short else "Resume training", "T")] if resumable else []
            return [pause, again, best, *resume]
        if now.state is State.FINISHED:
            return [Action("browse", "Browse" if short else "Browse generations", "Enter", primary=True), best]
        step = "episode" if session.learns_alone else "generation"
        skip = Action("skip", "Skip" if short else f"Skip {step}", "G", enabled=now.state is State.PLAYING)
        save = [] if room.compact else [Action("save", "Save", "S", enabled=self.has_agent)]
        return [pause, skip, best, *save]

    def act(self, used: str, session: Session) -> None:
        """Do what a button says."""
        if used == "pause":
            self.pace.paused = not self.pace.paused
        elif used == "skip":
            self.pace.hasty = True
        elif used == "best":
            self.window.open(made(self.window, "watch", agent=str(session.folder)))
        elif used == "save":
            self.window.tell(save_copy(session.folder))
        elif used == "again" and isinstance(session, Attached):
            session.browse(0)
        elif used == "resume":
            self.train(session.folder)
        elif used == "browse":
            self.attach(session.folder)

    def draw_pages(self, ui: Ui, room: Room, left: int, now: Snapshot) -> int:
        """Which boards are shown, and the keys to others, right of a place; tells where they begin."""
        pen, footer = ui.pen, room.footer
        many = 0 if now.boards is None else len(now.boards)
        if many <= self.grid.on_a_page:
            return footer.right
        right, turned = footer.right, 0
        for label, step in (("→", 1), ("←", -1)):
            box = Box(right - 24, footer.centery - 12, 24, 24)
            touch = ui.control(f"page {label}", box, radius=6)
            pen.keycap(box.midleft, label, "pressed" if touch.pressed else "")
            turned += step * (touch.activated or ui.pressed(label))
            right = box.left - 4
        self.grid.turn(turned, many)
        shown = self.grid.shown(many)
        words = f"{shown.start + 1:,}–{shown.stop:,} of {many:,}"
        words = words if room.form != "wide" else f"Boards {words}"
        if right - left < pen.width_of(words, 14) + NARROWEST + 60:
            return right
        right -= 13
        pen.text(words, (right, footer.centery), 14, False, DIM, align=1)
        return right - pen.width_of(words, 14) - 20

    def draw_speed(self, ui: Ui, box: Box) -> None:
        """How fast it goes; where there is little room, words hide before the slider does."""
        pen, last = ui.pen, len(SPEEDS) - 1
        place = min(range(len(SPEEDS)), key=lambda number: abs(min(SPEEDS[number], 1e6) - min(self.pace.speed, 1e6)))
        place = max(0, min(last, place + ui.pressed("+", "=") - ui.pressed("-")))
        inside = Box(box.left + 16, box.top, box.width - 28, box.height)
        for label, short in (("Speed", False), ("", False), ("", True), ("", None)):
            before = pen.width_of(label, 14) + 14 if label else 0
            words = "" if short is None else speed_words(SPEEDS[place], short)
            behind = 0 if short is None else pen.width_of(speed_words(SPEEDS[-2], short), 14) + 14
            if (wide := min(WIDEST, inside.width - before - behind)) >= NARROWEST:
                break
        else:
            self.pace.speed = SPEEDS[place]
            return
        pen.text(label, (inside.left, inside.centery), 14, False, DIM)
        track = Box(inside.left + before, inside.top, wide, inside.height)
        chosen = round(slider(ui, "speed", track, place / last, 1 / last) * last)
        pen.text(words, (track.right + 14, inside.centery), 14, False, TEXT)
        self.pace.speed = SPEEDS[chosen]
