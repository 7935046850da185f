"""Evolution screen: trains a run or shows an existing one, with small boards and charts."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tetrion.agents.run_folders import BEST_AGENT_FILE, find_free_folder
from tetrion.app.crash_log import describe_crash
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.live_training import LiveTraining
from tetrion.app.evolution.playback_control import PlaybackControl
from tetrion.app.evolution.run_copies import save_run_copy
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.launcher import make_screen
from tetrion.app.screen import Screen
from tetrion.app.screens.evolution_panels import EvolutionPanels
from tetrion.app.screens.evolution_setup import EvolutionSetup, RunRequest, get_population_size
from tetrion.app.screens.evolution_tiles import TileGrid, draw_learner
from tetrion.app.screens.setup_footer import SETUP_KEY_LEGEND
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
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.palette import DIM_TEXT, NORMAL_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.recipe import Recipe
from tetrion.training.trainer import create_run
from tetrion.user_folders import shorten_path

EVOLUTION_SPEEDS = AGENT_SPEEDS[AGENT_SPEEDS.index(1) :]  # moves per second
_DEFAULT_SPEED = 60
_MAX_SLIDER_WIDTH = 170  # units
_MIN_SLIDER_WIDTH = 84  # units


class EvolutionScreen(Screen):
    """Screen that trains a run, or shows a run that was trained before or is trained by another program."""

    title = "Evolution"

    def __init__(
        self,
        window: Window,
        *,
        recipe: str = "",
        run: str = "",
        seed: int | None = None,
        changes: Sequence[str] = (),
        out: str = "",
    ) -> None:
        super().__init__(window)
        self.session: EvolutionSession | None = None
        self.playback_control = PlaybackControl(_DEFAULT_SPEED)
        self.grid = TileGrid()
        self.panels = EvolutionPanels()
        self.setup = EvolutionSetup()
        self.problem = ""
        self.has_agent = False
        self.elapsed_seconds = 0.0
        self._is_music_paused = False
        self._drawn_snapshot: SessionSnapshot | None = None
        self._drawn_status = ""
        if run:
            self.follow_run(Path(run))
        elif recipe:
            self.setup = EvolutionSetup(recipe, seed or 0)
            self.start_from_command(recipe, seed, changes, out)

    # Runs

    def start_from_command(self, name: str, seed: int | None, changes: Sequence[str], out: str) -> None:
        """Create and train a run from the arguments of the command line."""
        try:
            recipe = Recipe.load(name, changes)
            recipe = recipe if seed is None else recipe.with_(seed=validate_seed(seed))
        except TetrionError as error:
            self.problem = str(error)
            return
        self.handle_request(
            RunRequest(
                Path(out) if out else find_free_folder(get_runs_folder(), f"{recipe.folder_name}-{recipe.seed}"), recipe
            )
        )

    def handle_request(self, request: RunRequest) -> None:
        """Create and train a new run, or open an existing one."""
        if request.recipe is None:
            self.follow_run(request.folder)
            return
        try:
            create_run(request.recipe, request.folder)
        except (TetrionError, OSError) as error:
            self.problem = str(error)
            return
        self.train_run(request.folder)

    def follow_run(self, folder: Path) -> None:
        """Show a run without training it."""
        self.switch_session(lambda: FollowedRun(folder, self.playback_control))

    def train_run(self, folder: Path, allow_other_versions: bool = False) -> None:
        """Train a run, or resume its training."""
        self.switch_session(lambda: LiveTraining(folder, self.playback_control, allow_other_versions))

    def switch_session(self, make_session: Callable[[], EvolutionSession]) -> None:
        """Close the current session and open another one."""
        if self.session:
            self.session.close()
        self.session = None
        self.problem = ""
        self.has_agent = False
        self.playback_control = PlaybackControl(self.playback_control.speed)
        self.grid = TileGrid()
        self.panels = EvolutionPanels()
        try:
            self.session = make_session()
        except (TetrionError, OSError) as error:
            self.problem = str(error)
        except Exception as error:  # a damaged run must not close the screen
            self.problem = describe_crash(error)

    def on_leave(self) -> None:
        """Stop training; finished generations remain saved and the run can be resumed."""
        self._pause_music(False)
        if not self.session:
            return
        was_training = isinstance(self.session, LiveTraining) and not self.session.is_over
        self.session.close()
        if was_training:
            count = len(self.session.history)
            progress = f"{format_count(count, self.session.step_name)} of {self.session.max_generations:,}"
            verb = "is" if count == 1 else "are"
            folder = self.session.folder
            message = f"Training stopped. {progress} {verb} saved in {shorten_path(folder)}."
            self.window.show_message(message, file=folder)

    # Music

    def _update_music(self) -> None:
        """Play music while a run is shown, until it has ended, and pause it together with the run."""
        has_music = self.session is not None and not self.session.is_over
        if self.has_music != has_music:
            self.has_music = has_music
            self.window.apply_sound()
        self._pause_music(has_music and self.playback_control.is_paused)

    def _pause_music(self, is_paused: bool) -> None:
        """Pause or resume the music; it must not stay paused on other screens."""
        if self._is_music_paused != is_paused:
            self._is_music_paused = is_paused
            sound = self.window.sound
            (sound.pause if is_paused else sound.resume)()

    # Drawing

    @property
    def is_moving(self) -> bool:
        """Whether games are played, or the run has changed since the screen was drawn."""
        session = self.session
        if session is None:
            return False
        is_resting = self.playback_control.is_paused or session.is_resting
        is_drawn = session.make_snapshot().has_same_content(self._drawn_snapshot)
        return not is_resting or not is_drawn or self._drawn_status != self.describe_status()

    def update(self, seconds: float) -> None:
        """Check whether the run has an agent and whether it has finished, and update the music."""
        self.elapsed_seconds = seconds
        self._update_music()
        if self.session:
            if not self.has_agent and len(self.session.history):
                self.has_agent = (self.session.folder / BEST_AGENT_FILE).is_file()
            if self.is_finished:
                self.problem = self.panels.load_result(self.session.folder) or self.problem

    @property
    def is_finished(self) -> bool:
        """Whether the run is finished."""
        if isinstance(self.session, FollowedRun):
            return self.session.is_finished
        return self.session is not None and self.session.state is SessionState.FINISHED

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the run."""
        screen_area, should_close = draw_header_footer(ui, self.title, self.make_chips())
        if self.session:
            self.draw_run(ui, screen_area, self.session)
        else:
            request = self.setup.draw(ui, screen_area)
            draw_key_legend(ui, screen_area.footer, SETUP_KEY_LEGEND)
            if request:
                self.window.sound.play("choose")
                self.handle_request(request)
        self.draw_problem(ui, screen_area)
        if should_close:
            self.window.close_screen()

    def make_chips(self) -> list[str]:
        """Return the header texts of the run: recipe, candidates, seed and status."""
        if not self.session:
            return []
        recipe, name = self.session.recipe, self.session.recipe.name
        population = get_population_size(recipe)
        chips = [f"{name[:1].upper()}{name[1:]} recipe", f"{population:,} candidates" if population else ""]
        return [*chips, f"Seed {recipe.seed:,}", self.describe_status()]

    def describe_status(self) -> str:
        """Return the training status of a followed run, or an empty text."""
        if not isinstance(self.session, FollowedRun):
            return ""
        if self.session.is_finished:
            return "Finished"
        return "Trained by another program" if self.session.is_trained_elsewhere else "Not finished"

    def draw_run(self, ui: Ui, screen_area: ScreenArea, session: EvolutionSession) -> None:
        """Draw boards, panels and the footer."""
        snapshot = session.make_snapshot()
        self._drawn_snapshot = snapshot
        self._drawn_status = self.describe_status()
        self.grid.update(snapshot.boards, self.elapsed_seconds, self.window.settings.has_animation)
        boards_area = self.grid.lay_out(ui.pen, screen_area)
        if snapshot.boards is None:
            text = (
                describe_compilation()
                if snapshot.state is SessionState.PREPARING
                else f"No {session.step_name} has finished yet."
            )
            ui.pen.draw_paragraph(text, boards_area.center, boards_area.width - 2 * screen_area.gap, 16, align=0.5)
        elif session.is_single_learner:
            draw_learner(ui.pen, boards_area, session, snapshot)
        else:
            self.grid.draw(ui.pen, boards_area, snapshot.boards, session.recipe.games)
        left = boards_area.right + screen_area.gap
        panels_area = Box(left, screen_area.content.top, screen_area.content.right - left, screen_area.content.height)
        steps = self.panels.draw(ui, panels_area, screen_area, session, snapshot)
        if isinstance(session, FollowedRun) and steps:
            session.select_relative(steps)
        self.draw_footer(ui, screen_area, session, snapshot)

    def draw_problem(self, ui: Ui, screen_area: ScreenArea) -> None:
        """Draw the error message, if there is one."""
        session = self.session
        message = session.message if session and session.message else self.problem
        if not message:
            return
        buttons = [("Resume anyway", "")] if session and session.has_other_versions else []
        lines = [translate_to_window(message)]
        buttons = [*buttons, ("Back", "")]
        action = draw_overlay(ui, screen_area.content, "An error occurred", lines, buttons, width=480)
        if action == "Resume anyway" and session:
            self.train_run(session.folder, allow_other_versions=True)
        elif action or ui.is_key_pressed("Esc"):
            self.dismiss_problem()

    def dismiss_problem(self) -> None:
        """Close the error message and return to the run, or to the setup if training failed."""
        self.problem = ""
        if isinstance(self.session, FollowedRun):
            self.session.message = ""
        elif self.session:
            self.session.close()
            self.session = None
            self.setup = EvolutionSetup(self.setup.recipe, self.setup.seed)

    # Footer

    def draw_footer(
        self, ui: Ui, screen_area: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot
    ) -> None:
        """Draw the footer and handle its controls."""
        buttons = self.make_footer_actions(screen_area, session, snapshot)
        action, left = draw_footer_buttons(ui, screen_area.footer, buttons)
        right = self.draw_page_buttons(ui, screen_area, left, snapshot)
        if snapshot.state is not SessionState.FINISHED:
            self.draw_speed(ui, Box(left, screen_area.footer.top, right - left, screen_area.footer.height))
        action = action or ("save" if screen_area.is_compact and ui.is_key_pressed("S") else "")
        if action:
            self.run_action(action, session)
        if not ui.focus:
            ui.request_focus(next((button.name for button in buttons if button.is_enabled), ""))

    def make_footer_actions(
        self, screen_area: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot
    ) -> list[FooterButton]:
        """Return the footer buttons for the current state."""
        short = screen_area.layout_size != "wide"
        is_active = snapshot.state in (
            SessionState.PREPARING,
            SessionState.PLAYING,
            SessionState.VALIDATING,
            SessionState.FINAL_GAMES,
        )
        pause = FooterButton("pause", "Continue", "Space", "play", True, is_active)
        if not snapshot.is_paused:
            pause = FooterButton("pause", "Pause", "Space", "pause", True, is_active)
        best = FooterButton(
            "best",
            "Best" if short else "Watch best",
            "B",
            "" if screen_area.is_compact else "play",
            is_enabled=self.has_agent,
        )
        if isinstance(session, FollowedRun):
            replay = FooterButton("again", "Replay" if short else "Replay games", "R")
            resumable = not session.is_finished and not session.is_trained_elsewhere
            resume = [FooterButton("resume", "Resume" if short else "Resume training", "T")] if resumable else []
            return [pause, replay, best, *resume]
        if snapshot.state is SessionState.FINISHED:
            return [
                FooterButton("browse", "Browse" if short else f"Browse {session.step_name}s", "Enter", is_primary=True),
                best,
            ]
        skip = FooterButton(
            "skip",
            "Skip" if short else f"Skip {session.step_name}",
            "G",
            is_enabled=snapshot.state is SessionState.PLAYING,
        )
        save = [] if screen_area.is_compact else [FooterButton("save", "Save", "S", is_enabled=self.has_agent)]
        return [pause, skip, best, *save]

    def run_action(self, action: str, session: EvolutionSession) -> None:
        """Run the action of a button."""
        if action == "pause":
            self.playback_control.is_paused = not self.playback_control.is_paused
        elif action == "skip":
            self.playback_control.is_fast_forward = True
        elif action == "best":
            self._pause_music(False)
            self.window.open_screen(make_screen(self.window, "watch", agent=str(session.folder)))
        elif action == "save":
            self.window.show_message(*save_run_copy(session.folder))
        elif action == "again" and isinstance(session, FollowedRun):
            session.select_relative(0)
        elif action == "resume":
            self.train_run(session.folder)
        elif action == "browse":
            self.follow_run(session.folder)

    def draw_page_buttons(self, ui: Ui, screen_area: ScreenArea, left: int, snapshot: SessionSnapshot) -> int:
        """Draw the page range and the page keys at the right of the footer; return their left edge."""
        pen, footer = ui.pen, screen_area.footer
        count = 0 if snapshot.boards is None else len(snapshot.boards)
        if count <= self.grid.tiles_per_page:
            return footer.right
        right, pages = footer.right, 0
        for label, step in (("→", 1), ("←", -1)):
            box = Box(right - 24, footer.centery - 12, 24, 24)
            control = ui.add_control(f"page {label}", box, radius=6)
            pen.draw_keycap(box.midleft, label, "pressed" if control.is_pressed else "")
            pages += step * (control.is_activated or ui.is_key_pressed(label))
            right = box.left - 4
        self.grid.turn_pages(pages, count)
        shown = self.grid.get_page_range(count)
        text = f"{shown.start + 1:,}–{shown.stop:,} of {count:,}"
        text = text if screen_area.layout_size != "wide" else f"Boards {text}"
        if right - left < pen.measure_text(text, 14) + _MIN_SLIDER_WIDTH + 60:
            return right
        right -= 13
        pen.draw_text(text, (right, footer.centery), 14, False, DIM_TEXT, align=1)
        return right - pen.measure_text(text, 14) - 20

    def draw_speed(self, ui: Ui, box: Box) -> None:
        """Draw the speed slider; in a narrow footer the texts are hidden before the slider."""
        pen = ui.pen
        last = len(EVOLUTION_SPEEDS) - 1
        index = min(
            range(len(EVOLUTION_SPEEDS)),
            key=lambda number: abs(min(EVOLUTION_SPEEDS[number], 1e6) - min(self.playback_control.speed, 1e6)),
        )
        index = max(0, min(last, index + ui.is_key_pressed("+", "=") - ui.is_key_pressed("-")))
        inside = Box(box.left + 16, box.top, box.width - 28, box.height)
        for label, short in (("Speed", False), ("", False), ("", True), ("", None)):
            label_width = pen.measure_text(label, 14) + 14 if label else 0
            text = "" if short is None else format_speed(EVOLUTION_SPEEDS[index], short)
            text_width = 0 if short is None else pen.measure_text(format_speed(EVOLUTION_SPEEDS[-2], short), 14) + 14
            if (track_width := min(_MAX_SLIDER_WIDTH, inside.width - label_width - text_width)) >= _MIN_SLIDER_WIDTH:
                break
        else:
            self.playback_control.speed = EVOLUTION_SPEEDS[index]
            return
        pen.draw_text(label, (inside.left, inside.centery), 14, False, DIM_TEXT)
        track = Box(inside.left + label_width, inside.top, track_width, inside.height)
        new_index = round(draw_slider(ui, "speed", track, index / last, 1 / last) * last)
        pen.draw_text(text, (track.right + 14, inside.centery), 14, False, NORMAL_TEXT)
        self.playback_control.speed = EVOLUTION_SPEEDS[new_index]
