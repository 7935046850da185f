"""Compilation of the engine with Numba: functions that compiled code calls, and entry points from Python."""

import gc
import linecache
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from typing import Any, BinaryIO, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np
from numba.extending import register_jitable

from tetrion.engine.code_cache import CodeFiles
from tetrion.engine.compile_notice import end_compilation, plan_parts, start_compilation
from tetrion.engine.numba_internals import (
    SUPPORTS_NESTED,
    NestedFunctionCompiler,
    count_as_compilation,
    make_dispatcher,
    report_compilation,
    set_compilation,
)

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

P = ParamSpec("P")
R = TypeVar("R")
_F = TypeVar("_F", bound=Callable[..., Any])

SEPARATE_OPTIONS: dict[str, Any] = {
    "no_cfunc_wrapper": True,  # no unused wrappers for calls from C
    "forceinline": False,  # otherwise Numba takes the option of the calling function
}
if SUPPORTS_NESTED:
    SEPARATE_OPTIONS["pipeline_class"] = NestedFunctionCompiler
INLINE_OPTIONS = SEPARATE_OPTIONS | {"forceinline": True}

MEMORY_ALIGNMENT = 64  # bytes of a cache line, and of sixteen SIMD lanes
_LOAD_SECONDS = 3  # a process that only loads a function from the cache holds its lock for less time
_MAX_WAIT_SECONDS = 300  # for the lock of another process, which may have been suspended
_POLL_SECONDS = 0.05


def compile_inline(function: _F) -> _F:
    """Make a Python function callable from compiled code (scalar, SIMD or GPU), inlined at each call."""
    jitable: _F = register_jitable(**INLINE_OPTIONS)(function)
    return jitable


def compile_separate(function: _F) -> _F:
    """Make a Python function callable from compiled code, compiled once for all its callers, for long functions."""
    jitable: _F = register_jitable(**SEPARATE_OPTIONS)(function)
    return jitable


class CompiledFunction(Generic[P, R]):
    """An entry point from Python into compiled code: compiled once per machine, and running without the GIL.

    The first thread that needs the function compiles it; other threads and processes wait for the result.
    """

    def __init__(
        self, function: Callable[..., R], seconds: int, memory: Any = None, *, allocates: bool = False
    ) -> None:
        self.dispatcher = make_dispatcher(function, allocates=allocates)
        self._files = CodeFiles(function)
        self._compile_or_load = set_compilation(self.dispatcher, self._files, self._compile_once)
        self._lock = threading.Lock()
        self.compile_seconds = seconds
        self.memory_dtype = memory
        self._memories = threading.local()
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function; the first call compiles it or loads it from the cache."""
        memory = [] if self.memory_dtype is None else [self._get_memory()]
        result: R = self.dispatcher(*memory, *args, **kwargs)
        return result

    def _get_memory(self) -> Any:
        """Return this thread's scratch memory, with the content that the last call has left."""
        if not hasattr(self._memories, "array"):
            self._memories.array = allocate_memory(self.memory_dtype)
        return self._memories.array

    def call_with_memory(self, memory: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function with the caller's scratch memory, whose content can be read afterwards."""
        result: R = self.dispatcher(memory, *args, **kwargs)
        return result

    @property
    def name(self) -> str:
        """The name of the function in words, such as "find keys"."""
        return str(self.dispatcher.__name__).replace("_", " ")

    @property
    def is_cached(self) -> bool:
        """Whether this machine has compiled the function before."""
        return self._files.exist

    def announce_compilation(self, name: str) -> None:
        """Record the start of the compilation if `name` is this function, not one that it calls."""
        if name == self.dispatcher.__name__:
            start_compilation(self.name, self.compile_seconds)

    def _compile_once(self, signature: Any) -> Any:
        """Compile the function, or load it from the cache if another thread or process has compiled it meanwhile."""
        with (
            self._lock,
            report_compilation(self.announce_compilation),
            self._wait_for_other_processes(),
            pause_garbage_collection(),
        ):
            try:
                return self._compile_or_load(signature)
            finally:
                end_compilation(self.name)

    @contextmanager
    def _wait_for_other_processes(self) -> Iterator[None]:
        """Keep other processes from compiling the function; a long wait counts as a compilation."""
        with ExitStack() as exit_stack:  # closing the file releases the lock; so does the end of the process
            with suppress(OSError):  # without locks, as in some network folders, each process compiles the function
                file = exit_stack.enter_context(self._files.open_lock())
                if not wait_for_lock(file, _LOAD_SECONDS):
                    with count_as_compilation(self.dispatcher):
                        wait_for_lock(file, _MAX_WAIT_SECONDS)
            yield


def allocate_memory(dtype: Any) -> Any:
    """Return an array of one record, filled with zeros, that starts at a multiple of MEMORY_ALIGNMENT."""
    octets = np.zeros(dtype.itemsize + MEMORY_ALIGNMENT - 1, np.uint8)
    start = -octets.ctypes.data % MEMORY_ALIGNMENT
    return octets[start : start + dtype.itemsize].view(dtype)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Suspend the search for cyclic garbage, which takes a tenth of the time of a compilation and finds little."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def wait_for_lock(file: BinaryIO, seconds: float) -> bool:
    """Try to lock an open file for a number of seconds; return whether this succeeded."""
    end = time.monotonic() + seconds
    while not (is_locked := try_lock(file)) and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
    return is_locked


def try_lock(file: BinaryIO) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def plan_compilation(functions: Iterable[CompiledFunction[Any, Any]]) -> None:
    """Declare which functions are needed soon, so that one notice announces the time to compile all of them."""
    plan_parts({function.name: function.compile_seconds for function in functions if not function.is_cached})


def compile_entry(seconds: int, *, allocates: bool = False) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]:
    """Turn a module-level function into an entry point; `seconds` is the announced duration of its compilation.

    A function that allocates arrays counts references to them, and so do all functions that it calls; these are
    compiled again for it, and are slower.
    """
    return lambda function: CompiledFunction(function, seconds, allocates=allocates)


def compile_entry_with_memory(
    dtype: Any, seconds: int
) -> Callable[[Callable[Concatenate[Any, P], R]], CompiledFunction[P, R]]:
    """Turn a function whose first argument is scratch memory into an entry point that allocates it once per thread.

    The memory is an array of one record of type `dtype`, filled with zeros at first; a call finds what the last one has
    left. It is allocated in Python, because the function does not count references, without which nothing can be
    allocated inside compiled code.
    """
    return lambda function: CompiledFunction(function, seconds, dtype)


# Numba can neither loop over a list of functions nor build a tuple in a loop. Where the engine needs such a loop, it
# generates the source of a function in which the loop is unrolled, and Numba compiles this function like any other.

_FUNCTION_NUMBERS = count(1)


def define_function(name: str, source: str, scope: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the function `name` that `source` defines; `scope` contains the objects that it refers to."""
    file_name = f"<generated function {next(_FUNCTION_NUMBERS)}: {name}>"
    linecache.cache[file_name] = (len(source), None, source.splitlines(keepends=True), file_name)  # for tracebacks
    namespace = dict(scope)
    exec(compile(source, file_name, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function
