"""The connection to a Dask scheduler: errors in time, whatever is at the address, IPv6 and TLS."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.local_cluster import start_scheduler, start_service, start_worker
from tetrion.errors import TetrionError
from tetrion.evaluation import connect_cluster, dask_cluster

dask = pytest.importorskip("dask")


@pytest.fixture
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECT_TIMEOUT_SECONDS", 1)


@pytest.mark.usefixtures("short_timeout")
def test_cluster_without_workers(tmp_path: Path) -> None:
    with start_scheduler(tmp_path) as address, pytest.raises(TetrionError, match=f"no workers.*dask worker {address}"):
        connect_cluster(address)


@pytest.mark.usefixtures("short_timeout")
def test_service_that_stays_silent() -> None:
    """The client does not wait for ever for a port that accepts connections and never replies."""
    start = time.monotonic()
    with (
        start_service(b"") as address,
        pytest.raises(TetrionError, match=f"No Dask scheduler replied at {address} within 1 second"),
    ):
        connect_cluster(address)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "greeting",
    [
        b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
        b"\x01" + bytes(7) + b"x",  # a message of one byte
    ],
)
def test_service_that_is_not_a_scheduler(greeting: bytes) -> None:
    """A service that is not a Dask scheduler is reported, whatever it sends first."""
    start = time.monotonic()
    with (
        start_service(greeting, closes=True) as address,
        pytest.raises(TetrionError, match=f"The service at {address} is not a Dask scheduler.*`dask scheduler` prints"),
    ):
        connect_cluster(address)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "address",
    [
        *("tcp://", "8786", "tcp://host", "http://host:80", None, "tcp://host:65536", "tcp://host:٣"),
        *("tcp://::1:8786", "tcp://[host]:1"),
    ],
)
def test_invalid_address(address: Any) -> None:
    with pytest.raises(TetrionError, match=r"such as tcp://10\.0\.0\.5:8786, .*; given "):
        connect_cluster(address)
    assert dask_cluster.validate_address(" tls://[::1]:65535\n") == "tls://[::1]:65535"


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TetrionError, match=r'pip install "tetrion\[cluster\]"'):
        connect_cluster("tcp://127.0.0.1:8786")


TLS_SETTINGS = ("distributed.comm.tls.ca-file", "distributed.comm.tls.client.cert", "distributed.comm.tls.client.key")
TLS_VARIABLES = (
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE",
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT",
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY",
)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")


def make_certificate(folder: Path, name: str) -> dict[str, str]:
    """Write a self-signed certificate, and return Dask's settings for clients that use and trust it."""
    certificate, key = (str(folder / f"{name}.{ending}") for ending in ("pem", "key"))
    options = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}")
    command = ["openssl", "req", *options, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    return make_tls_settings(certificate, certificate, key)


def make_tls_settings(*files: str) -> dict[str, str]:
    return dict(zip(TLS_SETTINGS, files, strict=True))


@pytest.fixture(scope="module")
def tls_settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_certificate(tmp_path_factory.mktemp("certificates"), "cluster")


@pytest.fixture(scope="module")
def tls_address(tls_settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    authority, certificate, key = tls_settings.values()
    options = ("--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key)
    folder = tmp_path_factory.mktemp("cluster")
    with (
        start_scheduler(folder, "--protocol", "tls", *options) as address,
        start_worker(address, folder, *options),
    ):
        yield address


@pytest.mark.slow
@needs_openssl
def test_cluster_with_tls(tls_settings: dict[str, str], tls_address: str) -> None:
    """Addresses with tls:// are accepted."""
    environment = dict(zip(TLS_VARIABLES, tls_settings.values(), strict=True))
    program = (
        "import tetrion\n"
        "from tetrion.evaluation import connect_cluster\n"
        f"with connect_cluster('{tls_address}') as workers:\n"
        "    print(workers.description)\n"
        "    print(tetrion.evaluate('lowest', games=3, executor=workers).games)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert tls_address.startswith("tls://127.0.0.1:")
    assert result.stdout == f"cluster {tls_address} with 1 thread\n3\n"


def test_tls_without_certificates() -> None:
    """The error says what to configure."""
    message = r"tls://127\.0\.0\.1:1 needs certificates.*tls\.client\.cert.*DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
    with pytest.raises(TetrionError, match=message):
        connect_cluster("tls://127.0.0.1:1")


def test_tls_with_missing_or_invalid_files(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for name in ("missing.pem", "empty.pem"):
        file = str(tmp_path / name)
        with (
            dask.config.set(make_tls_settings(file, file, file)),
            pytest.raises(TetrionError, match=r"Dask's TLS settings cannot be used: .*ca-file"),
        ):
            connect_cluster("tls://127.0.0.1:1")


@pytest.mark.slow
@needs_openssl
def test_tls_certificate_of_another_authority(tls_address: str, tmp_path: Path) -> None:
    with (
        dask.config.set(make_certificate(tmp_path, "other")),
        pytest.raises(TetrionError, match=f"TLS connection to {tls_address} failed: .*signed by"),
    ):
        connect_cluster(tls_address)


@pytest.mark.slow
@needs_openssl
def test_tcp_address_of_a_scheduler_with_tls(tls_address: str) -> None:
    address = tls_address.replace("tls", "tcp")
    with pytest.raises(TetrionError, match=f"service at {address} is not a Dask scheduler, or one that needs TLS"):
        connect_cluster(address)


def test_required_encryption() -> None:
    with (
        dask.config.set({"distributed.comm.require-encryption": True}),
        pytest.raises(TetrionError, match=r"require-encryption forbids.*given tcp://127\.0\.0\.1:1\. .*tls://"),
    ):
        connect_cluster("127.0.0.1:1")
