"""Ctrl-C: one line and one exit code at every moment, from the first import to the end of the process.

An exception in the middle of an import can leave a library half loaded, and the C code of some libraries prints it or
turns it into another error. In the functions of LLVM it can lead to memory that is freed twice, and so to a crash.
Therefore Ctrl-C ends the process at once while nothing but imports has happened, and waits for the end of an import or
of such a function later on.
"""

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

_SIGNAL_EXIT_CODE = 128  # plus the number of the signal
EXIT_STOPPED = 130  # stopped by Ctrl-C (128 + SIGINT)
STOP_MESSAGE = "Stopped."
_ERROR_DESCRIPTOR = 2  # standard error, which is written directly: Python's streams may be locked
_IMPORT_FILES = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
_LLVM_FOLDER = f"{os.sep}llvmlite{os.sep}binding{os.sep}"  # of the functions that call LLVM
_RETRY_SECONDS = 0.02

_T = TypeVar("_T")
_SignalHandler = Callable[[int, FrameType | None], object]


def report_stop() -> None:
    """Write the message about Ctrl-C to standard error, on a line of its own after the terminal's ^C."""
    with suppress(OSError):
        line_end = "\n" if os.isatty(_ERROR_DESCRIPTOR) else ""
        os.write(_ERROR_DESCRIPTOR, f"{line_end}{STOP_MESSAGE}\n".encode())


def exit_at_once(number: int, frame: FrameType | None) -> None:
    """End the process without any clean-up (a handler of SIGINT)."""
    report_stop()
    os._exit(EXIT_STOPPED)


def interrupt_after_import(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, after the end of an import or a function of LLVM, if one is running (for SIGINT)."""
    if not is_uninterruptible(frame):
        raise KeyboardInterrupt
    interrupt_later()


def interrupt_later() -> None:
    """Interrupt the main thread again after a short time."""
    timer = threading.Timer(_RETRY_SECONDS, interrupt_main_thread)
    timer.daemon = True
    timer.start()


def interrupt_main_thread() -> None:
    """Send SIGINT to the main thread, so that it also ends a system call such as sleep."""
    main_thread = threading.main_thread().ident
    if sys.platform == "win32" or main_thread is None:
        _thread.interrupt_main()
    else:
        signal.pthread_kill(main_thread, signal.SIGINT)


def is_uninterruptible(frame: FrameType | None) -> bool:
    """Return whether a frame belongs to an import or a function of LLVM, or was called by one."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file in _IMPORT_FILES or _LLVM_FOLDER in file:
            return True
        frame = frame.f_back
    return False


def set_interrupt_handler(handler: _SignalHandler) -> None:
    """Handle Ctrl-C with a function, unless this process ignores it, as one started in the background does."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def exit_at_once_on_interrupt() -> Iterator[None]:
    """End the process at once on Ctrl-C inside this context, where `interrupt_after_import` handles it otherwise."""
    if signal.getsignal(signal.SIGINT) is not interrupt_after_import:
        yield
        return
    set_interrupt_handler(exit_at_once)
    try:
        yield
    finally:
        set_interrupt_handler(interrupt_after_import)


def call_in_thread(function: Callable[[], _T]) -> _T:
    """Call a function in a thread, so that Ctrl-C ends the command at once even during a long call of compiled code."""
    from concurrent.futures import ThreadPoolExecutor, wait

    with exit_at_once_on_interrupt(), ThreadPoolExecutor(1) as executor:
        future = executor.submit(function)
        while not wait([future], _RETRY_SECONDS).done:  # Windows handles signals only between short waits
            pass
        return future.result()


@contextmanager
def exit_on_termination() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit inside this context, so that context managers clean up."""

    def exit_process(number: int, frame: FrameType | None) -> None:
        raise SystemExit(_SIGNAL_EXIT_CODE + number)

    numbers = (getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGHUP"))  # Windows has no SIGHUP
    handlers = {number: signal.getsignal(number) for number in numbers}
    for number, handler in handlers.items():
        if handler is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, exit_process)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def repeat_lost_interrupts() -> None:
    """Raise a KeyboardInterrupt again that Python has to ignore, such as one in a callback from C code.

    Without this, Python prints a traceback and the interrupt has no effect.
    """
    report_unraisable = sys.unraisablehook

    def handle_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            interrupt_later()
        else:
            report_unraisable(unraisable)

    sys.unraisablehook = handle_unraisable
