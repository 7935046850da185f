"""Games on many machines: the workers of a Dask cluster."""

import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack
from typing import Any

from tetrion.engine.batch_play import EngineSettings, select_fastest_play
from tetrion.engine.records import GameRecords
from tetrion.errors import TetrionError
from tetrion.evaluation.dask_connection import (
    connect_client,
    get_worker_threads,
    import_distributed,
    make_scheduler_error,
    silence_dask_logs,
    validate_address,
    wait_for_workers,
)
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.worker_tasks import GamesObserver, get_engine_version, load_engine
from tetrion.evaluation.workers import Workers

TASK_RETRIES = 3  # retries of a failed task; Dask itself handles a worker that is lost
MAX_PLAY_ATTEMPTS = 3  # how often Dask may abandon games because several of their workers were lost
WATCH_INTERVAL_SECONDS = 2
WORKER_WAIT_SECONDS = 60  # for a new worker after all are lost
COMPARED_PACKAGES = ("python", "numpy", "numba", "tetrion")

ShowMessage = Callable[[str], object]


class ClusterWorkers(Workers):
    """The workers of a Dask client."""

    def __init__(self, client: Any, executor: Executor, show_message: ShowMessage, exit_stack: ExitStack) -> None:
        self.client = client
        self.show_message = show_message
        self.exit_stack = exit_stack
        self.prepared_workers = set[tuple[str, str]]()
        self.address = str(client.scheduler.address)
        check_versions(client)
        count = self.count
        super().__init__(executor, count, f"cluster {self.address} with {format_count(count, 'thread')}")

    @property
    def count(self) -> int:
        """The number of tasks that the currently connected workers run at the same time."""
        return max(1, sum(get_worker_threads(self.client, self.address).values()))

    def prepare(self, settings: EngineSettings) -> None:
        """Compile or load the engine on the workers; on each machine, one of them compiles and the others wait."""
        self.check_settings(settings)
        function = select_fastest_play(settings).dispatcher.__name__
        addresses = get_worker_threads(self.client, self.address)
        workers = [worker for worker in addresses if (worker, function) not in self.prepared_workers]
        if not workers:
            return
        self.show_message("Preparing the engine on the workers (up to a minute on first use).")
        self.client.run(load_engine_in_thread, settings, workers=workers, on_error="ignore")
        self.prepared_workers |= {(worker, function) for worker in workers}

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends in place, even if workers are lost; return whether Ctrl-C stopped them."""
        distributed = import_distributed()
        watch = WorkersWatch(self.client, self.address, self.show_message)

        def check_and_report(current: GameRecords) -> None:
            watch.check()
            if on_progress:
                on_progress(current)

        for _ in range(MAX_PLAY_ATTEMPTS):
            try:
                return super().play(games, settings, check_and_report)
            except TetrionError:
                raise
            except (distributed.KilledWorker, ValueError):  # Dask raises a ValueError for a result lost with its worker
                continue  # the records still have the state from before that worker's task
            except (CancelledError, distributed.comm.CommClosedError):
                raise make_scheduler_error(self.address) from None
        raise TetrionError(
            f"Several workers of {self.address} were lost while playing. Check their output: they may be out of "
            "memory, or the system may have ended them. Then run the command again."
        )

    def close(self) -> None:
        """Disconnect from the cluster, which keeps running."""
        self.exit_stack.close()


class WorkersWatch:
    """Notices that a cluster has lost all its workers, for which Dask itself would wait in silence for ever."""

    def __init__(self, client: Any, address: str, show_message: ShowMessage) -> None:
        self.client = client
        self.address = address
        self.show_message = show_message
        self.next_check = time.monotonic()
        self.lost_since: float | None = None

    def check(self) -> None:
        """Ask for the workers every few seconds; report their loss, and raise an error if none comes back in time."""
        now = time.monotonic()
        if now < self.next_check:
            return
        self.next_check = now + WATCH_INTERVAL_SECONDS
        if get_worker_threads(self.client, self.address):
            if self.lost_since is not None:
                self.show_message(f"A worker has connected to {self.address}. The games continue.")
            self.lost_since = None
        elif self.lost_since is None:
            self.lost_since = now
            self.show_message(
                f"All workers of {self.address} are gone. The games continue if a worker connects within "
                f"{WORKER_WAIT_SECONDS} seconds: dask worker {self.address}"
            )
        elif now - self.lost_since >= WORKER_WAIT_SECONDS:
            raise TetrionError(
                f"All workers of {self.address} are gone, and none connected within {WORKER_WAIT_SECONDS} seconds. "
                f"Check their output, start workers again (dask worker {self.address}), then run the command again."
            )


def connect_cluster(address: str, show_message: ShowMessage | None = None) -> Workers:
    """Connect to the Dask scheduler at an address such as tcp://10.0.0.5:8786 and return its workers.

    Connect only to your own cluster: a scheduler can run programs on this machine. An address that begins with tls://
    needs certificates in Dask's configuration. The workers must have the same versions as this machine. `show_message`
    is called before steps that take long, and when all workers are lost (default: print to standard error).
    """
    valid_address = validate_address(address)
    import_distributed()  # before the log messages of its modules are silenced
    exit_stack = ExitStack()
    try:
        exit_stack.enter_context(silence_dask_logs())
        client = connect_client(valid_address)
        exit_stack.callback(client.close)
        wait_for_workers(client, str(client.scheduler.address))
        executor = client.get_executor(retries=TASK_RETRIES, pure=False)
        return ClusterWorkers(client, executor, show_message or print_message, exit_stack)
    except BaseException:
        exit_stack.close()
        raise


def check_versions(client: Any) -> None:
    """Raise a `TetrionError` if a worker has other versions than this machine, because its games could differ."""
    reports = client.get_versions(packages=list(COMPARED_PACKAGES[1:]))
    local_versions = read_versions(reports["client"])
    for worker, report in reports["workers"].items():
        for package, version in read_versions(report).items():
            local_version = local_versions[package]
            if version != local_version:
                raise make_version_error(worker, f"{package} {version or '(none)'}", f"{package} {local_version}")
    for worker, engine in client.run(get_engine_version, on_error="return").items():
        if isinstance(engine, OSError):  # the worker has disconnected
            continue
        if engine != get_engine_version():
            raise make_version_error(worker, f"a different engine ({engine})", get_engine_version())


def read_versions(report: dict[str, Any]) -> dict[str, str | None]:
    """Return the versions that must be equal, from Dask's report of a machine."""
    python = ".".join(report["host"]["python"].split(".")[:2])
    return {"python": python, **{package: report["packages"].get(package) for package in COMPARED_PACKAGES[1:]}}


def make_version_error(worker: str, worker_version: str, local_version: str) -> TetrionError:
    """Create the error for a worker with other versions than this machine."""
    return TetrionError(
        f"The worker {worker} has {worker_version}; this machine has {local_version}. Games are identical only with "
        "identical versions: install the same versions on that machine and restart its workers."
    )


async def load_engine_in_thread(settings: EngineSettings) -> None:
    """Compile or load the engine on a worker in a thread, so that the worker can still reply to its scheduler."""
    import asyncio  # slow to import, and only needed on workers

    await asyncio.to_thread(load_engine, settings)


def print_message(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr, flush=True)
