"""A Python agent: a class with `choose(position) -> Placement`, run in a separate process."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.agents.python_agent.class_loader import CLASS_PATH_FORM, is_file_path
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, UnknownNameError
from tetrion.position import Position
from tetrion.text_cleaning import clean_name

DEFAULT_DEADLINE = 5.0  # seconds per move
MAX_DEADLINE = 86_400.0  # seconds per move


@dataclass
class ProcessHolder:
    """The process that `PythonAgent.choose` starts and reuses."""

    process: AgentProcess | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class PythonAgent:
    """An agent written as a Python class, given by its path such as `mine.py:Mine`; `deadline` is in seconds per move.

    `start_player` starts a process for playing games. `choose` starts a process when needed and reuses it; a position
    in which no piece has been placed begins a new game.
    """

    option_types: ClassVar = {"deadline": float}
    rules: ClassVar[str] = ""  # a class plays under any rules

    class_path: str
    deadline: float = DEFAULT_DEADLINE
    _process_holder: ProcessHolder = field(default_factory=ProcessHolder, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        source, _, name = self.class_path.rpartition(":") if isinstance(self.class_path, str) else ("", "", "")
        has_source = source and (is_file_path(source) or all(part.isidentifier() for part in source.split(".")))
        if not has_source or not name.isidentifier():
            raise AgentError(f"{CLASS_PATH_FORM}, as in mine.py:Mine.", agent=str(self.class_path))
        is_number = isinstance(self.deadline, int | float) and not isinstance(self.deadline, bool)
        if not is_number or not 0 < self.deadline <= MAX_DEADLINE:
            raise AgentError(
                f"deadline must be a number of seconds above 0 and up to {MAX_DEADLINE:,.0f}; given {self.deadline!r}.",
                agent=self.class_path,
            )

    def with_(self, **options: Any) -> "PythonAgent":
        """Return a copy with changed options, such as `deadline=2`."""
        for name in options:
            if name not in self.option_types:
                raise UnknownNameError("option of a Python agent", name, self.option_types)
        return replace(self, **options)

    @property
    def name(self) -> str:
        """The name of the class."""
        return clean_name(self.class_path.rpartition(":")[2])

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: a class plays under any rules."""

    def start_player(self) -> AgentProcess:
        """Start a process for playing, for a `with` block; errors in the class are raised by its first request."""
        return AgentProcess(self.class_path, self.deadline)

    def choose(self, position: Position) -> Placement:
        """Return the placement that the agent chooses; after an error the next call starts a new process."""
        with self._process_holder.lock:
            process = self._process_holder.process
            if process is None or not process.is_alive:
                process = self._process_holder.process = self.start_player()
            elif isinstance(position, Position) and position.pieces == 0:
                process.create_agent()
            return process.choose(position)

    def close(self) -> None:
        """End the process that `choose` uses; without this call it ends with the program."""
        with self._process_holder.lock:
            if self._process_holder.process is not None:
                self._process_holder.process.close()

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (self.class_path, self.deadline)


def is_python_agent_name(text: str) -> bool:
    """Return whether a text without options is a class path rather than a named agent or an agent file."""
    source, colon, name = text.rpartition(":")
    return name.lower().endswith(".py") or bool(colon and (name.isidentifier() or source.lower().endswith(".py")))
