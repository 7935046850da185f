"""Registration: which imports register the environments, without changing anything else in Python."""

import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

from tetrion.envs import REGISTERED_ENVIRONMENTS

ID = "tetrion/Placement-v0"
PRINT_TYPE = "print(type(gymnasium.make('{}').unwrapped).__name__)"
PRINT_REGISTERED = f"print('{ID}' in gymnasium.registry)"


def run_program(program: str) -> str:
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return (result.stdout + result.stderr).strip()


@pytest.mark.parametrize(
    ("imports", "is_registered"),
    [
        ("import tetrion; import gymnasium, tetrion.envs", True),
        ("import gymnasium, tetrion", True),
        ("import tetrion, gymnasium", False),
    ],
)
def test_imports_that_register_the_environments(imports: str, is_registered: bool) -> None:
    """The first table of docs/environments/index.md."""
    assert run_program(f"{imports}; {PRINT_REGISTERED}") == str(is_registered)


@pytest.mark.parametrize(
    ("imports", "environment_id", "printed"),
    [
        ("import tetrion, gymnasium", "tetrion.envs:tetrion/Placement-v0", "PlacementEnv"),
        ("import gymnasium", "tetrion:tetrion/Placement-v0", "PlacementEnv"),
        ("import tetrion, gymnasium", "tetrion:tetrion/Placement-v0", "Namespace tetrion not found"),
    ],
)
def test_ids_with_a_module_import_it(imports: str, environment_id: str, printed: str) -> None:
    assert printed in run_program(f"{imports}; {PRINT_TYPE.format(environment_id)}").splitlines()[-1]


def test_import_of_tetrion_changes_nothing_outside_the_package() -> None:
    program = """
import sys
before = list(sys.meta_path), list(sys.path_hooks), list(sys.path), set(sys.modules)
import tetrion
print(before[:3] == (sys.meta_path, sys.path_hooks, sys.path))
print({name.partition(".")[0] for name in set(sys.modules) - before[3]} - set(sys.stdlib_module_names))
"""
    assert run_program(program) == "True\n{'tetrion'}"


def test_missing_gymnasium_is_named_with_its_command() -> None:
    error = run_program("import sys; sys.modules['gymnasium'] = None; import tetrion; import tetrion.envs")
    assert error.splitlines()[-1].endswith('Install it: pip install "tetrion[rl]"')


def test_other_gymnasiums_are_left_alone_until_the_environments_are_imported(tmp_path: Path) -> None:
    (tmp_path / "gymnasium.py").write_text("__version__ = '1.0.0'\nclass vector: pass", encoding="utf-8")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gymnasium, tetrion; "
    lines = run_program(start + "print(tetrion.Rules().name); import tetrion.envs").splitlines()
    assert lines[0] == "standard"
    message = 'need Gymnasium 1.1 or later; 1.0.0 is installed. Upgrade it: pip install "tetrion[rl]"'
    assert lines[-1].endswith(message)


def test_all_ids_are_registered_with_a_vector_entry_point() -> None:
    assert set(REGISTERED_ENVIRONMENTS) == {name for name in gymnasium.registry if name.startswith("tetrion/")}
    for environment_id in REGISTERED_ENVIRONMENTS:
        envs = gymnasium.make_vec(environment_id, num_envs=2, vectorization_mode="vector_entry_point")
        assert envs.num_envs == 2
        assert gymnasium.make(environment_id).spec is not None
