"""Tests of recipes: all of them load, and invalid settings raise errors before training begins."""

from pathlib import Path

import pytest

import tetrion
from tests.training.small_recipes import make_small_recipe
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.errors import TetrionError
from tetrion.training import resume, train
from tetrion.training.recipe import RECIPES, Recipe, parse_toml_file


@pytest.mark.parametrize("name", RECIPES)
def test_saved_recipe_equals_the_original(name: str, tmp_path: Path) -> None:
    recipe = Recipe.load(name)
    assert recipe.name == name
    assert recipe.summary
    assert recipe.source
    (tmp_path / "mine.toml").write_text(recipe.to_toml(), encoding="utf-8")
    assert Recipe.load(tmp_path / "mine.toml") == recipe
    assert all(meaning for _, _, meaning in recipe.list_settings())


@pytest.mark.parametrize(
    ("name", "agent"),
    [("becker-tuned", "becker"), ("medico-tuned", "medico")],
)
def test_candidate_of_zeros_is_the_published_agent(name: str, agent: str) -> None:
    design = Recipe.load(name).make_design()
    zero_agent = design.make_agent([0.0] * len(design.parameter_names), agent)
    published = tetrion.load_agent(agent)
    assert isinstance(published, tetrion.WeightedAgent)
    assert make_engine_agent(zero_agent) == make_engine_agent(published)


def test_weights_of_curves_add_up_to_one() -> None:
    design = Recipe.load("becker-tuned").make_design()
    candidate = [0.3, -0.7, 2.0, 0.1, 0.5, -0.5, 1.0, 0.2, 0.1, -0.2, 0.4]
    agent = design.make_agent(candidate, "mine")
    assert sum(term[0] for term in agent.weights.values() if isinstance(term, list)) == pytest.approx(1)
    parameters = dict(zip(design.parameter_names, design.compute_parameters(candidate), strict=True))
    assert [parameters[f"{name} weight"] for name in agent.weights] == [
        term[0] for term in agent.weights.values() if isinstance(term, list)
    ]
    assert parameters["holes middle"] == pytest.approx(8 * 2.718281828**0.1)
    for sign in (1, -1):
        design.make_agent([sign * 400.0] * 11, "extreme")
    extreme = design.make_agent([400.0, -400.0] * 5 + [400.0], "extreme")
    assert all(0 <= points <= 1 for term in extreme.weights.values() if isinstance(term, list) for points in term)


