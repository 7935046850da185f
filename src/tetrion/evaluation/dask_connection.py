"""The connection to the scheduler of a Dask cluster: its address, TLS, a limit on the time, and clear errors."""

import logging
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tetrion.errors import TetrionError

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
    try:
        return import_module("distributed")
    except ImportError:
        raise TetrionError(
            'A cluster needs Dask, which is not installed. Install it: pip install "tetrion[cluster]"'
        ) from None


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
