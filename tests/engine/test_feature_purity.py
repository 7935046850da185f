"""Tests of the functions that a custom feature can use (random and other impure calls are refused)."""

import ctypes
import math
import operator
import os
import random
import time
from collections.abc import Callable
from enum import IntEnum
from random import random as imported_random
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numba
import numpy as np
import numpy.random as numpy_random
import pytest
from numpy.random import rand as imported_rand

from tetrion.engine.code_generation import define_function
from tetrion.engine.feature_purity import calls_compiled_function, check_purity
from tetrion.engine.features.dellacherie_features import holes
from tetrion.engine.scalar_or_simd import load_at, popcount
from tetrion.errors import AgentError

TABLE = np.arange(10)
LEVELS = (1, 2, (3, 4))
CHANGING = [1, 2]
GENERATOR = np.random.default_rng(1)


class Corner(NamedTuple):
    column: int
    row: int


class Side(IntEnum):
    LEFT = 0
    RIGHT = 1


ORIGIN = Corner(0, 0)


def draw_number() -> float:
    return np.random.rand()


draw_compiled = numba.njit(draw_number)


def draw_twice() -> Any:
    return draw_compiled() + draw_compiled()


def descend(number: int) -> int:
    return descend(number + 1)


def is_even(number: int) -> bool:
    return number == 0 or is_odd(number - 1)


def is_odd(number: int) -> bool:
    return number != 0 and is_even(number - 1)


def sum_squares(numbers: Any, start: int = 0) -> int:
    total = start
    for number in numbers:
        total += number * number
    return total


def count_calls(counter: Any = TABLE) -> int:
    counter[0] += 1
    return int(counter[0])


FUNCTIONS = (sum_squares, draw_compiled)
OWN_MODULE = ModuleType("own_module")
vars(OWN_MODULE).update(draw_number=draw_compiled, sum_squares=sum_squares, random=random, LEVELS=LEVELS)
C_FUNCTION = numba.cfunc("int64(int64)")(lambda number: number)
C_LIBRARY_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(abs)

SCOPE = {
    "C_FUNCTION": C_FUNCTION,
    "C_LIBRARY_FUNCTION": C_LIBRARY_FUNCTION,
    "CHANGING": CHANGING,
    "Corner": Corner,
    "FUNCTIONS": FUNCTIONS,
    "GENERATOR": GENERATOR,
    "LEVELS": LEVELS,
    "ORIGIN": ORIGIN,
    "OWN_MODULE": OWN_MODULE,
    "Side": Side,
    "TABLE": TABLE,
    "count_calls": count_calls,
    "descend": descend,
    "draw_compiled": draw_compiled,
    "draw_number": draw_number,
    "draw_twice": draw_twice,
    "holes": holes,
    "imported_rand": imported_rand,
    "imported_random": imported_random,
    "is_even": is_even,
    "load_at": load_at,
    "math": math,
    "np": np,
    "numba": numba,
    "numpy_random": numpy_random,
    "operator": operator,
    "os": os,
    "popcount": popcount,
    "random": random,
    "sum_squares": sum_squares,
    "time": time,
}


