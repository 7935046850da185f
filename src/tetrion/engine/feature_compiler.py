"""Compilation of custom features with checks that Python makes and Numba omits by default.

An index outside of an array, a float that is not a whole number of 64 bits, and a loop without end raise an exception.
This holds for all functions that a feature calls; those that the user has compiled with Numba are compiled again.
"""

import math
from functools import cache
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions, get_definition, guard, mk_unique_var
from numba.core.postproc import PostProcessor
from numba.core.untyped_passes import MakeFunctionToJitFunction
from numba.extending import overload

from tetrion.engine.feature_purity import get_own_function

_MAX_ITERATIONS = 10_000_000  # of the loops of one call of a function
_TOO_MANY_ITERATIONS = f"the loops have more than {_MAX_ITERATIONS:,} iterations"


@numba.njit  # type: ignore[untyped-decorator]
def count_iterations(iterations: int, added: int) -> int:
    """Return the sum of two numbers of iterations; raise an exception if it is so large that a loop may never end."""
    if added > _MAX_ITERATIONS - iterations:
        raise RuntimeError(_TOO_MANY_ITERATIONS)
    return iterations + added


count_iteration = numba.njit(lambda iterations: count_iterations(iterations, 1))
count_range = numba.njit(lambda iterations, numbers: count_iterations(iterations, len(numbers)))


def check_float(number: Any) -> Any:
    """Return the argument, unless it is a float that no integer of 64 bits can represent, such as NaN."""


@overload(check_float)  # type: ignore[untyped-decorator]
def _overload_check_float(number: Any) -> Any:
    def check(number: Any) -> Any:
        if not -(2.0**63) <= number < 2.0**63:
            raise ValueError("cannot convert NaN, infinity or a number beyond 64 bits to a whole number")
        return number

    def keep(number: Any) -> Any:
        return number

    return check if isinstance(number, types.Float) else keep


_CHECKED_CONVERSIONS = {  # of calls with one argument
    int: numba.njit(lambda number: int(check_float(number))),
    round: numba.njit(lambda number: round(check_float(number))),
    math.floor: numba.njit(lambda number: math.floor(check_float(number))),
    math.ceil: numba.njit(lambda number: math.ceil(check_float(number))),
    math.trunc: numba.njit(lambda number: math.trunc(check_float(number))),
    np.int64: numba.njit(lambda number: np.int64(check_float(number))),
}


@register_pass(mutates_CFG=False, analysis_only=False)
class AddChecks(FunctionPass):  # type: ignore[misc]
    """A pass of Numba's compiler that replaces what a function calls by versions with checks, and limits its loops."""

    _name = "add_checks"

    def __init__(self) -> None:  # abstract in the base class
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the function in place; return True, because it has changed."""
        function = state.func_ir
        replace_values(function)
        limit_loops(function)
        function._definitions = build_definitions(function.blocks)
        PostProcessor(function).run()
        return True


class CheckedCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with the pass that adds the checks."""

    def define_pipelines(self) -> list[Any]:
        """Add the pass where no function is inlined yet and all inner functions are known."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(AddChecks, MakeFunctionToJitFunction)
        passes.finalize()
        return [passes]


def compile_checked(function: Any) -> Any:
    """Return a function compiled with checks."""
    return numba.njit(function, boundscheck=True, pipeline_class=CheckedCompiler)


_compile_called = cache(compile_checked)  # so that a function that is called in several places is compiled once


def replace_values(function: Any) -> None:
    """Replace the global values of a function in Numba's intermediate representation."""
    assignments = [each for block in function.blocks.values() for each in block.find_insts(ir.Assign)]
    calls = [each.value for each in assignments if isinstance(each.value, ir.Expr) and each.value.op == "call"]
    called_names = {call.func.name for call in calls if len(call.args) == 1}
    for assignment in assignments:
        value = find_value(function, assignment.value)
        if value is None:
            continue
        new_value = find_conversion(value) if assignment.target.name in called_names else None
        new_value = new_value or replace_value(value)
        if new_value is not value:
            assignment.value = ir.Global(assignment.target.name, new_value, assignment.loc)


def find_value(function: Any, expression: Any) -> Any:
    """Return the value of a global name or of an attribute of a module, else None."""
    if isinstance(expression, ir.Global | ir.FreeVar):
        return expression.value
    if isinstance(expression, ir.Expr) and expression.op == "getattr":
        module = find_value(function, guard(get_definition, function, expression.value))
        return getattr(module, expression.attr, None) if isinstance(module, ModuleType) else None
    return None


def find_conversion(value: Any) -> Any:
    """Return the version with checks of a function that converts numbers to integers, else None."""
    return next((checked for function, checked in _CHECKED_CONVERSIONS.items() if value is function), None)


def replace_value(value: Any) -> Any:
    """Return a function compiled with checks, or a read-only copy of an array; other values are returned unchanged.

    Numba reads arrays that are large or not contiguous from their original memory, where they can change.
    """
    if own_function := get_own_function(value):
        return _compile_called(own_function)
    if isinstance(value, np.ndarray):
        constant = value.copy()
        constant.flags.writeable = False
        return constant
    if isinstance(value, tuple):
        parts = [replace_value(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def limit_loops(function: Any) -> None:
    """Count the iterations of all loops together; those of a loop over a range before it begins, which is faster."""
    blocks = function.blocks
    entry = blocks[min(blocks)]
    count = entry.scope.define(mk_unique_var("iterations"), entry.loc)
    headers = [blocks[loop.header] for loop in compute_cfg_from_blocks(blocks).loops().values()]
    for block in blocks.values():
        for assignment in [each for each in block.find_insts(ir.Assign) if is_range_iterator(function, each.value)]:
            insert_counter(block, block.body.index(assignment), count_range, (count, assignment.value.value))
    for header in headers:
        iterators = [guard(get_definition, function, each.value) for each in header.find_exprs("iternext")]
        if not any(is_range_iterator(function, iterator) for iterator in iterators):
            insert_counter(header, 0, count_iteration, (count,))
    entry.prepend(ir.Assign(ir.Const(0, entry.loc), count, entry.loc))


def is_range_iterator(function: Any, expression: Any) -> bool:
    """Return whether an expression is the iterator of a call of `range`."""
    if not isinstance(expression, ir.Expr) or expression.op != "getiter":
        return False
    call = guard(get_definition, function, expression.value)
    if not isinstance(call, ir.Expr) or call.op != "call":
        return False
    return find_value(function, guard(get_definition, function, call.func)) in (range, numba.prange)


def insert_counter(block: Any, index: int, counter: Any, arguments: tuple[Any, ...]) -> None:
    """Insert a call of a function that counts iterations; it returns the new value of the first argument."""
    called = block.scope.define(mk_unique_var("counter"), block.loc)
    block.body[index:index] = [
        ir.Assign(ir.Global("counter", counter, block.loc), called, block.loc),
        ir.Assign(ir.Expr.call(called, arguments, (), block.loc), arguments[0], block.loc),
    ]
