"""A Dask cluster of local processes, which end with their `with` block."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def start_process(module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def start_scheduler(folder: Path) -> Iterator[str]:
    """Start a scheduler without workers and return its address."""
    file = folder / "scheduler.json"
    arguments = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
    with start_process("dask_scheduler", *arguments) as process:
        while not file.exists() or not file.stat().st_size:
            assert process.poll() is None
            time.sleep(0.05)
        yield json.loads(file.read_text(encoding="utf-8"))["address"]


def start_worker(address: str, folder: Path) -> Any:
    """Start a worker with one thread; the context manager returns its process."""
    return start_process("dask_worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))


@contextmanager
def start_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a scheduler and workers with one thread each, and return the address of the scheduler."""
    with ExitStack() as exit_stack:
        address = exit_stack.enter_context(start_scheduler(folder))
        for _ in range(workers):
            exit_stack.enter_context(start_worker(address, folder))
        yield address
