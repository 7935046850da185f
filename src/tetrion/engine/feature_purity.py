"""Check that a custom feature depends on the outcome only, so that equal seeds give equal games.

The bytecode of the function and of all functions that it calls is searched for names that are defined outside of it.
They must refer to constants, to Python functions, which are searched as well, or to the functions listed here. These
have no side effects, return equal results for equal arguments, and access no memory outside of arrays.
"""

import builtins
import dis
import inspect
import math
import operator
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import reduce
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from tetrion.engine.scalar_or_simd import bit_length, popcount
from tetrion.errors import AgentError

_BUILTIN_NAMES = """
abs all any bool bytes chr complex dict divmod enumerate filter float frozenset hasattr int isinstance iter len list map
max min next ord pow range reversed round set slice sorted str sum tuple type zip
"""
_NUMPY_NAMES = """
all allclose amax amin any append arange argmax argmin argpartition argsort argwhere around array array_equal
array_split asarray ascontiguousarray asfortranarray atleast_1d atleast_2d atleast_3d average broadcast_arrays
broadcast_to clip column_stack concatenate convolve copy corrcoef correlate count_nonzero cov cross cumprod cumsum
delete diag diagflat diff digitize dot dsplit dstack dtype ediff1d expand_dims extract eye finfo flatnonzero flip fliplr
flipud full full_like geomspace histogram hsplit hstack identity iinfo imag insert interp intersect1d isclose isin
isneginf isposinf kron linspace logspace max mean median min moveaxis nan_to_num nanargmax nanargmin nancumprod
nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar ndenumerate ndim
ndindex nonzero ones ones_like outer partition percentile prod ptp quantile ravel real repeat reshape roll rot90 round
searchsorted select setdiff1d setxor1d shape size sort split stack std sum swapaxes take trace transpose trapezoid tri
tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from union1d unique vander var vdot vsplit
vstack where zeros zeros_like
"""
_ALLOWED_FUNCTIONS = [
    reduce,
    numba.prange,  # the same as range, because features are not compiled for several threads
    popcount,
    bit_length,
    *(getattr(builtins, name) for name in _BUILTIN_NAMES.split()),
    *(getattr(np, name) for name in _NUMPY_NAMES.split() if hasattr(np, name)),  # it depends on the version of NumPy
    *(function for function in vars(math).values() if callable(function)),
    *(function for function in vars(operator).values() if inspect.isbuiltin(function)),
]
_CONSTANTS = (int, float, complex, str, bytes, type(None), slice, Enum, np.generic, np.dtype, np.ndarray)
_NUMBER_TYPES = (numba.types.Number, numba.types.Boolean)  # such as numba.int64, which converts a number
_CLASSES = (Exception, Enum, np.generic)
_UNCHECKED_ATTRIBUTES = ("flat", "ctypes")  # of arrays; Numba does not check indices of the first
_ATTRIBUTE_INSTRUCTIONS = ("LOAD_ATTR", "LOAD_METHOD")
_LIBRARIES = ("numba", "numpy", "tetrion")
_FEATURES_PACKAGE = "tetrion.engine.features"


class Reference(NamedTuple):
    """A global name, possibly with attributes (such as `np.random.rand`), and its value."""

    text: str
    value: Any

    def describe(self) -> str:
        """Return the text, and in brackets what it refers to if it has another name."""
        owner = type(getattr(self.value, "__self__", None))  # the functions of `random` are methods of an instance
        module = getattr(self.value, "__module__", None) or owner.__module__
        name = getattr(self.value, "__name__", None)
        if name is None:
            return f"{self.text} ({describe_class(type(self.value))})"
        full_name = name if module == "builtins" else f"{module.replace('.mtrand', '')}.{name}"
        return self.text if self.text.rpartition(".")[2] == name else f"{self.text} ({full_name})"


def describe_class(kind: type) -> str:
    """Return the name of a class, with an article."""
    article = "an" if kind.__name__[0].lower() in "aeiou" else "a"
    return f"{article} {kind.__name__}"


