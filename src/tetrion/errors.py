"""Exceptions. Each message states what was expected, what was given, and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

from tetrion.text_cleaning import clean_message, clean_name, clean_text

_MAX_VALUE_LENGTH = 80


def describe_value(value: object) -> str:
    """Return a value as a message quotes it: shortened, and by its type if Python cannot write it."""
    try:
        return clean_text(repr(value), _MAX_VALUE_LENGTH)
    except Exception:  # such as an integer of too many digits, or a class of the caller
        return f"a value of type {type(value).__name__}"


class TetrionError(ValueError):
    """Base class of errors that the user can fix; the message is written to be shown to the user.

    It may quote names and values of a file, so that it is cleaned for every output.

    >>> import tetrion
    >>> try:
    ...     tetrion.Rules("guidline")
    ... except tetrion.TetrionError as error:
    ...     print(error)
    Unknown rules 'guidline'. Did you mean 'guideline'?
    """

    def __init__(self, message: str) -> None:
        super().__init__(clean_message(message))


class UnknownNameError(TetrionError, KeyError):
    """An unknown name; the message suggests the closest known name, or lists all known names if none is close.

    It is also a `KeyError`, which mappings raise. `kind` says what is named, such as "agent". `listing` is a further
    sentence for the end of the message.
    """

    __str__ = Exception.__str__  # that of KeyError quotes the message

    def __init__(self, kind: str, given: object, known: Iterable[str], *, listing: str = "") -> None:
        names = {name.lower(): name for name in sorted(known)}
        given = clean_name(given if isinstance(given, str) else describe_value(given))
        near = get_close_matches(given.lower(), names, n=1, cutoff=0.5)
        hint = f"Did you mean '{names[near[0]]}'?" if near else f"Known: {', '.join(names.values())}."
        super().__init__(" ".join(filter(None, [f"Unknown {kind} '{given}'.", hint, listing])))


class UnknownOptionError(TetrionError, TypeError):
    """An unknown keyword argument; also a TypeError, which Python raises and other programs expect."""


class RulesError(TetrionError):
    """Invalid rules: a value out of range or of the wrong type."""


class DifferentRulesError(RulesError):
    """Agents that were made for different rules, while no rules were chosen for all of them."""


class AgentError(TetrionError):
    """An invalid agent: a damaged file, invalid weights or options, or a failure while it played.

    If `agent` is given, the message starts with it.
    """

    def __init__(self, message: str, *, agent: str = "") -> None:
        super().__init__(f"{agent}: {message}" if agent else message)
        self.agent = agent


class SeedError(TetrionError):
    """An invalid seed: not a whole number from 0 to 2⁶³ − 1."""


class DeviceError(TetrionError):
    """A device that is not available on this machine."""


class BoardError(TetrionError):
    """An invalid board: text of the wrong size, or invalid column bits."""


class PlacementError(TetrionError):
    """An illegal placement, or one that no sequence of keys reaches."""


class ActionError(TetrionError):
    """An invalid or illegal action of an environment, or one before the first reset."""


class PositionError(TetrionError):
    """An invalid position, or a query that the position does not support."""


class ReplayError(TetrionError):
    """An invalid replay, or one whose result differs when it is played again."""


class RecipeError(TetrionError):
    """An invalid training recipe: an unknown key or an invalid value."""


class RunError(TetrionError):
    """A training run that cannot be started, resumed or read."""


class VersionError(RunError):
    """A training run of other versions of the code or the libraries, which may change its result."""
