"""Generated functions: they see only their scope, tracebacks show their source, and no other module uses `exec`."""

import ast
import traceback
from pathlib import Path

import pytest

import tetrion
from tetrion.engine.code_generation import define_function

PACKAGE = Path(tetrion.__file__).parent


def test_generated_function_uses_the_objects_of_its_scope() -> None:
    scope = {"offset": 3}
    assert define_function("add", "def add(a): return a + offset", scope)(4) == 7
    assert scope == {"offset": 3}


def test_traceback_shows_the_generated_source() -> None:
    functions = [define_function("fail", f"def fail():\n    return {number} / 0", {}) for number in range(2)]
    for number, function in enumerate(functions):
        with pytest.raises(ZeroDivisionError) as error:
            function()
        assert f"return {number} / 0" in "".join(traceback.format_exception(error.value))


def test_no_other_module_executes_source_code() -> None:
    users = {
        path.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval")
    }
    assert users == {"code_generation.py"}
