"""Recipes: everything that a run of training is made by, as checked data from a TOML file."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError, TetrionError, UnknownNameError
from tetrion.training.agent_designs import AgentDesign, AgentSettings, make_design
from tetrion.training.fitness import GamesSettings
from tetrion.training.former_names import update_recipe_names, update_setting_name
from tetrion.training.optimisers import OPTIMISERS
from tetrion.training.q_learning import QLearningSettings
from tetrion.training.recipe_settings import (
    LIMITS_KEY,
    choice_setting,
    float_setting,
    format_toml_value,
    integer_setting,
    parse_settings,
)

RECIPE_FORMAT = 1
Q_LEARNING_NAME = "q-learning"
LEARNER_NAMES = (*OPTIMISERS, Q_LEARNING_NAME)
_TEXT_KEYS = ("name", "summary", "source", "rules", "learner")
RECIPE_SUFFIX = ".toml"


@dataclass(frozen=True)
class StopSettings:
    """[stop]: when training ends; whichever comes first."""

    generations: int = integer_setting(30, 1, 10**6, "after so many generations")
    total_pieces: int = integer_setting(
        0, 0, UNLIMITED, "after the generation with which so many pieces have been placed; 0: never"
    )
    patience: int = integer_setting(
        0, 0, 10**6, "after so many generations without a better judged favourite; 0: never"
    )


@dataclass(frozen=True)
class ValidationSettings:
    """[validation]: how favourites are judged on games that nobody was trained on."""

    every: int = integer_setting(1, 0, 10**6, "judge the favourites of every so many generations; 0: none")
    games: int = integer_setting(10, 1, 10**6, "games for each of them")
    max_pieces: int = integer_setting(0, 0, UNLIMITED, "the most pieces of such a game; 0: no end")
    finalists: int = integer_setting(5, 1, 1000, "so many of the best judged play again")
    final_games: int = integer_setting(
        100, 3, 10**6, "games that decide among them, and others for the figure that is reported"
    )


@dataclass(frozen=True)
class CrowdSettings:
    """[crowd]: Wisdom of Artificial Crowds over the favourites of all generations."""

    kind: str = choice_setting("none", ("none", "mean", "consensus", "both"), "the crowd that is formed in the end")
    agreement: float = float_setting(0.5, 0.1, 1, "how large a share of the experts agrees on a number (consensus)")


RECIPE_SECTIONS: dict[str, Any] = {
    "agent": AgentSettings,
    "games": GamesSettings,
    "stop": StopSettings,
    "validation": ValidationSettings,
    "crowd": CrowdSettings,
}
Q_LEARNING_SECTIONS = ("validation",)


@dataclass(frozen=True)
class Recipe:
    """How to train: a learner and its settings, the agent that is looked for, the games, the end, and the judging.

    Most are loaded by name and changed a little: `Recipe.load("gavrilov", ["population=20"])`.
    """

    name: str
    learner: str
    settings: Any  # of the learner
    rules: str = "standard"
    summary: str = ""
    source: str = ""
    seed: int = 0
    agent: AgentSettings = field(default_factory=AgentSettings)
    games: GamesSettings = field(default_factory=GamesSettings)
    stop: StopSettings = field(default_factory=StopSettings)
    validation: ValidationSettings = field(default_factory=ValidationSettings)
    crowd: CrowdSettings = field(default_factory=CrowdSettings)

    @classmethod
    def load(cls, name: str | Path, changes: Sequence[str] = ()) -> Self:
        """A recipe by its name or TOML file, changed by texts such as `genetic.population=20`."""
        path = Path(name)
        if path.suffix.lower() == RECIPE_SUFFIX:
            content = parse_toml_file(path)
        elif str(name) in list_recipes():
            content = tomllib.loads(
                files("tetrion.training").joinpath("recipes", f"{name}{RECIPE_SUFFIX}").read_text("utf-8")
            )
        else:
            listing = "`tetrion list recipes` shows all; a recipe of yours ends in .toml."
            raise UnknownNameError("recipe", name, list_recipes(), listing=listing)
        try:
            return cls.from_mapping(apply_changes(content, changes), path.stem)
        except TetrionError as mistake:
            raise RecipeError(f"{name}: {mistake}") from None

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any], default_name: str) -> Self:
        """The recipe that a file's content describes, or the error that says what is wrong with it."""
        content = update_recipe_names(content)
        if "format" not in content:
            raise RecipeError(f"A recipe begins with format = {RECIPE_FORMAT}, and has a learner at least.")
        if content["format"] != RECIPE_FORMAT:
            raise RecipeError(
                f"format is {RECIPE_FORMAT}; given {content.get('format')!r}. A newer Tetrion may read it."
            )
        texts = {key: content[key] for key in _TEXT_KEYS if key in content}
        for key, value in texts.items():
            if not isinstance(value, str):
                raise RecipeError(f"{key} is a text; given {value!r}.")
        learner = content.get("learner")
        if learner not in LEARNER_NAMES:
            raise UnknownNameError("learner", learner, LEARNER_NAMES)
        known = get_sections(learner)
        for key in content:
            if key not in (*_TEXT_KEYS, "format", "seed", *known):
                raise UnknownNameError("key of a recipe", key, (*_TEXT_KEYS, "format", "seed", *known))
        tables = {section: parse_settings(kind, section, content.get(section, {})) for section, kind in known.items()}
        settings = tables.pop(learner)
        seed = validate_seed(content.get("seed", 0))
        recipe = cls(**{"name": default_name, **texts}, settings=settings, seed=seed, **tables)
        recipe.check()
        return recipe

    def check(self) -> None:
        """Make sure that the parts fit together, before any work."""
        rules = Rules.parse(self.rules)
        if self.learner == Q_LEARNING_NAME:
            return
        design = self.make_design()
        agent = design.make_agent([0.5] * len(design.parameter_names), self.name)
        agent.get_engine_settings(rules)
        self.games.check()
        OPTIMISERS[self.learner].make_optimiser(self.settings, len(design.parameter_names), 0)

    def make_design(self) -> AgentDesign:
        """What a candidate's numbers mean."""
        return make_design(self.agent, self.rules)

    def with_(self, **changes: Any) -> Self:
        """The same with other parts, such as another seed."""
        return replace(self, **changes)

    def get_section(self, section: str) -> Any:
        """The settings of a table."""
        return self.settings if section == self.learner else getattr(self, section)

    def list_settings(self) -> Iterator[tuple[str, str, str]]:
        """Every setting: its name as `--set` takes it, its value, its meaning."""
        for section, kind in get_sections(self.learner).items():
            for setting in fields(kind):
                value = format_toml_value(getattr(self.get_section(section), setting.name))
                yield f"{section}.{setting.name}", value, setting.metadata[LIMITS_KEY].meaning

    def to_toml(self) -> str:
        """The whole recipe as a file that makes the same run again."""
        head = {"format": RECIPE_FORMAT, **{key: getattr(self, key) for key in _TEXT_KEYS}, "seed": self.seed}
        lines = [f"{key} = {format_toml_value(value)}" for key, value in head.items()]
        for section in get_sections(self.learner):
            settings = asdict(self.get_section(section))
            lines += ["", f"[{section}]", *(f"{key} = {format_toml_value(value)}" for key, value in settings.items())]
        return "\n".join(lines) + "\n"


