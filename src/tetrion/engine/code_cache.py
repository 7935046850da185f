"""The cache of compiled code: one file per function, argument types and processor, with a checksum.

Numba's own cache has no checksums, so a damaged file can crash the process or change the results of games. It detects
an edit in the file of a cached function, but not in the files of the functions that it calls. Here, the cache folder is
named after a hash of all engine sources, and an edit anywhere in the engine recompiles everything.
"""

import hashlib
import os
import pickle
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from tetrion.atomic_files import write_atomically
from tetrion.engine.numba_internals import VERSIONS, serialise_code
from tetrion.text_cleaning import clean_message

_CHECKSUM_SIZE = 32
_ENGINE = __name__.rpartition(".")[0]
_UNSTORED_CODE_MESSAGE = (
    "The compiled code cannot be stored in {folder} ({reason}) and will be compiled again at the next start. "
    "Set TETRION_CACHE_DIR to a folder that is writable and not full."
)
_unstored_code_messages: list[str] = []  # at most one


class CodeFiles:
    """The files with the compiled code of a module-level function; caches of Numba and numba-cuda can use it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if function.__closure__:
            raise ValueError(f"{function.__qualname__} must be a module-level function, because its code is cached.")
        is_hashed = function.__module__.startswith(f"{_ENGINE}.")  # in the name of the cache folder
        place = function.__module__ if is_hashed else read_sources(function)
        self._identity = (place, function.__qualname__, function.__code__.co_firstlineno)
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

    @property
    def exist(self) -> bool:
        """Whether this machine has compiled the function before."""
        with suppress(OSError):
            return any(get_cache_folder().glob(f"{self._name}-*"))
        return False

    def open_lock(self) -> BinaryIO:
        """Open the file that a process locks while it loads or compiles the function."""
        return (make_cache_folder() / f"{self._name}.lock").open("wb")

    def load(self, key: object) -> Any:
        """Return the code for a key (argument types and processor), or None if the file is missing or damaged."""
        try:
            code = read_code(self._get_path(key))
        except OSError:
            return None
        return None if code is None else pickle.loads(code)

    def save(self, key: object, data: object) -> None:
        """Store the code for a key; if that is impossible, print a message, once per process."""
        try:
            path = self._get_path(key)
            code = serialise_code(data)
            make_cache_folder()
            if path.is_dir():
                shutil.rmtree(path)
            write_atomically(path, [compute_checksum(path.name, code), code])
        except OSError as error:
            report_unstored_code(error)

    def flush(self) -> None:
        """Delete the files."""
        for path in get_cache_folder().glob(f"{self._name}-*"):
            path.unlink()

    def _get_path(self, key: object) -> Path:
        """Return the file for a key, named after a hash of everything on which its content depends."""
        identity = repr((self._identity, sys.version, VERSIONS, key))
        return get_cache_folder() / f"{self._name}-{hashlib.sha256(identity.encode()).hexdigest()[:32]}"


def read_sources(function: Callable[..., Any]) -> list[tuple[Path, bytes]]:
    """Return what the code of a function outside the engine depends on: its file or, in this package, its folder."""
    source = Path(function.__code__.co_filename)
    is_ours = function.__module__.startswith("tetrion.")
    return [(path, path.read_bytes()) for path in (sorted(source.parent.glob("*.py")) if is_ours else [source])]


def read_code(path: Path) -> memoryview | None:
    """Return the content of a file of compiled code after its checksum, or None if the file is damaged."""
    content = memoryview(path.read_bytes())
    checksum, code = content[:_CHECKSUM_SIZE], content[_CHECKSUM_SIZE:]
    return code if checksum == compute_checksum(path.name, code) else None


def compute_checksum(file_name: str, code: bytes | memoryview) -> bytes:
    """Return the checksum of a file's content; it includes the name, so that exchanged files are detected."""
    checksum = hashlib.blake2b(file_name.encode(), digest_size=_CHECKSUM_SIZE)
    checksum.update(code)
    return checksum.digest()


def report_unstored_code(error: OSError) -> None:
    """Print why compiled code cannot be stored, once per process."""
    if not _unstored_code_messages:
        folder = os.environ.get("TETRION_CACHE_DIR") or find_system_cache() or "the home folder"
        message = _UNSTORED_CODE_MESSAGE.format(folder=folder, reason=error.strerror or error)
        _unstored_code_messages.append(clean_message(message))
        print_message(_unstored_code_messages[0])


def print_message(message: str, stream: TextIO | None = None) -> None:
    """Print a line to a stream (default: standard error), unless that is closed."""
    file = stream or sys.stderr
    if file is not None:
        with suppress(OSError):
            print(message, file=file, flush=True)


@cache
def compute_source_hash() -> str:
    """Return a short hash of all source files of the engine, as they were when this module was loaded."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


compute_source_hash()  # now: an edit or an update may change the files before the first function is compiled


@cache
def get_cache_folder() -> Path:
    """Return the folder of this engine's code, which may not exist: in `TETRION_CACHE_DIR` or the system's cache."""
    parent = os.environ.get("TETRION_CACHE_DIR") or find_system_cache()
    if parent is None:
        raise FileNotFoundError("the home folder is unknown")
    return Path(parent).absolute() / compute_source_hash()


def make_cache_folder() -> Path:
    """Return the folder of this engine's code, after creating it if necessary."""
    get_cache_folder().mkdir(parents=True, exist_ok=True)
    return get_cache_folder()


def find_system_cache() -> Path | None:
    """Return the system's cache folder for Tetrion, or None if the home folder is unknown."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tetrion" / "cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "tetrion"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tetrion"
    except RuntimeError:  # raised by Path.home() if there is no home folder
        return None
