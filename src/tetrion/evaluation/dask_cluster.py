"""Games on the workers of a Dask cluster; the connection to its scheduler has time limits and clear errors."""

import logging
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from tetrion.engine.batch_play import EngineSettings, select_fastest_play
from tetrion.engine.records import GameRecords
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.workers import GamesObserver, Workers, get_engine_version, load_engine
from tetrion.extras import require

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
    """Detects that a cluster has lost all its workers; Dask itself would wait for new ones without a message."""

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


_ADDRESS_PATTERN = re.compile(r"((?:tcp|tls|wss?)://)?(?:\[[0-9a-fA-F:.]+(?:%\w+)?\]|[^\s:/\[\]]+):([0-9]{1,5})")
_MAX_PORT = 2**16 - 1
_ENCRYPTED_SCHEMES = ("tls://", "wss://")
CONNECT_TIMEOUT_SECONDS = 10  # for each reply of the scheduler, and for its first worker
_POLL_SECONDS = 0.1
_TLS_HINT = (
    "Give the files of your cluster's certificates to Dask, in its configuration (distributed.comm.tls.ca-file, "
    "distributed.comm.tls.client.cert and distributed.comm.tls.client.key) or in the environment variables "
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY."
)


def validate_address(address: object) -> str:
    """Return the address of a scheduler, or raise a `TetrionError` if it is not one."""
    match = _ADDRESS_PATTERN.fullmatch(address.strip()) if isinstance(address, str) else None
    if match is None or not 1 <= int(match[2]) <= _MAX_PORT:
        raise TetrionError(
            "Expected the address of a Dask scheduler, such as tcp://10.0.0.5:8786, tls://10.0.0.5:8786 or "
            f"tcp://[fd00::5]:8786; given {address!r}. `dask scheduler` prints its address when it starts."
        )
    return match[0]


def import_distributed() -> Any:
    """Import Dask's package distributed, or raise a `TetrionError` with the install command."""
    return require("distributed", "a cluster")


def connect_client(address: str) -> Any:
    """Return a Dask client of the scheduler at a valid address; TLS is configured by Dask's own settings."""
    distributed = import_distributed()
    full_address = str(distributed.comm.normalize_address(address))  # with Dask's default scheme
    check_tls_settings(distributed, full_address)
    try:
        with warnings.catch_warnings(action="ignore"):  # about versions, which `check_versions` compares
            return make_client_class(distributed)(address, timeout=CONNECT_TIMEOUT_SECONDS, set_as_default=False)
    except (distributed.comm.CommClosedError, ImportError) as error:
        raise make_service_error(full_address, error) from None
    except (OSError, ValueError):
        raise TetrionError(
            f"No Dask scheduler replied at {address} within {CONNECT_TIMEOUT_SECONDS} seconds. Expected an address "
            "such as tcp://10.0.0.5:8786. Start `dask scheduler` there and check that the firewall allows the port."
        ) from None


def make_client_class(distributed: Any) -> Any:
    """Return a class of Dask clients that never wait longer than their timeout for a connection.

    Dask limits the time for each step of connecting, except that for the reply to its first message. The base class
    also lets errors pass that arise when it reads the bytes of another service as a message, such as a MemoryError.
    """

    class TimedClient(distributed.Client):
        async def _ensure_connected(self, timeout: float | None = None) -> None:
            import asyncio  # slow to import, and only needed here

            try:
                await asyncio.wait_for(super()._ensure_connected(timeout), timeout)
            except (OSError, ImportError):  # Dask raises an ImportError for versions that do not fit together
                raise
            except Exception as error:
                raise distributed.comm.CommClosedError(f"unexpected reply: {error}") from error

    return TimedClient


def wait_for_workers(client: Any, address: str) -> None:
    """Wait for the first worker of the scheduler at an address, or raise a `TetrionError` if none connects in time."""
    end = time.monotonic() + CONNECT_TIMEOUT_SECONDS
    while not get_worker_threads(client, address):
        if time.monotonic() >= end:
            raise TetrionError(
                f"The scheduler at {address} has no workers. Start workers on each machine: dask worker {address}"
            )
        time.sleep(_POLL_SECONDS)


def get_worker_threads(client: Any, address: str) -> dict[str, int]:
    """Return the number of threads of each worker, by its address, or raise an error if the scheduler is silent."""
    try:
        threads: dict[str, int] = client.nthreads(callback_timeout=CONNECT_TIMEOUT_SECONDS)
    except (OSError, AttributeError):  # a client that has lost its scheduler closes, and then lacks attributes
        raise make_scheduler_error(address) from None
    return threads


def make_scheduler_error(address: str) -> TetrionError:
    """Create the error for a scheduler that no longer replies."""
    return TetrionError(
        f"The scheduler at {address} no longer replies. Start `dask scheduler` and its workers again, then run the "
        "command again."
    )


def check_tls_settings(distributed: Any, address: str) -> None:
    """Raise a `TetrionError` if Dask's TLS settings cannot be used, or do not fit the scheme of an address."""
    config = import_module("dask").config
    if config.get("distributed.client.security-loader", None):  # provides the settings when the client is created
        return
    try:
        arguments = distributed.Security().get_connection_args("client")
    except (OSError, ValueError) as error:
        raise TetrionError(f"Dask's TLS settings cannot be used: {error}. {_TLS_HINT}") from None
    is_encrypted = address.startswith(_ENCRYPTED_SCHEMES)
    if is_encrypted and arguments["ssl_context"] is None:
        raise TetrionError(f"{address} needs certificates, which are not configured. {_TLS_HINT}")
    if not is_encrypted and arguments["require_encryption"]:
        raise TetrionError(
            f"Dask's setting distributed.comm.require-encryption forbids connections without TLS; given {address}. "
            "Give an address that begins with tls://."
        )


def make_service_error(address: str, error: Exception) -> TetrionError:
    """Create the error for a service that closes the connection or sends what a Dask scheduler would not send."""
    if address.startswith(_ENCRYPTED_SCHEMES):
        reason = str(error.__cause__ or error) or type(error).__name__
        return TetrionError(
            f"The TLS connection to {address} failed: {reason}. Check that the scheduler uses TLS, and that the "
            f"certificates of both sides are signed by the configured certificate authority. {_TLS_HINT}"
        )
    return TetrionError(
        f"The service at {address} is not a Dask scheduler, or one that needs TLS or has another version of Dask. Give "
        "the address that `dask scheduler` prints; with TLS it begins with tls://."
    )


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
