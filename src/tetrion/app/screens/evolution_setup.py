"""Setup of the evolution screen: the recipe of a new run with its main settings, and the list of existing runs."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tetrion.agents.run_folders import CONFIG_FILE, find_free_folder
from tetrion.app.crash_log import log_crash
from tetrion.app.game_storage import get_runs_folder, list_run_folders
from tetrion.app.toolkit.controls import draw_selectable_row, draw_shortened_text, draw_stepper
from tetrion.app.toolkit.form import Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import Frame
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.scrolling import draw_scroll_bar, read_row_steps, scroll_by_wheel, scroll_to_row
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_row
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.run_summary import describe_status
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Recipe, list_recipes, list_section_settings, parse_value
from tetrion.training.recipe_settings import DEFINITION_KEY, SettingDefinition
from tetrion.training.run import Run
from tetrion.user_folders import shorten_path

_ABOUT_POPULATIONS = (
    "All candidates play at the same time, on small boards. The fittest produce the next generation, and the charts "
    "show how they improve."
)
_ABOUT_LEARNERS = "A single learner plays one game after another and learns from them. The charts show how it improves."
_ABOUT_SAVING = (
    "You can pause, skip or stop at any time: every finished {step} is saved, and a stopped run can be resumed."
)
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
_FACTORS = (0.1, 0.2, 0.5, 1, 2, 5, 10)  # of the recipe's value, for the suggested values


class MainSetting(NamedTuple):
    """A setting of a recipe that the setup shows; `name` is that of `tetrion evolve --set`."""

    name: str
    label: str
    meaning: str
    definition: SettingDefinition
    default: float  # the value of the recipe


def list_main_settings(recipe: Recipe) -> list[MainSetting]:
    """Return the main settings of a recipe, as far as its learner has them: population, length, mutation and others."""
    fields = {
        f"{section}.{setting.name}": setting
        for section, settings in list_section_settings(recipe.learner).items()
        for setting in settings
    }
    rows = []
    for key, (label, meaning) in _SETTINGS.items():
        name = recipe.learner_type.end_settings[0] if key == _LENGTH else f"{recipe.learner}.{key}"
        if name in fields:
            section, _, field_name = name.rpartition(".")
            label = label or f"{recipe.learner_type.step_name.capitalize()}s"
            definition = fields[name].metadata[DEFINITION_KEY]
            default = getattr(recipe.get_section(section), field_name)
            rows.append(MainSetting(name, label, meaning, definition, default))
    return rows


class EvolutionSetup:
    """Choices for a new run, and the list of existing runs; `base_changes` are those of the command line."""

    def __init__(self, recipe: str = "gavrilov", seed: int | None = None, base_changes: Sequence[str] = ()) -> None:
        self.recipe_name = recipe
        self.changes: dict[str, object] = {}  # of settings of the recipe, by name
        self.run_list = RunList()
        self._base_changes = base_changes
        self._loaded: dict[str, Recipe | str] = {}
        self.seed_choice = self._choose_seed(seed)
        self._random_seed = SeedChoice.from_seed(None).choose_seed()

    def _choose_seed(self, seed: int | None) -> SeedChoice:
        """Return the choice of a seed, for None that of the recipe."""
        original = self.original_recipe
        return SeedChoice(True, (original.seed if isinstance(original, Recipe) else 0) if seed is None else seed)

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
        return recipe.with_(seed=self.seed) if isinstance(recipe, Recipe) else recipe

    def _load_recipe(self, changes: dict[str, object]) -> Recipe | str:
        key = f"{self.recipe_name} {changes}"
        if key not in self._loaded:
            try:
                self._loaded[key] = Recipe.load(self.recipe_name, self._base_changes).change(changes)
            except TetrionError as error:
                self._loaded[key] = translate_to_window(str(error))
        return self._loaded[key]

    @property
    def folder(self) -> Path:
        """Folder of the new run."""
        recipe = self.original_recipe
        name = recipe.folder_name if isinstance(recipe, Recipe) else "run"
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
                self.seed_choice = self._choose_seed(None)
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
    values = sorted({0.0, *(default * factor for factor in _FACTORS)})
    return [
        PickerOption(format_setting(value), "value of the recipe" if value == default else "")
        for value in values
        if definition.minimum <= value <= definition.maximum
    ]


@cache
def list_recipe_options() -> list[PickerOption]:
    """Return all recipes with their learner and their rules."""
    recipes = [(name, Recipe.load(name)) for name in list_recipes()]
    return [PickerOption(name, f"{recipe.learner}, {recipe.rules} rules") for name, recipe in recipes]


def draw_recipe_panel(pen: Pen, box: Box, recipe: Recipe | str) -> None:
    """Draw what a recipe does and how Evolution shows it, as far as the texts fit."""
    inside = pen.draw_panel(box, "Recipe")
    if not isinstance(recipe, Recipe):
        return
    learner_type = recipe.learner_type
    about = _ABOUT_POPULATIONS if learner_type.has_population else _ABOUT_LEARNERS
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


class RunList:
    """The runs that can be opened or resumed, newest first, in a list that scrolls; statuses are read when shown."""

    def __init__(self) -> None:
        self.folders = list_run_folders(CONFIG_FILE)
        self._first_row = 0
        self._statuses: dict[Path, str] = {}

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
            if folder not in self._statuses:
                self._statuses[folder] = describe_run(folder)
            control = draw_selectable_row(ui, f"run {number}", row, group="runs")
            name, status = list_rows(inset(row, 8, 3), 21)
            colour = STRONG_TEXT if control.is_focused else NORMAL_TEXT
            draw_shortened_text(ui, folder.name, name.midleft, name.width, semibold=True, colour=colour)
            draw_shortened_text(ui, self._statuses[folder], status.midleft, status.width, size=14, colour=DIM_TEXT)
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
