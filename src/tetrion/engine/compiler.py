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
F = TypeVar("F", bound=Callable[..., Any])

SMALL = {"no_cfunc_wrapper": True}  # nothing that only C would call: a fifth less to compile
INLINED = SMALL | {"forceinline": True}

ANNOUNCEMENT = "Preparing a part of the engine, once after installing. About {seconds} seconds."
WORTH_TELLING = 5  # seconds


def compiled(function: F) -> F:
    """Let compiled functions call it, for one column or sixteen, on the CPU or on a GPU; Python calls it as it is."""
    known: F = register_jitable(**INLINED)(function)
    return known


def compiled_apart(function: F) -> F:
    """The same for a function that is rarely called: it is not written out where it is called."""
    known: F = register_jitable(**SMALL)(function)
    return known


class Entry(Generic[P, R]):
    """A function that Python calls: compiled once a machine, without the GIL, and announced when that takes a while."""

    def __init__(self, function: Callable[..., R], seconds: int, memory: Any = None) -> None:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(cache_folder())
        try:
            self.dispatcher = numba.njit(function, nogil=True, cache=True)
        finally:
            numba.config.CACHE_DIR = before
        self.seconds, self.memory, self.ready = seconds, memory, False
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it, compiling or loading it the first time."""
        memory = [] if self.memory is None else [np.zeros(1, self.memory)]
        return self._called(*memory, *args, **kwargs)

    def using(self, memory: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call it with memory of one's own, to see afterwards what it has left there."""
        return self._called(memory, *args, **kwargs)

    def _called(self, *args: Any, **kwargs: Any) -> R:
        call: Callable[..., R] = self.dispatcher
        if self.ready:
            return call(*args, **kwargs)
        with compiling(self.announce):
            try:
                result = call(*args, **kwargs)
            except (EOFError, pickle.UnpicklingError):  # compiled code that was only half written
                shutil.rmtree(cache_folder(), ignore_errors=True)
                result = call(*args, **kwargs)
        self.ready = True
        return result

    def announce(self, name: str) -> None:
        """Tell the person who waits, if it is this function that is compiled now."""
        if name == self.dispatcher.__name__ and self.seconds >= WORTH_TELLING:
            print(ANNOUNCEMENT.format(seconds=self.seconds), file=sys.stderr, flush=True)


def entry(seconds: int) -> Callable[[Callable[P, R]], Entry[P, R]]:
    """Make a module-level function one that Python calls; `seconds` is what a first compile takes, as announced."""
    return lambda function: Entry(function, seconds)


def entry_with(memory: Any, seconds: int) -> Callable[[Callable[Concatenate[Any, P], R]], Entry[P, R]]:
    """The same for one whose first argument is memory to work in: an array of one record of that type, made anew.

    Python holds the array until the call is over. Made within, it would be freed as soon as its record is taken, since
    Numba does not see that the record lies in it.
    """
    return lambda function: Entry(function, seconds, memory)


@contextmanager
def compiling(tell: Callable[[str], object]) -> Iterator[None]:
    """Tell the name of every function that is compiled meanwhile, rather than loaded."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, started: Any) -> None:
            tell(started.data["dispatcher"].py_func.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def source_hash() -> str:
    """A short hash of every source file of the engine."""
    digest = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Where compiled code is kept: `TETRION_CACHE_DIR`, or the system's place for caches, or a passing folder."""
    for parent in (os.environ.get("TETRION_CACHE_DIR"), system_cache()):
        if parent:
            folder = Path(parent).absolute() / source_hash()
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    return folder
            except OSError:
                continue
    passing = tempfile.mkdtemp(prefix="tetrion-")  # a name that others could guess would let them plant code there
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return Path(passing)


def system_cache() -> Path | None:
    """Where this system keeps caches; None if it does not tell."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tetrion" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "tetrion"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tetrion"
    except RuntimeError:  # nobody's home
        return None
