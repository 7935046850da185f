"""Cache of compiled code for the standalone program, independent of the program's folder.

Numba derives the cache folder from the path of the source file, so moving the program would recompile everything.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CacheImpl, UserProvidedCacheLocator

PROGRAM_FOLDER = Path(sys._MEIPASS)


class MovableCacheLocator(UserProvidedCacheLocator):
    """Locates the cache of the program's functions; for other files it uses Numba's locators."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        """Return the cache locator for a function, or None if no locator supports its file."""
        if Path(py_file).is_relative_to(PROGRAM_FOLDER):
            return super().from_function(py_func, py_file)
        locators = (locator_class.from_function(py_func, py_file) for locator_class in CacheImpl._locator_classes)
        return next((locator for locator in locators if locator is not None), None)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the cache subfolder of a source file, derived from its path within the program."""
        return "_".join(Path(py_file).relative_to(PROGRAM_FOLDER).parent.parts)
