"""Games on many machines: the workers of a Dask cluster, found by its address and compared with this machine."""

import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from tetrion.engine.batch_play import EngineSettings, GameRecords, select_fastest_play
from tetrion.errors import TetrionError, UnknownNameError
from tetrion.evaluation.games_observer import GamesObserver
from tetrion.evaluation.gpu import DEVICES, open_gpu
from tetrion.evaluation.parallel_play import check_no_custom_features
from tetrion.evaluation.worker_tasks import get_engine_version, load_engine
from tetrion.evaluation.workers import Workers, start_threads, validate_count

_ADDRESS_PATTERN = re.compile(r"((tcp|tls|ws|wss)://)?[^\s:/]+:\d{1,5}")
CONNECT_TIMEOUT_SECONDS = 10  # seconds to find a scheduler, and again for its first worker
TASK_RETRIES = 3  # of a task that fails; a worker's death is made good by Dask itself
MAX_PLAY_ATTEMPTS = 3  # times that Dask may give up games whose workers died, each after several deaths
COMPARED_PACKAGES = ("python", "numpy", "numba", "tetrion")

ShowMessage = Callable[[str], object]


class ClusterWorkers(Workers):
    """The workers of a Dask client."""

    def __init__(self, client: Any, executor: Executor, tell: ShowMessage, ending: ExitStack) -> None:
        self.client = client
        self.show_message = tell
        self.exit_stack = ending
        self.prepared_workers = set[tuple[str, str]]()
        self.address = str(client.scheduler.address)
        check_versions(client)
        count = self.count
        super().__init__(executor, count, f"cluster {self.address} with {count} thread{'s'[: count > 1]}")

    @property
    def count(self) -> int:
        """How many tasks are worked on at a time, by the workers that are there now."""
        return max(1, sum(self.get_worker_threads().values()))

    def get_worker_threads(self) -> dict[str, int]:
        """The workers' addresses and how many threads each has."""
        try:
            found: dict[str, int] = self.client.nthreads()
        except OSError:
            raise self.make_scheduler_error() from None
        return found

    def prepare(self, setting: EngineSettings) -> None:
        """Compile or load the engine on the workers: on one of each machine first, and the others find it compiled."""
        check_no_custom_features(setting)
        way = select_fastest_play(setting).dispatcher.__name__
        workers = [worker for worker in self.get_worker_threads() if (worker, way) not in self.prepared_workers]
        if not workers:
            return
        self.show_message("Preparing the engine on the workers. Up to a minute where it is the first time.")
        first = {urlsplit(worker).hostname: worker for worker in workers}
        for some in (list(first.values()), workers):
            self.client.run(load_engine_in_thread, setting, workers=some, on_error="ignore")
        self.prepared_workers |= {(worker, way) for worker in workers}

    def play(self, games: GameRecords, setting: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        """Play all games to their ends, in place, whichever worker dies; tells whether Ctrl-C stopped them."""
        distributed = import_distributed()
        for _ in range(MAX_PLAY_ATTEMPTS):
            try:
                return super().play(games, setting, on_progress)
            except TetrionError:
                raise
            except (distributed.KilledWorker, ValueError):  # Dask stumbles so over a result that dies with its worker
                continue  # the records are here, as they were before that worker's turn
            except (CancelledError, distributed.comm.CommClosedError):
                raise self.make_scheduler_error() from None
        raise TetrionError(
            f"Worker after worker of {self.address} dies while it plays. Look at what they print: they may be out of "
            "memory, or be ended by the system. The games that had come back are kept in their records."
        )

    def make_scheduler_error(self) -> TetrionError:
        """What to say when nobody answers any more."""
        return TetrionError(
            f"The scheduler at {self.address} is gone. Start `dask scheduler` and its workers again. The games that "
            "had come back are kept in their records."
        )

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        self.exit_stack.close()


def connect_cluster(address: str, show_message: ShowMessage | None = None) -> Workers:
    """The workers of the Dask scheduler at an address such as tcp://10.0.0.5:8786, if their versions are ours.

    What takes a while is told by `tell`, on the standard error if nothing is said.
    """
    if not isinstance(address, str) or not _ADDRESS_PATTERN.fullmatch(address.strip()):
        raise TetrionError(
            f"A cluster is found by its scheduler's address, such as tcp://10.0.0.5:8786; given {address!r}. "
            "`dask scheduler` prints it when it starts."
        )
    distributed, ending = import_distributed(), ExitStack()
    try:
        ending.enter_context(silence_dask_logs())
        client = connect_client(distributed, address.strip())
        ending.callback(client.close)
        wait_for_workers(client)
        return ClusterWorkers(
            client, client.get_executor(retries=TASK_RETRIES, pure=False), show_message or print_message, ending
        )
    except BaseException:
        ending.close()
        raise


def open_workers(
    executor: Executor | Workers | None, count: int | None, device: str = "cpu"
) -> AbstractContextManager[Workers]:
    """Those to play with: threads if there is no executor; `count` tasks at a time, or as many as an executor tells.

    On the device `cuda` it is the GPU.
    """
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    if device == "cuda":
        if executor is not None or count is not None:
            given = f"workers {count}" if executor is None else getattr(executor, "description", f"{executor!r}")
            raise TetrionError(f"The device cuda plays all games itself; given {given} too. Give one of them.")
        return open_gpu()
    if count is not None:
        validate_count("workers", count)
    if executor is None:
        return start_threads(count)
    if isinstance(executor, Workers):
        if count is not None:
            raise TetrionError(
                f"{executor.description} know their number; given workers {count} too. Give one of them."
            )
        return nullcontext(executor)
    if not isinstance(executor, Executor):
        raise TetrionError(
            f"An executor is one of concurrent.futures, or Dask's Client(address).get_executor(); given {executor!r}."
        )
    if client := getattr(executor, "_client", None):  # Dask's
        return ClusterWorkers(client, executor, print_message, ExitStack())
    return Workers(executor, count or getattr(executor, "_max_workers", None) or os.cpu_count() or 1, "your executor")


def import_distributed() -> Any:
    """Dask's distributed, or the error that says how to get it."""
    try:
        return import_module("distributed")
    except ImportError:
        raise TetrionError(
            'A cluster needs Dask, which is not installed here. Install it: pip install "tetrion[cluster]"'
        ) from None


def connect_client(distributed: Any, address: str) -> Any:
    """A client of the scheduler at an address."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of versions, which are compared below
            return distributed.Client(address, timeout=CONNECT_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError):
        raise TetrionError(
            f"No Dask scheduler answers at {address}, after {CONNECT_TIMEOUT_SECONDS} seconds. Expected one such as "
            "tcp://10.0.0.5:8786: start `dask scheduler` there, and see that its firewall lets the port through."
        ) from None


def wait_for_workers(client: Any) -> None:
    """Make sure that there is somebody to play."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_SECONDS)
    except TimeoutError:
        address = client.scheduler.address
        raise TetrionError(
            f"The scheduler at {address} has no workers. Start some on each machine: dask worker {address}"
        ) from None


def check_versions(client: Any) -> None:
    """Make sure that every worker would play the same games as this machine."""
    found = client.get_versions(packages=list(COMPARED_PACKAGES[1:]))
    ours = read_versions(found["client"])
    for worker, told in found["workers"].items():
        for package, theirs in read_versions(told).items():
            if theirs != ours[package]:
                raise make_version_error(worker, f"{package} {theirs or '(none)'}", f"{package} {ours[package]}")
    for worker, engine in client.run(get_engine_version, on_error="return").items():
        if isinstance(engine, OSError):  # it has gone since
            continue
        if engine != get_engine_version():
            raise make_version_error(worker, f"another engine ({engine})", get_engine_version())


def read_versions(told: dict[str, Any]) -> dict[str, str | None]:
    """The versions that matter, of what Dask tells of a machine."""
    python = ".".join(told["host"]["python"].split(".")[:2])
    return {"python": python, **{package: told["packages"].get(package) for package in COMPARED_PACKAGES[1:]}}


def make_version_error(worker: str, theirs: str, ours: str) -> TetrionError:
    """What to say of a worker that might play other games."""
    return TetrionError(
        f"The worker {worker} has {theirs}; here it is {ours}. Games are the same only with the same versions: install "
        "them on that machine too, and start its workers again."
    )


async def load_engine_in_thread(setting: EngineSettings) -> None:
    """Compile or load the engine on a worker that goes on to answer its scheduler meanwhile."""
    import asyncio  # it takes a while to load, and only workers need it

    await asyncio.to_thread(load_engine, setting)


@contextmanager
def silence_dask_logs() -> Iterator[None]:
    """Keep what Dask logs of its comings and goings from a person's terminal."""
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


def print_message(words: str) -> None:
    """Tell whoever waits."""
    print(words, file=sys.stderr, flush=True)
