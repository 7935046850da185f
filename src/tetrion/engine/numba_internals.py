"""What the engine uses of Numba beyond its documented interface, in one place to check with each new version.

The tests pass with Numba FIRST_VERSION to LAST_VERSION, and `pyproject.toml` allows only these. If a version lacks a
name that is imported here, the import ends with a message; what only saves time has a fallback.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tetrion.errors import TetrionError

FIRST_VERSION = (0, 61)
LAST_VERSION = (0, 68)
VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__)


def describe_version_problem(problem: object) -> str:
    """Return the message for a version of Numba that lacks something."""
    first, last = ("{}.{}".format(*version) for version in (FIRST_VERSION, LAST_VERSION))
    return (
        f"Tetrion works with Numba {first} to {last}; installed is {numba.__version__} ({problem}). Install another "
        f'one: pip install "numba>={first},<{LAST_VERSION[0]}.{LAST_VERSION[1] + 1}"'
    )


try:
    from numba.core import cgutils, event
    from numba.core.caching import NullCache
    from numba.core.codegen import JITCodeLibrary, get_host_cpu_features as get_host_cpu_features
    from numba.core.compiler import Compiler, CompileResult
    from numba.core.errors import NumbaError as NumbaError
    from numba.core.options import DefaultOptions
    from numba.core.registry import cpu_target
    from numba.core.serialize import dumps
    from numba.core.targetconfig import ConfigStack
    from numba.core.typeconv import Conversion as Conversion
    from numba.core.typing.templates import AbstractTemplate as AbstractTemplate, infer_global as infer_global
except ImportError as _problem:
    raise TetrionError(describe_version_problem(_problem)) from None


serialise_code = dumps  # to bytes that `pickle.loads` reads


# Entry points.

_COMPILE_EVENT = "numba:compile"


def make_dispatcher(function: Callable[..., Any], *, allocates: bool) -> Any:
    """Return a function that Numba compiles for each combination of argument types, and that runs without the GIL.

    A function that allocates nothing need not count the references to arrays. If a version of Numba no longer has the
    option for that, functions are slower.
    """
    options = {"_nrt": allocates} if hasattr(DefaultOptions, "_nrt") else {}
    return numba.njit(function, nogil=True, **options)


class CodeStore(Protocol):
    """Where the code of one function is stored."""

    def load(self, key: object) -> Any:
        """Return the code for a key, or None without any."""

    def save(self, key: object, data: object) -> None:
        """Store the code for a key."""

    def flush(self) -> None:
        """Delete all code."""


class CodeCache(NullCache):
    """The cache of one entry point, with the methods that Numba's dispatcher calls."""

    def __init__(self, store: CodeStore) -> None:
        self._store = store

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, or None if it has to be compiled."""
        target_context.refresh()
        with suppress(Exception):  # whatever the reason is: a function that cannot be loaded is compiled
            data = self._store.load((signature, target_context.codegen().magic_tuple()))
            if data is not None:
                return CompileResult._rebuild(target_context, *data)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compiled function, unless it contains addresses of this process."""
        if not result.library.has_dynamic_globals:
            self._store.save((signature, result.codegen.magic_tuple()), result._reduce())

    def flush(self) -> None:
        """Delete the stored code of all signatures."""
        self._store.flush()


def set_compilation(dispatcher: Any, store: CodeStore, compile_once: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let a dispatcher keep its code in a store, and call `compile_once` for each new combination of argument types.

    Return Numba's own function, which compiles or loads the code.
    """
    compile_or_load: Callable[[Any], Any] = dispatcher.compile
    dispatcher._cache = CodeCache(store)
    dispatcher.compile = compile_once
    return compile_or_load


@contextmanager
def report_compilation(on_compile: Callable[[str], object]) -> Iterator[None]:
    """Call `on_compile` with the name of each function that is compiled (not loaded) inside the `with` block."""

    class Listener(event.Listener):
        def on_start(self, started: Any) -> None:
            on_compile(started.data["dispatcher"].py_func.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    with event.install_listener(_COMPILE_EVENT, Listener()):
        yield


@contextmanager
def count_as_compilation(dispatcher: Any) -> Iterator[None]:
    """Report the `with` block as a compilation of a function."""
    with event.trigger_event(_COMPILE_EVENT, {"dispatcher": dispatcher}):
        yield


def get_compilation_target() -> tuple[str, str]:
    """Return the name and the features of the processor for which functions are compiled."""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return processor, features


# Faster compilation of functions that only other compiled functions call.
#
# By default, Numba optimises each function together with all functions that it calls and translates it to machine code.
# In a deep tree of calls, the innermost functions are optimised again at every level, and none of that code is ever
# run: the entry point contains its own copy. Here, a nested function is only simplified, and the entry point that
# contains it is optimised as usual. This saves about 40 % of the time to compile, and the machine code is as fast.

_FIRST_NESTED_VERSION = (0, 62)  # earlier versions optimise with other functions of LLVM
_LIBRARY_METHODS = (
    "_ensure_finalized",
    "_finalize_dynamic_globals",
    "_finalize_final_module",
    "_optimize_final_module",
)
# With a version of Numba that has no such methods, nested functions are compiled as usual.
SUPPORTS_NESTED = numba.version_info.short >= _FIRST_NESTED_VERSION and all(
    hasattr(JITCodeLibrary, name) for name in _LIBRARY_METHODS
)


class NestedCodegen:
    """The code generator of nested functions, which have no machine code and therefore no environment in memory."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of Numba's code generator."""
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: compiled functions of the engine raise no exceptions and use no Python objects."""


class NestedCodeLibrary(JITCodeLibrary):
    """The code of one nested function and of those it calls, to be linked into other code, never to be run itself."""

    @property
    def codegen(self) -> NestedCodegen:
        """The code generator, without access to machine code."""
        return NestedCodegen(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        """Return a null pointer, because there is no machine code."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        options = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = self._codegen._module_pass_manager(**options)
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class NestedFunctionCompiler(Compiler):
    """Numba's compiler with a NestedCodeLibrary for its result."""

    def define_pipelines(self) -> Any:
        """Choose the library and the options before the passes of the compiler are run.

        A function is compiled for each set of options of its callers, so these must not differ in whether the callers
        are inlined.
        """
        ConfigStack.top_or_none().forceinline = False  # a copy for the functions that this one calls
        self.state.flags.no_cpython_wrapper = True
        self.state.library = NestedCodeLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


# Instructions of LLVM.


def define_intrinsic(typing: Callable[..., Any]) -> Any:
    """Define a function of LLVM instructions; `typing(context, *types)` returns its signature and its lowering."""
    return intrinsic(typing)


def call_llvm(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Emit a call of an LLVM intrinsic function."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


@define_intrinsic
def copy_record(context: Any, target: Any, source: Any) -> Any:
    """Copy all fields of a record to another record of the same type.

    Numba's own assignment loads a record as one value, which LLVM splits into single bytes; to copy its memory takes
    less code.
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = ir.Constant(ir.IntType(64), signature.args[0].size)
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], size, 1)
        return context.get_dummy_value()

    return (types.none(target, source), lower) if target == source else None


@define_intrinsic
def clear_record(context: Any, target: Any) -> Any:
    """Set all fields of a record to 0."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = ir.Constant(ir.IntType(64), signature.args[0].size)
        cgutils.memset(builder, arguments[0], size, 0)
        return context.get_dummy_value()

    return types.none(target), lower
