"""Recipes: all settings of a training run, read from a TOML file and validated."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from tetrion.data_files import DataFileError, parse_toml, read_data_file
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import RecipeError, TetrionError, UnknownNameError
from tetrion.notebook_display import make_short_repr, render_html_table
from tetrion.registry import Registry
from tetrion.text_cleaning import clean_name, clean_text, make_file_name
from tetrion.training.agent_designs import AgentDesign, AgentSettings, make_design
from tetrion.training.fitness import GamesSettings
from tetrion.training.learner import LEARNERS, MAX_STEPS, Learner
from tetrion.training.recipe_settings import (
    DEFINITION_KEY,
    choice_setting,
    describe_given,
    float_setting,
    format_toml_value,
    integer_setting,
    parse_settings,
)
from tetrion.training.validation import ValidationSettings

RECIPE_FORMAT = 1
_TEXT_KEYS = ("name", "summary", "source", "rules", "learner")
_CLEANED_TEXTS = {"name": clean_name, "summary": clean_text, "source": clean_text}  # they are only shown
RECIPE_SUFFIX = ".toml"

Changes = Mapping[str, Any] | Sequence[str]
"""Changes of settings: a mapping such as {"genetic.population": 20}, or texts such as "genetic.population=20"."""


@dataclass(frozen=True)
class StopSettings:
    """Settings of [stop]: training ends when the first of these limits is reached."""

    generations: int = integer_setting(30, 1, MAX_STEPS, "maximum number of generations")
    total_pieces: int = integer_setting(
        0, 0, UNLIMITED, "stop after the generation that reaches this total number of pieces; 0: no limit"
    )
    patience: int = integer_setting(
        0, 0, 10**6, "stop after this many generations without a better validation score; 0: never"
    )


@dataclass(frozen=True)
class CrowdSettings:
    """Settings of [crowd]: Wisdom of Artificial Crowds, formed from the incumbents of all generations."""

    kind: str = choice_setting("none", ("none", "mean", "consensus", "both"), "crowd that is formed after training")
    weighting: str = choice_setting(
        "equal",
        ("equal", "score"),
        "weights of the experts in the mean: equal, or score (the best fitness of an expert's generation)",
    )
    agreement: float = float_setting(0.5, 0.1, 1, "share of the experts that must agree on a number (consensus)")


@dataclass(frozen=True)
class Recipe:
    """All settings of a training run: learner, agent, games, stop criteria, validation and crowd.

    Load a recipe by its name, with other settings: `Recipe.load("gavrilov", population=20)`.

    >>> import tetrion
    >>> recipe = tetrion.Recipe.load("gavrilov", population=20)
    >>> recipe.settings.population, recipe.rules
    (20, 'gavrilov')
    >>> recipe.replace(population=10) == recipe
    False
    """

    name: str
    learner: str
    settings: Any  # settings of the learner
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
    def load(cls, name: str | Path, changes: Changes = (), **settings: Any) -> Self:
        """Return a recipe by its name or TOML file, with other settings.

        A setting is a keyword argument, `population=20`, if only one section of the recipe has this key; otherwise its
        section is an argument, `games={"max_pieces": 500}`. `changes` has the settings of `tetrion train --set`:
        `{"games.max_pieces": 500}` or `["games.max_pieces=500"]`.
        """
        path = Path(name)
        if path.suffix.lower() == RECIPE_SUFFIX:
            content = parse_toml_file(path)
        else:
            content = tomllib.loads(RECIPES[str(name)].to_toml())
        try:
            return cls.from_mapping(apply_changes(apply_changes(content, changes), settings), path.stem)
        except TetrionError as error:
            raise RecipeError(f"{name}: {error}") from None

    def replace(self, changes: Changes = (), **settings: Any) -> Self:
        """Return a copy with other settings, which are given as for `load`: `recipe.replace(population=20, seed=5)`."""
        content = tomllib.loads(self.to_toml())
        return self.from_mapping(apply_changes(apply_changes(content, changes), settings), self.name)

    @classmethod
    def from_mapping(cls, content: Mapping[str, Any], default_name: str) -> Self:
        """Return the recipe with the content of a TOML file; raise RecipeError or UnknownNameError if it is invalid."""
        if "format" not in content:
            raise RecipeError(
                f"A recipe must contain format = {RECIPE_FORMAT} and a learner; the key format is missing."
            )
        if content["format"] != RECIPE_FORMAT:
            given = describe_given(content["format"])
            raise RecipeError(f"format must be {RECIPE_FORMAT}; given {given}. Try a newer version of Tetrion.")
        texts = {key: content[key] for key in _TEXT_KEYS if key in content}
        for key, value in texts.items():
            if not isinstance(value, str):
                raise RecipeError(f"{key} must be a string; given {describe_given(value)}.")
            if key in _CLEANED_TEXTS:
                texts[key] = _CLEANED_TEXTS[key](" ".join(value.split()))
        learner = content.get("learner")
        if learner is None:
            names = ", ".join(LEARNERS)
            raise RecipeError(f"A recipe must contain a learner, one of {names}; the key learner is missing.")
        if learner not in LEARNERS:
            raise UnknownNameError("learner", learner, LEARNERS)
        sections = get_sections(learner)
        valid_keys = (*_TEXT_KEYS, "format", "seed", *sections)
        for key in content:
            if key not in valid_keys:
                if key in list_all_sections():
                    raise RecipeError(f"Unknown key of a recipe '{key}'. {describe_sections(key, learner)}")
                raise UnknownNameError("key of a recipe", key, valid_keys)
        for name in LEARNERS[learner].omitted_settings:
            section, _, key = name.partition(".")
            if isinstance(table := content.get(section), Mapping) and key in table:
                check_missing_setting(name, learner)
        tables = {
            section: parse_settings(settings_type, section, content.get(section, {}))
            for section, settings_type in sections.items()
        }
        settings = tables.pop(learner)
        seed = validate_seed(content.get("seed", 0))
        recipe = cls(**{"name": clean_name(default_name), **texts}, settings=settings, seed=seed, **tables)
        recipe.learner_type.check_recipe(recipe)
        return recipe

    def __repr__(self) -> str:
        steps = f"{self.planned_steps:,} {self.learner_type.step_name}s"
        return make_short_repr("Recipe", f"{self.name}: {self.learner}, rules {self.rules}, {steps}, seed {self.seed}")

    def _repr_html_(self) -> str:
        note = " · ".join(filter(None, [self.summary, self.source]))
        title = f"{self.name}: {self.learner}, rules {self.rules}, seed {self.seed}"
        headings = ["setting", "value", "meaning"]
        return render_html_table(title, headings, list(self.list_settings()), note=note, text_columns=3)

    @property
    def folder_name(self) -> str:
        """The name without the characters with which a recipe from elsewhere could choose another folder."""
        return make_file_name(self.name, "run")

    @property
    def learner_type(self) -> type[Learner]:
        """Class of the learner."""
        return LEARNERS[self.learner]

    @property
    def planned_steps(self) -> int:
        """Maximum number of generations or episodes."""
        return self.learner_type.get_planned_steps(self)

    def make_design(self) -> AgentDesign:
        """Return the agent design, which converts candidates into agents."""
        return make_design(self.agent, self.rules)

    def get_section(self, section: str) -> Any:
        """Return the settings of a section, such as `games`."""
        return self.settings if section == self.learner else getattr(self, section)

    def list_settings(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name (as used by `--set`), value and meaning of each setting."""
        for section, settings in list_section_settings(self.learner).items():
            for setting in settings:
                value = format_toml_value(getattr(self.get_section(section), setting.name))
                yield f"{section}.{setting.name}", value, setting.metadata[DEFINITION_KEY].meaning

    def to_toml(self) -> str:
        """Return the complete recipe as a TOML text."""
        header = {"format": RECIPE_FORMAT, **{key: getattr(self, key) for key in _TEXT_KEYS}, "seed": self.seed}
        lines = [f"{key} = {format_toml_value(value)}" for key, value in header.items()]
        for section, settings in list_section_settings(self.learner).items():
            values = {setting.name: getattr(self.get_section(section), setting.name) for setting in settings}
            lines += ["", f"[{section}]", *(f"{key} = {format_toml_value(value)}" for key, value in values.items())]
        return "\n".join(lines) + "\n"


