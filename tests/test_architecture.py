"""What the house promises: imports point downwards, nothing heavy is loaded, every file fits in the head."""

import ast
import subprocess
import sys
from pathlib import Path

import tetrion

SOURCE = Path(tetrion.__file__).parent
LEVELS = [
    ("cli",),
    ("app",),
    ("lab", "envs", "interop"),
    ("drawing", "training"),
    ("evaluation",),
    ("agents",),
    ("game", "replay"),
    ("engine",),
    ("errors",),
]
LEVEL = {room: number for number, rooms in enumerate(LEVELS) for room in rooms}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by dots"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("tetrion.")}
    return rooms


def test_imports_point_downwards() -> None:
    for path in SOURCE.rglob("*.py"):
        own = room_of(path)
        if own == "__init__":
            continue
        for room in imported_rooms(path) - {own}:
            assert LEVEL[own] < LEVEL[room], f"{path}: {own} must not import {room}"


def test_the_check_can_fail() -> None:
    assert LEVEL["engine"] > LEVEL["agents"]
    assert "engine" in imported_rooms(SOURCE / "agents" / "files.py")


def test_import_tetrion_loads_nothing_heavy() -> None:
    heavy = ["numba", "numpy", "pygame", "matplotlib", "gymnasium", "dask", "rich"]
    program = f"import sys, tetrion; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_engine_to_evaluation_run_without_the_command_line() -> None:
    program = (
        "import sys, tetrion; tetrion.evaluate; print([n for n in ('click', 'rich', 'pygame') if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_public_names() -> None:
    for name in tetrion.__all__:
        assert getattr(tetrion, name) is not None
    assert dir(tetrion) == tetrion.__all__
