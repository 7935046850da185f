"""Evolution screen: the setup of a run, its training or replay with small boards, and its charts and result."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.agents.run_folders import CONFIG_FILE, find_free_folder
from tetrion.app.background_task import describe_crash, leave_out_commands, log_crash
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import get_runs_folder, list_run_folders
from tetrion.app.launcher import make_screen
from tetrion.app.run_session import (
    FollowedRun,
    GenerationBoards,
    LiveTraining,
    PlaybackControl,
    RunSession,
    SessionState,
)
from tetrion.app.toolkit.controls import (
    ButtonSpec,
    change_speed,
    compute_segments_width,
    draw_buttons,
    draw_scroll_bar,
    draw_segments,
    draw_selectable_row,
    draw_shortened_text,
    draw_speed_slider,
    draw_stepper,
    read_row_steps,
    scroll_by_wheel,
    scroll_to_row,
)
from tetrion.app.toolkit.form import FORM_KEY_LEGEND, Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_grid, split_row
from tetrion.drawing.line_charts import ChartLine, draw_chart
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    PANEL,
    SECOND_ACCENT,
    STRONG_TEXT,
    get_series_colour,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_name, format_number
from tetrion.lab.run_summary import ResultTexts, compute_running_mean, describe_result, describe_status, format_fitness
from tetrion.stack import Stack
from tetrion.training.fitness import FITNESS_DESCRIPTIONS, FITNESS_UNITS, GamesSettings
from tetrion.training.recipe import RECIPES, Recipe, parse_value
from tetrion.training.recipe_settings import DEFINITION_KEY, SettingDefinition
from tetrion.training.run import Run
from tetrion.training.run_writer import copy_run
from tetrion.training.trainer import create_run
from tetrion.user_folders import shorten_path

_GRID_WIDTH_SHARE = 0.6  # of the window width
_TILE_WIDTH = 138
_MIN_TILE_HEIGHT = 146
_TILE_GAP = 12
_MIN_HEIGHT_FOR_STEPS = 64  # of a chart; lower ones have no step numbers
_MEAN_EPISODES = 50
_CHARTS = ("Fitness", "Weights")
_MIN_SPEED_WIDTH = 180  # of the speed slider
_KEY_SIZE = 24
_ABOUT_POPULATIONS = (
    "All candidates play at the same time, on small boards. The fittest produce the next generation, and the charts "
    "show how they improve."
)
_ABOUT_LEARNERS = "A single learner plays one game after another and learns from them. The charts show how it improves."
_ABOUT_HIDDEN_GAMES = (
    "A single learner plays many games at the same time, too fast for boards. The chart shows how it improves."
)
_ABOUT_SAVING = "You can pause or stop at any time: every finished {step} is saved, and a stopped run can be resumed."
_LENGTH = "length"  # stands for the number of generations or episodes, whose name depends on the learner
_SETTINGS = {  # the main settings: key, label and meaning
    "population": ("Population", "candidates per generation"),
    "memory_size": ("Memory size", "candidates that are kept"),
    _LENGTH: ("", "length of the run"),
    "mutation_rate": ("Mutation rate", "probability, 0 to 1"),
    "mutation_step": ("Mutation step", "change of a weight"),
    "sigma": ("First step size", "of the first candidates"),
    "initial_deviation": ("First step size", "of the first candidates"),
    "alpha": ("Learning rate", "in the first episode"),
    "learning_rate": ("Learning rate", "of an update"),
}


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
        self.session: RunSession | None = None
        self.playback_control = PlaybackControl()
        self.view = RunView()
        self.setup = EvolutionSetup(recipe or "gavrilov", seed, changes)
        self.problem = ""
        self._is_music_paused = False
        self._drawn_content: tuple[object, ...] = ()
        if run:
            self.follow_run(Path(run))
        elif recipe:
            self._create_run(Path(out) if out else self.setup.folder)

    # Runs

    def _create_run(self, folder: Path) -> None:
        recipe = self.setup.recipe
        if isinstance(recipe, str):
            self.problem = recipe
        else:
            self._switch_session(lambda control: LiveTraining(create_run(recipe, folder), control))

    def follow_run(self, folder: Path) -> None:
        """Show a run without training it."""
        self._switch_session(lambda control: FollowedRun(folder, control))

    def train_run(self, folder: Path, allow_other_versions: bool = False) -> None:
        """Resume the training of a run."""
        self._switch_session(lambda control: LiveTraining(folder, control, allow_other_versions))

    def _switch_session(self, make_session: Callable[[PlaybackControl], RunSession]) -> None:
        if self.session:
            self.session.close()
        self.session = None
        self.problem = ""
        self.playback_control = PlaybackControl(self.playback_control.speed)
        self.view = RunView()
        try:
            self.session = make_session(self.playback_control)
        except (TetrionError, OSError) as error:
            self.problem = str(error)
        except Exception as error:  # a damaged run must not close the screen
            self.problem = describe_crash(error)

    def on_leave(self) -> None:
        """Stop training; finished generations remain saved and the run can be resumed."""
        self._set_music(False, is_paused=False)
        if not (session := self.session):
            return
        was_training = isinstance(session, LiveTraining) and not session.is_over
        session.close()
        if was_training:
            count = format_count(session.generation_count, session.step_name)
            progress = f"Training stopped after {count} of {session.recipe.planned_steps:,}."
            self.window.show_message(f"{progress} The run is in {shorten_path(session.folder)}.", file=session.folder)

    def _set_music(self, has_music: bool, *, is_paused: bool) -> None:
        """Turn the music of this screen on or off, and pause or resume it; other screens have no paused music."""
        if (has_music, is_paused) != (self.has_music, self._is_music_paused):
            self.has_music = has_music
            self._is_music_paused = is_paused
            self.window.apply_sound()
            (self.window.sound.pause if is_paused else self.window.sound.resume)()

    # Drawing

    @property
    def is_moving(self) -> bool:
        """Whether games are played, or the run has changed since the screen was drawn."""
        if not (session := self.session):
            return False
        is_resting = self.playback_control.is_paused or session.is_resting
        return not is_resting or session.content != self._drawn_content

    def update(self, seconds: float) -> None:
        """Update the music, and load the result of a run that has finished."""
        session = self.session
        has_music = session is not None and not session.is_over
        self._set_music(has_music, is_paused=has_music and self.playback_control.is_paused)
        if session and session.is_finished:
            self.problem = self.view.load_result(session.folder) or self.problem

    def draw(self, ui: Ui) -> None:
        """Draw the setup or the run."""
        frame = draw_frame(ui, self.title, list_chips(self.session) if self.session else ())
        if session := self.session:
            self._drawn_content = session.content
            steps = self.view.draw(ui, frame, session)
            if isinstance(session, FollowedRun) and steps:
                session.select_relative(steps)
            self._draw_footer(ui, frame, session)
        else:
            is_started, opened = self.setup.draw(ui, frame)
            draw_key_legend(ui, frame.footer, FORM_KEY_LEGEND)
            if is_started or opened:
                self.window.sound.play("choose")
            if is_started:
                self._create_run(self.setup.folder)
            elif opened:
                self.follow_run(opened)
        self._draw_problem(ui, frame.content)
        if frame.is_closed:
            self.window.close_screen()

    def _draw_problem(self, ui: Ui, content: Box) -> None:
        session = self.session
        message = session.message if session and session.message else self.problem
        if not message:
            return
        buttons = [("Resume anyway", "")] if session and session.has_other_versions else []
        lines = [leave_out_commands(message)]
        action = draw_overlay(ui, content, "An error occurred", lines, [*buttons, ("Back", "")], width=480)
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
            self.setup.run_list = RunList()

    # Footer

    def _draw_footer(self, ui: Ui, frame: Frame, session: RunSession) -> None:
        actions = self._list_actions(frame, session)
        used, rest = draw_buttons(ui, frame.footer, list(actions))
        rest = self.view.draw_page_keys(ui, rest, session.boards)
        if not frame.is_wide and isinstance(session, LiveTraining) and ui.is_key_pressed("S"):
            self._save_copy(session)
        speed = change_speed(self.playback_control.speed, ui.is_key_pressed("+", "=") - ui.is_key_pressed("-"))
        if session.has_boards and rest.width >= _MIN_SPEED_WIDTH and session.state is not SessionState.FINISHED:
            is_short = rest.width < 2 * _MIN_SPEED_WIDTH
            speed = draw_speed_slider(ui, inset(rest, 8, 0), speed, short=is_short, with_label=not is_short)
        self.playback_control.speed = speed
        for button, action in actions.items():
            if button.name == used:
                action()
        if not ui.focus:
            ui.request_focus(next((button.name for button in actions if button.is_enabled), ""))

    def _list_actions(self, frame: Frame, session: RunSession) -> dict[ButtonSpec, Callable[[], None]]:
        """Return the footer buttons for the current state, with their actions."""
        is_wide, step = frame.is_wide, session.step_name
        is_paused = self.playback_control.is_paused and not session.is_over
        label, icon = ("Continue", "play") if is_paused else ("Pause", "pause")
        pause = ButtonSpec("pause", label, "Space", icon, True, not session.is_resting)
        best_label, best_icon = ("Watch best", "play") if is_wide else ("Best", "")
        best = ButtonSpec("best", best_label, "B", best_icon, is_enabled=session.has_agent)
        watch_best = partial(self._watch_best, session)
        if session.state is SessionState.FINISHED and isinstance(session, LiveTraining):
            browse = ButtonSpec("browse", f"Browse {step}s" if is_wide else "Browse", "Enter", is_primary=True)
            return {browse: partial(self.follow_run, session.folder), best: watch_best}
        actions: dict[ButtonSpec, Callable[[], None]] = {pause: self._toggle_pause}
        if isinstance(session, FollowedRun):
            replay = ButtonSpec("again", "Replay games" if is_wide else "Replay", "R", is_enabled=session.has_boards)
            actions |= {replay: partial(session.select_relative, 0), best: watch_best}
            if not session.is_finished and not session.is_trained_elsewhere:
                resume = ButtonSpec("resume", "Resume training" if is_wide else "Resume", "T")
                actions[resume] = partial(self.train_run, session.folder)
        else:
            can_skip = session.has_boards and session.state is SessionState.PLAYING
            skip = ButtonSpec("skip", f"Skip {step}" if is_wide else "Skip", "G", is_enabled=can_skip)
            actions |= {skip: self.playback_control.skip, best: watch_best}
            if is_wide:
                save = ButtonSpec("save", "Save", "S", is_enabled=session.has_agent)
                actions[save] = partial(self._save_copy, session)
        return actions

    def _toggle_pause(self) -> None:
        self.playback_control.is_paused = not self.playback_control.is_paused

    def _save_copy(self, session: RunSession) -> None:
        try:
            copy = copy_run(session.folder)
        except TetrionError as error:
            self.window.show_message(str(error))
        else:
            self.window.show_message(f"This {session.step_name} is saved as {shorten_path(copy)}.", file=copy)

    def _watch_best(self, session: RunSession) -> None:
        self._set_music(self.has_music, is_paused=False)
        self.window.open_screen(make_screen(self.window, "watch", agent=str(session.folder)))


def list_chips(session: RunSession) -> list[Chip]:
    """Return the header texts of a run: recipe, candidates, seed, and the status of a followed run."""
    name, seed = session.recipe.name, f"Seed {session.recipe.seed:,}"
    population = getattr(session.recipe.settings, "population", 0)
    candidates = f"{population:,} candidates" if population else ""
    status = "Trained by another program" if session.is_trained_elsewhere else "Not finished"
    status = "Finished" if session.is_finished else status
    status = status if isinstance(session, FollowedRun) else ""
    return [Chip(text) for text in (f"{name[:1].upper()}{name[1:]} recipe", candidates, seed, status)]


def draw_key(ui: Ui, name: str, box: Box, label: str) -> bool:
    """Draw a keycap that can be clicked in the middle of a box; return whether it or its key was used."""
    box = place(box, ui.pen.measure_keycap(label), _KEY_SIZE, x=0)
    control = ui.add_control(name, box, radius=6)
    ui.pen.draw_keycap(box.midleft, label, "pressed" if control.is_pressed else "")
    return control.is_activated or ui.is_key_pressed(label)


# Setup


class MainSetting(NamedTuple):
    """A setting of a recipe that the setup shows; `name` is that of `tetrion evolve --set`."""

    name: str
    label: str
    meaning: str
    definition: SettingDefinition
    default: float  # the value of the recipe


def list_main_settings(recipe: Recipe) -> list[MainSetting]:
    """Return those of the main settings that the learner of a recipe uses."""
    unused = {"mutation_step"} if getattr(recipe.settings, "mutation", "") == "swap" else set()
    rows = []
    for key, (label, meaning) in _SETTINGS.items():
        name = recipe.learner_type.end_settings[0] if key == _LENGTH else f"{recipe.learner}.{key}"
        section, _, field_name = name.rpartition(".")
        settings = recipe.get_section(section)
        if hasattr(settings, field_name) and key not in unused:
            label = label or f"{recipe.learner_type.step_name.capitalize()}s"
            definition = settings.__dataclass_fields__[field_name].metadata[DEFINITION_KEY]
            rows.append(MainSetting(name, label, meaning, definition, getattr(settings, field_name)))
    return rows


class EvolutionSetup:
    """Choices for a new run, and the list of existing runs; `base_changes` are those of the command line."""

    def __init__(self, recipe: str = "gavrilov", seed: int | None = None, base_changes: Sequence[str] = ()) -> None:
        self.recipe_name = recipe
        self.changes: dict[str, object] = {}  # of settings of the recipe, by name
        self.run_list = RunList()
        self._base_changes = base_changes
        self._loaded: dict[str, Recipe | str] = {}
        self.seed_choice = SeedChoice(True, self._get_recipe_seed() if seed is None else seed)
        self._random_seed = SeedChoice.from_seed(None).choose_seed()

    def _get_recipe_seed(self) -> int:
        return getattr(self.original_recipe, "seed", 0)

    @property
    def seed(self) -> int:
        """Seed of the new run."""
        return self.seed_choice.number if self.seed_choice.is_given else self._random_seed

    @property
    def original_recipe(self) -> Recipe | str:
        """The chosen recipe without the changes, or an error message."""
        return self._load_recipe({})

    @property
    def recipe(self) -> Recipe | str:
        """The recipe of the new run, or an error message."""
        recipe = self._load_recipe(self.changes)
        return replace(recipe, seed=self.seed) if isinstance(recipe, Recipe) else recipe

    def _load_recipe(self, changes: dict[str, object]) -> Recipe | str:
        key = f"{self.recipe_name} {changes}"
        if key not in self._loaded:
            try:
                self._loaded[key] = Recipe.load(self.recipe_name, self._base_changes).replace(changes)
            except TetrionError as error:
                self._loaded[key] = leave_out_commands(str(error))
        return self._loaded[key]

    @property
    def folder(self) -> Path:
        """Folder of the new run."""
        name = getattr(self.original_recipe, "folder_name", "run")
        return find_free_folder(get_runs_folder(), f"{name}-{self.seed}")

    def draw(self, ui: Ui, frame: Frame) -> tuple[bool, Path | None]:
        """Draw the new run, and its recipe and the existing runs at the right.

        Return whether the new run is started, and the folder of the run that is opened, if any.
        """
        area = place(frame.content, min(frame.content.width, 1120), min(frame.content.height, 620), y=0)
        form_box, right = split_row(area, [flexible(490), flexible(264, share=0.8)], frame.gap)
        recipe_box, list_box = split_column(right, [Part(290, 200), flexible(160)], frame.gap)
        is_started = self._draw_form(ui, form_box)
        draw_recipe_panel(ui.pen, recipe_box, self.recipe)
        return is_started, self.run_list.draw(ui, list_box)

    def _draw_form(self, ui: Ui, box: Box) -> bool:
        """Draw the fields of a new run; return whether it is started."""
        with Form(ui, box, "New run", label_width=124) as form:
            name = draw_picker(
                ui,
                "recipe",
                form.add_field("Recipe"),
                self.recipe_name,
                list_recipe_options,
                free_text_hint="a recipe file",
            )
            if name != self.recipe_name:
                self.recipe_name, self._base_changes = name, ()
                self.changes = {}
                self.seed_choice = SeedChoice(True, self._get_recipe_seed())
            original = self.original_recipe
            for setting in list_main_settings(original) if isinstance(original, Recipe) else ():
                self._draw_setting(ui, form.add_field(setting.label), setting)
            self.seed_choice = draw_seed_field(ui, form.add_field("Seed"), self.seed_choice)
            saved_in = form.add_field("Saved in", 24)
            draw_shortened_text(ui, shorten_path(self.folder), saved_in.midleft, saved_in.width)
            problem = self.recipe if isinstance(self.recipe, str) else ""
            return form.draw_start(is_enabled=not problem, problem=problem, other_focus="recipe") == "start"

    def _draw_setting(self, ui: Ui, box: Box, setting: MainSetting) -> None:
        """Draw a main setting and its meaning, or the recipe's value if it is changed; store a changed value."""
        name, _, meaning, definition, default = setting
        control, text = split_row(box, [140, flexible()], 16)
        value = self.changes.get(name, default)
        if definition.kind is int and isinstance(value, int):
            step = 10 ** max(0, len(str(value)) - 2)  # the first two digits change
            zero_text = "" if definition.minimum else "automatic"
            # Numbers below the minimum can be typed, because they may be the beginning of others.
            limit = int(definition.maximum)
            value = draw_stepper(ui, name, control, value, max_value=limit, step=step, zero_text=zero_text)
        else:
            shown = format_setting(value)
            chosen = draw_picker(
                ui, name, control, shown, lambda: list_value_options(setting), free_text_hint="a number"
            )
            value = value if chosen == shown else parse_value(chosen)
        self.changes[name] = value
        if value == default:
            del self.changes[name]
        else:
            meaning = f"recipe: {format_setting(default)}"
        draw_shortened_text(ui, meaning, text.midleft, text.width, size=14, colour=DIM_TEXT)


