"""The choice between the workers that can play games: threads, the GPU, an executor or a cluster."""

import os
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, nullcontext

from tetrion.errors import TetrionError, describe_value
from tetrion.evaluation.dask_cluster import ClusterWorkers, print_message
from tetrion.evaluation.gpu import open_gpu, validate_device
from tetrion.evaluation.workers import Workers, start_threads, validate_worker_count


def open_workers(
    executor: Executor | Workers | None, count: int | None, device: str = "cpu"
) -> AbstractContextManager[Workers]:
    """Return the workers that play games: the GPU for the device "cuda", else the executor, else threads.

    `count` is the number of tasks at a time (default: one per core, or as many as the executor has workers).
    """
    validate_device(device)
    if device == "cuda":
        if executor is not None or count is not None:
            given = f"workers {count}" if executor is None else getattr(executor, "description", f"{executor!r}")
            raise TetrionError(
                f"The device cuda cannot be combined with workers or an executor; also given {given}. Omit one of them."
            )
        return open_gpu()
    if count is not None:
        validate_worker_count(count)
    if executor is None:
        return start_threads(count)
    if isinstance(executor, Workers):
        if count is not None:
            raise TetrionError(
                f"The executor ({executor.description}) has its own number of workers; also given workers {count}. "
                "Give only one of them."
            )
        return nullcontext(executor)
    if not isinstance(executor, Executor):
        raise TetrionError(
            "Expected an executor of concurrent.futures, or Dask's Client(address).get_executor(); given "
            f"{describe_value(executor)}."
        )
    if client := getattr(executor, "_client", None):  # an executor of Dask
        return ClusterWorkers(client, executor, print_message, ExitStack())
    return Workers(executor, count or getattr(executor, "_max_workers", None) or os.cpu_count() or 1, "your executor")
