"""The beginning of the evolution screen: a recipe, a seed and a folder, or a run that is there already."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tetrion.app.evolution.run_copies import free_folder, shortened
from tetrion.app.shelf import run_folder
from tetrion.app.toolkit.chrome import Room
from tetrion.app.toolkit.controls import BUTTON, button, row, stepper
from tetrion.app.toolkit.picker import Option, Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import BAD, DIM, FAINT, STRONG, TEXT
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import LARGEST_SEED
from tetrion.errors import TetrionError
from tetrion.evaluation.words import counted
from tetrion.lab.run_words import planned, status_of
from tetrion.training.fitness import FITNESS
from tetrion.training.recipe import Q_LEARNING, Recipe, names
from tetrion.training.run import CONFIG, Run

HERE = Path("runs")  # as `tetrion train` has it
MOST_RUNS, RUN_ROW = 10, 44
TALL = 400  # units from which on there is room to say what is to come
ABOUT = (
    "All individuals play at once, on small boards. The fittest have offspring, and the curves tell how they improve. "
    "Pause, hurry or leave when you like: every finished generation is kept, and a run goes on where it was stopped."
)
FIELD = 92  # units from a label to the next


@dataclass(frozen=True)
class Wish:
    """What a person wants: a new run by a recipe, or the folder of one."""

    folder: Path
    recipe: Recipe | None = None


@dataclass(frozen=True)
class Known:
    """A run that is there, in words."""

    folder: Path
    words: str
    aside: str


class Start:
    """The choices; `draw` gives back a wish once there is one."""

    def __init__(self, recipe: str = "gavrilov", seed: int = 0) -> None:
        self.recipe, self.seed, self.place = recipe, seed, ""
        self.recipes, self.places = (
            Picker("recipe", free="a recipe's file"),
            Picker("place", free="a folder"),
        )
        self.known, self.loaded = known_runs(), dict[str, Recipe | str]()

    def draw(self, ui: Ui, room: Room) -> Wish | None:
        """Draw both panels, one below the other where there is little room."""
        content, gap = room.content, room.gap
        wide = content.width if room.compact else min(content.width, 1120)
        left = content.left + (content.width - wide) // 2
        if room.compact:
            first = Box(left, content.top, wide, 360)
            second = Box(left, first.bottom + gap, wide, content.bottom - first.bottom - gap)
        else:
            first = Box(left, content.top, (wide - gap) * 3 // 5, min(content.height, 520))
            second = Box(first.right + gap, content.top, wide - gap - first.width, first.height)
        wish = self.draw_new(ui, first)
        wish = self.draw_runs(ui, second) or wish
        self.recipe = self.recipes.draw_list(ui, recipe_options) or self.recipe
        self.place = self.places.draw_list(ui, self.place_options) or self.place
        return wish

    def draw_new(self, ui: Ui, box: Box) -> Wish | None:
        """A new run."""
        pen, inside = ui.pen, ui.pen.panel(box, "A new run")
        top, wide = inside.top + 14, inside.width
        beside = 168
        pen.text("Recipe", (inside.left, top), 14, False, DIM)
        pen.text("Seed", (inside.right - beside, top), 14, False, DIM)
        self.recipes.draw(ui, Box(inside.left, top + 16, wide - beside - 16, BUTTON), self.recipe)
        self.seed = stepper(
            ui, "seed", Box(inside.right - beside, top + 16, beside, BUTTON), self.seed, 0, LARGEST_SEED
        )
        pen.text("Kept in", (inside.left, top + FIELD - 14), 14, False, DIM)
        self.places.draw(ui, Box(inside.left, top + FIELD + 2, wide, BUTTON), shortened(self.folder))
        below = top + FIELD + 68
        chosen = self.chosen()
        if isinstance(chosen, str):
            pen.paragraph(chosen, (inside.left, below), wide, 15, BAD, most=6)
        else:
            for words, colour in ((chosen.summary, STRONG), (facts_of(chosen), TEXT), (chosen.source, FAINT)):
                below += pen.paragraph(words, (inside.left, below), wide, 15, colour, most=3) + (8 if words else 0)
            if box.height > TALL:
                pen.paragraph(ABOUT, (inside.left, below + 24), wide, 15, DIM, most=5)
        action = Box(inside.left, box.bottom - 16 - BUTTON, 200, BUTTON)
        ready = isinstance(chosen, Recipe)
        if button(ui, "start", action, "Start training", key="Enter", primary=True, enabled=ready):
            return Wish(self.folder, chosen) if isinstance(chosen, Recipe) else None
        return None

    def draw_runs(self, ui: Ui, box: Box) -> Wish | None:
        """Runs that are there."""
        inside = ui.pen.panel(box, "Runs", "open one, or go on with it" if self.known else "")
        if not self.known:
            ui.pen.paragraph(
                "There is none yet. Runs of the window and those below runs/ in this folder appear here.",
                (inside.left, inside.top + 10),
                inside.width,
                15,
                DIM,
            )
        wish = None
        for number, run in enumerate(self.known[: inside.height // RUN_ROW]):
            line = Box(inside.left - 8, inside.top + number * RUN_ROW, inside.width + 16, RUN_ROW - 4)
            touch = row(ui, f"run {number}", line, group="runs")
            aside = ui.pen.width_of(run.aside, 14)
            words = ui.pen.cut(run.words, line.width - aside - 32, 16, True)
            ui.pen.text(words, (line.left + 8, line.centery), 16, True, STRONG if touch.focused else TEXT)
            ui.pen.text(run.aside, (line.right - 8, line.centery), 14, False, DIM, align=1)
            wish = Wish(run.folder) if touch.activated else wish
        return wish

    def chosen(self) -> Recipe | str:
        """The recipe that is chosen, or what is wrong with it."""
        if self.recipe not in self.loaded:
            try:
                self.loaded[self.recipe] = Recipe.load(self.recipe)
            except TetrionError as mistake:
                self.loaded[self.recipe] = str(mistake)
        found = self.loaded[self.recipe]
        return found.with_(seed=self.seed) if isinstance(found, Recipe) else found

    @property
    def folder(self) -> Path:
        """Where the run will be."""
        if not self.place:
            return free_folder(run_folder(), self.name)
        try:
            return Path(self.place).expanduser()
        except RuntimeError:  # nobody's home
            return Path(self.place)

    @property
    def name(self) -> str:
        """What a new folder is called."""
        chosen = self.chosen()
        return f"{chosen.name if isinstance(chosen, Recipe) else 'run'}-{self.seed}"

    def place_options(self) -> list[Option]:
        """Places for a new run."""
        places = {"the window's own folder": run_folder(), "this folder": HERE}
        return [Option(str(free_folder(folder, self.name)), words) for words, folder in places.items()]


@cache
def recipe_options() -> list[Option]:
    """All recipes with what they do."""
    return [Option(name, learner_of(name)) for name in names()]


def learner_of(name: str) -> str:
    """Who learns by a recipe, and under which rules."""
    recipe = Recipe.load(name)
    return f"{recipe.learner}, {recipe.rules} rules"


def facts_of(recipe: Recipe) -> str:
    """A recipe in figures."""
    if recipe.learner == Q_LEARNING:
        settings = recipe.settings
        return (
            f"One learner, {settings.episodes:,} episodes of at most {settings.pieces:,} pieces, {recipe.rules} rules."
        )
    games, many = recipe.games, individuals(recipe)
    first = games.pieces[0]
    length = f" of at most {first:,} pieces" if first else ""
    who = f"{many:,} individuals, " if many else ""
    return (
        f"{who}{recipe.stop.generations:,} generations, {counted(games.count, 'game')} each{length}, "
        f"{recipe.rules} rules. What counts: {FITNESS[games.fitness]}."
    )


def individuals(recipe: Recipe) -> int:
    """How many candidates a generation has; 0 where it is not one number."""
    return int(getattr(recipe.settings, "population", 0) or 0)


def known_runs() -> list[Known]:
    """The runs of the window and of this folder, the newest first."""
    found: list[tuple[float, Path]] = []
    for parent in (run_folder(), HERE):
        try:
            found += [(path.stat().st_mtime, path.parent) for path in parent.glob(f"*/{CONFIG}")]
        except OSError:
            continue
    return [known_run(folder) for _, folder in sorted(found, reverse=True)[:MOST_RUNS]]


def known_run(folder: Path) -> Known:
    """A run in words."""
    try:
        run = Run(folder)
        return Known(folder, folder.name, f"{run.generations:,} of {planned(run):,}, {status_of(run)}")
    except TetrionError:
        return Known(folder, folder.name, "damaged")
