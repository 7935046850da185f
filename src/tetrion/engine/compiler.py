"""How the engine is compiled, and where the compiled code is kept.

Numba notices an edit in the file of a cached function, but not in the files that it calls. So the cache is a folder
named by a hash of every source of the engine, and an edit anywhere in the engine compiles anew.
"""

import atexit
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from numba.core import event
from numba.extending import register_jitable

P = ParamSpec("P")
R = TypeVar("R")
_F = TypeVar("_F", bound=Callable[..., Any])

_JIT_OPTIONS = {"no_cfunc_wrapper": True}  # nothing that only C would call: a fifth less to compile
INLINE_OPTIONS = _JIT_OPTIONS | {"forceinline": True}

COMPILE_MESSAGE = "Preparing a part of the engine, once after installing. About {seconds} seconds."
_MIN_ANNOUNCED_SECONDS = 5  # seconds


def compile_inline(function: _F) -> _F:
    """Let compiled functions call it, for one column or sixteen, on the CPU or on a GPU; Python calls it as it is."""
    known: _F = register_jitable(**INLINE_OPTIONS)(function)
    return known


def compile_separate(function: _F) -> _F:
    """The same for a function that is rarely called: it is not written out where it is called."""
    known: _F = register_jitable(**_JIT_OPTIONS)(function)
    return known


class CompiledFunction(Generic[P, R]):
    """A function that Python calls: compiled once a machine, without the GIL, and announced when that takes a while."""

    def __init__(self, function: Callable[..., R], seconds: int, memory: Any = None) -> None:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(get_cache_folder())
        try:
            self.dispatcher = numba.njit(function, nogil=True, cache=True)
        finally:
            numba.config.CACHE_DIR = before
        self.compile_seconds = seconds
        self.memory_dtype = memory
        self.is_ready = False
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it, compiling or loading it the first time."""
        memory = [] if self.memory_dtype is None else [np.zeros(1, self.memory_dtype)]
        return self._call(*memory, *args, **kwargs)

    def call_with_memory(self, memory: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it with memory of one's own, to see afterwards what it has left there."""
        return self._call(memory, *args, **kwargs)

    def _call(self, *args: Any, **kwargs: Any) -> R:
        call: Callable[..., R] = self.dispatcher
        if self.is_ready:
            return call(*args, **kwargs)
        with report_compilation(self.announce_compilation):
            try:
                result = call(*args, **kwargs)
            except (EOFError, pickle.UnpicklingError):  # compiled code that was only half written
                shutil.rmtree(get_cache_folder(), ignore_errors=True)
                result = call(*args, **kwargs)
        self.is_ready = True
        return result

    def announce_compilation(self, name: str) -> None:
        """Tell the person who waits, if it is this function that is compiled now."""
        if name == self.dispatcher.__name__ and self.compile_seconds >= _MIN_ANNOUNCED_SECONDS:
            print(COMPILE_MESSAGE.format(seconds=self.compile_seconds), file=sys.stderr, flush=True)


def compile_entry(seconds: int) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]:
    """Make a module-level function one that Python calls; `seconds` is what a first compile takes, as announced."""
    return lambda function: CompiledFunction(function, seconds)


def compile_entry_with_memory(
    dtype: Any, seconds: int
) -> Callable[[Callable[Concatenate[Any, P], R]], CompiledFunction[P, R]]:
    """The same for one whose first argument is memory to work in: an array of one record of that type, made anew.

    Python holds the array until the call is over. Made within, it would be freed as soon as its record is taken, since
    Numba does not see that the record lies in it.
    """
    return lambda function: CompiledFunction(function, seconds, dtype)


@contextmanager
def report_compilation(on_compile: Callable[[str], object]) -> Iterator[None]:
    """Tell the name of every function that is compiled meanwhile, rather than loaded."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, started: Any) -> None:
            on_compile(started.data["dispatcher"].py_func.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def compute_source_hash() -> str:
    """A short hash of every source file of the engine."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def get_cache_folder() -> Path:
    """Where compiled code is kept: `TETRION_CACHE_DIR`, or the system's place for caches, or a passing folder."""
    for parent in (os.environ.get("TETRION_CACHE_DIR"), find_system_cache()):
        if parent:
            folder = Path(parent).absolute() / compute_source_hash()
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    return folder
            except OSError:
                continue
    passing = tempfile.mkdtemp(prefix="tetrion-")  # a name that others could guess would let them plant code there
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return Path(passing)


def find_system_cache() -> Path | None:
    """Where this system keeps caches; None if it does not tell."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tetrion" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "tetrion"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tetrion"
    except RuntimeError:  # nobody's home
        return None
