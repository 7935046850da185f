"""Description of this machine, for measurements that depend on it."""

import platform
from functools import cache
from pathlib import Path


@cache
def get_processor_name() -> str:
    """Return the name of the processor, or its architecture if the system does not provide the name."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
