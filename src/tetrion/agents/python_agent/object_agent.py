"""An agent made of an object with `choose(position) -> Placement`, which plays in this process."""

from typing import TYPE_CHECKING, ClassVar

from tetrion.agents.player import Player
from tetrion.agents.python_agent.error_messages import call_choose, validate_choice
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.notebook_display import make_short_repr
from tetrion.position import Position
from tetrion.text_cleaning import clean_name

if TYPE_CHECKING:
    from tetrion.agents.agent import Chooser


class ObjectAgent:
    """An agent made of an object, named after its attribute `name` or its class."""

    rules: ClassVar[str] = ""  # an object plays under any rules

    def __init__(self, chooser: "Chooser") -> None:
        self.chooser = chooser
        self.name = clean_name(str(getattr(chooser, "name", "") or type(chooser).__name__))

    def __repr__(self) -> str:
        return make_short_repr("ObjectAgent", f"{self.name}: {type(self.chooser).__qualname__}")

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: an object plays under any rules."""

    def start_player(self) -> "ObjectPlayer":
        """Return a player that asks the object."""
        return ObjectPlayer(self.chooser)


class ObjectPlayer(Player):
    """Asks an object, which keeps its state from one game to the next."""

    is_exclusive = True

    def __init__(self, chooser: "Chooser") -> None:
        self.chooser = chooser

    def choose(self, position: Position) -> Placement:
        """Return the placement that the object chooses; an `AgentError` describes an exception or an illegal choice."""
        try:
            return validate_choice(call_choose(self.chooser, position), position)
        except AgentError as error:
            raise AgentError(str(error), agent=type(self.chooser).__name__) from error.__cause__