def format_setting(value: object) -> str:
    """Format the value of a setting without needless digits."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def list_value_options(setting: MainSetting) -> list[PickerOption]:
    """Return suggested values of a setting: multiples of the recipe's value within the limits."""
    definition, default = setting.definition, setting.default
    values = sorted({0.0, *(default * factor for factor in (0.1, 0.2, 0.5, 1, 2, 5, 10))})
    return [
        PickerOption(format_setting(value), "value of the recipe" if value == default else "")
        for value in values
        if definition.minimum <= value <= definition.maximum
    ]


@cache
def list_recipe_options() -> list[PickerOption]:
    """Return all recipes with their learner and their rules."""
    recipes = list(RECIPES.items())
    return [PickerOption(name, f"{recipe.learner}, {recipe.rules} rules") for name, recipe in recipes]


def draw_recipe_panel(pen: Pen, box: Box, recipe: Recipe | str) -> None:
    """Draw what a recipe does and how Evolution shows it; texts that do not fit are left out."""
    inside = pen.draw_panel(box, "Recipe")
    if not isinstance(recipe, Recipe):
        return
    learner_type = recipe.learner_type
    about = _ABOUT_LEARNERS if learner_type.has_parameters else _ABOUT_HIDDEN_GAMES
    about = _ABOUT_POPULATIONS if learner_type.has_population else about
    for text, colour in (
        (recipe.summary, STRONG_TEXT),
        (describe_recipe(recipe), NORMAL_TEXT),
        (recipe.source, FAINT_TEXT),
        (f"{about} {_ABOUT_SAVING.format(step=learner_type.step_name)}", DIM_TEXT),
    ):
        height = 20 * len(pen.wrap_text(text, inside.width, 14)) if text else 0
        if 0 < height <= inside.height:
            pen.draw_paragraph(text, (inside.left, inside.top + 10), inside.width, 14, colour)
            inside = split_column(inside, [height, flexible()], 8)[1]


