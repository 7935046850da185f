"""Setup of the evolution screen: recipe, seed and folder of a new run, and a list of existing runs."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.app.evolution.run_copies import find_free_folder, shorten_path
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.screens.setup_footer import compute_start_box, draw_start_button
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_scroll_bar, draw_selectable_row
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.seed_field import SEED_FIELD_WIDTH, SeedChoice, draw_seed_field
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.run_summary import describe_status
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Recipe, list_recipes
from tetrion.training.run import Run

_LOCAL_RUNS_FOLDER = Path("runs")  # default of `tetrion train`
_MAX_RUNS = 10
_RUN_ROW_HEIGHT = 44
_LOW_RUN_ROW_HEIGHT = 36  # in a panel with space for one row only
_ABOUT_TEXT = (
    "All candidates play at the same time, on small boards. The fittest produce the next generation, and the charts "
    "show how they improve. You can pause, skip or stop at any time: every finished generation is saved, and a stopped "
    "run can be resumed."
)
_LINE_HEIGHT = 22  # of paragraphs
_FIELD_SPACING = 78  # units between two labels
_MIN_WIDTH_FOR_SEED = 600  # units; in narrower panels, the seed is below the recipe


@dataclass(frozen=True)
class RunRequest:
    """Request to create a run from a recipe, or to open an existing run if there is no recipe."""

    folder: Path
    recipe: Recipe | None = None


@dataclass(frozen=True)
class RunListEntry:
    """Entry in the list of existing runs."""

    folder: Path
    name: str
    status: str


class EvolutionSetup:
    """Choices for a new run, and the list of existing runs."""

    def __init__(self, recipe: str = "gavrilov", seed: int = 0) -> None:
        self.recipe = recipe
        self.seed_choice = SeedChoice.from_seed(seed)
        self._random_seed = SeedChoice.from_seed(None).choose_seed()
        self.chosen_folder = ""
        self.recipe_picker = Picker("recipe", free_text_hint="a recipe file")
        self.folder_picker = Picker("folder", free_text_hint="a folder")
        self.runs = list_runs()
        self.first_run = 0  # index of the uppermost visible run
        self.recipe_cache = dict[str, Recipe | str]()

    @property
    def seed(self) -> int:
        """Seed of the new run."""
        return self.seed_choice.number if self.seed_choice.is_given else self._random_seed

    def draw(self, ui: Ui, screen_area: ScreenArea) -> RunRequest | None:
        """Draw both panels, one below the other in a compact window; return the request of the user, if any."""
        content, gap = screen_area.content, screen_area.gap
        width = content.width if screen_area.is_compact else min(content.width, 1120)
        left = content.left + (content.width - width) // 2
        if screen_area.is_compact:
            new_run_box = Box(left, content.top, width, 360)
            list_box = Box(left, new_run_box.bottom + gap, width, content.bottom - new_run_box.bottom - gap)
        else:
            new_run_box = Box(left, content.top, (width - gap) * 3 // 5, min(content.height, 560))
            list_box = Box(new_run_box.right + gap, content.top, width - gap - new_run_box.width, new_run_box.height)
        request = self.draw_new_run(ui, new_run_box)
        request = self.draw_run_list(ui, list_box) or request
        self.recipe = self.recipe_picker.draw_list(ui, make_recipe_options) or self.recipe
        self.chosen_folder = self.folder_picker.draw_list(ui, self.make_folder_options) or self.chosen_folder
        return request

    def draw_new_run(self, ui: Ui, box: Box) -> RunRequest | None:
        """Draw the panel for a new run; return a request when it is started."""
        pen, inside = ui.pen, ui.pen.draw_panel(box, "New run")
        below = self.draw_fields(ui, Box(inside.left, inside.top + 14, inside.width, inside.height - 14))
        width = inside.width
        last_row = box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        chosen = self.load_chosen_recipe()
        if isinstance(chosen, str):
            pen.draw_paragraph(chosen, (inside.left, below), width, 15, NEGATIVE, max_lines=6)
        else:
            for text, colour in (
                (chosen.summary, STRONG_TEXT),
                (describe_recipe(chosen), NORMAL_TEXT),
                (chosen.source, FAINT_TEXT),
            ):
                below += pen.draw_paragraph(text, (inside.left, below), width, 15, colour, max_lines=3) + (
                    8 if text else 0
                )
            about_height = len(pen.wrap_text(_ABOUT_TEXT, width, 15)) * _LINE_HEIGHT
            if below + 24 + about_height <= compute_start_box(ui, last_row).top:
                pen.draw_paragraph(_ABOUT_TEXT, (inside.left, below + 24), width, 15, DIM_TEXT)
        is_started = draw_start_button(ui, last_row, is_enabled=isinstance(chosen, Recipe))
        return RunRequest(self.folder, chosen) if is_started and isinstance(chosen, Recipe) else None

    def draw_fields(self, ui: Ui, box: Box) -> int:
        """Draw the fields of a new run from the top of a box; return the y coordinate below them."""
        pen = ui.pen
        has_one_row = box.width >= _MIN_WIDTH_FOR_SEED
        top = box.top
        recipe_width = box.width - SEED_FIELD_WIDTH - 16 if has_one_row else box.width
        pen.draw_text("Recipe", (box.left, top), 14, False, DIM_TEXT)
        self.recipe_picker.draw(ui, Box(box.left, top + 16, recipe_width, BUTTON_HEIGHT), self.recipe)
        top += 0 if has_one_row else _FIELD_SPACING
        seed_left = box.right - SEED_FIELD_WIDTH if has_one_row else box.left
        pen.draw_text("Seed", (seed_left, top), 14, False, DIM_TEXT)
        seed_box = Box(seed_left, top + 16, SEED_FIELD_WIDTH, BUTTON_HEIGHT)
        self.seed_choice = draw_seed_field(ui, seed_box, self.seed_choice)
        top += _FIELD_SPACING
        pen.draw_text("Save in", (box.left, top), 14, False, DIM_TEXT)
        folder_box = Box(box.left, top + 16, box.width, BUTTON_HEIGHT)
        self.folder_picker.draw(ui, folder_box, shorten_path(self.folder))
        return folder_box.bottom + 24

    def draw_run_list(self, ui: Ui, box: Box) -> RunRequest | None:
        """Draw the list of runs; return a request when one is opened."""
        inside = ui.pen.draw_panel(box, "Runs", "Open or resume a run" if self.runs else "")
        if not self.runs:
            ui.pen.draw_paragraph(
                "No runs yet. Runs of this program and runs in the folder runs/ appear here.",
                (inside.left, inside.top + 10),
                inside.width,
                15,
                DIM_TEXT,
            )
        request = None
        row_height = _RUN_ROW_HEIGHT if inside.height >= 2 * _RUN_ROW_HEIGHT else _LOW_RUN_ROW_HEIGHT
        row_count = max(1, inside.height // row_height)
        self.scroll_runs(ui, row_count)
        bar_box = Box(box.right - 7, inside.top, 4, row_count * row_height - 4)
        draw_scroll_bar(ui.pen, bar_box, self.first_run, row_count, len(self.runs))
        for number, run in enumerate(self.runs[self.first_run : self.first_run + row_count]):
            row = Box(inside.left - 8, inside.top + number * row_height, inside.width + 16, row_height - 4)
            control = draw_selectable_row(ui, f"run {self.first_run + number}", row, group="runs")
            status_width = ui.pen.measure_text(run.status, 14)
            name = ui.pen.truncate_text(run.name, row.width - status_width - 32, 16, True)
            ui.pen.draw_text(
                name, (row.left + 8, row.centery), 16, True, STRONG_TEXT if control.is_focused else NORMAL_TEXT
            )
            ui.pen.draw_text(run.status, (row.right - 8, row.centery), 14, False, DIM_TEXT, align=1)
            request = RunRequest(run.folder) if control.is_activated else request
        return request

    def scroll_runs(self, ui: Ui, row_count: int) -> None:
        """Scroll the list with the mouse wheel, or with an arrow key at its first or last visible run."""
        if self.recipe_picker.is_open or self.folder_picker.is_open:
            return
        first = self.first_run - ui.wheel
        step = ui.is_key_pressed("↓") - ui.is_key_pressed("↑")
        edge = self.first_run + (row_count - 1 if step > 0 else 0)
        if step and ui.focus == f"run {edge}" and 0 <= edge + step < len(self.runs):
            first += step
            ui.request_focus(f"run {edge + step}")
        self.first_run = max(0, min(first, len(self.runs) - row_count))

    def load_chosen_recipe(self) -> Recipe | str:
        """Return the chosen recipe, or an error message."""
        if self.recipe not in self.recipe_cache:
            try:
                self.recipe_cache[self.recipe] = Recipe.load(self.recipe)
            except TetrionError as error:
                self.recipe_cache[self.recipe] = str(error)
        cached = self.recipe_cache[self.recipe]
        return cached.with_(seed=self.seed) if isinstance(cached, Recipe) else cached

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
        chosen = self.load_chosen_recipe()
        return f"{chosen.name if isinstance(chosen, Recipe) else 'run'}-{self.seed}"

    def make_folder_options(self) -> list[PickerOption]:
        """Return the suggested folders for a new run."""
        folders = {"data folder of Tetrion": get_runs_folder(), "current folder": _LOCAL_RUNS_FOLDER}
        return [
            PickerOption(str(find_free_folder(folder, self.default_folder_name)), label)
            for label, folder in folders.items()
        ]


@cache
def make_recipe_options() -> list[PickerOption]:
    """Return all recipes with a short description."""
    return [PickerOption(name, describe_learner(name)) for name in list_recipes()]


def describe_learner(name: str) -> str:
    """Describe a recipe by its learner and its rules."""
    recipe = Recipe.load(name)
    return f"{recipe.learner}, {recipe.rules} rules"


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


def list_runs() -> list[RunListEntry]:
    """List the newest runs in the data folder and in the current folder."""
    dated_folders: list[tuple[float, Path]] = []
    for parent in (get_runs_folder(), _LOCAL_RUNS_FOLDER):
        try:
            dated_folders += [(path.stat().st_mtime, path.parent) for path in parent.glob(f"*/{CONFIG_FILE}")]
        except OSError:
            continue
    return [make_run_list_entry(folder) for _, folder in sorted(dated_folders, reverse=True)[:_MAX_RUNS]]


def make_run_list_entry(folder: Path) -> RunListEntry:
    """Make the list entry of a run."""
    try:
        run = Run(folder)
        return RunListEntry(
            folder, folder.name, f"{run.generation_count:,} of {run.recipe.planned_steps:,}, {describe_status(run)}"
        )
    except TetrionError:
        return RunListEntry(folder, folder.name, "damaged")
