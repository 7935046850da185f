"""What takes a while with a replay, done beside the window: reading it, playing it through, writing its page."""

import re
from collections.abc import Callable
from pathlib import Path

from tetrion.app.background_task import BackgroundTask
from tetrion.app.replays.replay_timeline import ReplayTimeline, build_timeline
from tetrion.app.user_folders import get_data_folder
from tetrion.atomic_files import write_atomically
from tetrion.errors import TetrionError
from tetrion.replay import Replay, add_file_to_errors

_PAGES_FOLDER = "pages"
_UNSAFE_CHARACTERS = re.compile(r"[^\w .=-]+")  # in a file's name


class ReplayLoader(BackgroundTask):
    """Reads a replay, or takes one that is known, and makes a reel of it."""

    def __init__(self, file: str, replay: Replay | None = None) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.moves_done = 0
        self.timeline: ReplayTimeline | None = None
        self.start()

    def run(self) -> None:
        """Read, check, play through."""
        with add_file_to_errors(self.file or "The replay"):
            self.replay = self.replay or Replay.load_unverified(self.file)
            for told in build_timeline(self.replay):
                if self._stop_event.is_set():
                    return
                if isinstance(told, ReplayTimeline):
                    self.timeline = told
                else:
                    self.moves_done = told

    @property
    def progress_text(self) -> str:
        """What it is doing."""
        if self.replay is None:
            return "The file is read."
        return f"Move {self.moves_done:,} of {len(self.replay.placements):,}"


class ReplayPageWriter(BackgroundTask):
    """Writes a replay's page, and tells where."""

    def __init__(self, file: str, replay: Replay | None, show_message: Callable[[str], None]) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.show_message = show_message
        self.start()

    def run(self) -> None:
        """Read the replay if it must be, and write the page."""
        from tetrion.lab.replay_page import render_replay_page

        replay = self.replay or Replay.load(self.file)
        path = get_page_path(self.file, replay)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, render_replay_page(replay).encode())
        except OSError as problem:
            raise TetrionError(f"The page cannot be written: {problem.strerror}.") from None
        self.show_message(f"The page is saved as {path}. Any browser opens it.")

    def _run_thread(self) -> None:
        super()._run_thread()
        if self.problem:
            self.show_message(self.problem)


def get_page_path(file: str, replay: Replay) -> Path:
    """Where the page of a replay is written."""
    name = Path(file).stem or f"{replay.rules.name} {replay.agent or 'player'} {replay.seed} {replay.number}"
    return get_data_folder() / _PAGES_FOLDER / f"{_UNSAFE_CHARACTERS.sub('-', name)}.html"
