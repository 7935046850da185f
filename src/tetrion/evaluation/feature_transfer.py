"""Custom features in other processes and on other machines: their functions are sent there and compiled.

Workers run what a client sends, as Dask does with every task. Whether a feature may run was decided where its agent was
loaded.
"""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.custom_features import CustomFeature, find_features
from tetrion.errors import AgentError
from tetrion.extras import make_install_command

_MAX_PACKED_BYTES = 1_000_000  # they are sent with every task
_unpacking_lock = threading.Lock()  # each feature is compiled once per process


def pack_features(settings: EngineSettings) -> bytes:
    """Return the custom features of the agents as bytes for `use_features`; empty without any."""
    features = find_features(set(settings.agents["custom_addresses"].ravel().tolist()) - {0})
    if not features:
        return b""
    cloudpickle = import_cloudpickle()
    parts = [(address, found.function, found.max_value, found.kind) for address, found in sorted(features.items())]
    try:
        with pickle_by_value(cloudpickle, {found.function.__module__ for found in features.values()}):
            packed: bytes = cloudpickle.dumps(parts)
    except Exception as error:
        raise AgentError(f"The custom features cannot be sent to other processes: {error}. Use threads.") from None
    if len(packed) > _MAX_PACKED_BYTES:
        raise AgentError(
            f"Custom features for other processes have at most {_MAX_PACKED_BYTES:,} bytes with all values that they "
            f"use; given {len(packed):,}. Use smaller tables, or threads."
        )
    return packed


def import_cloudpickle() -> Any:
    """Import cloudpickle, which is installed with Dask; raise an AgentError without it."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        raise AgentError(
            "An agent with custom features needs cloudpickle to play in other processes. Install it: "
            f"{make_install_command('cluster')}. Or use threads: omit the cluster or the executor."
        ) from None


@contextmanager
def pickle_by_value(cloudpickle: Any, module_names: Iterable[str]) -> Iterator[None]:
    """Send the code of modules, which other processes cannot import, instead of their names."""
    modules = [sys.modules[name] for name in module_names if name != "__main__" and name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


@contextmanager
def use_features(settings: EngineSettings, packed: bytes) -> Iterator[EngineSettings]:
    """Provide settings whose agents use the features of `pack_features`, compiled in this process.

    At the end, raise an AgentError if one of them has failed.
    """
    if not packed:
        yield settings
        return
    with _unpacking_lock:
        features = unpack_features(packed)
        addresses = {address: found.get_address() for address, found in features.items()}
    agents = settings.agents.copy()
    for address, own_address in addresses.items():
        agents["custom_addresses"][settings.agents["custom_addresses"] == address] = own_address
    yield settings._replace(agents=agents)
    for found in features.values():
        found.check_no_failure()


@lru_cache(maxsize=16)
def unpack_features(packed: bytes) -> dict[int, CustomFeature]:
    """Return the features of `pack_features`, by their addresses in the process that packed them."""
    try:
        parts = import_cloudpickle().loads(packed)
    except Exception as error:
        raise AgentError(
            f"The custom features cannot be used on a worker: {error}. Define them and all functions that they use in "
            "one Python file."
        ) from None
    return {address: CustomFeature(function, max_value, kind) for address, function, max_value, kind in parts}
