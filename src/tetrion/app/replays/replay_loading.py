"""Background tasks for a replay: loading and verifying it, and writing its HTML page."""

import re
from pathlib import Path

from tetrion.app.background_task import BackgroundTask
from tetrion.app.notices import MessageFunction
from tetrion.app.replays.replay_timeline import ReplayTimeline, build_timeline
from tetrion.atomic_files import write_atomically
from tetrion.errors import TetrionError
from tetrion.replay import Replay, add_file_to_errors
from tetrion.user_folders import describe_save_error, get_data_folder

_PAGES_FOLDER = "pages"
_UNSAFE_CHARACTERS = re.compile(r"[^\w .=-]+")  # in file names
_MAX_NAME_BYTES = 200  # of a file name; most systems allow 255


class ReplayLoader(BackgroundTask):
    """Loads a replay from a file, or takes one that is already loaded, and builds its timeline."""

    def __init__(self, file: str, replay: Replay | None = None) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.moves_done = 0
        self.timeline: ReplayTimeline | None = None
        self.start()

    def run(self) -> None:
        """Read the file, verify the replay and build its timeline."""
        with add_file_to_errors(self.file or "The replay"):
            self.replay = self.replay or Replay.load_unverified(self.file)
            for progress in build_timeline(self.replay):
                if self._stop_event.is_set():
                    return
                if isinstance(progress, ReplayTimeline):
                    self.timeline = progress
                else:
                    self.moves_done = progress

    @property
    def progress_text(self) -> str:
        """A text about the progress."""
        if self.replay is None:
            return "Reading the file."
        return f"Move {self.moves_done:,} of {len(self.replay.placements):,}"


class ReplayPageWriter(BackgroundTask):
    """Writes the HTML page of a replay and shows a message with its path."""

    def __init__(self, file: str, replay: Replay | None, show_message: MessageFunction) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.show_message = show_message
        show_message("Saving the page…")
        self.start()

    def run(self) -> None:
        """Load the replay if necessary, and write the page."""
        from tetrion.lab.replay_page import render_replay_page

        replay = self.replay or Replay.load(self.file)
        path = get_page_path(self.file, replay)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, render_replay_page(replay).encode())
        except OSError as error:
            raise TetrionError(describe_save_error("The page", path.parent, error)) from None
        self.show_message(f"The page is saved as {path}.", file=path)

    def _run_thread(self) -> None:
        super()._run_thread()
        if self.problem:
            self.show_message(self.problem)


def get_page_path(file: str, replay: Replay) -> Path:
    """Return the path of the HTML page of a replay."""
    name = Path(file).stem or f"{replay.rules.name} {replay.agent or 'player'} {replay.seed} {replay.number}"
    title = _UNSAFE_CHARACTERS.sub("-", name).encode()[:_MAX_NAME_BYTES].decode("utf-8", "ignore")
    return get_data_folder() / _PAGES_FOLDER / f"{title}.html"
