"""A person's own agent: a class with `choose(position) -> Placement`, played in a process of its own."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.agents.python_agent.class_loader import CLASS_PATH_FORM, is_file_path
from tetrion.board import Placement
from tetrion.errors import AgentError, UnknownNameError
from tetrion.position import Position

DEFAULT_DEADLINE = 5.0  # seconds a move
MAX_DEADLINE = 86_400.0
PYTHON_AGENT_OPTIONS = {"deadline": float}


class Chooser(Protocol):
    """Whatever chooses placements."""

    def choose(self, position: Position) -> Placement:
        """One of the position's placements."""


@dataclass
class ProcessHolder:
    """The process of an agent that is asked without having been started."""

    process: AgentProcess | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class PythonAgent:
    """A class by its place, such as `mine.py:Mine`, and the seconds that it has for a move.

    `start` gives a running process for games; `choose` keeps one by itself, in which a position without placed pieces
    begins a new game.
    """

    class_path: str
    deadline: float = DEFAULT_DEADLINE
    _process_holder: ProcessHolder = field(default_factory=ProcessHolder, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        home, _, name = self.class_path.rpartition(":") if isinstance(self.class_path, str) else ("", "", "")
        proper = home and (is_file_path(home) or all(part.isidentifier() for part in home.split(".")))
        if not proper or not name.isidentifier():
            raise AgentError(f"{self.class_path}: {CLASS_PATH_FORM}, as in mine.py:Mine; given {self.class_path!r}.")
        number = isinstance(self.deadline, int | float) and not isinstance(self.deadline, bool)
        if not number or not 0 < self.deadline <= MAX_DEADLINE:
            raise AgentError(
                f"{self.class_path}: deadline is a number of seconds above 0 and up to {MAX_DEADLINE:,.0f}; "
                f"given {self.deadline!r}."
            )

    def with_(self, **options: Any) -> "PythonAgent":
        """The same with another deadline."""
        for name in options:
            if name not in PYTHON_AGENT_OPTIONS:
                raise UnknownNameError("option of an agent of your own", name, PYTHON_AGENT_OPTIONS)
        return replace(self, **options)

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.class_path.rpartition(":")[2]

    def start_process(self) -> AgentProcess:
        """A process that plays, for a `with` block; a mistake in the class shows when it is first asked."""
        return AgentProcess(self.class_path, self.deadline)

    def check_class(self) -> None:
        """Start it once, so that a mistake in the class shows now."""
        with self.start_process() as child:
            child.begin_game()

    def choose(self, position: Position) -> Placement:
        """Its choice, one of the position's placements; after a mistake the next one starts a new process."""
        with self._process_holder.lock:
            child = self._process_holder.process
            if child is None or not child.is_alive:
                child = self._process_holder.process = self.start_process()
            elif isinstance(position, Position) and position.pieces == 0:
                child.begin_game()
            return child.choose(position)

    def close(self) -> None:
        """End the process that `choose` keeps; it ends with the program anyway."""
        with self._process_holder.lock:
            if self._process_holder.process is not None:
                self._process_holder.process.close()

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (self.class_path, self.deadline)


def is_python_agent_name(text: str) -> bool:
    """Whether a text without options means a person's class rather than a named agent or a file of numbers."""
    home, colon, name = text.rpartition(":")
    return name.lower().endswith(".py") or bool(colon and (name.isidentifier() or home.lower().endswith(".py")))