def describe_recipe(recipe: Recipe) -> str:
    """Describe the games, the rules and the fitness of a recipe."""
    games, has_population = recipe.games, recipe.learner_type.has_population
    max_pieces = games.max_pieces[0] if has_population else getattr(recipe.settings, "max_pieces", 0)
    length = f" of at most {max_pieces:,} pieces" if max_pieces else ""
    if not has_population:
        return f"One learner, games{length or ' of any length'}, {recipe.rules} rules."
    count = format_count(games.count, "game")
    return f"{count} per candidate{length}, {recipe.rules} rules. Fitness: {FITNESS_DESCRIPTIONS[games.fitness]}."


# Runs


class RunList:
    """The runs that can be opened or resumed, newest first, in a list that scrolls; statuses are read when shown."""

    def __init__(self) -> None:
        self.folders = list_run_folders(CONFIG_FILE)
        self._first_row = 0
        self._describe_run = cache(describe_run)

    def draw(self, ui: Ui, box: Box) -> Path | None:
        """Draw the list in a panel; return the folder of the run that is opened, if any."""
        pen, count = ui.pen, len(self.folders)
        inside = pen.draw_panel(box, "Runs", "Open or resume a run" if count else "")
        rows = list_rows(inset(inside, -8, -4), 48)
        self._scroll(ui, len(rows))
        draw_scroll_bar(pen, Box(box.right - 7, inside.top, 4, 48 * len(rows)), self._first_row, len(rows), count)
        if not count:
            text = "No runs yet. Runs of this program and runs in the folder runs/ appear here."
            pen.draw_paragraph(text, (inside.left, inside.top + 10), inside.width, 15, DIM_TEXT)
        opened = None
        for number, row in enumerate(rows[:count], self._first_row):
            folder = self.folders[number]
            control = draw_selectable_row(ui, f"run {number}", row, group="runs")
            name, status = list_rows(inset(row, 8, 3), 21)
            colour = STRONG_TEXT if control.is_focused else NORMAL_TEXT
            draw_shortened_text(ui, folder.name, name.midleft, name.width, semibold=True, colour=colour)
            draw_shortened_text(ui, self._describe_run(folder), status.midleft, status.width, size=14, colour=DIM_TEXT)
            opened = folder if control.is_activated else opened
        return opened

    def _scroll(self, ui: Ui, row_count: int) -> None:
        """Scroll with the wheel, and move the focus with the list keys if a run has it."""
        names = [f"run {number}" for number in range(len(self.folders))]
        self._first_row = scroll_by_wheel(ui, self._first_row, row_count, len(names))
        if ui.focus not in names:
            return
        row = names.index(ui.focus)
        for step in read_row_steps(ui, row_count):
            row = max(0, min(len(names) - 1, row + step))
            self._first_row = scroll_to_row(self._first_row, row_count, row)
        # The wheel may have hidden the row.
        ui.request_focus(names[max(self._first_row, min(row, self._first_row + row_count - 1))])


