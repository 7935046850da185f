"""Tests that data files never run code without the user's consent."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tetrion
from tests.cli.command_runner import tetrion_here
from tetrion.agents import code_consent
from tetrion.agents.agent_loading import find_code_file, load_agent, load_data_agent, load_named_agent
from tetrion.agents.code_consent import CodeConsentError, compute_code_digest, has_consent, remember_consent
from tetrion.cli.shared_options import allow_named_code
from tetrion.errors import AgentError, TetrionError
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.user_folders import get_config_folder

MODULE = """
import pathlib
import tetrion

pathlib.Path(__file__).with_name("ran.txt").write_text("ran", encoding="utf-8")


@tetrion.feature(max_value=280)
def gaps(outcome):
    return sum(outcome.heights) - outcome.filled_cells
"""
REFUSAL = "which the agent of a run or a recipe cannot do"
MODES = {
    "kind": "modes",
    "selector": "max_height",
    "threshold": 12,
    "modes": {"a": {"weights": {"holes": -1}}, "b": {"weights": {"holes": -2}}},
}


@pytest.fixture(autouse=True)
def consents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without any consent, in an empty folder."""
    monkeypatch.setenv("TETRION_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(code_consent, "_session_digests", set())
    monkeypatch.setattr(code_consent, "_session_paths", set())
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def forget_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the consents that exist only in this process, as a new process does."""
    monkeypatch.setattr(code_consent, "_session_digests", set())
    monkeypatch.setattr(code_consent, "_session_paths", set())


def write_agent(path: Path, **changes: Any) -> Path:
    """Write an agent file that names the module `mine.py`, and the module beside it."""
    content = {"format": 1, "kind": "linear", "features": "mine.py", "weights": {"gaps": -1}} | changes
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}), encoding="utf-8")
    (path.parent / "mine.py").write_text(MODULE, encoding="utf-8")
    return path


def has_run(path: Path) -> bool:
    """Return whether the module beside a file has run."""
    return (path.parent / "ran.txt").exists()


def test_module_of_an_agent_file_needs_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_agent(Path("a.json"))
    for load in (load_agent, lambda name: tetrion.evaluate(name, "standard-10x10", games=3)):
        with pytest.raises(CodeConsentError, match=r"^a.json: .* runs the Python code in mine.py.*`allow_code=True`"):
            load(path)
    assert not has_run(path)
    assert find_code_file(path) == Path("mine.py")
    assert load_agent(path, allow_code=True).name == "a"
    assert has_run(path)
    forget_session(monkeypatch)
    assert load_agent(path).name == "a", "the consent is remembered"
    assert load_agent(write_agent(Path("elsewhere/b.json"))).name == "b", "for the content, wherever it lies"
    Path("mine.py").write_text(MODULE + "\nx = 1\n", encoding="utf-8")
    with pytest.raises(CodeConsentError):
        load_agent(path)


@pytest.mark.parametrize("name", ["../mine.py", "sub/mine.py", "C:mine.py", "..\\mine.py", "mine.txt", "", "\0.py"])
def test_module_lies_beside_the_agent_file(name: str) -> None:
    path = write_agent(Path("sub/a.json"), features=name)
    write_agent(Path("other.json"))
    for features in (name, str(Path("mine.py").absolute())):
        write_agent(path, features=features)
        with pytest.raises(AgentError, match="Put the Python file beside the agent file"):
            load_agent(path, allow_code=True)
    assert not has_run(path)


def test_files_that_the_module_imports_belong_to_the_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_agent(Path("a.json"))
    Path("mine.py").write_text("import helper\nfrom package import inner\n" + MODULE, encoding="utf-8")
    Path("package").mkdir()
    for file in ("helper.py", "package/__init__.py", "package/inner.py"):
        Path(file).write_text("x = 1\n", encoding="utf-8")
    load_agent(path, allow_code=True)
    assert str(Path.cwd()) not in sys.path
    assert not {"helper", "package"} & set(sys.modules), "another agent may have other files of these names"
    forget_session(monkeypatch)
    assert has_consent(Path("mine.py"))
    Path("package/inner.py").write_text("x = 2\n", encoding="utf-8")
    assert not has_consent(Path("mine.py"))


def test_files_beside_a_module_do_not_hide_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_agent(Path("a.json"))
    Path("mine.py").write_text("import colorsys, wave\ncolorsys.rgb_to_hsv, wave.open\n" + MODULE, encoding="utf-8")
    for library in ("colorsys", "wave"):
        monkeypatch.delitem(sys.modules, library, raising=False)
        Path(f"{library}.py").write_text("raise RuntimeError('hidden')\n", encoding="utf-8")
    load_agent(path, allow_code=True)


def test_damaged_file_of_consents_allows_nothing() -> None:
    path = write_agent(Path("a.json"))
    remember_consent(Path("mine.py"))
    file = get_config_folder() / code_consent.CONSENT_FILE
    assert compute_code_digest(Path("mine.py")) in json.loads(file.read_text("utf-8"))["modules"]
    for content in ("", "[]", '{"modules": []}', "[" * 5000, '{"modules": null}'):
        code_consent._session_digests.clear()
        file.write_text(content, encoding="utf-8")
        with pytest.raises(CodeConsentError):
            load_agent(path)
    load_agent(path, allow_code=True)
    code_consent._session_digests.clear()
    load_agent(path)


def test_agent_of_a_run_names_no_module() -> None:
    run = Path("runs/x")
    write_agent(run / "best.json")
    recipe = Recipe.load("gavrilov")
    (run / "config.toml").write_text(recipe.to_toml(), encoding="utf-8")
    remember_consent(run / "mine.py")
    with pytest.raises(AgentError, match=REFUSAL):
        load_agent("runs/x")
    with pytest.raises(AgentError, match=REFUSAL):
        _ = Run(run).best_agent
    assert not has_run(run / "best.json")
    assert find_code_file("runs/x") is None


def test_commands_do_not_run_the_module_of_a_run() -> None:
    test_agent_of_a_run_names_no_module()
    for command in ("bench", "watch --text", "report", "plot", "record --out x.gif", "explain --piece T"):
        name, *options = command.split()
        tetrion_here(name, "runs/x", *options, expect=2)
    assert not has_run(Path("runs/x/best.json"))


def test_recipes_name_no_module() -> None:
    agent = write_agent(Path("evil.json"), weights=None, **MODES)
    with pytest.raises(TetrionError, match=REFUSAL):
        load_data_agent("evil.json")
    text = Recipe.load("medico-tuned").to_toml().replace('base = "medico"', 'base = "evil.json"')
    Path("recipe.toml").write_text(text, encoding="utf-8")
    Path("runs/x").mkdir(parents=True)
    Path("runs/x/config.toml").write_text(text, encoding="utf-8")
    for load in (lambda: Recipe.load("recipe.toml"), lambda: Run("runs/x")):
        with pytest.raises(TetrionError, match=REFUSAL):
            load()
    Path("recipe.toml").write_text(text.replace("evil.json", "mine.py:Mine"), encoding="utf-8")
    with pytest.raises(TetrionError, match="not a weighted agent"):
        Recipe.load("recipe.toml")
    tetrion_here("list", "recipes")
    for arguments in (["plot", "runs/x"], ["report", "runs/x"], ["train", "--resume", "runs/x"]):
        tetrion_here(*arguments, expect=2)
    assert not has_run(agent)


def test_replay_names_no_file() -> None:
    from tetrion.lab.video_frames import find_explaining_agent

    write_agent(Path("a.json"))
    remember_consent(Path("mine.py"))
    game = tetrion.Game("standard-10x10", seed=1)
    game.place(game.placements()[0])
    for name in ("a.json", "mine.py:Mine", "runs/x", "./a.json"):
        assert find_explaining_agent(tetrion.Replay.from_game(game, name)) is None
    found = find_explaining_agent(tetrion.Replay.from_game(game, "dellacherie:depth=1"))
    assert found is not None
    assert not has_run(Path("a.json"))
    with pytest.raises(TetrionError, match="Unknown agent"):
        load_named_agent("a.json")


def test_commands_need_the_option_once() -> None:
    path = write_agent(Path("a.json"))
    arguments = ("bench", "a.json", "--games", "3", "--pieces", "5", "--rules", "standard-10x10")
    refused = tetrion_here(*arguments, expect=2)
    assert "--allow-code" in refused.stderr
    assert "allow_code" not in refused.stderr
    assert not has_run(path)
    tetrion_here(*arguments, "--allow-code")
    tetrion_here(*arguments)


def test_class_on_the_command_line_is_named_code() -> None:
    Path("mine.py").write_text(
        "class Mine:\n    def choose(self, position):\n        return position.placements()[0]\n", encoding="utf-8"
    )
    assert find_code_file("mine.py:Mine:deadline=2") == Path("mine.py")
    allow_named_code(["mine.py:Mine:deadline=2"], allow_code=False)
    assert has_consent(Path("mine.py"))
    assert find_code_file("mine:Mine") == Path("mine.py")
    assert find_code_file("json:Mine") is None
    tetrion_here("bench", "mine.py:Mine", "--games", "3", "--pieces", "3")


def write_files_named_after_libraries() -> None:
    """Fill the current folder with files that leave a mark if they are imported instead of a library."""
    for name in ("tetrion", "numpy", "numba", "json", "multiprocessing", "pickle", "click", "distributed"):
        code = f"import os\nos.mkdir({str(Path('ran').absolute())!r})\nraise ImportError('{name}')\n"
        Path(f"{name}.py").write_text(code, encoding="utf-8")


def test_files_of_the_current_folder_are_not_imported() -> None:
    write_files_named_after_libraries()
    program = str(Path(sys.executable).with_name("tetrion"))
    settings = ["--set", "episodes=2", "--set", "validation.final_games=3"]
    for arguments in (["list", "rules"], ["train", "tetrais-q", "--seeds", "2", *settings]):
        result = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
    assert not Path("ran").exists()
