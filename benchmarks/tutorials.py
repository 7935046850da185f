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

from benchmarks.pages import ROOT, marked, with_shown

FOLDER, RESULTS = ROOT / "docs" / "tutorials", ROOT / "benchmarks" / "results" / "tutorials.json"
MARK, PROMPT = "output", "$ "
LENT = ("examples", "docs/replays")  # what a person finds in the repository
TERMINAL = {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "88", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
SHELL = f'tetrion() {{ "{sys.executable}" -m tetrion "$@"; }}; '
RATE = r"[\d.,]+(?: M)? pieces/s"
LEFT_OUT = (
    r"\x1b\[[\d;?]*[a-zA-Z]",  # how it looks
    r"^generation .* left\n",  # what a terminal shows in passing
    *(rf"^ *{RATE}\n", rf" · {RATE}", r";\s+training\s+took\s+[\d:]+", r"  +(?:time|\d+:\d\d)$"),  # the machine's
    r" +$",
)
FIRST_LINES = re.compile(r"# the first (\d+) lines$")
FILE = re.compile(r'^```\w* title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)

Printed = list[tuple[str, str]]  # commands and what they print


def tutorials() -> list[Path]:
    """Every tutorial."""
    return sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")


def files_of(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    return dict(FILE.findall(page))


def commands_of(page: str) -> list[list[str]]:
    """The commands whose output a page shows, one list for each place."""
    return [re.findall(r"^\$ (.*)$", shown, re.MULTILINE) for shown in marked(MARK, page)]


def steady(printed: str) -> str:
    """What a command printed, without what is the machine's or passes by."""
    for pattern in LEFT_OUT:
        printed = re.sub(pattern, "", printed, flags=re.MULTILINE)
    return printed.strip("\n") + "\n"


def shortened(printed: str, command: str) -> str:
    """As much of what was printed as a remark behind the command says: `# the first 10 lines`."""
    lines, remark = printed.splitlines(keepends=True), FIRST_LINES.search(command)
    return "".join([*lines[: int(remark[1])], "…\n"]) if remark else printed


def lend(page: str, folder: Path) -> None:
    """Put into a folder what the commands and programs of a page count on."""
    for name in LENT:
        shutil.copytree(ROOT / name, folder / name)
    for name, content in files_of(page).items():
        (folder / name).write_text(content, encoding="utf-8")


def tried(page: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Each command of a page, run in a folder, with what it prints; of one that fails, what it says."""
    lend(page, folder)
    for place in commands_of(page):
        for command in place:
            yield command, shortened(steady(printed_by(command, folder)), command)


def printed_by(command: str, folder: Path) -> str:
    """What a command prints on a terminal; if it fails, what it says of that too."""
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    there, here = pty.openpty()
    with tempfile.TemporaryFile() as beside, os.fdopen(there, "rb", buffering=0) as screen:
        running = subprocess.Popen(
            ["bash", "-c", SHELL + command],
            cwd=folder,
            env=os.environ | TERMINAL | {"PYTHONPATH": paths},
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


def rendered(page: str, printed: Printed) -> list[str]:
    """What stands between the marks of a page."""
    known, places = dict(printed), []
    for commands in commands_of(page):
        parts = [f"{PROMPT}{command}\n{known[command]}" for command in commands]
        places.append("\n```\n" + "\n".join(parts) + "```\n\n")
    return places


def kept() -> dict[str, Printed]:
    """What was printed, by page."""
    content = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return {name: [(part["command"], part["printed"]) for part in parts] for name, parts in content.items()}


def main(names: list[str]) -> None:
    """Try all tutorials, or those that are named, and renew their pages."""
    known = kept()
    for path in tutorials():
        if names and path.stem not in names:
            continue
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            known[path.stem] = list(tried(page, Path(folder)))
        path.write_text(with_shown(MARK, page, rendered(page, known[path.stem])), encoding="utf-8")
        print(path.stem, flush=True)
    parts = {
        name: [{"command": command, "printed": printed} for command, printed in known[name]] for name in sorted(known)
    }
    RESULTS.write_text(json.dumps(parts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
