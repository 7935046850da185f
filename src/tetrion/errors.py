"""What Tetrion says when something cannot be done: what was expected, what was given, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class TetrionError(ValueError):
    """A mistake that a person can mend; its text is meant to be shown as it is."""


class UnknownNameError(TetrionError):
    """A name that nothing has; the message offers the nearest one that exists."""

    def __init__(self, kind: str, given: object, known: Iterable[str], *, listing: str = "") -> None:
        names = {name.lower(): name for name in sorted(known)}
        near = get_close_matches(str(given).lower(), names, n=1, cutoff=0.5)
        hint = f"Did you mean '{names[near[0]]}'?" if near else f"Known: {', '.join(names.values())}."
        super().__init__(" ".join(filter(None, [f"There is no {kind} named '{given}'.", hint, listing])))


class RulesError(TetrionError):
    """Rules that cannot be: a value out of range or of the wrong kind."""


class AgentError(TetrionError):
    """An agent that cannot be: a broken file, or numbers that mean nothing."""


class SeedError(TetrionError):
    """A seed that is no whole number from 0 to 2⁶³ − 1."""


class DeviceError(TetrionError):
    """A backend that this machine does not have."""


class BoardError(TetrionError):
    """A board that cannot be: text of the wrong size, or numbers that are no columns."""


class PlacementError(TetrionError):
    """A placement that is not possible, or a way to it that does not exist."""


class PositionError(TetrionError):
    """A position that cannot be, or a question that it cannot answer."""


class ReplayError(TetrionError):
    """A replay that is broken, or that does not lead to what it says."""


class RecipeError(TetrionError):
    """A recipe for training that cannot be: an unknown key or an impossible value."""


class RunError(TetrionError):
    """A run of training that cannot be begun, gone on with or read."""
