"""Setup of the evolution screen: recipe, seed and folder of a new run, and a list of existing runs."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tetrion.agents.run_folders import find_free_folder, is_run_folder
from tetrion.app.evolution.run_copies import find_folder_problem
from tetrion.app.game_storage import LOCAL_RUNS_FOLDER, get_runs_folder
from tetrion.app.screens.evolution_runs import RunList, RunListEntry
from tetrion.app.screens.setup_footer import compute_start_box, draw_problem, draw_start_button
from tetrion.app.toolkit.controls import BUTTON_HEIGHT
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.seed_field import SEED_FIELD_WIDTH, SeedChoice, draw_seed_field
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_words import translate_to_window
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Recipe, list_recipes
from tetrion.user_folders import shorten_path

_ABOUT_TEXT = (
    "All candidates play at the same time, on small boards. The fittest produce the next generation, and the charts "
    "show how they improve. You can pause, skip or stop at any time: every finished generation is saved, and a stopped "
    "run can be resumed."
)
_TEXT_SIZE = 15
_LINE_HEIGHT = 21  # of paragraphs of this size
_FIELD_SPACING = 78  # units between two labels
_MIN_WIDTH_FOR_SEED = 600  # units; in narrower panels, the seed is below the recipe


@dataclass(frozen=True)
class RunRequest:
    """Request to create a run from a recipe, or to open an existing run if there is no recipe."""

    folder: Path
    recipe: Recipe | None = None


class EvolutionSetup:
    """Choices for a new run, and the list of existing runs."""

    def __init__(self, recipe: str = "gavrilov", seed: int = 0) -> None:
        self.recipe = recipe
        self.seed_choice = SeedChoice.from_seed(seed)
        self._random_seed = SeedChoice.from_seed(None).choose_seed()
        self.chosen_folder = ""
        self.recipe_picker = Picker("recipe", free_text_hint="a recipe file")
        self.folder_picker = Picker("folder", free_text_hint="a folder")
        self.run_list = RunList()
        self.recipe_cache = dict[str, Recipe | str]()

    @property
    def runs(self) -> list[RunListEntry]:
        """Existing runs, newest first."""
        return self.run_list.runs

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
        has_open_picker = self.recipe_picker.is_open or self.folder_picker.is_open
        if opened := self.run_list.draw(ui, list_box, can_scroll=not has_open_picker):
            request = RunRequest(opened)
        self.recipe = self.recipe_picker.draw_list(ui, make_recipe_options) or self.recipe
        self.chosen_folder = self.folder_picker.draw_list(ui, self.make_folder_options) or self.chosen_folder
        return request

    def draw_new_run(self, ui: Ui, box: Box) -> RunRequest | None:
        """Draw the panel for a new run; return a request when it is started."""
        inside = ui.pen.draw_panel(box, "New run")
        below = self.draw_fields(ui, Box(inside.left, inside.top + 14, inside.width, inside.height - 14))
        last_row = box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        text_box = Box(inside.left, below, inside.width, compute_start_box(ui, last_row).top - below)
        chosen = self.load_chosen_recipe()
        problem = chosen if isinstance(chosen, str) else find_folder_problem(self.folder)
        if problem and is_run_folder(self.folder):
            self.run_list.include(self.folder)
        if height := draw_problem(ui, problem, text_box):
            text_box = Box(text_box.left, text_box.top + height + 8, text_box.width, text_box.height - height - 8)
        if isinstance(chosen, Recipe):
            draw_recipe_texts(ui.pen, chosen, text_box)
        other_focus = "recipe" if isinstance(chosen, str) else "folder"
        is_started = draw_start_button(ui, last_row, is_enabled=not problem, other_focus=other_focus)
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
        return folder_box.bottom + 14

    def load_chosen_recipe(self) -> Recipe | str:
        """Return the chosen recipe, or an error message."""
        if self.recipe not in self.recipe_cache:
            try:
                self.recipe_cache[self.recipe] = Recipe.load(self.recipe)
            except TetrionError as error:
                self.recipe_cache[self.recipe] = translate_to_window(str(error))
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
        return f"{chosen.folder_name if isinstance(chosen, Recipe) else 'run'}-{self.seed}"

    def make_folder_options(self) -> list[PickerOption]:
        """Return the suggested folders for a new run."""
        folders = {"data folder of Tetrion": get_runs_folder(), "current folder": LOCAL_RUNS_FOLDER}
        return [
            PickerOption(str(find_free_folder(folder, self.default_folder_name)), label)
            for label, folder in folders.items()
        ]


def draw_recipe_texts(pen: Pen, recipe: Recipe, box: Box) -> None:
    """Draw what a recipe does and how Evolution shows it, as far as the texts fit into a box."""
    texts = (
        (recipe.summary, STRONG_TEXT, 0),
        (describe_recipe(recipe), NORMAL_TEXT, 8),
        (recipe.source, FAINT_TEXT, 8),
        (_ABOUT_TEXT, DIM_TEXT, 24),
    )
    bottom = box.top
    for text, colour, gap in texts:
        top = bottom + (gap if bottom > box.top else 0)
        height = _LINE_HEIGHT * len(pen.wrap_text(text, box.width, _TEXT_SIZE)) if text else 0
        if height and top + height <= box.bottom:
            pen.draw_paragraph(text, (box.left, top + _LINE_HEIGHT // 2), box.width, _TEXT_SIZE, colour)
            bottom = top + height


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
