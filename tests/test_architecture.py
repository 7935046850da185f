"""Architecture: imports point downwards, and large libraries are loaded only when they are used."""

import ast
import subprocess
import sys
from pathlib import Path

import tetrion

SOURCE = Path(tetrion.__file__).parent
LEVELS = [  # from top to bottom; a package may only import packages of lower levels
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
    ("errors", "atomic_files", "progress"),
]
LEVEL = {package: number for number, packages in enumerate(LEVELS) for package in packages}


def find_imported_packages(path: Path) -> set[str]:
    """Return the names directly below `tetrion` that a file imports."""
    packages = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        packages |= {name.split(".")[1] for name in names if name.startswith("tetrion.")}
    return packages


def find_upward_imports(source: Path) -> list[str]:
    """Return a message for each import that does not point to a lower level."""
    messages = []
    for path in source.rglob("*.py"):
        package = path.relative_to(source).parts[0].removesuffix(".py")
        if package != "__init__":
            imported = find_imported_packages(path) - {package}
            upward = [name for name in imported if LEVEL[package] >= LEVEL[name]]
            messages += [f"{path}: {package} must not import {name}" for name in upward]
    return messages


def test_imports_point_downwards() -> None:
    assert find_upward_imports(SOURCE) == []


def test_upward_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "wrong.py").write_text("from tetrion.agents import load_agent\n", encoding="utf-8")
    assert len(find_upward_imports(tmp_path)) == 1


def find_loaded_modules(program: str, modules: list[str]) -> str:
    """Run a program in a new Python process and return those modules that are loaded at its end, as a printed list."""
    program = f"import sys; {program}; print([name for name in {modules} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip()


def test_import_of_tetrion_loads_no_large_library() -> None:
    large = ["numba", "numpy", "pygame", "matplotlib", "gymnasium", "dask", "distributed", "cmaes", "PIL", "rich"]
    assert find_loaded_modules("import tetrion", large) == "[]"


def test_evaluation_and_training_load_no_interface_library() -> None:
    unwanted = ["click", "rich", "pygame", "matplotlib", "distributed", "cmaes"]
    assert find_loaded_modules("import tetrion; tetrion.evaluate; tetrion.train", unwanted) == "[]"


def test_plots_and_measurements_do_not_load_pygame() -> None:
    program = "import tetrion.cli.bench_command, tetrion.lab.distribution_plot, tetrion.lab.animation"
    assert find_loaded_modules(program, ["pygame"]) == "[]"


def test_public_names_exist_and_are_listed() -> None:
    for name in tetrion.__all__:
        assert getattr(tetrion, name) is not None
    assert dir(tetrion) == tetrion.__all__
