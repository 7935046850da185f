"""Setup of the evolution screen: the recipe of a new run with its main settings, and the list of existing runs."""

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tetrion.agents.run_folders import CONFIG_FILE, find_free_folder, is_run_folder
from tetrion.app.crash_log import log_crash
from tetrion.app.evolution.run_session import is_being_trained
from tetrion.app.game_storage import LOCAL_RUNS_FOLDER, get_runs_folder, list_run_folders
from tetrion.app.toolkit.controls import draw_selectable_row, draw_shortened_text, draw_stepper
from tetrion.app.toolkit.form import Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import Frame
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.scrolling import draw_scroll_bar, read_row_steps, scroll_by_wheel, scroll_to_row
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.layout import Box, Panel, draw_column, flexible, inset, list_rows, place, split_row
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.run_summary import describe_status
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Recipe, list_recipes, list_section_settings, parse_value
from tetrion.training.recipe_settings import DEFINITION_KEY, SettingDefinition
from tetrion.training.run import Run
from tetrion.training.run_schema import STATUS_RUNNING
from tetrion.training.trainer import check_new_folder
from tetrion.user_folders import shorten_path

_ABOUT_TEXT = (
    "All candidates play at the same time, on small boards. The fittest produce the next generation, and the charts "
    "show how they improve. You can pause, skip or stop at any time: every finished generation is saved, and a stopped "
    "run can be resumed."
)
_LEARNER_SETTINGS = (  # the settings of a learner that the setup shows: key, label and meaning
    ("population", "Population", "candidates per generation"),
    ("memory_size", "Memory size", "candidates that are kept"),
    ("mutation_rate", "Mutation rate", "probability of a mutation, from 0 to 1"),
    ("mutation_step", "Mutation step", "change of a weight by a mutation"),
    ("sigma", "First step size", "spread of the first candidates"),
    ("initial_deviation", "First step size", "spread of the first candidates"),
    ("alpha", "Learning rate", "in the first episode"),
    ("learning_rate", "Learning rate", "share of an error that is corrected"),
)
_FACTORS = (0.1, 0.2, 0.5, 1, 2, 5, 10)  # of a default value, for the suggested values
_CONTROL_WIDTH = 172


class MainSetting(NamedTuple):
    """A setting of a recipe that the setup shows; `name` is that of `tetrion evolve --set`."""

    name: str
    label: str
    meaning: str
    definition: SettingDefinition
    default: float  # the value of the recipe


def list_main_settings(recipe: Recipe) -> list[MainSetting]:
    """Return the main settings of a recipe: the population, the length of the run, and what its learner has of others.

    A learner may have settings of other names; then only the length of the run is a main setting.
    """
    length_name = recipe.learner_type.end_settings[0]
    length = (length_name, f"{recipe.learner_type.step_name.capitalize()}s", "length of the run")
    learner = [(f"{recipe.learner}.{key}", label, meaning) for key, label, meaning in _LEARNER_SETTINGS]
    fields = {
        f"{section}.{setting.name}": setting
        for section, settings in list_section_settings(recipe.learner).items()
        for setting in settings
    }
    rows = []
    for name, label, meaning in (*learner[:2], length, *learner[2:]):
        if name in fields:
            section, _, key = name.rpartition(".")
            definition = fields[name].metadata[DEFINITION_KEY]
            rows.append(MainSetting(name, label, meaning, definition, getattr(recipe.get_section(section), key)))
    return rows


class RunRequest(NamedTuple):
    """Request to create a run from a recipe, or to open an existing run if there is no recipe."""

    folder: Path
    recipe: Recipe | None = None