def list_recipes() -> list[str]:
    """The names of the recipes that come with Tetrion."""
    folder = files("tetrion.training").joinpath("recipes")
    return sorted(
        part.name.removesuffix(RECIPE_SUFFIX) for part in folder.iterdir() if part.name.endswith(RECIPE_SUFFIX)
    )


def get_sections(learner: str) -> dict[str, Any]:
    """The tables that a recipe of a learner may have, and their settings."""
    if learner == Q_LEARNING_NAME:
        return {Q_LEARNING_NAME: QLearningSettings} | {
            section: RECIPE_SECTIONS[section] for section in Q_LEARNING_SECTIONS
        }
    return {"agent": AgentSettings, learner: OPTIMISERS[learner].settings_type} | RECIPE_SECTIONS


def parse_toml_file(path: Path) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as problem:
        raise RecipeError(f"{path} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise RecipeError(f"{path} is not TOML: {problem}.") from None


def apply_changes(content: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """A recipe's content with changes: `genetic.population=20`, or `population=20` where one table alone has it."""
    result = update_recipe_names(content)
    for change in changes:
        path, equals, value = change.partition("=")
        if not equals or not path.strip():
            raise RecipeError(f"A setting is changed by key=value, as in genetic.population=20; given '{change}'.")
        section, key = find_setting(path.strip(), str(content.get("learner")))
        if section and isinstance(table := result.setdefault(section, {}), dict):
            table[key] = parse_value(value.strip())
        elif not section:
            result[key] = parse_value(value.strip())
    return result


def find_setting(path: str, learner: str) -> tuple[str, str]:
    """The table and key that a person means; the table is empty for the keys outside all tables."""
    known = get_sections(learner) if learner in LEARNER_NAMES else {}
    keys = {section: [part.name for part in fields(kind)] for section, kind in known.items()}
    path = update_setting_name(path, keys)
    section, dot, key = path.rpartition(".")
    every = [*(f"{table}.{name}" for table, names in keys.items() for name in names), *_TEXT_KEYS, "seed"]
    if dot:
        if key in keys.get(section, ()):
            return section, key
        raise UnknownNameError("setting", path, every)
    if path == "learner":
        raise RecipeError("The learner is what a recipe is about: take a recipe of another learner, or write your own.")
    if path in (*_TEXT_KEYS, "seed"):
        return "", path
    tables = [table for table, names in keys.items() if path in names]
    if len(tables) > 1:
        raise RecipeError(f"{path} is a key of several tables; say which: {', '.join(f'{t}.{path}' for t in tables)}.")
    if not tables:
        raise UnknownNameError("setting", path, every)
    return tables[0], path


def parse_value(text: str) -> Any:
    """A value as TOML reads it; what TOML cannot read is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
