"""Opening files and folders with the programs of the system, without waiting for them."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

_BUNDLED_LIBRARIES = "LD_LIBRARY_PATH"  # PyInstaller sets it for this program and keeps the user's value in _ORIG


def open_file(path: Path, on_error: Callable[[str], None]) -> None:
    """Open a file or a folder with its default program; `on_error` gets a message if that fails."""
    _start_program(_make_open_command(path), path, on_error)


def show_in_folder(path: Path, on_error: Callable[[str], None]) -> None:
    """Open the folder of a file, with the file selected where the system can do that; a folder is opened itself."""
    if path.is_dir():
        open_file(path, on_error)
    elif sys.platform == "darwin":
        _start_program(["open", "-R", str(path)], path, on_error)
    elif sys.platform == "win32":
        subprocess.Popen(f'explorer /select,"{path}"')  # its exit code is 1 even after success
    else:
        open_file(path.parent, on_error)


def _make_open_command(path: Path) -> list[str]:
    """Return the command that opens a path; [] on Windows, which has a function for it."""
    if sys.platform == "win32":
        return []
    return ["open" if sys.platform == "darwin" else "xdg-open", str(path)]


def _start_program(command: list[str], path: Path, on_error: Callable[[str], None]) -> None:
    thread = threading.Thread(target=_run_program, args=(command, path, on_error), name="tetrion-open", daemon=True)
    thread.start()


def _run_program(command: list[str], path: Path, on_error: Callable[[str], None]) -> None:
    try:
        if sys.platform == "win32":
            os.startfile(path)
            return
        done = subprocess.run(
            command,
            env=_make_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    except FileNotFoundError:
        on_error(f"{path} cannot be opened: the program {command[0] if command else ''} is not installed.")
    except OSError as error:
        on_error(f"{path} cannot be opened: {error.strerror}.")
    else:
        if done.returncode:
            on_error(f"{path} cannot be opened: {command[0]} found no program for it.")


def _make_environment() -> dict[str, str]:
    """Return the environment of the user, without the libraries of the standalone program."""
    environment = dict(os.environ)
    if (original := environment.pop(f"{_BUNDLED_LIBRARIES}_ORIG", None)) is not None:
        environment[_BUNDLED_LIBRARIES] = original
    elif getattr(sys, "frozen", False):
        environment.pop(_BUNDLED_LIBRARIES, None)
    return environment