def check_purity(name: str, function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> None:
    """Raise an AgentError if a function of the feature `name` may depend on more than its arguments, or calls itself.

    `callers` are the functions through which the feature calls it.
    """
    if function in callers:
        raise AgentError(
            f"The feature '{name}' must not use recursion, which can exhaust the memory of the stack; "
            f"{function.__name__} calls itself. Use a loop."
        )
    for value in [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]:
        if not isinstance(value, int | float | str | None):
            raise AgentError(
                f"The feature '{name}' can only have numbers and strings as default values; {function.__name__} has "
                f"{describe_class(type(value))}. Use a global constant."
            )
    for attribute in find_attributes(function.__code__):
        if attribute in _UNCHECKED_ATTRIBUTES:
            raise AgentError(
                f"The feature '{name}' uses the attribute '{attribute}' of an array, which gives access to memory "
                "outside of the array. Use ravel() or indices."
            )
    for reference in find_references(function):
        if own_function := get_own_function(reference.value):
            check_purity(name, own_function, (*callers, function))
        elif not is_allowed(reference.value):
            raise AgentError(
                f"The feature '{name}' uses {reference.describe()}, {find_reason(reference.value)}. A feature must "
                "depend on the outcome only: use numbers, arrays, the functions of `math` and NumPy, and your own "
                "functions."
            )


def find_reason(value: object) -> str:
    """Return why a feature cannot use a value, as the end of a sentence."""
    if isinstance(value, ModuleType):
        return "a module; write the whole name of a function where it is called"
    if is_random(value):
        return "a function of random numbers"
    if any(value is function for function in (np.empty, np.empty_like, np.ndarray)):
        return "whose memory has arbitrary content; use np.zeros"
    if isinstance(value, list | dict | set | bytearray):
        return "which can change between calls; use a tuple or an array"
    if isinstance(value, tuple):
        return "whose elements must be constants"
    return "which is not in the list of functions that features can use"


def get_own_function(value: object) -> FunctionType | None:
    """Return the Python function if the value is one of the user, compiled by Numba or not, else None."""
    function = value.py_func if isinstance(value, Dispatcher) else value
    if not isinstance(function, FunctionType) or (function.__module__ or "").partition(".")[0] in _LIBRARIES:
        return None
    return function


def calls_compiled_function(function: FunctionType) -> bool:
    """Return whether a function that has been checked calls one that the user has compiled, directly or indirectly."""
    return any(
        isinstance(value, Dispatcher) or ((called := get_own_function(value)) and calls_compiled_function(called))
        for _, value in find_references(function)
    )


def is_allowed(value: object) -> bool:
    """Return whether a feature can use a value that is not one of the user's functions."""
    if isinstance(value, tuple):
        return all(is_allowed(part) and not get_own_function(part) for part in value)
    if isinstance(value, (*_CONSTANTS, *_NUMBER_TYPES, np.ufunc)):
        return True
    if isinstance(value, type) and (issubclass(value, _CLASSES) or hasattr(value, "_fields")):
        return True
    if isinstance(value, FunctionType) and (value.__module__ or "").startswith(_FEATURES_PACKAGE):
        return True
    return any(value is function for function in _ALLOWED_FUNCTIONS)


def is_random(value: object) -> bool:
    """Return whether a value is a function of `random` or `numpy.random`."""
    owner = type(getattr(value, "__self__", None))
    return any(
        module.partition(".")[0] == "random" or module.startswith("numpy.random")
        for module in (getattr(value, "__module__", None) or "", owner.__module__)
    )


def find_attributes(code: CodeType) -> Iterator[str]:
    """Yield the names of all attributes that a function and the functions inside it access."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in _ATTRIBUTE_INSTRUCTIONS:
            yield instruction.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from find_attributes(inner)


def find_references(function: FunctionType) -> Iterator[Reference]:
    """Yield the references of a function, and of the functions inside it, to names that are defined outside of it."""
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not assigned yet; Numba reports it
            continue
    yield from _find_code_references(function.__code__, cells, {**vars(builtins), **function.__globals__})


def _find_code_references(code: CodeType, cells: Mapping[str, Any], names: Mapping[str, Any]) -> Iterator[Reference]:
    instructions = list(dis.get_instructions(code))
    for index, instruction in enumerate(instructions):
        scope = {"LOAD_GLOBAL": names, "LOAD_DEREF": cells}.get(instruction.opname, {})
        if instruction.argval in scope:
            yield _follow_modules(Reference(instruction.argval, scope[instruction.argval]), instructions[index + 1 :])
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            free = {name: cells[name] for name in inner.co_freevars if name in cells}
            yield from _find_code_references(inner, free, names)


def _follow_modules(reference: Reference, instructions: list[dis.Instruction]) -> Reference:
    """Return the reference with the attributes that the next instructions take of a module."""
    text, value = reference
    for instruction in instructions:
        if instruction.opname not in _ATTRIBUTE_INSTRUCTIONS or not isinstance(value, ModuleType):
            break
        text = f"{text}.{instruction.argval}"
        value = getattr(value, instruction.argval, None)  # Numba reports a missing one
    return Reference(text, value)
