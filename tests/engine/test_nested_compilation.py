"""Nested functions are only simplified; the entry point that contains them is optimised and becomes machine code."""

import numba
import pytest
from numba.core.codegen import JITCodeLibrary

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.nested_compilation import IS_SUPPORTED, NestedCodeLibrary


@compile_separate
def count_down(number: int) -> int:
    """Return the sum of the numbers from `number` down to 1."""
    total = 0
    while number:
        total += number
        number -= 1
    return total


@compile_inline
def double_sum(number: int) -> int:
    """Return twice the sum of the numbers up to `number`."""
    return 2 * count_down(number)


@compile_inline
def triple_sum(number: int) -> int:
    """Return three times the sum of the numbers up to `number`."""
    return double_sum(number) + count_down(number)


def test_only_the_entry_point_becomes_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert IS_SUPPORTED, "with this version of Numba, compiling the engine takes longer"
    machine_code: list[str] = []
    nested: list[str] = []
    emit = JITCodeLibrary._finalize_specific
    simplify = NestedCodeLibrary._finalize_final_module

    def record_machine_code(library: JITCodeLibrary) -> None:
        machine_code.append(library.name)
        emit(library)

    def record_nested(library: NestedCodeLibrary) -> None:
        nested.append(library.name)
        simplify(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", record_machine_code)
    monkeypatch.setattr(NestedCodeLibrary, "_finalize_final_module", record_nested)
    assert numba.njit(lambda number: triple_sum(number))(10) == 165
    assert nested == ["count_down", "double_sum", "triple_sum"]
    assert not set(machine_code).intersection(nested)
    assert machine_code[-1].endswith("<lambda>")


def test_only_inline_functions_are_always_inlined(monkeypatch: pytest.MonkeyPatch) -> None:
    always_inlined: dict[str, bool] = {}
    simplify = NestedCodeLibrary._finalize_final_module

    def record_attribute(library: NestedCodeLibrary) -> None:
        always_inlined[library.name] = "alwaysinline" in str(library._final_module)
        simplify(library)

    monkeypatch.setattr(NestedCodeLibrary, "_finalize_final_module", record_attribute)
    assert numba.njit(lambda number: triple_sum(number + 0.0))(10) == 165
    assert always_inlined == {"count_down": False, "double_sum": True, "triple_sum": True}
