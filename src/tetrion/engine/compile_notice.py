"""The notice that the engine is being compiled: one estimate for all parts that a command needs.

Commands declare the parts before they begin. The time of a part is known for one machine; how fast this one is now,
with everything else that runs on it, is measured when the first compilation starts, and again with each that ends.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tetrion.engine.code_cache import print_message

COMPILE_NOTICE = "Compiling the engine (about {seconds:.0f} s, first use only)."
_MIN_ANNOUNCED_SECONDS = 5  # shorter compilations are not announced
_MAX_SHARE = 0.95  # of a compilation that takes longer than expected
_TRIAL_ROUNDS = 200
_TRIAL_SECONDS = 0.13  # that the trial takes on a machine on which the announced durations of functions are right
_MIN_LEARNING_SECONDS = 2  # shorter compilations say little about the others


class Compilation(NamedTuple):
    """The compilation of a part of the engine: its name, the expected duration and the time of its start."""

    name: str
    seconds: float
    start: float  # of time.monotonic()

    @property
    def share(self) -> float:
        """The estimated share that is done, below 1."""
        return min(_MAX_SHARE, (time.monotonic() - self.start) / self.seconds)

    @property
    def seconds_left(self) -> float:
        """The estimated time that is left, 0 if it takes longer than expected."""
        return max(0.0, self.start + self.seconds - time.monotonic())


_compilations: dict[str, Compilation] = {}  # under way in this process, by name
_nominal_seconds: dict[str, float] = {}  # of the parts that are planned or under way
_slowness: list[float] = []  # real durations relative to the announced ones, the latest last
_displays: list[Callable[[], object]] = []
_was_announced: list[bool] = []  # not empty after the notice has been printed, or if none is wanted


def get_compilations() -> list[Compilation]:
    """Return the compilations under way in all threads, in the order of their starts."""
    return list(_compilations.values())


def plan_parts(seconds: Mapping[str, float]) -> None:
    """Declare which parts will be compiled soon, with their announced durations; earlier plans are replaced."""
    for name in set(_nominal_seconds) - set(_compilations):
        del _nominal_seconds[name]
    _nominal_seconds.update(seconds)


def start_compilation(name: str, seconds: float) -> None:
    """Record that the compilation of a part starts; announce it with all that are planned, once per process."""
    if name in _compilations:
        return
    if not _slowness:
        _slowness.append(measure_slowness())
    _nominal_seconds[name] = seconds
    _compilations[name] = Compilation(name, seconds * _slowness[-1], time.monotonic())
    if _displays:
        _displays[-1]()
    elif not _was_announced and (left := estimate_seconds_left()) >= _MIN_ANNOUNCED_SECONDS:
        _was_announced.append(True)
        print_notice(COMPILE_NOTICE.format(seconds=left))


def end_compilation(name: str) -> None:
    """Record the end of a compilation, if it was started, and learn from its duration."""
    compilation = _compilations.pop(name, None)
    nominal_seconds = _nominal_seconds.pop(name, 0.0)
    if compilation is None:
        return
    if nominal_seconds >= _MIN_LEARNING_SECONDS:
        measured = (time.monotonic() - compilation.start) / nominal_seconds
        _slowness.append((_slowness[-1] + measured) / 2)  # the first compilation also loads the compiler
    if _displays:
        _displays[-1]()


def estimate_seconds_left() -> float:
    """Return the estimated time until everything that is planned or under way is compiled."""
    slowness = _slowness[-1] if _slowness else 1.0
    planned = sum(seconds for name, seconds in _nominal_seconds.items() if name not in _compilations)
    return planned * slowness + sum(compilation.seconds_left for compilation in get_compilations())


def describe_time_left() -> str:
    """Return the estimated time until everything is compiled, in words; an empty text if nothing is compiled now."""
    if not _compilations:
        return ""
    seconds = round(estimate_seconds_left())
    return f"about {seconds} s left" if seconds else "a moment left"


def measure_slowness() -> float:
    """Return how long work such as that of the compiler takes now, relative to the announced durations.

    A short trial may run undisturbed on a busy machine, so the number of programs that wait for a processor counts too.
    """
    start, start_of_work = time.perf_counter(), time.process_time()
    for number in range(_TRIAL_ROUNDS):
        names = {f"name {index}": (index, [number] * 3) for index in range(1000)}
        sorted(names.items(), key=lambda item: item[1][0] ^ number)
    seconds, work_seconds = time.perf_counter() - start, time.process_time() - start_of_work
    waiting = 0.0
    with suppress(AttributeError, OSError):  # Windows does not count them
        waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(seconds, work_seconds * waiting) / _TRIAL_SECONDS


@contextmanager
def display_compilation(refresh: Callable[[], object]) -> Iterator[None]:
    """Print no notice inside this context, whose display shows `describe_time_left()` when `refresh` is called."""
    _displays.append(refresh)
    try:
        yield
    finally:
        _displays.remove(refresh)


def hide_compile_notice() -> None:
    """Print no notice in this process."""
    _was_announced.append(True)


def is_notebook() -> bool:
    """Return whether this process runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def print_notice(text: str) -> None:
    """Print a line to standard error; in a notebook to standard output, because it shows errors in red."""
    print_message(text, sys.stdout if is_notebook() else sys.stderr)