class EvolutionSetup:
    """Choices for a new run, and the list of existing runs."""

    def __init__(self, recipe: str = "gavrilov", seed: int = 0) -> None:
        self.recipe_name = recipe
        self.changes: dict[str, object] = {}  # of settings of the recipe, by name
        self.seed_choice = SeedChoice.from_seed(seed)
        self.chosen_folder = ""
        self.run_list = RunList()
        self._random_seed = SeedChoice.from_seed(None).choose_seed()
        self._loaded: dict[tuple[str, str], Recipe | str] = {}

    @property
    def seed(self) -> int:
        """Seed of the new run."""
        return self.seed_choice.number if self.seed_choice.is_given else self._random_seed

    @property
    def original_recipe(self) -> Recipe | str:
        """The chosen recipe without changes, or an error message."""
        return self._load_recipe({})

    @property
    def recipe(self) -> Recipe | str:
        """The recipe of the new run, or an error message."""
        recipe = self._load_recipe(self.changes)
        return recipe.with_(seed=self.seed) if isinstance(recipe, Recipe) else recipe

    def _load_recipe(self, changes: dict[str, object]) -> Recipe | str:
        key = self.recipe_name, str(changes)
        if key not in self._loaded:
            try:
                self._loaded[key] = Recipe.load(self.recipe_name, changes)
            except TetrionError as error:
                self._loaded[key] = translate_to_window(str(error))
        return self._loaded[key]

    @property
    def folder(self) -> Path:
        """Folder of the new run."""
        if not self.chosen_folder:
            return find_free_folder(get_runs_folder(), self.default_folder_name)
        try:
            return Path(self.chosen_folder).expanduser()
        except RuntimeError:  # unknown home folder
            return Path(self.chosen_folder)

    @property
    def default_folder_name(self) -> str:
        """Default folder name, made of the recipe name and the seed."""
        recipe = self.original_recipe
        return f"{recipe.folder_name if isinstance(recipe, Recipe) else 'run'}-{self.seed}"

    def list_folder_options(self) -> list[PickerOption]:
        """Return the suggested folders for a new run."""
        folders = {"data folder of Tetrion": get_runs_folder(), "current folder": LOCAL_RUNS_FOLDER}
        return [
            PickerOption(str(find_free_folder(folder, self.default_folder_name)), label)
            for label, folder in folders.items()
        ]

    def draw(self, ui: Ui, frame: Frame) -> RunRequest | None:
        """Draw the new run, and its recipe and the existing runs at the right; return the request of the user."""
        area = place(frame.content, min(frame.content.width, 1120), min(frame.content.height, 620), y=0)
        form_box, right = split_row(area, [flexible(490), flexible(264, share=0.8)], frame.gap)
        request = self._draw_form(ui, form_box)
        opened = None

        def draw_runs(box: Box) -> None:
            nonlocal opened
            opened = self.run_list.draw(ui, box)

        recipe = self.recipe
        panels = [Panel(flexible(160), draw_runs)]
        if isinstance(recipe, Recipe):
            panels.insert(0, Panel(flexible(), lambda box: draw_recipe_panel(ui.pen, box, recipe)))
        draw_column(right, frame.gap, panels)
        return RunRequest(opened) if opened else request

    def _draw_form(self, ui: Ui, box: Box) -> RunRequest | None:
        """Draw the fields of a new run; return a request when it is started."""
        with Form(ui, box, "New run", label_width=124) as form:
            self._draw_recipe_field(ui, form.add_field("Recipe"))
            original = self.original_recipe
            for setting in list_main_settings(original) if isinstance(original, Recipe) else ():
                self._draw_setting(ui, form.add_field(setting.label), setting)
            self.seed_choice = draw_seed_field(ui, form.add_field("Seed"), self.seed_choice)
            shown = shorten_path(self.folder)
            chosen = draw_picker(
                ui, "folder", form.add_field("Save in"), shown, self.list_folder_options, free_text_hint="a folder"
            )
            if chosen != shown:
                self.chosen_folder = chosen
            recipe = self.recipe
            folder = self.folder
            problem = recipe if isinstance(recipe, str) else find_folder_problem(folder)
            if problem and is_run_folder(folder):
                self.run_list.include(folder)
            other_focus = "recipe" if isinstance(original, str) else "folder"
            used = form.draw_start(is_enabled=not problem, problem=problem, other_focus=other_focus)
        return RunRequest(folder, recipe) if used and isinstance(recipe, Recipe) else None

    def _draw_recipe_field(self, ui: Ui, box: Box) -> None:
        """Draw the list of recipes; another recipe has its own settings."""
        chosen = draw_picker(ui, "recipe", box, self.recipe_name, list_recipe_options, free_text_hint="a recipe file")
        if chosen != self.recipe_name:
            self.recipe_name = chosen
            self.changes = {}

    def _draw_setting(self, ui: Ui, box: Box, setting: MainSetting) -> None:
        """Draw the control of a main setting, and its meaning as far as there is space; store a changed value."""
        definition, default = setting.definition, setting.default
        control, text_box = split_row(box, [_CONTROL_WIDTH, flexible()], 16)
        value = self.changes.get(setting.name, default)
        if definition.kind is int and isinstance(value, int):
            new_value: object = draw_stepper(
                ui,
                setting.name,
                control,
                value,
                min_value=int(definition.minimum),
                max_value=int(definition.maximum),
                step=10 ** max(0, len(str(value)) - 2),  # the first two digits change
                zero_text="automatic",
            )
        else:
            shown = format_setting(value)
            chosen = draw_picker(
                ui, setting.name, control, shown, lambda: list_value_options(setting), free_text_hint="a number"
            )
            new_value = value if chosen == shown else parse_value(chosen)
        if new_value == default:
            self.changes.pop(setting.name, None)
        else:
            self.changes[setting.name] = new_value
        text = setting.meaning if new_value == default else f"recipe: {format_setting(default)}"
        draw_shortened_text(ui, text, text_box.midleft, text_box.width, size=14, colour=DIM_TEXT)


