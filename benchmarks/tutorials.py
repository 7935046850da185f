"""Write the output of the tutorials' commands into their pages: python -m benchmarks.tutorials [PAGE...].

A tutorial is run from top to bottom, in a folder with the repository's examples and replays. A block with a title is a
file. Between `<!-- output -->` and `<!-- /output -->` are commands, each in a shell block, and their output in text
blocks, which is also saved in benchmarks/results/tutorials.json. Output that depends on the machine, such as speeds and
times, is removed.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from benchmarks.pages import ROOT, find_marked_sections, replace_marked_sections

TUTORIALS_FOLDER = ROOT / "docs" / "tutorials"
RESULTS_FILE = ROOT / "benchmarks" / "results" / "tutorials.json"
OUTPUT_MARKER = "output"
COPIED_FOLDERS = ("examples", "docs/replays")  # available in the repository
TERMINAL_ENVIRONMENT = {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "88", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
SHELL_PREAMBLE = f'tetrion() {{ "{sys.executable}" -c "from tetrion.__main__ import main; main()" "$@"; }}; '
RATE_PATTERN = r"[\d.,]+(?: M)? pieces/s"
REMOVED_PATTERNS = (
    r"\x1b\[[\d;?]*[a-zA-Z]",  # terminal colours
    r"^[\d,]+ of [\d,]+ (?:generation|episode)s?, .*\n",  # progress display
    *(
        rf"^ *{RATE_PATTERN}\n",
        rf" · {RATE_PATTERN}",
        r"\s+Training\s+took\s+[\d:]+\.",
        r"  +(?:time|\d+:\d\d)$",
    ),  # speeds and times
    r" +$",
)
COMMAND_PATTERN = re.compile(r"^```sh\n(.*)\n```$", re.MULTILINE)
FIRST_LINES_PATTERN = re.compile(r"# the first (\d+) lines$")
FILE_PATTERN = re.compile(r'^```\w* title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)

CommandOutputs = list[tuple[str, str]]  # commands and their output


def list_tutorials() -> list[Path]:
    """Return the paths of all tutorials."""
    return sorted(path for path in TUTORIALS_FOLDER.glob("*.md") if path.name != "index.md")


def find_files(page: str) -> dict[str, str]:
    """Return the files that a page shows, by name."""
    return dict(FILE_PATTERN.findall(page))


def find_commands(page: str) -> list[list[str]]:
    """Return the commands whose output a page shows, one list per section."""
    return [COMMAND_PATTERN.findall(section) for section in find_marked_sections(OUTPUT_MARKER, page)]


def remove_varying_text(output: str) -> str:
    """Remove text that depends on the machine or is temporary from the output of a command."""
    for pattern in REMOVED_PATTERNS:
        output = re.sub(pattern, "", output, flags=re.MULTILINE)
    return output.strip("\n") + "\n"


def truncate_output(output: str, command: str) -> str:
    """Truncate the output if the command ends with a comment such as `# the first 10 lines`."""
    lines = output.splitlines(keepends=True)
    comment = FIRST_LINES_PATTERN.search(command)
    return "".join([*lines[: int(comment[1])], "…\n"]) if comment else output


def copy_tutorial_files(page: str, folder: Path) -> None:
    """Copy the files that the commands and programs of a page need into a folder."""
    for name in COPIED_FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    for name, content in find_files(page).items():
        (folder / name).write_text(content, encoding="utf-8")


def run_commands(page: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Run the commands of a page in a folder; yield each with its output, including errors."""
    copy_tutorial_files(page, folder)
    for section in find_commands(page):
        for command in section:
            yield command, truncate_output(remove_varying_text(run_command(command, folder)), command)


def run_command(command: str, folder: Path) -> str:
    """Return the terminal output of a command, and its error output if it fails."""
    python_path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    terminal_end, process_end = pty.openpty()
    with tempfile.TemporaryFile() as errors, os.fdopen(terminal_end, "rb", buffering=0) as terminal:
        process = subprocess.Popen(
            ["bash", "-c", SHELL_PREAMBLE + command],
            cwd=folder,
            env=os.environ | TERMINAL_ENVIRONMENT | {"PYTHONPATH": python_path},
            stdin=subprocess.DEVNULL,
            stdout=process_end,
            stderr=errors,
        )
        os.close(process_end)
        output = b"".join(read_all(terminal))
        if process.wait():
            errors.seek(0)
            output += errors.read()
    return output.decode().replace("\r\n", "\n")


def read_all(terminal: IO[bytes]) -> Iterator[bytes]:
    """Yield everything that appears on a terminal until it is closed."""
    with suppress(OSError):  # raised at the end of the terminal
        while part := terminal.read(65536):
            yield part


def render_sections(page: str, outputs: CommandOutputs) -> list[str]:
    """Return the contents of the output sections of a page."""
    output_by_command = dict(outputs)
    sections = []
    for commands in find_commands(page):
        parts = [f"```sh\n{command}\n```\n\n```text\n{output_by_command[command]}```\n" for command in commands]
        sections.append("\n" + "\n".join(parts) + "\n")
    return sections


def load_outputs() -> dict[str, CommandOutputs]:
    """Return the saved outputs by page."""
    content = json.loads(RESULTS_FILE.read_text(encoding="utf-8")) if RESULTS_FILE.exists() else {}
    return {name: [(part["command"], part["printed"]) for part in parts] for name, parts in content.items()}


def main(names: list[str]) -> None:
    """Run all tutorials, or the given ones, and update their pages."""
    outputs = load_outputs()
    for path in list_tutorials():
        if names and path.stem not in names:
            continue
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            outputs[path.stem] = list(run_commands(page, Path(folder)))
        path.write_text(
            replace_marked_sections(OUTPUT_MARKER, page, render_sections(page, outputs[path.stem])), encoding="utf-8"
        )
        print(path.stem, flush=True)
    content = {
        name: [{"command": command, "printed": output} for command, output in outputs[name]] for name in sorted(outputs)
    }
    RESULTS_FILE.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
