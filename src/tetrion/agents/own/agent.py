"""A person's own agent: a class with `choose(position) -> Placement`, played in a process of its own."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from tetrion.agents.own.loading import FORM, is_file
from tetrion.agents.own.running import Child
from tetrion.board import Placement
from tetrion.errors import AgentError, UnknownNameError
from tetrion.position import Position

DEADLINE = 5.0  # seconds a move
LONGEST_DEADLINE = 86_400.0
OPTIONS = {"deadline": float}


class Chooser(Protocol):
    """Whatever chooses placements."""

    def choose(self, position: Position) -> Placement:
        """One of the position's placements."""


@dataclass
class Held:
    """The process of an agent that is asked without having been started."""

    child: Child | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class OwnAgent:
    """A class by its place, such as `mine.py:Mine`, and the seconds that it has for a move.

    `start` gives a running process for games; `choose` keeps one by itself, in which a position without placed pieces
    begins a new game.
    """

    place: str
    deadline: float = DEADLINE
    _held: Held = field(default_factory=Held, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        home, _, name = self.place.rpartition(":") if isinstance(self.place, str) else ("", "", "")
        proper = home and (is_file(home) or all(part.isidentifier() for part in home.split(".")))
        if not proper or not name.isidentifier():
            raise AgentError(f"{self.place}: {FORM}, as in mine.py:Mine; given {self.place!r}.")
        number = isinstance(self.deadline, int | float) and not isinstance(self.deadline, bool)
        if not number or not 0 < self.deadline <= LONGEST_DEADLINE:
            raise AgentError(
                f"{self.place}: deadline is a number of seconds above 0 and up to {LONGEST_DEADLINE:,.0f}; "
                f"given {self.deadline!r}."
            )

    def with_(self, **options: Any) -> "OwnAgent":
        """The same with another deadline."""
        for name in options:
            if name not in OPTIONS:
                raise UnknownNameError("option of an agent of your own", name, OPTIONS)
        return replace(self, **options)

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.place.rpartition(":")[2]

    def start(self) -> Child:
        """A process that plays, for a `with` block; a mistake in the class shows when it is first asked."""
        return Child(self.place, self.deadline)

    def check(self) -> None:
        """Start it once, so that a mistake in the class shows now."""
        with self.start() as child:
            child.begin()

    def choose(self, position: Position) -> Placement:
        """Its choice, one of the position's placements; after a mistake the next one starts a new process."""
        with self._held.lock:
            child = self._held.child
            if child is None or not child.alive:
                child = self._held.child = self.start()
            elif isinstance(position, Position) and position.pieces == 0:
                child.begin()
            return child.choose(position)

    def close(self) -> None:
        """End the process that `choose` keeps; it ends with the program anyway."""
        with self._held.lock:
            if self._held.child is not None:
                self._held.child.close()

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (self.place, self.deadline)


def names_own(text: str) -> bool:
    """Whether a text without options means a person's class rather than a named agent or a file of numbers."""
    home, colon, name = text.rpartition(":")
    return name.lower().endswith(".py") or bool(colon and (name.isidentifier() or home.lower().endswith(".py")))
