"""What takes a while with a replay, done beside the window: reading it, playing it through, writing its page."""

import re
from collections.abc import Callable
from pathlib import Path

from tetrion.app.folders import data_folder
from tetrion.app.replays.reel import Reel, wound
from tetrion.app.task import Task
from tetrion.errors import TetrionError
from tetrion.files import write_whole
from tetrion.replay import Replay, naming

PAGES = "pages"
UNUSUAL = re.compile(r"[^\w .=-]+")  # in a file's name


class Loading(Task):
    """Reads a replay, or takes one that is known, and makes a reel of it."""

    def __init__(self, file: str, replay: Replay | None = None) -> None:
        super().__init__()
        self.file, self.replay, self.moves = file, replay, 0
        self.reel: Reel | None = None
        self.start()

    def work(self) -> None:
        """Read, check, play through."""
        with naming(self.file or "The replay"):
            self.replay = self.replay or Replay.unplayed(self.file)
            for told in wound(self.replay):
                if self._stopped.is_set():
                    return
                if isinstance(told, Reel):
                    self.reel = told
                else:
                    self.moves = told

    @property
    def words(self) -> str:
        """What it is doing."""
        if self.replay is None:
            return "The file is read."
        return f"Move {self.moves:,} of {len(self.replay.placements):,}"


class PageWriter(Task):
    """Writes a replay's page, and tells where."""

    def __init__(self, file: str, replay: Replay | None, tell: Callable[[str], None]) -> None:
        super().__init__()
        self.file, self.replay, self.tell = file, replay, tell
        self.start()

    def work(self) -> None:
        """Read the replay if it must be, and write the page."""
        from tetrion.lab.replay_page import replay_page

        replay = self.replay or Replay.load(self.file)
        path = page_file(self.file, replay)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, replay_page(replay).encode())
        except OSError as problem:
            raise TetrionError(f"The page cannot be written: {problem.strerror}.") from None
        self.tell(f"The page is saved as {path}. Any browser opens it.")

    def _work(self) -> None:
        super()._work()
        if self.problem:
            self.tell(self.problem)


def page_file(file: str, replay: Replay) -> Path:
    """Where the page of a replay is written."""
    name = Path(file).stem or f"{replay.rules.name} {replay.agent or 'player'} {replay.seed} {replay.number}"
    return data_folder() / PAGES / f"{UNUSUAL.sub('-', name)}.html"
