"""A Dask cluster of local processes, and other services, which end with their `with` block."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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
def start_scheduler(folder: Path, *options: str, host: str = "127.0.0.1") -> Iterator[str]:
    """Start a scheduler without workers and return its address."""
    file = folder / "scheduler.json"
    arguments = ("--host", host, "--port", "0", "--scheduler-file", str(file), *options)
    with start_process("dask_scheduler", *arguments) as process:
        while not file.exists() or not file.stat().st_size:
            assert process.poll() is None
            time.sleep(0.05)
        yield json.loads(file.read_text(encoding="utf-8"))["address"]


def start_worker(address: str, folder: Path, *options: str) -> Any:
    """Start a worker with one thread; the context manager returns its process."""
    arguments = (address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder), *options)
    return start_process("dask_worker", *arguments)


@contextmanager
def start_service(greeting: bytes, *, closes: bool = False) -> Iterator[str]:
    """Start a service that is not a scheduler, and return its address.

    It sends its greeting to every client, then closes the connection or stays silent.
    """
    has_ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as exit_stack:
        server.settimeout(0.05)

        def serve() -> None:
            while not has_ended.is_set():
                with suppress(OSError):  # no client within the time limit, or a client that has left
                    connection = exit_stack.enter_context(server.accept()[0])
                    connection.sendall(greeting)
                    if closes:
                        connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        finally:
            has_ended.set()
            thread.join()


@contextmanager
def start_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a scheduler and workers with one thread each, and return the address of the scheduler."""
    with ExitStack() as exit_stack:
        address = exit_stack.enter_context(start_scheduler(folder))
        for _ in range(workers):
            exit_stack.enter_context(start_worker(address, folder))
        yield address