def describe_run(folder: Path) -> str:
    """Describe the progress of a run and whether it is finished."""
    try:
        run = Run(folder)
        steps = format_count(run.recipe.planned_steps, run.step_name)
        return f"{run.generation_count:,} of {steps}, {describe_status(run)}"
    except (TetrionError, OSError):
        return "damaged"
    except Exception as error:  # no run may take the list with it
        log_crash(error)
        return "damaged"


# The run


class RunView:
    """What is shown of a run: a page of boards at the left; its progress, its result and charts at the right."""

    def __init__(self) -> None:
        self.page = 0  # of the boards
        self.columns = 5
        self.rows = 4
        self.selected_chart = 0
        self.result: ResultTexts | None = None
        self._is_result_read = False
        self._frame_count = 0
        self._pictures = SurfaceCache()

    def load_result(self, folder: Path) -> str:
        """Load the result of a finished run once; return an error message if it is damaged, else ""."""
        if self._is_result_read:
            return ""
        self._is_result_read = True
        try:
            self.result = describe_result(Run(folder))
        except (TetrionError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            return str(error) if isinstance(error, TetrionError) else f"The result of {folder} is damaged: {error}."
        return ""

    def draw(self, ui: Ui, frame: Frame, session: RunSession) -> int:
        """Draw everything; return the number of generations to move, selected by the keys PgUp and PgDn."""
        pen, boards = ui.pen, session.boards
        columns = int(_GRID_WIDTH_SHARE * pen.width) // (_TILE_WIDTH + _TILE_GAP)
        rows = (frame.content.height + _TILE_GAP) // (_MIN_TILE_HEIGHT + _TILE_GAP)
        self.columns, self.rows = (columns, rows) if session.run.has_population else (1, 1)
        grid_width = columns * (_TILE_WIDTH + _TILE_GAP) - _TILE_GAP
        grid, panels = split_row(frame.content, [grid_width, flexible()], frame.gap)
        if not session.has_boards:
            self._draw_chart(pen, grid, session, 0)
        elif boards is None:
            is_preparing = session.state is SessionState.PREPARING
            text = describe_compilation() if is_preparing else f"No {session.step_name} has finished yet."
            pen.draw_paragraph(text, grid.center, grid.width - 2 * frame.gap, 16, align=0.5)
        else:
            self._draw_tiles(pen, grid, boards, session.recipe.games)
        return self._draw_panels(ui, panels, frame, session)

    # Boards

    def get_page_range(self, count: int) -> range:
        """Return the indices of the candidates on this page, of `count` candidates."""
        tiles = self.columns * self.rows
        self.page %= max(1, -(-count // tiles))
        return range(self.page * tiles, min(count, (self.page + 1) * tiles))

    def draw_page_keys(self, ui: Ui, box: Box, boards: GenerationBoards | None) -> Box:
        """Draw the range of boards on this page and the page keys at the right of a box; return the rest of it."""
        count = 0 if boards is None else len(boards)
        page = self.get_page_range(count)
        if len(page) == count:
            return box
        text = f"{page.start + 1:,}–{page.stop:,} of {count:,}"
        text_width = ui.pen.measure_text(text, 14) + 4
        rest, text_box, *keys = split_row(box, [flexible(), text_width, _KEY_SIZE, _KEY_SIZE], 4)
        ui.pen.draw_text(text, text_box.midleft, 14, False, DIM_TEXT)
        for key_box, label, step in zip(keys, "←→", (-1, 1), strict=True):
            if draw_key(ui, f"page {label}", key_box, label):
                self.page += step
        return rest

    def _draw_tiles(self, pen: Pen, box: Box, boards: GenerationBoards, settings: GamesSettings) -> None:
        self._frame_count += 1
        fitness = boards.fitness
        leader = int(fitness.argmax()) if fitness.max() > fitness.min() else -1
        tiles = split_grid(box, self.columns, self.rows, _TILE_GAP)
        for position, (number, tile) in enumerate(zip(self.get_page_range(len(boards)), tiles, strict=False)):
            is_lost = not boards.is_playing[number] and bool(boards.is_lost[number])
            status = "" if boards.is_playing[number] else "out" if is_lost else "done"
            content = BoardTile(
                f"{number + 1:,}" if len(boards) > 1 else "",
                "leads" if number == leader else status,
                format_fitness(fitness[number], settings),
                FITNESS_UNITS[settings.fitness],
                boards.stacks[number],
                is_lost,
            )
            may_be_stale = (number + self._frame_count) % 2 == 1  # redraw each tile in every second frame only
            self._pictures.draw(pen, position, tile, content, content.draw, may_be_stale=may_be_stale)

    # Panels

    def _draw_panels(self, ui: Ui, box: Box, frame: Frame, session: RunSession) -> int:
        lines: list[str] = []
        if result := self.result:
            reason = result.reason if frame.is_wide else result.short_reason
            lines = ui.pen.wrap_text(reason, box.width - 2 * PANEL_PADDING, 14)
        sizes = [148 if frame.is_wide else 174, 136 + 20 * len(lines) if result else 0]
        second_part = flexible(150 if frame.is_wide else frame.content.height, rank=1)
        progress, result_box, first, second = split_column(box, [*sizes, flexible(116), second_part], frame.gap)
        if result:
            draw_result(ui.pen, result_box, result, lines)
        if not session.has_boards:
            draw_recipe_panel(ui.pen, Box(first.topleft, (box.width, box.bottom - first.top)), session.recipe)
        elif second:
            self._draw_chart(ui.pen, first, session, 0)
            self._draw_chart(ui.pen, second, session, 1)
        else:
            self._draw_chart(ui.pen, first, session, self.selected_chart, compute_segments_width(ui.pen, _CHARTS))
            tabs = Box(first.left + 12, first.top + 6, first.width - 18, 36)
            self.selected_chart = draw_segments(ui, "charts", tabs, _CHARTS, self.selected_chart)
        return draw_progress(ui, progress, session, frame.is_wide)

    def _draw_chart(self, pen: Pen, box: Box, session: RunSession, number: int, tabs_width: int = 0) -> None:
        """Draw the fitness or the weights per generation, again only if there are new generations.

        `tabs_width` is the width of the tabs at the right of the title.
        """

        def paint(pen: Pen, box: Box) -> None:
            title, series = (list_fitness_curves, list_weight_curves)[number](pen, box, session)
            width = box.width - 2 * PANEL_PADDING - (tabs_width or 100)
            step = session.step_name
            inside = pen.draw_panel(box, pen.truncate_text(title, width, 14, True), "" if tabs_width else f"by {step}")
            message = f"Appears after the second {step}."
            draw_chart(pen, inside, series, show_steps=inside.height >= _MIN_HEIGHT_FOR_STEPS, empty_message=message)

        self._pictures.draw(pen, f"chart {number}", box, (session.run, tabs_width), paint)


class BoardTile(NamedTuple):
    """Content of one tile, used as its cache key."""

    label: str
    status: str  # "leads", "out", "done" or ""
    fitness: str
    unit: str
    stack: Stack
    is_lost: bool

    def draw(self, pen: Pen, box: Box) -> None:
        """Draw the tile: the board on the left, the texts on the right."""
        is_leader = self.status == "leads"
        is_dimmed = self.is_lost and not is_leader
        fill = mix_colours(PANEL, BACKGROUND, 0.5) if is_dimmed else PANEL
        pen.fill_rounded(box, 12, fill, mix_colours(BOARD_OUTLINE, BACKGROUND, 0.4 * is_dimmed))
        if is_leader:
            pen.draw_outline(box, 12)
        inside = inset(box, 13)
        board = pen.fit_board(Box(inside.topleft, (0.67 * inside.width, inside.height + 8)), self.stack.height, align=0)
        board.box.centery = inside.centery
        origin = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, origin, board.cell_size, self.stack, is_over=self.is_lost, style=pen.style)
        colour = FAINT_TEXT if is_dimmed else DIM_TEXT
        fitness_colour = ACCENT if is_leader else FAINT_TEXT if is_dimmed else STRONG_TEXT
        size = fit_font_size(pen, self.fitness, inside.width - board.box.width - 4, (24, 22, 20, 18, 16, 14, 13))
        label_row, status_row, _, fitness_row, unit_row = split_column(inside, [18, 20, flexible(), 20, 22])
        pen.draw_text(self.label, label_row.midright, 14, True, colour, align=1)
        status_colour = ACCENT if is_leader else colour
        pen.draw_text(self.status, status_row.midright, 14, is_leader, status_colour, align=1)
        pen.draw_text(self.fitness, fitness_row.midright, size, True, fitness_colour, align=1)
        pen.draw_text(self.unit, unit_row.midright, 14, False, colour, align=1)


def fit_font_size(pen: Pen, text: str, width: float, sizes: Sequence[int]) -> int:
    """Return the first of the sizes with which a semibold text fits into a width, or the last one."""
    return next((size for size in sizes if pen.measure_text(text, size, True) <= width), sizes[-1])


def list_fitness_curves(pen: Pen, box: Box, session: RunSession) -> tuple[str, list[ChartLine]]:
    """Return the title and lines of the fitness: best and mean, or the curve of a learner without a population."""
    games, learner_type = session.recipe.games, session.recipe.learner_type
    title = f"Fitness, {FITNESS_DESCRIPTIONS[games.fitness]}" + (", sum of all games" if games.sum_games else "")
    columns = learner_type.curves if session.generation_count else {}
    curves = {name: session.run.metrics[column] for name, column in columns.items()}
    if not session.run.has_population:
        title = next(iter(learner_type.curves))
        curves = {session.step_name.capitalize(): values for values in curves.values()}
        if session.has_boards:
            curves |= {f"Mean of {_MEAN_EPISODES}": compute_running_mean(v, _MEAN_EPISODES) for v in curves.values()}
    return title, [
        ChartLine(name, values.tolist(), colour, format_fitness(float(values[-1]), games), colour == SECOND_ACCENT)
        for (name, values), colour in zip(curves.items(), (ACCENT, SECOND_ACCENT), strict=False)
    ]


def list_weight_curves(pen: Pen, box: Box, session: RunSession) -> tuple[str, list[ChartLine]]:
    """Return the title and lines of the weights of the incumbent that have the largest recent absolute values."""
    is_curves = session.recipe.agent.design == "curves"
    columns = session.run.incumbents.T if session.generation_count else ()
    weights = {
        name: values
        for name, values in zip(session.run.parameter_names, columns, strict=False)
        if (name.endswith(" weight") if is_curves else name != "threshold")  # others do not fit the scale of the chart
    }
    count = min(5, (box.height - 60) // 16)  # each has a label at the right
    largest = sorted(weights, key=lambda name: -np.abs(weights[name][-10:]).max())[:count]
    series = []
    for number, name in enumerate(name for name in weights if name in largest):
        label = format_name(name.removesuffix(" weight"))
        label = pen.truncate_text(label[:1].upper() + label[1:], 0.3 * box.width, 13, True)
        last = format_number(float(weights[name][-1]), 2)
        series.append(ChartLine(label, weights[name].tolist(), get_series_colour(number), last))
    return "Weights of the incumbent" if session.run.has_population else "Weights", series


def draw_progress(ui: Ui, box: Box, session: RunSession, is_wide: bool) -> int:
    """Draw the generation, its figures and its progress; return the number of generations to move."""
    pen = ui.pen
    inside, bar = split_column(pen.draw_panel(box), [flexible(), 36])
    if is_wide:
        head, figures_box = split_row(inside, [204, flexible()])
    else:
        head, figures_box = split_column(inside, [60, flexible()])
    title, number_row = split_column(head, [20, flexible()])
    label = session.step_name.capitalize()
    _, *keys = split_row(title, [pen.measure_text(label, 14, True) + 12, 46, 46], 6)
    pen.draw_text(label, title.midleft, 14, True, DIM_TEXT)
    steps = 0
    if isinstance(session, FollowedRun) and session.has_boards:
        for key_box, key, step in zip(keys, ("PgUp", "PgDn"), (-1, 1), strict=True):
            steps += step * draw_key(ui, f"generation {key}", key_box, key)
    number = f"{session.generation:,}" if session.generation else NO_VALUE
    size = 34 if len(number) > 3 or not is_wide else 48
    pen.draw_text(number, number_row.midleft, size, True, STRONG_TEXT)
    of_left = number_row.left + pen.measure_text(number, size, True) + 10
    planned = f"of {session.recipe.planned_steps:,}"
    pen.draw_text(planned, (of_left, number_row.centery + size // 7), 18, False, DIM_TEXT)
    figures = list_figures(session)
    cells = split_row(figures_box, [flexible(share=share) for share in (3, 3, 2)[: len(figures)]], 8)
    for cell, (figure, value) in zip(cells, figures, strict=True):
        label_row, value_row = split_column(cell, [20, flexible(24)])
        font_size = fit_font_size(pen, value, cell.width, (22, 19, 16, 14, 13))
        pen.draw_text(figure, label_row.midleft, 14, False, DIM_TEXT)
        pen.draw_text(value, value_row.midleft, font_size, True, ACCENT if figure == "Best" else STRONG_TEXT)
    text, progress_text, share = describe_progress(session)
    text = pen.truncate_text(text, bar.width - pen.measure_text(progress_text, 14) - 8, 14)
    pen.draw_progress(bar, text, progress_text, share)
    return steps


def list_figures(session: RunSession) -> list[tuple[str, str]]:
    """Return labels and values of the current boards; without boards, the fitness of the last step and the best one."""
    boards, games = session.boards, session.recipe.games
    if not session.has_boards:
        names = ["Fitness", "Best"]
        curve = next(iter(session.recipe.learner_type.curves.values()))
        fitness = session.run.metrics[curve] if session.generation_count else np.zeros(0)
        values = [format_fitness(float(value), games) for value in (*fitness[-1:], *sorted(fitness)[-1:])]
    elif not session.run.has_population:
        names = ["Lines", "Score", "Pieces"]
        columns = [boards.games["lines"], boards.games["score"], boards.games["pieces"]] if boards else []
        values = [f"{int(column[0]):,}" for column in columns]
    else:
        names = ["Playing", "Best", "Mean"]
        values = []
        if boards:
            values = [f"{int(boards.is_playing.sum()):,} of {len(boards):,}"]
            values += [format_fitness(float(value), games) for value in (boards.fitness.max(), boards.fitness.mean())]
    return list(zip(names, values or [NO_VALUE] * len(names), strict=True))


def describe_progress(session: RunSession) -> tuple[str, str, float]:
    """Return the text, the figures and the filled share of the progress bar."""
    boards, state = session.boards, session.state
    is_paused = session.playback_control.is_paused
    if state is SessionState.PLAYING and not session.has_boards:
        placed, total = session.step_pieces
        text = "Paused at piece" if is_paused else "Learning, piece"
        return text, f"{placed:,} of {total:,}", placed / max(1, total)
    if state is not SessionState.PLAYING or boards is None:
        is_unknown = session.generation_count == 0 or state is SessionState.PREPARING
        saved_as = f". Saved as {session.folder.name}" if state is SessionState.FINISHED else ""
        return state.value.format(step=session.step_name) + saved_as, "", 0.0 if is_unknown else 1.0
    text = "Paused at move" if is_paused else "Move"
    if boards.games_per_candidate > 1:
        text = f"{boards.games_per_candidate:,} games each, {text.lower()}"
    placed = boards.pieces_placed
    if boards.max_pieces is not None:
        return text, f"{placed:,} of {boards.max_pieces:,}", placed / max(1, boards.max_pieces)
    topped_out = len(boards) - int(boards.is_playing.sum())
    return f"{text} {placed:,}", f"{topped_out:,} of {len(boards):,} topped out", topped_out / len(boards)


def draw_result(pen: Pen, box: Box, result: ResultTexts, reason: Sequence[str]) -> None:
    """Draw the result of a run with its interval, the best in training, and the lines of the reason."""
    inside = pen.draw_panel(box, result.title)
    number, interval, best, *lines = split_column(inside, [30, 22, 28, *[20] * len(reason)])
    pen.draw_text(result.number, number.midleft, 24, True, ACCENT)
    left = number.left + pen.measure_text(result.number, 24, True) + 10
    pen.draw_text(result.unit, (left, number.centery + 2), 14, False, DIM_TEXT)
    pen.draw_text(result.interval, interval.midleft, 14, False, DIM_TEXT)
    label_width = best.width - pen.measure_text(result.best, 14, True) - 8
    pen.draw_text(pen.truncate_text(result.best_label, label_width, 14), best.midleft, 14, False, DIM_TEXT)
    pen.draw_text(result.best, best.midright, 14, True, STRONG_TEXT, align=1)
    for line, row in zip(reason, lines, strict=True):
        pen.draw_text(line, row.midleft, 14, False, DIM_TEXT)
