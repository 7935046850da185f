"""The user's consent to Python code that an agent needs.

Loading a data file never runs code by itself. An agent file may name a Python module with custom features, which runs
only after the user has agreed. The agreement is remembered for the content of the module, wherever it lies.
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file
from tetrion.errors import AgentError
from tetrion.user_folders import get_config_folder

CONSENT_FILE = "allowed_code.json"
CONSENT_FORMAT = 1
_session_digests = set[str]()  # code allowed in this process, also where the file of consents cannot be written
_session_paths = set[Path]()  # files that the user named on the command line; they may be edited while they are used


class CodeConsentError(AgentError):
    """Python code that an agent needs and that the user has not allowed; `path` is the file with the code."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"this agent runs the Python code in {path}, which was not allowed and can do anything on this computer. "
            "If you trust it, load the agent with `allow_code=True`."
        )
        self.path = path


def require_consent(path: Path) -> None:
    """Raise CodeConsentError unless the user has agreed to run a Python file."""
    if not has_consent(path):
        raise CodeConsentError(path)


def has_consent(path: Path) -> bool:
    """Return whether the user has agreed to run a Python file with its present content."""
    if path.absolute() in _session_paths:
        return True
    digest = compute_code_digest(path)
    return digest in _session_digests or digest in _load_consents()


def consent_to_path(path: Path) -> None:
    """Allow a Python file, whatever its content, until this process ends: the user has named it as code."""
    _session_paths.add(path.absolute())


def remember_consent(path: Path) -> None:
    """Remember that the user has agreed to run a Python file with its present content."""
    digest = compute_code_digest(path)
    consents = _load_consents()
    if digest in _session_digests and digest in consents:
        return
    _session_digests.add(digest)
    content = {"format": CONSENT_FORMAT, "modules": {**consents, digest: ascii(str(path.absolute()))[1:-1]}}
    with suppress(OSError):  # without the file, the consent lasts until this process ends
        get_config_folder().mkdir(parents=True, exist_ok=True)
        write_atomically(get_config_folder() / CONSENT_FILE, (json.dumps(content, indent=1) + "\n").encode())


def _load_consents() -> dict[str, str]:
    """Return the remembered consents: digest of the code, and where it was then; none if they cannot be read."""
    try:
        content = parse_json(read_data_file(get_config_folder() / CONSENT_FILE))
    except (FileNotFoundError, DataFileError):
        return {}
    modules = content.get("modules") if isinstance(content, dict) else None
    return modules if isinstance(modules, dict) else {}


def compute_code_digest(path: Path) -> str:
    """Return a digest of a Python file and of the files beside it that it imports.

    Without the latter, a trusted file could be sent again together with another file that it imports.
    """
    digest = hashlib.sha256()
    for name, content in sorted(_collect_imported_files(path).items()):
        digest.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    return digest.hexdigest()


def _collect_imported_files(path: Path) -> dict[str, bytes]:
    """Return the content of a Python file and of those in its folder that it imports, by their relative paths."""
    folder = path.parent
    contents = dict[str, bytes]()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        name = "" if file == path else file.relative_to(folder).as_posix()
        if name not in contents:
            contents[name] = _read_code(file)
            waiting += _find_neighbours(contents[name], folder)
    return contents


def _read_code(path: Path) -> bytes:
    try:
        return read_data_file(path)
    except FileNotFoundError:
        raise AgentError(f"there is no file {path}.") from None
    except DataFileError as error:
        raise AgentError(f"{path}: {error}") from None


def _find_neighbours(code: bytes, folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, or the packages in it, that Python code may import by an import statement."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # running it fails as well
        return
    for node in nodes:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
        for top_name in {name.partition(".")[0] for name in names}:
            package = folder / top_name
            yield from (
                package.rglob("*.py")
                if package.is_dir()
                else [file for file in [folder / f"{top_name}.py"] if file.is_file()]
            )
