"""A Dask cluster of processes, which whoever starts it ends."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def process(module: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    told = folder / "scheduler.json"
    with process("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told)) as child:
        while not told.exists() or not told.stat().st_size:
            assert child.poll() is None
            time.sleep(0.05)
        yield json.loads(told.read_text(encoding="utf-8"))["address"]


def worker(address: str, folder: Path) -> Any:
    return process("dask_worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))


@contextmanager
def running_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """The address of a scheduler with workers of one thread each."""
    with ExitStack() as ending:
        found = ending.enter_context(scheduler(folder))
        for _ in range(workers):
            ending.enter_context(worker(found, folder))
        yield found