def test_numbers_of_modes_scale_weights_and_the_threshold() -> None:
    design = Recipe.load("medico-tuned").make_design()
    numbers = dict.fromkeys(design.parameter_names, 0.0) | {
        "scoring holes": 0.5,
        "recovery danger": -2.0,
        "threshold": -0.25,
    }
    agent = design.make_agent(list(numbers.values()), "mine")
    assert agent.second_mode
    assert agent.weights["holes"] == -75
    assert agent.second_mode.weights["danger"] == 1000
    assert agent.second_mode.threshold == 75


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("genetic.populaton=20", "Did you mean 'genetic.population'"),
        ("cma.population=20", r"Unknown setting 'cma.population'\. .* no section \[cma\].* 'genetic\.population'\?"),
        ("cma.sigma=1", r"The learner genetic has no section \[cma\]; its sections are agent, genetic, games, "),
        ("genetic.population=-1", "genetic.population must be an integer from 2 to 100,000; given -1"),
        ("genetic.population", "key=value"),
        ("genetic.crossover=two-points", "Did you mean 'two-point'"),
        ("genetic.normalise=yes", "true or false"),
        ("genetic.tournament_size=7", r"at most the population \(6\); given 7"),
        ("games.max_pieces=[80, 40]", "one or more increasing numbers"),
        ("games.sum_games=true", "games.halving_rounds = 0"),
        ("agent.features=[]", "must name at least one feature"),
        ('agent.features=["hole"]', "Did you mean 'holes'"),
        ('agent.features=["holes", "holes"]', "must name each feature once"),
        ("agent.features=holes", "must be a list"),
        ("agent.depth=2", "preview=1"),
        ("agent.design=curves", "agent.features requires agent.design = weights"),
        ("agent.base=medico", "agent.base requires agent.design = modes"),
        ("rules=standart", "Did you mean 'standard'"),
        ("learner=cma", "Use a recipe with another learner"),
        ("seed=-1", "A seed must be a whole number from 0 to"),
        ("max_pieces=100", "max_pieces is a key of several sections; use games.max_pieces or validation.max_pieces"),
        ("games=5", "games is the name of a section .* use one of validation.games, games.fitness, .*games.count"),
    ],
)
def test_invalid_changes_raise_errors(change: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make_small_recipe("genetic", change)


def test_table_of_a_change_can_be_omitted() -> None:
    assert (
        make_small_recipe("genetic", "population=8", "halving_rounds=0", "rules=gavrilov", "seed=4").settings.population
        == 8
    )
    assert make_small_recipe("genetic", "games.max_pieces=40").games.max_pieces == (40,)
    assert (
        make_small_recipe("genetic", "mutation=swap", 'features=["holes", "lines", "wells"]').agent.features[2]
        == "wells"
    )


def test_settings_can_be_keyword_arguments() -> None:
    recipe = Recipe.load("gavrilov", population=20, generations=5, rules="standard", games={"max_pieces": [40, 80]})
    assert recipe == Recipe.load(
        "gavrilov", ["population=20", "stop.generations=5", "rules=standard", "games.max_pieces=[40, 80]"]
    )
    assert recipe == Recipe.load("gavrilov").replace(
        {"genetic.population": 20, "generations": 5}, rules="standard", games={"max_pieces": (40, 80)}
    )
    assert Recipe.load("tetrais-q", q_learning={"max_pieces": 30}).settings.max_pieces == 30
    assert Recipe.load("cross-entropy", {"cross_entropy.noise": "constant"}).settings.noise == "constant"
    assert Recipe.load("gavrilov", {"population": 8}, population=9).settings.population == 9  # the last one applies
    with pytest.raises(TetrionError, match=r"Unknown setting 'generatons'\. Did you mean 'generations'\?"):
        Recipe.load("gavrilov", generatons=5)
    with pytest.raises(TetrionError, match=r"Unknown setting 'game\.count'\. Did you mean 'games\.count'\?"):
        Recipe.load("gavrilov", game={"count": 5})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("format = 1", "the key learner is missing"),
        ('format = 1\nlearner = "cma"\nfriend = 1', "Unknown key of a recipe 'friend'"),
        ('format = 1\nlearner = "cma"\ncma = 3', r"\[cma\] must be a table of settings; given 3"),
        ("format = ", "is not valid TOML"),
    ],
)
def test_invalid_files_raise_errors(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TetrionError, match=message):
        Recipe.load(path)


def test_special_characters_are_preserved_or_cleaned(tmp_path: Path) -> None:
    summary = 'two lines, "quoted" \\ – ü'
    recipe = make_small_recipe().replace(summary=summary)
    (tmp_path / "mine.toml").write_text(recipe.to_toml(), encoding="utf-8")
    assert Recipe.load(tmp_path / "mine.toml") == recipe
    unprintable = recipe.replace(summary="two\nlines \t\x01\x7f\u202e", name="n" * 10_000, source="s" * 10_000)
    (tmp_path / "mine.toml").write_text(unprintable.to_toml(), encoding="utf-8")
    cleaned = Recipe.load(tmp_path / "mine.toml")
    assert cleaned.summary == "two lines \ufffd\ufffd\ufffd"
    assert len(cleaned.name) == 100
    assert len(cleaned.source) == 1000
    run = train(unprintable, tmp_path / "cleaned", workers=1)
    assert run.recipe == resume(run.folder, workers=1, generations=6).recipe.replace(generations=5)


def test_unknown_recipes_raise_errors(tmp_path: Path) -> None:
    with pytest.raises(TetrionError, match=r"Did you mean 'gavrilov'\?.*RECIPES"):
        Recipe.load("gavrilow")
    with pytest.raises(TetrionError, match="cannot be read"):
        parse_toml_file(tmp_path / "none.toml")
