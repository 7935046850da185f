"""Games on many machines: the workers of a Dask cluster."""

import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from tetrion.engine.batch_play import EngineSettings, GameRecords, select_fastest_play
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.parallel_play import check_no_custom_features
from tetrion.evaluation.worker_tasks import GamesObserver, get_engine_version, load_engine
from tetrion.evaluation.workers import Workers

_ADDRESS_PATTERN = re.compile(r"((tcp|tls|ws|wss)://)?[^\s:/]+:\d{1,5}")
CONNECT_TIMEOUT_SECONDS = 10  # to reach the scheduler, and again for its first worker
TASK_RETRIES = 3  # retries of a failed task; Dask itself handles a worker that is lost
MAX_PLAY_ATTEMPTS = 3  # how often Dask may abandon games because several of their workers were lost
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
        return max(1, sum(self.get_worker_threads().values()))

    def get_worker_threads(self) -> dict[str, int]:
        """Return the number of threads of each worker, by its address."""
        try:
            threads: dict[str, int] = self.client.nthreads()
        except OSError:
            raise self.make_scheduler_error() from None
        return threads

    def prepare(self, settings: EngineSettings) -> None:
        """Compile or load the engine on the workers; on each machine, one of them compiles and the others wait."""
        check_no_custom_features(settings)
        function = select_fastest_play(settings).dispatcher.__name__
        workers = [worker for worker in self.get_worker_threads() if (worker, function) not in self.prepared_workers]
        if not workers:
            return
        self.show_message("Preparing the engine on the workers (up to a minute on first use).")
        self.client.run(load_engine_in_thread, settings, workers=workers, on_error="ignore")
        self.prepared_workers |= {(worker, function) for worker in workers}

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends in place, even if workers are lost; return whether Ctrl-C stopped them."""
        distributed = import_distributed()
        for _ in range(MAX_PLAY_ATTEMPTS):
            try:
                return super().play(games, settings, on_progress)
            except TetrionError:
                raise
            except (distributed.KilledWorker, ValueError):  # Dask raises a ValueError for a result lost with its worker
                continue  # the records still have the state from before that worker's task
            except (CancelledError, distributed.comm.CommClosedError):
                raise self.make_scheduler_error() from None
        raise TetrionError(
            f"Several workers of {self.address} were lost while playing. Check their output: they may be out of "
            "memory, or the system may have ended them. Then run the command again."
        )

    def make_scheduler_error(self) -> TetrionError:
        """Create the error for a scheduler that no longer replies."""
        return TetrionError(
            f"The scheduler at {self.address} no longer replies. Start `dask scheduler` and its workers again, then "
            "run the command again."
        )

    def close(self) -> None:
        """Disconnect from the cluster, which keeps running."""
        self.exit_stack.close()


def connect_cluster(address: str, show_message: ShowMessage | None = None) -> Workers:
    """Connect to the Dask scheduler at an address such as tcp://10.0.0.5:8786 and return its workers.

    The workers must have the same versions as this machine. `show_message` is called before steps that take long
    (default: print to standard error).
    """
    if not isinstance(address, str) or not _ADDRESS_PATTERN.fullmatch(address.strip()):
        raise TetrionError(
            f"Expected the address of a Dask scheduler, such as tcp://10.0.0.5:8786; given {address!r}. "
            "`dask scheduler` prints its address when it starts."
        )
    distributed = import_distributed()
    exit_stack = ExitStack()
    try:
        exit_stack.enter_context(silence_dask_logs())
        client = connect_client(distributed, address.strip())
        exit_stack.callback(client.close)
        wait_for_workers(client)
        executor = client.get_executor(retries=TASK_RETRIES, pure=False)
        return ClusterWorkers(client, executor, show_message or print_message, exit_stack)
    except BaseException:
        exit_stack.close()
        raise


def import_distributed() -> Any:
    """Import Dask's package distributed, or raise a `TetrionError` with the install command."""
    try:
        return import_module("distributed")
    except ImportError:
        raise TetrionError(
            'A cluster needs Dask, which is not installed. Install it: pip install "tetrion[cluster]"'
        ) from None


def connect_client(distributed: Any, address: str) -> Any:
    """Return a Dask client of the scheduler at an address."""
    try:
        with warnings.catch_warnings(action="ignore"):  # about versions, which `check_versions` compares
            return distributed.Client(address, timeout=CONNECT_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError):
        raise TetrionError(
            f"No Dask scheduler replied at {address} within {CONNECT_TIMEOUT_SECONDS} seconds. Expected an address "
            "such as tcp://10.0.0.5:8786. Start `dask scheduler` there and check that the firewall allows the port."
        ) from None


def wait_for_workers(client: Any) -> None:
    """Wait for the first worker, or raise a `TetrionError` if none connects in time."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_SECONDS)
    except TimeoutError:
        address = client.scheduler.address
        raise TetrionError(
            f"The scheduler at {address} has no workers. Start workers on each machine: dask worker {address}"
        ) from None


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


@contextmanager
def silence_dask_logs() -> Iterator[None]:
    """Suppress log messages of Dask, such as those about connections, on the terminal."""
    names = {"distributed", "tornado", *logging.root.manager.loggerDict}
    loggers = [logging.getLogger(name) for name in names if name.split(".")[0] in ("distributed", "tornado")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def print_message(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr, flush=True)
