"""Where the stand-alone program keeps compiled code: wherever the program lies, in the same place.

Numba names the place by the path of the source file, so that moving the program would compile everything anew.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CacheImpl, UserProvidedCacheLocator

PROGRAM = Path(sys._MEIPASS)


class MovableCacheLocator(UserProvidedCacheLocator):
    """The place for a function of the program; for one of a person's own files, Numba's choice."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        """The place, or None where there is none."""
        if Path(py_file).is_relative_to(PROGRAM):
            return super().from_function(py_func, py_file)
        others = (other.from_function(py_func, py_file) for other in CacheImpl._locator_classes)
        return next((found for found in others if found is not None), None)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """A folder's name, by the file's place within the program."""
        return "_".join(Path(py_file).relative_to(PROGRAM).parent.parts)
