"""Evolution: a generation's small boards while it trains, and how it went so far."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tetrion.agents.agent_loading import BEST_AGENT_FILE
from tetrion.app.engine_loading import COMPILING_ENGINE
from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.live_training import LiveTraining
from tetrion.app.evolution.playback_speed import PlaybackSpeed
from tetrion.app.evolution.run_copies import find_free_folder, save_run_copy, shorten_path
from tetrion.app.game_storage import get_run_folder
from tetrion.app.launcher import make_screen
from tetrion.app.screen import Screen
from tetrion.app.screens.evolution_learner_panel import draw_learner
from tetrion.app.screens.evolution_panels import EvolutionPanels, read_run_result
from tetrion.app.screens.evolution_setup import EvolutionSetup, RunRequest, get_population_size
from tetrion.app.screens.evolution_tiles import TileGrid
from tetrion.app.toolkit.controls import draw_slider
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.speed_slider import AGENT_SPEEDS, format_speed
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import DIM_TEXT, NORMAL_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

EVOLUTION_SPEEDS = AGENT_SPEEDS[AGENT_SPEEDS.index(1) :]  # moves a second
_DEFAULT_SPEED = 60
_MAX_SLIDER_WIDTH, _MIN_SLIDER_WIDTH = 170, 84  # of the slider
_SETUP_LEGEND = [(["Tab"], "Next"), (["←", "→"], "Change"), (["Enter"], "Open")]
_OTHER_VERSIONS_MESSAGE = "was made with other versions"


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
        self.session: EvolutionSession | None = None
        self.playback_speed = PlaybackSpeed(_DEFAULT_SPEED)
        self.grid = TileGrid()
        self.panels = EvolutionPanels()
        self.setup = EvolutionSetup()
        self.problem = ""
        self.has_agent = False
        self.elapsed_seconds = 0.0
        if run:
            self.follow_run(Path(run))
        elif recipe:
            self.setup = EvolutionSetup(recipe, seed or 0)
            self.start_from_command(recipe, seed, changes, out)

    # Runs.

    def start_from_command(self, name: str, seed: int | None, changes: Sequence[str], out: str) -> None:
        """Begin a run as a command says it."""
        try:
            recipe = Recipe.load(name, changes)
            recipe = recipe if seed is None else recipe.with_(seed=validate_seed(seed))
        except TetrionError as mistake:
            self.problem = str(mistake)
            return
        self.handle_request(
            RunRequest(Path(out) if out else find_free_folder(get_run_folder(), f"{recipe.name}-{recipe.seed}"), recipe)
        )

    def handle_request(self, request: RunRequest) -> None:
        """Begin a run, or open one."""
        if request.recipe is None:
            self.follow_run(request.folder)
            return
        try:
            create_run(request.recipe, request.folder)
        except (TetrionError, OSError) as mistake:
            self.problem = str(mistake)
            return
        self.train_run(request.folder)

    def follow_run(self, folder: Path) -> None:
        """Look at a run without training it."""
        self.switch_session(lambda: FollowedRun(folder, self.playback_speed))

    def train_run(self, folder: Path, allow_other_versions: bool = False) -> None:
        """Train, or go on with training."""
        self.switch_session(lambda: LiveTraining(folder, self.playback_speed, allow_other_versions))

    def switch_session(self, make: Callable[[], EvolutionSession]) -> None:
        """Leave one run for another."""
        if self.session:
            self.session.close()
        self.session = None
        self.problem = ""
        self.has_agent = False
        self.playback_speed = PlaybackSpeed(self.playback_speed.speed)
        self.grid = TileGrid()
        self.panels = EvolutionPanels()
        try:
            self.session = make()
        except (TetrionError, OSError) as mistake:
            self.problem = str(mistake)

    def on_leave(self) -> None:
        """Stop training; what has finished is kept, and it can be gone on with."""
        if not self.session:
            return
        trained = isinstance(self.session, LiveTraining) and not self.session.is_over
        self.session.close()
        if trained:
            kept = len(self.session.history)
            words = f"{format_count(kept, 'generation')} of {self.session.max_generations:,}"
            self.window.show_message(f"Training is stopped, with {words} kept in {shorten_path(self.session.folder)}.")

    # What is seen.

    def update(self, seconds: float) -> None:
        """Let time pass, and notice that a run has an agent or has finished."""
        self.elapsed_seconds = seconds
        if self.session:
            if not self.has_agent and len(self.session.history):
                self.has_agent = (self.session.folder / BEST_AGENT_FILE).is_file()
            if self.panels.result is None and self.is_finished:
                self.panels.result = read_run_result(Run(self.session.folder))

    @property
    def is_finished(self) -> bool:
        """Whether the run has come to its end."""
        if isinstance(self.session, FollowedRun):
            return self.session.is_finished
        return self.session is not None and self.session.state is SessionState.FINISHED

    def draw(self, ui: Ui) -> None:
        """Draw the choices, or the run."""
        room, leave = draw_header_footer(ui, self.title, self.make_chips())
        if self.session:
            self.draw_run(ui, room, self.session)
        else:
            wish = self.setup.draw(ui, room)
            draw_key_legend(ui, room.footer, _SETUP_LEGEND)
            if not ui.focus:
                ui.request_focus("start")
            if wish:
                self.window.sound.play("choose")
                self.handle_request(wish)
        self.draw_problem(ui, room)
        if leave:
            self.window.close_screen()

    def make_chips(self) -> list[str]:
        """What is trained, in a few words."""
        if not self.session:
            return []
        recipe, name = self.session.recipe, self.session.recipe.name
        many = get_population_size(recipe)
        chips = [f"{name[:1].upper()}{name[1:]} recipe", f"{many:,} individuals" if many else ""]
        return [*chips, f"Seed {recipe.seed:,}", self.describe_status()]

    def describe_status(self) -> str:
        """Who trains a run that is looked at."""
        if not isinstance(self.session, FollowedRun):
            return ""
        if self.session.is_finished:
            return "Finished"
        return "Trained elsewhere" if self.session.is_trained_elsewhere else "Not finished"

    def draw_run(self, ui: Ui, room: ScreenArea, session: EvolutionSession) -> None:
        """Draw boards, panels and the footer."""
        now = session.make_snapshot()
        self.grid.update(now.boards, self.elapsed_seconds, self.window.settings.has_animation)
        covered = self.grid.lay_out(ui.pen, room)
        if now.boards is None:
            words = COMPILING_ENGINE if now.state is SessionState.PREPARING else "No generation has finished yet."
            ui.pen.draw_text(words, covered.center, 16, False, DIM_TEXT, align=0.5)
        elif session.is_single_learner:
            draw_learner(ui.pen, covered, now, isinstance(session, FollowedRun))
        else:
            self.grid.draw(ui.pen, covered, now.boards, session.recipe.games)
        left = covered.right + room.gap
        beside = Box(left, room.content.top, room.content.right - left, room.content.height)
        steps = self.panels.draw(ui, beside, room, session, now)
        if isinstance(session, FollowedRun) and steps:
            session.select_relative(steps)
        self.draw_footer(ui, room, session, now)

    def draw_problem(self, ui: Ui, room: ScreenArea) -> None:
        """Say what went wrong, if something did."""
        session = self.session
        failed = session is not None and session.state is SessionState.FAILED and not isinstance(session, FollowedRun)
        told = session.message if session and session.message else self.problem
        if not told:
            return
        versions = failed and _OTHER_VERSIONS_MESSAGE in told
        buttons = [("Go on all the same", "")] if versions else []
        used = draw_overlay(ui, room.content, "That did not work", [told], [*buttons, ("Back", "")], width=480)
        if used == "Go on all the same" and session:
            self.train_run(session.folder, allow_other_versions=True)
        elif used or ui.is_key_pressed("Esc"):
            self.dismiss_problem()

    def dismiss_problem(self) -> None:
        """Go on after a problem: with another generation, or from the start."""
        self.problem = ""
        if isinstance(self.session, FollowedRun):
            self.session.message = ""
        elif self.session:
            self.session.close()
            self.session = None
            self.setup = EvolutionSetup(self.setup.recipe, self.setup.seed)

    # The footer.

    def draw_footer(self, ui: Ui, room: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot) -> None:
        """Draw what a person can do."""
        used, left = draw_footer_buttons(ui, room.footer, self.make_footer_actions(room, session, snapshot))
        right = self.draw_page_buttons(ui, room, left, snapshot)
        if snapshot.state is not SessionState.FINISHED:
            self.draw_speed(ui, Box(left, room.footer.top, right - left, room.footer.height))
        used = used or ("save" if room.is_compact and ui.is_key_pressed("S") else "")
        if used:
            self.run_action(used, session)
        if not ui.focus:
            ui.request_focus("browse" if snapshot.state is SessionState.FINISHED else "pause")

    def make_footer_actions(
        self, room: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot
    ) -> list[FooterButton]:
        """The buttons of now."""
        short = room.layout_size != "wide"
        going = snapshot.state in (
            SessionState.PREPARING,
            SessionState.PLAYING,
            SessionState.VALIDATING,
            SessionState.FINAL_GAMES,
        )
        pause = FooterButton("pause", "Continue", "Space", "play", True, going)
        if not snapshot.is_paused:
            pause = FooterButton("pause", "Pause", "Space", "pause", True, going)
        best = FooterButton(
            "best", "Best" if short else "Watch best", "B", "" if room.is_compact else "play", is_enabled=self.has_agent
        )
        if isinstance(session, FollowedRun):
            again = FooterButton("again", "Again" if short else "Play again", "R")
            resumable = not session.is_finished and not session.is_trained_elsewhere
            resume = [FooterButton("resume", "Resume" if short else "Resume training", "T")] if resumable else []
            return [pause, again, best, *resume]
        if snapshot.state is SessionState.FINISHED:
            return [FooterButton("browse", "Browse" if short else "Browse generations", "Enter", is_primary=True), best]
        step = "episode" if session.is_single_learner else "generation"
        skip = FooterButton(
            "skip", "Skip" if short else f"Skip {step}", "G", is_enabled=snapshot.state is SessionState.PLAYING
        )
        save = [] if room.is_compact else [FooterButton("save", "Save", "S", is_enabled=self.has_agent)]
        return [pause, skip, best, *save]

    def run_action(self, action: str, session: EvolutionSession) -> None:
        """Do what a button says."""
        if action == "pause":
            self.playback_speed.is_paused = not self.playback_speed.is_paused
        elif action == "skip":
            self.playback_speed.is_fast_forward = True
        elif action == "best":
            self.window.open_screen(make_screen(self.window, "watch", agent=str(session.folder)))
        elif action == "save":
            self.window.show_message(save_run_copy(session.folder))
        elif action == "again" and isinstance(session, FollowedRun):
            session.select_relative(0)
        elif action == "resume":
            self.train_run(session.folder)
        elif action == "browse":
            self.follow_run(session.folder)

    def draw_page_buttons(self, ui: Ui, room: ScreenArea, left: int, snapshot: SessionSnapshot) -> int:
        """Which boards are shown, and the keys to others, right of a place; tells where they begin."""
        pen, footer = ui.pen, room.footer
        many = 0 if snapshot.boards is None else len(snapshot.boards)
        if many <= self.grid.tiles_per_page:
            return footer.right
        right, turned = footer.right, 0
        for label, step in (("→", 1), ("←", -1)):
            box = Box(right - 24, footer.centery - 12, 24, 24)
            touch = ui.add_control(f"page {label}", box, radius=6)
            pen.draw_keycap(box.midleft, label, "pressed" if touch.is_pressed else "")
            turned += step * (touch.is_activated or ui.is_key_pressed(label))
            right = box.left - 4
        self.grid.turn_pages(turned, many)
        shown = self.grid.get_page_range(many)
        words = f"{shown.start + 1:,}–{shown.stop:,} of {many:,}"
        words = words if room.layout_size != "wide" else f"Boards {words}"
        if right - left < pen.measure_text(words, 14) + _MIN_SLIDER_WIDTH + 60:
            return right
        right -= 13
        pen.draw_text(words, (right, footer.centery), 14, False, DIM_TEXT, align=1)
        return right - pen.measure_text(words, 14) - 20

    def draw_speed(self, ui: Ui, box: Box) -> None:
        """How fast it goes; where there is little room, words hide before the slider does."""
        pen, last = ui.pen, len(EVOLUTION_SPEEDS) - 1
        place = min(
            range(len(EVOLUTION_SPEEDS)),
            key=lambda number: abs(min(EVOLUTION_SPEEDS[number], 1e6) - min(self.playback_speed.speed, 1e6)),
        )
        place = max(0, min(last, place + ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")))
        inside = Box(box.left + 16, box.top, box.width - 28, box.height)
        for label, short in (("Speed", False), ("", False), ("", True), ("", None)):
            before = pen.measure_text(label, 14) + 14 if label else 0
            words = "" if short is None else format_speed(EVOLUTION_SPEEDS[place], short)
            behind = 0 if short is None else pen.measure_text(format_speed(EVOLUTION_SPEEDS[-2], short), 14) + 14
            if (wide := min(_MAX_SLIDER_WIDTH, inside.width - before - behind)) >= _MIN_SLIDER_WIDTH:
                break
        else:
            self.playback_speed.speed = EVOLUTION_SPEEDS[place]
            return
        pen.draw_text(label, (inside.left, inside.centery), 14, False, DIM_TEXT)
        track = Box(inside.left + before, inside.top, wide, inside.height)
        chosen = round(draw_slider(ui, "speed", track, place / last, 1 / last) * last)
        pen.draw_text(words, (track.right + 14, inside.centery), 14, False, NORMAL_TEXT)
        self.playback_speed.speed = EVOLUTION_SPEEDS[chosen]
