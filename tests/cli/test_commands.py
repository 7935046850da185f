"""The command line as a whole: help, lists and unknown commands."""

import errno
import io
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from unittest.mock import Mock

import click
import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.agents import load_agent, load_weighted_agent, save_agent
from tetrion.cli import COMMANDS, list_command, main
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.rules import PRESET_DEFINITIONS
from tetrion.errors import TetrionError
from tetrion.evaluation.agent_strengths import (
    CAPPED_GAMES_NOTE,
    format_strength,
    load_strengths,
)
from tetrion.papers import PAPERS
from tetrion.training.run import Run
from tetrion.training.trainer import create_run

COMMANDS_WITHOUT_ARGUMENTS = ("list", "play", "practice", "speed", "train", "versus")  # those of two depend on others


def test_help_imports_no_large_library() -> None:
    program = """
import sys
sys.argv = ["tetrion", "--help"]
from tetrion.cli import main
try:
    main()
except SystemExit:
    pass
print([name for name in ("numba", "numpy", "rich", "pygame", "matplotlib", "gymnasium", "dask") if name in sys.modules])
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "bench" in process.stdout
    assert process.stdout.splitlines()[-1] == "[]"


def test_every_option_for_a_number_refuses_nan_and_infinities() -> None:
    context = click.Context(click.Command("tetrion"))
    options = []
    for name in COMMANDS:
        command = import_module(f"tetrion.cli.{name}_command").command
        options += [option for option in command.params if isinstance(option.type, click.types.FloatParamType)]
    assert len(options) > 3
    for option in options:
        for text in ("nan", "-NaN", "inf", "-inf", "1e999"):
            with pytest.raises(click.BadParameter):
                option.type.convert(text, option, context)
    for text in ("nan", "nan%", "inf", "-inf%"):
        assert "--precision" in tetrion_here("bench", "du", "--precision", text, expect=2).stderr
    message = tetrion_here("watch", "du", "--text", "--speed", "nan", expect=2).stderr
    assert "Error: Invalid value for '--speed': nan is not a number from 0.25 to 512." in message


def test_rule_sets_are_described_first_and_compared_on_request() -> None:
    printed = tetrion_here("list", "rules").stdout
    for name, preset in PRESET_DEFINITIONS.items():
        assert re.search(rf"^{name} +{re.escape(preset.source)}", printed, re.MULTILINE)
    assert "hidden_rows" not in printed
    table = tetrion_here("list", "rules", "--table").stdout
    assert re.search(r"^hidden_rows +0 +4 ", table, re.MULTILINE)


def test_help_is_also_a_command() -> None:
    assert tetrion_here("help").stdout == tetrion_here("--help").stdout
    assert tetrion_here("help", "bench").stdout == tetrion_here("bench", "--help").stdout
    assert "Did you mean 'bench'" in tetrion_here("help", "bnech", expect=2).stderr
    assert "Unknown list 'agent'. Did you mean 'agents'?" in tetrion_here("list", "agent", expect=2).stderr


def test_one_agent_is_shown_with_its_weights() -> None:
    printed = tetrion_here("list", "agents", "lee").stdout
    agent = load_weighted_agent("lee")
    rows = [line.split() for line in printed.splitlines()]
    for name, weight in agent.weights.items():
        assert isinstance(weight, float)
        assert [name, f"{weight:.4g}".replace("-", "−")] in rows
    for fact in (agent.source, agent.rules, format_strength(load_strengths()["lee"]), "10,000 games", "depth 1"):
        assert fact in printed


def test_modes_tables_and_capped_games_of_an_agent() -> None:
    medico = tetrion_here("list", "agents", "medico").stdout
    assert ["feature", "scoring", "recovery"] in [line.split() for line in medico.splitlines()]
    assert "recovery mode from aggregate_height 100 on" in medico
    assert "table of 115,248 values, −" in tetrion_here("list", "agents", "tetrion-1").stdout
    assert CAPPED_GAMES_NOTE in tetrion_here("list", "agents", "tetrais-depth3").stdout
    modern = tetrion_here("list", "agents", "modern-1").stdout
    assert "attack per piece (200 games, 198 capped)" in modern
    assert CAPPED_GAMES_NOTE not in modern  # capping does not change the attack per piece


def test_agents_that_are_not_named_or_have_no_weights_can_be_shown(tmp_path: Path) -> None:
    assert "Weights: none" in tetrion_here("list", "agents", "random-keys").stdout
    options = tetrion_here("list", "agents", "du:depth=2,beam=8").stdout
    assert "Search: depth 2, beam 8" in options
    assert "Strength" not in options
    file = tmp_path / "mine.json"
    save_agent(replace(load_weighted_agent("du"), weights={"holes": -3.0}), file)
    assert ["holes", "−3"] in [line.split() for line in tetrion_here("list", "agents", str(file)).stdout.splitlines()]


def test_one_feature_paper_or_recipe_is_shown() -> None:
    holes = tetrion_here("list", "features", "holes").stdout
    assert FEATURES["holes"].description in holes
    assert "dellacherie, du, " in holes
    assert "Agents: modern-1\n" in tetrion_here("list", "features", "attack").stdout
    becker = tetrion_here("list", "papers", "becker").stdout
    assert PAPERS["becker"].title in becker
    assert all(claim.statement in becker for claim in PAPERS["becker"].claims)
    assert "Rules: gavrilov\n\nsetting" in tetrion_here("list", "recipes", "gavrilov").stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in COMMANDS_WITHOUT_ARGUMENTS])
def test_a_missing_argument_is_explained_with_an_example(name: str) -> None:
    message = tetrion_here(name, expect=2).stderr
    example = message.partition("For example: tetrion ")[2].split()
    assert example[0] == name
    command = import_module(f"tetrion.cli.{name}_command").command
    command.make_context(name, example[1:])  # raises an error if the example is not complete


@pytest.mark.parametrize("command", ["explain", "report", "evolve"])
def test_a_missing_run_names_the_command_that_makes_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--piece", "T"] if command == "explain" else []
    error = tetrion_here(command, "runs/demo", *options, expect=2).stderr
    assert error == "Error: No such folder: runs/demo. `tetrion train gavrilov-plus --out runs/demo` makes it.\n"


def test_folders_of_several_seeds_are_not_an_agent_or_a_run(tmp_path: Path) -> None:
    for seed in range(3):
        create_run("gavrilov", tmp_path / f"seed-{seed}")
    message = f"{tmp_path} contains the runs of 3 seeds. Give one of them, such as {tmp_path / 'seed-0'}."
    for load in (load_agent, Run):
        with pytest.raises(TetrionError) as caught:
            load(tmp_path)
        assert str(caught.value) == message
    assert message in tetrion_here("evolve", str(tmp_path), expect=2).stderr
    assert message in tetrion_here("bench", str(tmp_path), expect=2).stderr


def test_empty_rules_are_refused() -> None:
    for command in (["bench", "du"], ["play"]):
        error = tetrion_here(*command, "--rules", " ", expect=2).stderr
        assert error.startswith("Error: --rules is a rule set, such as standard; given an empty text.")


def test_errors_of_the_system_name_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError(errno.EXDEV, "Invalid cross-device link", "a.json", None, "b.json")
    monkeypatch.setattr(list_command, "print_table", Mock(side_effect=error))
    printed = tetrion_here("list", "papers", expect=2).stderr
    assert printed == "Error: a.json → b.json: Invalid cross-device link.\n"


def test_a_console_with_a_limited_encoding_does_not_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, "cp1252"))
    monkeypatch.setattr(sys, "argv", ["tetrion", "list", "agents", "lee"])  # its weights have a "−"
    with suppress(SystemExit):
        main()
    sys.stdout.flush()
    assert b"holes" in output.getvalue()
