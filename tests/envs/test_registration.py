"""Registration: the environments exist after `import tetrion`, in any order of imports."""

import subprocess
import sys
from importlib.metadata import entry_points

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
        'The environments need Gymnasium. Install it with: pip install "tetrion[rl]"'
    )


def test_entry_point_for_gymnasium_before_version_1() -> None:
    (entry,) = [entry for entry in entry_points(group="gymnasium.envs") if entry.name == "tetrion"]
    assert entry.load() is registration.register_environments


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
    env = gymnasium.make("tetrion/Jumanji-v0")
    assert env.spec is not None
    assert env.spec.max_episode_steps == 400
    rules = env.unwrapped._batch.rules  # type: ignore[attr-defined]
    assert (rules.height, rules.randomiser, rules.movement) == (10, "uniform", "drop")
    assert env.unwrapped._batch.settings.engine.rules[0].line_points.tolist() == [40, 100, 300, 1200]  # type: ignore[attr-defined]
