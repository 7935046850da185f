"""Functions made from generated source code.

Numba can neither loop over a list of functions nor build a tuple in a loop. Where the engine needs such a loop, it
generates the source of a function in which the loop is unrolled, and Numba compiles this function like any other.
"""

import linecache
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

_FUNCTION_NUMBERS = count(1)


def define_function(name: str, source: str, scope: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function `name` that `source` defines; `scope` contains the objects that it refers to."""
    file_name = f"<generated function {next(_FUNCTION_NUMBERS)}: {name}>"
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)  # for tracebacks
    namespace = dict(scope)
    exec(compile(source, file_name, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