def format_setting(value: object) -> str:
    """Format the value of a setting without needless digits."""
    return f"{value:g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def list_value_options(setting: MainSetting) -> list[PickerOption]:
    """Return suggested values of a setting: multiples of the recipe's value within the limits."""
    definition = setting.definition
    values = {setting.default * factor for factor in _FACTORS} | {0.0}
    valid = sorted(value for value in values if definition.minimum <= value <= definition.maximum)
    return [
        PickerOption(format_setting(value), "value of the recipe" if value == setting.default else "")
        for value in valid
    ]


def find_folder_problem(folder: Path) -> str:
    """Return why a new run cannot be created in a folder, in the words of the window, or "" if it can."""
    try:
        check_new_folder(folder)
        parent = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    except TetrionError as error:
        return translate_to_window(str(error))
    except OSError as error:
        return f"This folder cannot be used: {error.strerror or error}. Choose another folder."
    if not parent.is_dir():
        return f"{shorten_path(parent)} is a file. Choose another folder."
    if not os.access(parent, os.W_OK | os.X_OK):
        return f"{shorten_path(parent)} is read-only. Choose another folder."
    return ""


# Recipes


def draw_recipe_panel(pen: Pen, box: Box, recipe: Recipe) -> None:
    """Draw what a recipe does and how Evolution shows it, as far as the texts fit."""
    inside = pen.draw_panel(box, "Recipe")
    texts = (
        (recipe.summary, STRONG_TEXT),
        (describe_recipe(recipe), NORMAL_TEXT),
        (recipe.source, FAINT_TEXT),
        (_ABOUT_TEXT, DIM_TEXT),
    )
    top = inside.top + 10
    for text, colour in texts:
        height = 20 * len(pen.wrap_text(text, inside.width, 14)) if text else 0
        if height and top + height - 10 <= inside.bottom:
            pen.draw_paragraph(text, (inside.left, top), inside.width, 14, colour)
            top += height + 8


@cache
def list_recipe_options() -> list[PickerOption]:
    """Return all recipes with their learner and their rules."""
    recipes = [(name, Recipe.load(name)) for name in list_recipes()]
    return [PickerOption(name, f"{recipe.learner}, {recipe.rules} rules") for name, recipe in recipes]


