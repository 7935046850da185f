"""One-time tasks that run in a background thread."""

import threading

from tetrion.agents.code_consent import CodeConsentError
from tetrion.app.agent_code import AgentLoader
from tetrion.app.crash_log import describe_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.window_words import translate_to_window
from tetrion.errors import TetrionError


class BackgroundTask(AgentLoader):
    """A thread that runs `run` once; `problem` holds the error message if it failed."""

    def __init__(self) -> None:
        self.problem = ""
        self.is_done = False
        self._stop_event = threading.Event()
        self._thread = threading.Thread(target=self._run_thread, name=f"tetrion-{type(self).__name__}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end soon, without waiting for it."""
        self._stop_event.set()

    @property
    def is_compiling(self) -> bool:
        """Whether the engine is being compiled while the task runs."""
        return get_engine_loader().is_compiling and not self.is_done

    def run(self) -> None:
        """Do the work of the task; subclasses override this."""

    def _run_thread(self) -> None:
        try:
            self.run()
        except CodeConsentError as error:
            self.code_file = error.path
            self.problem = translate_to_window(str(error))
        except TetrionError as error:
            self.problem = str(error)
        except Exception as error:  # no file and no agent may crash the window
            self.problem = describe_crash(error)
        finally:
            self.is_done = True