def _list_recipe_names() -> list[str]:
    paths = files("tetrion.training").joinpath("recipes").iterdir()
    return sorted(path.name.removesuffix(RECIPE_SUFFIX) for path in paths if path.name.endswith(RECIPE_SUFFIX))


def _load_recipe(name: str) -> Recipe:
    text = files("tetrion.training").joinpath("recipes", f"{name}{RECIPE_SUFFIX}").read_text("utf-8")
    return Recipe.from_mapping(tomllib.loads(text), name)


RECIPES: Registry[Recipe] = Registry(
    "recipe",
    _list_recipe_names(),
    _load_recipe,
    lambda recipe: recipe.summary,
    listing="`tetrion.RECIPES` lists all. The path of a recipe file must end in .toml.",
)
"""The recipes of Tetrion: `tetrion.RECIPES["gavrilov"]`."""


def get_sections(learner: str) -> dict[str, Any]:
    """Return the sections that a recipe with this learner may have, with the type of their settings."""
    learner_type = LEARNERS[learner]
    sections = {
        "agent": AgentSettings,
        learner: learner_type.settings_type,
        "games": GamesSettings,
        "stop": StopSettings,
        "validation": ValidationSettings,
        "crowd": CrowdSettings,
    }
    return {name: kind for name, kind in sections.items() if name in (learner, *learner_type.section_names)}


def list_all_sections() -> set[str]:
    """Return the names of the sections that recipes with any learner may have."""
    return {section for learner in LEARNERS for section in get_sections(learner)}


