"""What this machine is, for figures that depend on it."""

import platform
from functools import cache
from pathlib import Path


@cache
def get_processor_name() -> str:
    """The processor's name, as far as the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
