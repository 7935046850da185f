"""What the house promises: imports point downwards, and nothing heavy is loaded before it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import tetrion

SOURCE = Path(tetrion.__file__).parent
LEVELS = [
    ("__main__",),
    ("cli",),
    ("app",),
    ("lab", "envs", "interop"),
    ("drawing", "training"),
    ("evaluation",),
    ("agents",),
    ("replay",),
    ("game",),
    ("position",),
    ("board",),
    ("engine",),
    ("errors", "files"),
]
LEVEL = {room: number for number, rooms in enumerate(LEVELS) for room in rooms}


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by dots"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("tetrion.")}
    return rooms


def wrong_arrows(source: Path) -> list[str]:
    wrong = []
    for path in source.rglob("*.py"):
        own = path.relative_to(source).parts[0].removesuffix(".py")
        if own != "__init__":
            upwards = [room for room in imported_rooms(path) - {own} if LEVEL[own] >= LEVEL[room]]
            wrong += [f"{path}: {own} must not import {room}" for room in upwards]
    return wrong


def test_imports_point_downwards() -> None:
    assert wrong_arrows(SOURCE) == []


def test_a_wrong_arrow_is_found(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "wrong.py").write_text("from tetrion.agents import load_agent\n", encoding="utf-8")
    assert len(wrong_arrows(tmp_path)) == 1


def test_import_tetrion_loads_nothing_heavy() -> None:
    heavy = ["numba", "numpy", "pygame", "matplotlib", "gymnasium", "dask", "distributed", "cmaes", "PIL", "rich"]
    program = f"import sys, tetrion; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_engine_to_training_run_without_the_command_line() -> None:
    program = (
        "import sys, tetrion; tetrion.evaluate; tetrion.train; "
        "unwanted = ('click', 'rich', 'pygame', 'matplotlib', 'distributed', 'cmaes'); "
        "print([name for name in unwanted if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_plots_and_measurements_load_nothing_to_draw_boards_with() -> None:
    program = "import sys, tetrion.cli.bench_command, tetrion.lab.distribution_plot, tetrion.lab.animation; print('pygame' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "False"


def test_public_names() -> None:
    for name in tetrion.__all__:
        assert getattr(tetrion, name) is not None
    assert dir(tetrion) == tetrion.__all__