def describe_sections(missing: str, learner: str) -> str:
    """Return a sentence for a section that only recipes with other learners have."""
    return f"The learner {learner} has no section [{missing}]; its sections are {', '.join(get_sections(learner))}."


def list_section_settings(learner: str) -> dict[str, list["Field[Any]"]]:
    """Return the settings of each section that a recipe with this learner may have."""
    omitted = LEARNERS[learner].omitted_settings
    return {
        section: [setting for setting in fields(kind) if f"{section}.{setting.name}" not in omitted]
        for section, kind in get_sections(learner).items()
    }


def parse_toml_file(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    try:
        return parse_toml(read_data_file(path))
    except FileNotFoundError as error:
        raise RecipeError(f"{path} cannot be read: {error.strerror}.") from None
    except DataFileError as error:
        raise RecipeError(f"{path}: {error}") from None


def apply_changes(content: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """Return the content of a recipe with changes applied.

    A change is the setting `genetic.population`, or `population` if only one section has this key, and its value.
    """
    result = {key: dict(value) if isinstance(value, Mapping) else value for key, value in content.items()}
    for path, value in list_changes(changes):
        section, key = find_setting(path, str(content.get("learner")))
        if section and isinstance(table := result.setdefault(section, {}), dict):
            table[key] = value
        elif not section:
            result[key] = value
    return result


def list_changes(changes: Changes) -> Iterator[tuple[str, Any]]:
    """Yield the setting and the value of each change; a section with a mapping yields each of its settings."""
    if not isinstance(changes, Mapping):
        yield from map(parse_change, changes)
        return
    for name, value in changes.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", setting) for key, setting in value.items())
        else:
            yield name, value


def parse_change(change: str) -> tuple[str, Any]:
    """Return the setting and the value of a change such as `genetic.population=20`."""
    path, equals, value = change.partition("=")
    if not equals or not path.strip():
        raise RecipeError(
            f"A change must have the form key=value, such as genetic.population=20; given '{clean_name(change)}'."
        )
    return path.strip(), parse_value(value.strip())


def find_setting(path: str, learner: str) -> tuple[str, str]:
    """Return the section and the key of a setting such as `genetic.population` or `seed`.

    The section is empty for keys outside all sections, and may be omitted in `path` if only one section has the key and
    no section has its name.
    Its hyphens may be underscores, as in the names of Python arguments.
    """
    sections = list_section_settings(learner) if learner in LEARNERS else {}
    keys = {section: [setting.name for setting in settings] for section, settings in sections.items()}
    section, dot, key = path.rpartition(".")
    other_keys = (*_TEXT_KEYS, "seed")
    if dot:
        section = section if section in keys else section.replace("_", "-")
        if key in keys.get(section, ()):
            return section, key
        check_missing_setting(path, learner)
        candidates = [f"{table}.{name}" for table, names in keys.items() for name in names]
        if keys and section not in keys and section in list_all_sections():
            own = [name for name in candidates if name.endswith(f".{key}")]
            hint = f" Did you mean '{own[0]}'?" if own else ""
            raise RecipeError(f"Unknown setting '{path}'. {describe_sections(section, learner)}{hint}")
        raise UnknownNameError("setting", path, candidates)
    if path == "learner":
        raise RecipeError("The learner of a recipe cannot be changed. Use a recipe with another learner.")
    if path in other_keys:
        return "", path
    tables = [table for table, names in keys.items() if path in names]
    if tables and path in keys:
        candidates = [f"{table}.{path}" for table in tables] + [f"{path}.{name}" for name in keys[path]]
        raise RecipeError(
            f"{path} is the name of a section and a key of another one; use one of {', '.join(candidates)}."
        )
    if len(tables) > 1:
        raise RecipeError(f"{path} is a key of several sections; use {' or '.join(f'{t}.{path}' for t in tables)}.")
    if not tables:
        check_missing_setting(path, learner)
        raise UnknownNameError("setting", path, [*(name for names in keys.values() for name in names), *other_keys])
    return tables[0], path


def check_missing_setting(path: str, learner: str) -> None:
    """Raise a RecipeError if only other learners have a setting: one that this learner omits, or their length."""
    if learner not in LEARNERS:
        return
    for name, reason in LEARNERS[learner].omitted_settings.items():
        if path in (name, name.partition(".")[2]):
            raise RecipeError(f"Recipes of the learner {learner} have no {name}: {reason}. Remove the setting.")
    length_setting = LEARNERS[learner].end_settings[0]
    other_lengths = {kind.end_settings[0] for kind in LEARNERS.values()} - {length_setting}
    if path in {name for setting in other_lengths for name in (setting, setting.partition(".")[2])}:
        raise RecipeError(
            f"Unknown setting '{path}'. The learner {learner} has {length_setting} instead, the number of "
            f"{LEARNERS[learner].step_name}s."
        )


def parse_value(text: str) -> Any:
    """Return a value parsed as TOML; text that is not valid TOML is returned unchanged."""
    try:
        return parse_toml(f"value = {text}".encode(errors="replace"))["value"]
    except DataFileError:
        return text
