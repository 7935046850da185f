"""The start of a process of its own: `python -m tetrion.process_supervisor MODULE ARGUMENTS` calls `main` of a module.

On Linux, `main` runs in a child process, and this process supervises it. When the child ends, when standard input is
closed, or when SIGTERM arrives, the supervisor ends the child and all processes that it has started, also those in
sessions of their own. For this purpose it is a "child subreaper" (see prctl(2)): a process whose parent has ended
becomes a child of the supervisor. So every process becomes its child at the latest when those above it are ended, and
none is left when it has no children. The id of a child cannot be reused before the supervisor has reaped it.

This module imports nothing large: the supervisor starts quickly and needs little memory.
"""

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

_GRACE_SECONDS = 1.5  # after the input is closed; longer than the exit grace period of an agent process
_END_SECONDS = 2.0  # for ending all processes; some may not be allowed to be ended, such as those of other users
_POLL_SECONDS = 0.001
_INPUT_DESCRIPTOR = 0
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Call `main` of the module that is the first command-line argument, on Linux in a supervised child process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the process that started this one
    module_name = sys.argv.pop(1)
    if sys.platform == "linux":
        supervise_rest_of_program()
    import_module(module_name).main()


def supervise_rest_of_program() -> None:
    """Fork: the child process returns, and this process supervises it and ends like it."""
    set_process_option(_PR_SET_CHILD_SUBREAPER, 1)
    wake_up_descriptor, signal_descriptor = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(signal_descriptor)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    supervisor = os.getpid()
    child = os.fork()
    if child:
        wait_for_end(child, wake_up_descriptor)
        exit_like(end_all_processes(child))
    set_process_option(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:  # it ended before the previous line
        os._exit(1)
    signal.set_wakeup_fd(-1)
    for descriptor in (wake_up_descriptor, signal_descriptor):
        os.close(descriptor)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()


def set_process_option(option: int, value: int) -> None:
    """Call prctl(2); do nothing where the system does not support the option."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def wait_for_end(child: int, wake_up_descriptor: int) -> None:
    """Wait until the child ends, SIGTERM arrives, or the grace period after the end of the input is over."""
    poll = select.poll()
    poll.register(wake_up_descriptor, select.POLLIN)
    poll.register(_INPUT_DESCRIPTOR, 0)  # reports only that the other end is closed; the child reads the input
    end = None
    while not has_ended(child):
        remaining = None if end is None else 1000 * max(0.0, end - time.monotonic())
        ready = dict(poll.poll(remaining))
        if signal.SIGTERM in read_signals(wake_up_descriptor) or (not ready and end is not None):
            return
        if _INPUT_DESCRIPTOR in ready:
            poll.unregister(_INPUT_DESCRIPTOR)
            end = time.monotonic() + _GRACE_SECONDS


def has_ended(child: int) -> bool:
    """Return whether the child has ended, without reaping it; reap all others that have ended."""
    while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if ended.si_pid == child:
            return True
        os.waitpid(ended.si_pid, 0)
    return False


def read_signals(wake_up_descriptor: int) -> bytes:
    """Return the numbers of the signals that have arrived since the last call."""
    try:
        return os.read(wake_up_descriptor, 1024)
    except BlockingIOError:
        return b""


def end_all_processes(child: int) -> int:
    """End the child, which has not been reaped, and all its descendants; return the wait status of the child."""
    for send_signal in (os.killpg, os.kill):  # it may not have its own process group yet
        with suppress(ProcessLookupError, PermissionError):
            send_signal(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    end = time.monotonic() + _END_SECONDS
    while has_children() and time.monotonic() < end:
        for process_id in find_children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process_id, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)
    return status


def has_children() -> bool:
    """Reap the children that have ended and return whether others are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def find_children() -> Iterator[int]:
    """Yield the ids of the child processes of this process, the newest first because they may end soon."""
    process_ids = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    for process_id in sorted(process_ids, reverse=True):
        with suppress(OSError):  # the process has ended meanwhile
            status = Path(f"/proc/{process_id}/stat").read_bytes()
            state_and_parent = status.rpartition(b")")[2].split()[:2]  # after the name, which may contain anything
            if state_and_parent[1:] == [str(os.getpid()).encode()]:
                yield process_id


def exit_like(status: int) -> NoReturn:
    """End this process in the way that a wait status describes."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the child has written its core dump
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
