"""The beginning of the evolution screen: a recipe, a seed and a folder, or a run that is there already."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tetrion.app.evolution.run_copies import find_free_folder, shorten_path
from tetrion.app.game_storage import get_run_folder
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_selectable_row, draw_stepper
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.run_summary import describe_status, get_planned_steps
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.recipe import Q_LEARNING_NAME, Recipe, list_recipes
from tetrion.training.run import CONFIG_FILE, Run

_LOCAL_RUNS_FOLDER = Path("runs")  # as `tetrion train` has it
_MAX_RUNS, _RUN_ROW_HEIGHT = 10, 44
_MIN_HEIGHT_FOR_ABOUT = 400  # units from which on there is room to say what is to come
_ABOUT_TEXT = (
    "All individuals play at once, on small boards. The fittest have offspring, and the curves tell how they improve. "
    "Pause, hurry or leave when you like: every finished generation is kept, and a run goes on where it was stopped."
)
_FIELD_SPACING = 92  # units from a label to the next


@dataclass(frozen=True)
class RunRequest:
    """What a person wants: a new run by a recipe, or the folder of one."""

    folder: Path
    recipe: Recipe | None = None


@dataclass(frozen=True)
class RunListEntry:
    """A run that is there, in words."""

    folder: Path
    name: str
    status: str


class EvolutionSetup:
    """The choices; `draw` gives back a wish once there is one."""

    def __init__(self, recipe: str = "gavrilov", seed: int = 0) -> None:
        self.recipe = recipe
        self.seed = seed
        self.chosen_folder = ""
        self.recipe_picker = Picker("recipe", free_text_hint="a recipe's file")
        self.folder_picker = Picker("place", free_text_hint="a folder")
        self.runs = list_runs()
        self.recipe_cache = dict[str, Recipe | str]()

    def draw(self, ui: Ui, room: ScreenArea) -> RunRequest | None:
        """Draw both panels, one below the other where there is little room."""
        content, gap = room.content, room.gap
        wide = content.width if room.is_compact else min(content.width, 1120)
        left = content.left + (content.width - wide) // 2
        if room.is_compact:
            first = Box(left, content.top, wide, 360)
            second = Box(left, first.bottom + gap, wide, content.bottom - first.bottom - gap)
        else:
            first = Box(left, content.top, (wide - gap) * 3 // 5, min(content.height, 520))
            second = Box(first.right + gap, content.top, wide - gap - first.width, first.height)
        wish = self.draw_new_run(ui, first)
        wish = self.draw_run_list(ui, second) or wish
        self.recipe = self.recipe_picker.draw_list(ui, make_recipe_options) or self.recipe
        self.chosen_folder = self.folder_picker.draw_list(ui, self.make_folder_options) or self.chosen_folder
        return wish

    def draw_new_run(self, ui: Ui, box: Box) -> RunRequest | None:
        """A new run."""
        pen, inside = ui.pen, ui.pen.draw_panel(box, "A new run")
        top, wide = inside.top + 14, inside.width
        beside = 168
        pen.draw_text("Recipe", (inside.left, top), 14, False, DIM_TEXT)
        pen.draw_text("Seed", (inside.right - beside, top), 14, False, DIM_TEXT)
        self.recipe_picker.draw(ui, Box(inside.left, top + 16, wide - beside - 16, BUTTON_HEIGHT), self.recipe)
        self.seed = draw_stepper(
            ui, "seed", Box(inside.right - beside, top + 16, beside, BUTTON_HEIGHT), self.seed, 0, MAX_SEED
        )
        pen.draw_text("Kept in", (inside.left, top + _FIELD_SPACING - 14), 14, False, DIM_TEXT)
        self.folder_picker.draw(
            ui, Box(inside.left, top + _FIELD_SPACING + 2, wide, BUTTON_HEIGHT), shorten_path(self.folder)
        )
        below = top + _FIELD_SPACING + 68
        chosen = self.load_chosen_recipe()
        if isinstance(chosen, str):
            pen.draw_paragraph(chosen, (inside.left, below), wide, 15, NEGATIVE, max_lines=6)
        else:
            for words, colour in (
                (chosen.summary, STRONG_TEXT),
                (describe_recipe(chosen), NORMAL_TEXT),
                (chosen.source, FAINT_TEXT),
            ):
                below += pen.draw_paragraph(words, (inside.left, below), wide, 15, colour, max_lines=3) + (
                    8 if words else 0
                )
            if box.height > _MIN_HEIGHT_FOR_ABOUT:
                pen.draw_paragraph(_ABOUT_TEXT, (inside.left, below + 24), wide, 15, DIM_TEXT, max_lines=5)
        action = Box(inside.left, box.bottom - 16 - BUTTON_HEIGHT, 200, BUTTON_HEIGHT)
        ready = isinstance(chosen, Recipe)
        if draw_button(ui, "start", action, "Start training", key="Enter", is_primary=True, is_enabled=ready):
            return RunRequest(self.folder, chosen) if isinstance(chosen, Recipe) else None
        return None

    def draw_run_list(self, ui: Ui, box: Box) -> RunRequest | None:
        """Runs that are there."""
        inside = ui.pen.draw_panel(box, "Runs", "open one, or go on with it" if self.runs else "")
        if not self.runs:
            ui.pen.draw_paragraph(
                "There is none yet. Runs of the window and those below runs/ in this folder appear here.",
                (inside.left, inside.top + 10),
                inside.width,
                15,
                DIM_TEXT,
            )
        wish = None
        for number, run in enumerate(self.runs[: inside.height // _RUN_ROW_HEIGHT]):
            line = Box(inside.left - 8, inside.top + number * _RUN_ROW_HEIGHT, inside.width + 16, _RUN_ROW_HEIGHT - 4)
            touch = draw_selectable_row(ui, f"run {number}", line, group="runs")
            aside = ui.pen.measure_text(run.status, 14)
            words = ui.pen.truncate_text(run.name, line.width - aside - 32, 16, True)
            ui.pen.draw_text(
                words, (line.left + 8, line.centery), 16, True, STRONG_TEXT if touch.is_focused else NORMAL_TEXT
            )
            ui.pen.draw_text(run.status, (line.right - 8, line.centery), 14, False, DIM_TEXT, align=1)
            wish = RunRequest(run.folder) if touch.is_activated else wish
        return wish

    def load_chosen_recipe(self) -> Recipe | str:
        """The recipe that is chosen, or what is wrong with it."""
        if self.recipe not in self.recipe_cache:
            try:
                self.recipe_cache[self.recipe] = Recipe.load(self.recipe)
            except TetrionError as mistake:
                self.recipe_cache[self.recipe] = str(mistake)
        found = self.recipe_cache[self.recipe]
        return found.with_(seed=self.seed) if isinstance(found, Recipe) else found

    @property
    def folder(self) -> Path:
        """Where the run will be."""
        if not self.chosen_folder:
            return find_free_folder(get_run_folder(), self.default_folder_name)
        try:
            return Path(self.chosen_folder).expanduser()
        except RuntimeError:  # nobody's home
            return Path(self.chosen_folder)

    @property
    def default_folder_name(self) -> str:
        """What a new folder is called."""
        chosen = self.load_chosen_recipe()
        return f"{chosen.name if isinstance(chosen, Recipe) else 'run'}-{self.seed}"

    def make_folder_options(self) -> list[PickerOption]:
        """Places for a new run."""
        places = {"the window's own folder": get_run_folder(), "this folder": _LOCAL_RUNS_FOLDER}
        return [
            PickerOption(str(find_free_folder(folder, self.default_folder_name)), words)
            for words, folder in places.items()
        ]


@cache
def make_recipe_options() -> list[PickerOption]:
    """All recipes with what they do."""
    return [PickerOption(name, describe_learner(name)) for name in list_recipes()]


def describe_learner(name: str) -> str:
    """Who learns by a recipe, and under which rules."""
    recipe = Recipe.load(name)
    return f"{recipe.learner}, {recipe.rules} rules"


def describe_recipe(recipe: Recipe) -> str:
    """A recipe in figures."""
    if recipe.learner == Q_LEARNING_NAME:
        settings = recipe.settings
        return f"One learner, {settings.episodes:,} episodes of at most {settings.max_pieces:,} pieces, {recipe.rules} rules."
    games, many = recipe.games, get_population_size(recipe)
    first = games.max_pieces[0]
    length = f" of at most {first:,} pieces" if first else ""
    who = f"{many:,} individuals, " if many else ""
    return (
        f"{who}{recipe.stop.generations:,} generations, {format_count(games.count, 'game')} each{length}, "
        f"{recipe.rules} rules. What counts: {FITNESS_DESCRIPTIONS[games.fitness]}."
    )


def get_population_size(recipe: Recipe) -> int:
    """How many candidates a generation has; 0 where it is not one number."""
    return int(getattr(recipe.settings, "population", 0) or 0)


def list_runs() -> list[RunListEntry]:
    """The runs of the window and of this folder, the newest first."""
    found: list[tuple[float, Path]] = []
    for parent in (get_run_folder(), _LOCAL_RUNS_FOLDER):
        try:
            found += [(path.stat().st_mtime, path.parent) for path in parent.glob(f"*/{CONFIG_FILE}")]
        except OSError:
            continue
    return [make_run_list_entry(folder) for _, folder in sorted(found, reverse=True)[:_MAX_RUNS]]


def make_run_list_entry(folder: Path) -> RunListEntry:
    """A run in words."""
    try:
        run = Run(folder)
        return RunListEntry(
            folder, folder.name, f"{run.generation_count:,} of {get_planned_steps(run):,}, {describe_status(run)}"
        )
    except TetrionError:
        return RunListEntry(folder, folder.name, "damaged")