def make_feature(expression: str) -> FunctionType:
    """Return a feature whose value is an expression."""
    source = f"def unsteady(o):\n    return {expression}\n"
    return cast(FunctionType, define_function("unsteady", source, SCOPE))


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("int(np.random.rand() * 3)", r"np\.random\.rand, a function of random numbers"),
        ("int(imported_rand() * 3)", r"imported_rand \(numpy\.random\.rand\), a function of random numbers"),
        ("numpy_random.randint(3)", r"numpy_random\.randint, a function of random numbers"),
        ("random.randint(0, 3)", r"random\.randint, a function of random numbers"),
        ("int(imported_random() * 3)", r"imported_random \(random\.random\), a function of random numbers"),
        ("GENERATOR.integers(3)", r"GENERATOR \(a Generator\)"),
        ("int(draw_number() * 3)", r"np\.random\.rand, "),
        ("int(draw_compiled() * 3)", r"np\.random\.rand, "),
        ("int(draw_twice() * 3)", r"np\.random\.rand, "),
        ("int(OWN_MODULE.draw_number() * 3)", r"np\.random\.rand, "),
        ("OWN_MODULE.random.randint(0, 3)", r"OWN_MODULE\.random\.randint, a function of random numbers"),
        ("int((lambda: np.random.rand())() * 3)", r"np\.random\.rand, "),
        ("len([np.random.rand() for _ in range(3)])", r"np\.random\.rand, "),
        ("int((np.random if o.lines else np).rand() * 3)", r"np\.random \(numpy\.random\), a module; write the whole"),
        ("int(time.time()) % 3", r"time\.time, which is not in the list"),
        ("os.getpid() % 3", r"os\.getpid, which is not in the list"),
        ("print(o.lines)", "print, which is not in the list"),
        ("open('file')", "open, which is not in the list"),
        ("id(o) % 3", "id, which is not in the list"),
        ("hash('text') % 3", "hash, which is not in the list"),
        ("np.empty(3)[0]", r"np\.empty, whose memory has arbitrary content; use np\.zeros"),
        ("np.empty_like(TABLE)[0]", r"np\.empty_like, whose memory has arbitrary content"),
        ("np.ndarray(3)[0]", r"np\.ndarray, whose memory has arbitrary content"),
        ("np.frombuffer(b'text')[0]", r"np\.frombuffer, which is not in the list"),
        ("np.bincount(TABLE)[0]", r"np\.bincount, which is not in the list"),
        ("np.lib.stride_tricks.as_strided(TABLE)[0]", r"np\.lib\.stride_tricks\.as_strided, which is not in the list"),
        ("numba.carray(o.columns, 3)[0]", r"numba\.carray, which is not in the list"),
        ("numba.objmode(x='int64')", r"numba\.objmode \(an? \w+\), which is not in the list"),
        ("numba.get_thread_id()", r"numba\.get_thread_id, which is not in the list"),
        ("C_FUNCTION(1)", r"C_FUNCTION .*, which is not in the list"),
        ("C_LIBRARY_FUNCTION(1)", r"C_LIBRARY_FUNCTION \(a CFunctionType\), which is not in the list"),
        ("load_at(TABLE, 0, 10)", "load_at, which is not in the list"),
        ("CHANGING[0]", r"CHANGING \(a list\), which can change between calls; use a tuple"),
        ("FUNCTIONS[0](o.heights)", r"FUNCTIONS \(a tuple\), whose elements must be constants"),
        ("SystemExit()", "SystemExit, which is not in the list"),
    ],
)
def test_impure_calls_are_refused_by_name(expression: str, name: str) -> None:
    with pytest.raises(AgentError, match=f"The feature 'unsteady' uses {name}.*must depend on the outcome only"):
        check_purity("unsteady", make_feature(expression))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("descend(o.lines)", "must not use recursion, .*; descend calls itself. Use a loop"),
        ("is_even(o.lines)", "must not use recursion, .*; is_even calls itself"),
        ("np.zeros(3).flat[99]", "the attribute 'flat' of an array"),
        ("TABLE.ctypes.data % 3", "the attribute 'ctypes' of an array"),
        ("count_calls()", "only have numbers and strings as default values; count_calls has a ndarray"),
    ],
)
def test_other_unsafe_functions_are_refused(expression: str, message: str) -> None:
    with pytest.raises(AgentError, match=f"The feature 'unsteady' .*{message}"):
        check_purity("unsteady", make_feature(expression))


@pytest.mark.parametrize(
    "expression",
    [
        "sum(o.heights) + len(o.columns) + abs(o.left) + int(o.lines > 0)",
        "round(math.sqrt(o.lines) + math.pi)",
        "int(np.max(np.array(o.heights)) + np.int64(3) + np.abs(-3))",
        "TABLE[o.left] + LEVELS[2][1] + ORIGIN.row + Corner(1, 2).column + Side.LEFT",
        "sum_squares([h for h in o.heights]) + OWN_MODULE.sum_squares((1, 2)) + OWN_MODULE.LEVELS[0]",
        "holes(o) + popcount(o.columns[0]) + numba.int64(operator.add(1, 2))",
        "(lambda number: number + LEVELS[0])(3)",
    ],
)
def test_functions_of_the_outcome_are_accepted(expression: str) -> None:
    check_purity("steady", make_feature(expression))


def test_variables_of_enclosing_functions_are_checked() -> None:
    def make(value: Any) -> Callable[[Any], Any]:
        def unsteady(o: Any) -> Any:
            return [value(column) for column in range(o.lines)]

        return unsteady

    check_purity("unsteady", cast(FunctionType, make(math.sqrt)))
    with pytest.raises(AgentError, match=r"uses value \(time\.sleep\)"):
        check_purity("unsteady", cast(FunctionType, make(time.sleep)))


def test_calls_of_compiled_functions_are_found() -> None:
    assert calls_compiled_function(make_feature("draw_compiled()"))
    assert calls_compiled_function(make_feature("draw_twice()"))
    assert not calls_compiled_function(make_feature("sum_squares(o.heights)"))
