"""Python code of agents that are chosen in the window: it runs only after the user has allowed it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tetrion.agents.agent_loading import find_code_file
from tetrion.agents.code_consent import remember_consent, require_consent
from tetrion.app.toolkit.frame import draw_overlay
from tetrion.app.toolkit.tooltip import wrap_long_text
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.text_cleaning import clean_text

_EXPLANATION = "This agent contains Python code, which can do anything on this computer:"
_ADVICE = "Run it only if you trust where it came from."
_DIALOG_WIDTH = 520
_MAX_PATH_LENGTH = 300  # characters; the middle of a longer path is left out


def check_agent_code(name: str | Path) -> None:
    """Raise CodeConsentError if an agent runs Python code that the user has not allowed.

    An agent file is checked for this when it is loaded; a Python class, which is nothing but code, only here.
    """
    path = find_code_file(name)
    if path is not None and path.exists():
        require_consent(path)


class AgentLoader:
    """The base of tasks that load agents in the background and may need code that the user has not allowed."""

    code_file: Path | None = None

    def take_code_file(self) -> Path | None:
        """Return the Python file that must be allowed before the agent can be loaded, once; None without one."""
        path = self.code_file
        self.code_file = None
        return path


@dataclass(frozen=True)
class CodeQuestion:
    """A question over the whole screen whether a Python file may run; `on_allowed` repeats what failed without it."""

    path: Path
    on_allowed: Callable[[], None]
    focus: str  # the control that had the focus before

    def draw(self, ui: Ui) -> bool:
        """Draw the question and act on the answer; return whether there is none yet."""
        lines = [_EXPLANATION, *wrap_path(ui.pen, self.path, _DIALOG_WIDTH - 40), _ADVICE]
        buttons = (("Cancel", "Esc"), ("Run code", ""))
        answer = draw_overlay(ui, ui.pen.area, "Run Python code?", lines, buttons, width=_DIALOG_WIDTH)
        if answer:
            ui.request_focus(self.focus)
        if answer == "Run code":
            with suppress(TetrionError):  # if the file is gone, the screen reports that
                remember_consent(self.path)
            self.on_allowed()
        return not answer


def wrap_path(pen: Pen, path: Path, width: int) -> list[str]:
    """Return a path in lines of at most `width` units; the middle of a very long path is left out."""
    text = str(path.absolute())
    if len(text) > _MAX_PATH_LENGTH:
        text = f"{text[: _MAX_PATH_LENGTH // 2]}…{text[-_MAX_PATH_LENGTH // 2 :]}"
    return wrap_long_text(pen, clean_text(text), width, 15)
