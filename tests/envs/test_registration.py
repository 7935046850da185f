"""Registration: the environments exist after `import tetrion`, in any order of imports."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from tetrion.envs import registration

MAKE = "env = gymnasium.make('tetrion/Placement-v0'); print(type(env.unwrapped).__name__)"
BLOCK_GYMNASIUM = "import sys; sys.modules['gymnasium'] = None; "


def run_program(program: str) -> str:
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return (result.stdout + result.stderr).strip()


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium, tetrion",
        "import tetrion, gymnasium",
        "import tetrion, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
    ],
)
def test_import_of_tetrion_registers_the_environments(imports: str) -> None:
    assert run_program(f"{imports}; {MAKE}") == "PlacementEnv"


def test_id_with_module_needs_no_import() -> None:
    program = "import gymnasium; print(gymnasium.make('tetrion:tetrion/Keys-v0').unwrapped.__class__.__name__)"
    assert run_program(program) == "KeysEnv"


def test_import_without_gymnasium_works_and_its_absence_is_explained() -> None:
    answer = run_program(f"{BLOCK_GYMNASIUM}import tetrion; tetrion.Rules; import tetrion.envs; tetrion.envs.KeysEnv")
    assert answer.splitlines()[-1].endswith(
        'The environments need Gymnasium. Install it in the folder of the repository: pip install -e ".[rl]"'
    )


def test_entry_point_registers_nothing_in_old_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = [entry for entry in entry_points(group="gymnasium.envs") if entry.name == "tetrion"]
    assert entry.load() is registration.register_environments
    for version in ("0.29.1", "1.0.0", "1.0.0a2"):
        monkeypatch.setattr(gymnasium, "__version__", version)
        monkeypatch.setattr(gymnasium, "registry", {})
        registration.register_environments()
        assert gymnasium.registry == {}


@pytest.mark.parametrize("content", ["", "__version__ = '0.29.1'\nimport tetrion\nregistry = {}"])
def test_strange_or_partly_imported_gymnasium_is_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "gymnasium.py").write_text(content, encoding="utf-8")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gymnasium, tetrion; print(tetrion.Rules().name)"
    )
    assert run_program(program) == "standard"


def test_all_ids_are_registered_with_a_vector_entry_point() -> None:
    ids = {f"tetrion/{name}" for name in registration.REGISTERED_ENVIRONMENTS}
    assert ids == {name for name in gymnasium.registry if name.startswith("tetrion/")}
    assert {f"tetrion/{name}-v0" for name in ("Placement", "Keys", "Afterstates", "Jumanji")} < ids
    for environment_id in ids:
        envs = gymnasium.make_vec(environment_id, num_envs=2, vectorization_mode="vector_entry_point")
        assert envs.num_envs == 2
        assert gymnasium.make(environment_id).spec is not None


def test_second_registration_changes_nothing() -> None:
    before = dict(gymnasium.registry)
    registration.register_environments()
    assert before == dict(gymnasium.registry)


def test_misspelt_id_gets_a_hint() -> None:
    with pytest.raises(gymnasium.error.NameNotFound, match="Placement"):
        gymnasium.make("tetrion/Placment-v0")


def test_jumanji_task_is_that_of_jumanji() -> None:
    env: Any = gymnasium.make("tetrion/Jumanji-v0")
    assert env.spec is not None
    assert env.spec.max_episode_steps == 400
    rules = env.unwrapped.rules
    assert (rules.height, rules.randomiser, rules.movement) == (10, "uniform", "drop")
    assert env.unwrapped._batch.settings.rules[0].line_points.tolist() == [40, 100, 300, 1200]
