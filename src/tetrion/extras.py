"""Optional libraries: which extra of the package installs each, and the error that names it if one is missing."""

from importlib import import_module
from types import ModuleType

from tetrion.errors import TetrionError

LIBRARIES = {  # the module that is imported: its name in messages, and the extra that installs it
    "PIL": ("Pillow", "plots"),
    "distributed": ("Dask", "cluster"),
    "gymnasium": ("Gymnasium", "rl"),
    "imageio_ffmpeg": ("imageio-ffmpeg", "video"),
    "jinja2": ("Jinja2", "plots"),
    "matplotlib": ("Matplotlib", "plots"),
    "numba_cuda": ("numba-cuda", "gpu"),
    "pygame": ("pygame-ce", "window"),
    "stable_baselines3": ("Stable-Baselines3", "learning"),
}


class MissingLibraryError(TetrionError, ModuleNotFoundError):
    """An optional library that is not installed; the message names the command that installs it.

    It is also a ModuleNotFoundError, which Python raises and other programs expect.
    """

    def __init__(self, library: str, purpose: str) -> None:
        title, extra = LIBRARIES[library]
        super().__init__(
            f"{title} is needed for {purpose}, but it is not installed. Install it: {make_install_command(extra)}"
        )
        self.name = library


def make_install_command(extra: str) -> str:
    """Return the command that installs an extra."""
    return f'pip install "tetrion[{extra}]"'


def require(module: str, purpose: str) -> ModuleType:
    """Import and return an optional library, or raise a `MissingLibraryError`.

    `purpose` is a noun phrase that continues "… is needed for". `module` may also be a module that imports the library.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if explained := explain_missing_library(error, purpose):
            raise explained from None
        raise


def explain_missing_library(error: ModuleNotFoundError, purpose: str) -> MissingLibraryError | None:
    """Return the error for an import that did not find an optional library; None if it did not find something else."""
    return MissingLibraryError(error.name, purpose) if error.name in LIBRARIES else None