def describe_recipe(recipe: Recipe) -> str:
    """Describe the population, the games and the fitness of a recipe."""
    games, population = recipe.games, get_population_size(recipe)
    has_population = recipe.learner_type.has_population
    max_pieces = games.max_pieces[0] if has_population else getattr(recipe.settings, "max_pieces", 0)
    length = f" of at most {max_pieces:,} pieces" if max_pieces else ""
    steps = format_count(recipe.planned_steps, recipe.learner_type.step_name)
    if not has_population:
        return f"One learner, {steps}{length}, {recipe.rules} rules."
    candidates = f"{population:,} candidates, " if population else ""
    return (
        f"{candidates}{steps}, {format_count(games.count, 'game')} each{length}, "
        f"{recipe.rules} rules. Fitness: {FITNESS_DESCRIPTIONS[games.fitness]}."
    )


def get_population_size(recipe: Recipe) -> int:
    """Return the number of candidates per generation, or 0 if the optimiser has no fixed population."""
    return int(getattr(recipe.settings, "population", 0) or 0)


# Runs


class RunList:
    """The runs that can be opened or resumed, newest first, in a list that scrolls; statuses are read when shown."""

    def __init__(self) -> None:
        self.folders = list_run_folders(CONFIG_FILE)
        self.first_row = 0
        self._statuses: dict[Path, str] = {}

    def include(self, folder: Path) -> None:
        """Put a run of another folder at the top of the list, unless the list has it."""
        if folder.absolute() not in [run.absolute() for run in self.folders]:
            self.folders.insert(0, folder)
            self.first_row = 0

    def draw(self, ui: Ui, box: Box) -> Path | None:
        """Draw the list in a panel; return the folder of the run that is opened, if any."""
        pen = ui.pen
        inside = pen.draw_panel(box, "Runs", "Open or resume a run" if self.folders else "")
        rows = list_rows(inset(inside, -8, -4), 48)
        self._scroll(ui, len(rows))
        if not self.folders:
            text = "No runs yet. Runs of this program and runs in the folder runs/ appear here."
            pen.draw_paragraph(text, (inside.left, inside.top + 10), inside.width, 15, DIM_TEXT)
        opened = None
        for number, row in enumerate(rows[: len(self.folders)], self.first_row):
            if self._draw_row(ui, row, number):
                opened = self.folders[number]
        bar = place(box, 4, sum(row.height for row in rows), 1, 0).move(-3, inside.top - box.top)
        draw_scroll_bar(pen, bar, self.first_row, len(rows), len(self.folders))
        return opened

    def _scroll(self, ui: Ui, row_count: int) -> None:
        """Scroll with the wheel, and move the focus with the list keys if a run has it."""
        names = [f"run {number}" for number in range(len(self.folders))]
        self.first_row = scroll_by_wheel(ui, self.first_row, row_count, len(names))
        if ui.focus not in names:
            return
        row = names.index(ui.focus)
        for step in read_row_steps(ui, row_count):
            row = max(0, min(len(names) - 1, row + step))
            self.first_row = scroll_to_row(self.first_row, row_count, row)
        row = max(self.first_row, min(row, self.first_row + row_count - 1))  # the wheel may have hidden it
        if names[row] != ui.focus:
            ui.request_focus(names[row])

    def _draw_row(self, ui: Ui, row: Box, number: int) -> bool:
        """Draw the name of a run, and its status below; return whether the run is opened."""
        folder = self.folders[number]
        if folder not in self._statuses:
            self._statuses[folder] = describe_run(folder)
        control = draw_selectable_row(ui, f"run {number}", row, group="runs")
        name, status = list_rows(inset(row, 8, 3), 21)
        colour = STRONG_TEXT if control.is_focused else NORMAL_TEXT
        draw_shortened_text(ui, folder.name, name.midleft, name.width, semibold=True, colour=colour)
        ui.pen.draw_text(self._statuses[folder], status.midleft, 14, False, DIM_TEXT)
        return control.is_activated


def describe_run(folder: Path) -> str:
    """Describe the progress of a run and whether it is finished."""
    try:
        run = Run(folder)
        status = describe_status(run)
        if run.meta.get("status") == STATUS_RUNNING:
            status = "training" if is_being_trained(folder) else "interrupted"
        return f"{run.generation_count:,} of {format_count(run.recipe.planned_steps, run.step_name)}, {status}"
    except (TetrionError, OSError):
        return "damaged"
    except Exception as error:  # no run may take the list with it
        log_crash(error)
        return "damaged"
