"""What the commands of the tutorials print, in their pages: python -m benchmarks.tutorials [PAGE...].

A tutorial is tried from top to bottom, in a folder where the repository's examples and replays lie. A block with a
title is a file. Between `<!-- output -->` and `<!-- /output -->` stand commands, each behind a `$`, and what they
print, which is kept in benchmarks/results/tutorials.json. What depends on the machine, speeds and times, is left out.
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

TUTORIALS_FOLDER, RESULTS_FILE = ROOT / "docs" / "tutorials", ROOT / "benchmarks" / "results" / "tutorials.json"
OUTPUT_MARKER, PROMPT = "output", "$ "
COPIED_FOLDERS = ("examples", "docs/replays")  # what a person finds in the repository
TERMINAL_ENVIRONMENT = {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "88", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
SHELL_PREAMBLE = f'tetrion() {{ "{sys.executable}" -m tetrion "$@"; }}; '
RATE_PATTERN = r"[\d.,]+(?: M)? pieces/s"
REMOVED_PATTERNS = (
    r"\x1b\[[\d;?]*[a-zA-Z]",  # how it looks
    r"^generation .* left\n",  # what a terminal shows in passing
    *(
        rf"^ *{RATE_PATTERN}\n",
        rf" · {RATE_PATTERN}",
        r";\s+training\s+took\s+[\d:]+",
        r"  +(?:time|\d+:\d\d)$",
    ),  # the machine's
    r" +$",
)
FIRST_LINES_PATTERN = re.compile(r"# the first (\d+) lines$")
FILE_PATTERN = re.compile(r'^```\w* title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)

CommandOutputs = list[tuple[str, str]]  # commands and what they print


def list_tutorials() -> list[Path]:
    """Every tutorial."""
    return sorted(path for path in TUTORIALS_FOLDER.glob("*.md") if path.name != "index.md")


def find_files(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    return dict(FILE_PATTERN.findall(page))


def find_commands(page: str) -> list[list[str]]:
    """The commands whose output a page shows, one list for each place."""
    return [re.findall(r"^\$ (.*)$", shown, re.MULTILINE) for shown in find_marked_sections(OUTPUT_MARKER, page)]


def remove_varying_text(printed: str) -> str:
    """What a command printed, without what is the machine's or passes by."""
    for pattern in REMOVED_PATTERNS:
        printed = re.sub(pattern, "", printed, flags=re.MULTILINE)
    return printed.strip("\n") + "\n"


def truncate_output(printed: str, command: str) -> str:
    """As much of what was printed as a remark behind the command says: `# the first 10 lines`."""
    lines, remark = printed.splitlines(keepends=True), FIRST_LINES_PATTERN.search(command)
    return "".join([*lines[: int(remark[1])], "…\n"]) if remark else printed


def copy_tutorial_files(page: str, folder: Path) -> None:
    """Put into a folder what the commands and programs of a page count on."""
    for name in COPIED_FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    for name, content in find_files(page).items():
        (folder / name).write_text(content, encoding="utf-8")


def run_commands(page: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Each command of a page, run in a folder, with what it prints; of one that fails, what it says."""
    copy_tutorial_files(page, folder)
    for place in find_commands(page):
        for command in place:
            yield command, truncate_output(remove_varying_text(run_command(command, folder)), command)


def run_command(command: str, folder: Path) -> str:
    """What a command prints on a terminal; if it fails, what it says of that too."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    there, here = pty.openpty()
    with tempfile.TemporaryFile() as beside, os.fdopen(there, "rb", buffering=0) as screen:
        running = subprocess.Popen(
            ["bash", "-c", SHELL_PREAMBLE + command],
            cwd=folder,
            env=os.environ | TERMINAL_ENVIRONMENT | {"PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=here,
            stderr=beside,
        )
        os.close(here)
        printed = b"".join(read_all(screen))
        if running.wait():
            beside.seek(0)
            printed += beside.read()
    return printed.decode().replace("\r\n", "\n")


def read_all(screen: IO[bytes]) -> Iterator[bytes]:
    """What appears on a screen until nobody writes there any more."""
    with suppress(OSError):  # how the end is told
        while part := screen.read(65536):
            yield part


def render_sections(page: str, printed: CommandOutputs) -> list[str]:
    """What stands between the marks of a page."""
    known, places = dict(printed), []
    for commands in find_commands(page):
        parts = [f"{PROMPT}{command}\n{known[command]}" for command in commands]
        places.append("\n```\n" + "\n".join(parts) + "```\n\n")
    return places


def load_outputs() -> dict[str, CommandOutputs]:
    """What was printed, by page."""
    content = json.loads(RESULTS_FILE.read_text(encoding="utf-8")) if RESULTS_FILE.exists() else {}
    return {name: [(part["command"], part["printed"]) for part in parts] for name, parts in content.items()}


def main(names: list[str]) -> None:
    """Try all tutorials, or those that are named, and renew their pages."""
    known = load_outputs()
    for path in list_tutorials():
        if names and path.stem not in names:
            continue
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            known[path.stem] = list(run_commands(page, Path(folder)))
        path.write_text(
            replace_marked_sections(OUTPUT_MARKER, page, render_sections(page, known[path.stem])), encoding="utf-8"
        )
        print(path.stem, flush=True)
    parts = {
        name: [{"command": command, "printed": printed} for command, printed in known[name]] for name in sorted(known)
    }
    RESULTS_FILE.write_text(json.dumps(parts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
