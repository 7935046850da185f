"""Architecture: imports point downwards, and large libraries are loaded only when they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import tetrion

SOURCE = Path(tetrion.__file__).parent
LEVELS = [  # from top to bottom; a package or module may only import those of lower levels
    ("__main__",),
    ("cli",),
    ("app", "papers"),
    ("lab", "envs"),
    ("drawing", "training"),
    ("evaluation",),
    ("agents",),
    ("replay", "game_facts"),
    ("game",),
    ("stack", "position"),
    ("board",),
    ("notebook_display",),  # pictures and tables in notebooks, which values show of themselves
    ("drawing.palette",),
    ("engine",),
    ("data_files", "display_check", "extras", "registry"),
    ("errors", "atomic_files", "interrupts", "process_supervisor", "progress", "user_folders"),
    ("text_cleaning",),
]
LATE_IMPORTS = {
    ("game", "agents"),  # `Game.play` accepts agents, and loads them by name
    ("registry", "notebook_display"),  # a registry is a table in a notebook
    ("training", "lab"),  # a `Run` shows its plot in a notebook
}
LEVEL = {package: number for number, packages in enumerate(LEVELS) for package in packages}


def get_package(module: str) -> str:
    """Return the package or module that has a level, for a module such as `drawing.palette` or `drawing.pen`."""
    names = module.split(".")
    return ".".join(names[:2]) if ".".join(names[:2]) in LEVEL else names[0]


def find_imported_packages(path: Path) -> set[str]:
    """Return the packages and modules of `tetrion` that a file imports."""
    packages = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        packages |= {get_package(name.removeprefix("tetrion.")) for name in names if name.startswith("tetrion.")}
    return packages


def find_upward_imports(source: Path) -> list[str]:
    """Return a message for each import that does not point to a lower level."""
    messages = []
    for path in source.rglob("*.py"):
        package = get_package(".".join(path.relative_to(source).with_suffix("").parts))
        if package != "__init__":
            imported = find_imported_packages(path) - {package}
            upward = [
                name for name in imported if LEVEL[package] >= LEVEL[name] and (package, name) not in LATE_IMPORTS
            ]
            messages += [f"{path}: {package} must not import {name}" for name in upward]
    return messages


def test_imports_point_downwards() -> None:
    assert find_upward_imports(SOURCE) == []


def find_loaded_modules(program: str, modules: list[str]) -> str:
    """Run a program in a new Python process and return those modules that are loaded at its end, as a printed list."""
    program = f"import sys; {program}; print([name for name in {modules} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip()


def test_import_of_tetrion_loads_no_large_library() -> None:
    large = ["numba", "numpy", "pygame", "matplotlib", "gymnasium", "dask", "distributed", "cmaes", "PIL", "rich"]
    assert find_loaded_modules("import tetrion", [*large, "jinja2"]) == "[]"


def test_evaluation_and_training_load_no_interface_library() -> None:
    unwanted = ["click", "rich", "pygame", "matplotlib", "distributed", "cmaes", "jinja2"]
    assert find_loaded_modules("import tetrion; tetrion.evaluate; tetrion.train", unwanted) == "[]"


def test_plots_and_measurements_do_not_load_pygame() -> None:
    program = (
        "import tetrion.cli.bench_command, tetrion.lab.distribution_plot, tetrion.lab.training_report; "
        "from tetrion.lab.replay_page import Game, Replay, render_replay_page; "
        "render_replay_page(Replay.from_game(Game()))"
    )
    assert find_loaded_modules(program, ["pygame"]) == "[]"
