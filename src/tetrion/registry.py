"""Registries: the named objects of one kind, such as agents or rules, as a read-only mapping."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

from tetrion.errors import UnknownNameError

Value = TypeVar("Value")
_MAX_REPR_LENGTH = 160


def find_name(text: str, names: Collection[str]) -> str:
    """Return a typed name, which options may follow after a colon, with the upper and lower case of the known names.

    >>> find_name("NES:preview=2", ["nes", "standard"])
    'nes:preview=2'
    """
    typed, colon, options = text.partition(":")
    name = typed if typed in names else next((name for name in names if name.lower() == typed.lower()), typed)
    return name + colon + options


class Registry(Mapping[str, Value]):
    """The named objects of one kind, read-only and in a fixed order; an object is loaded when it is looked up.

    An unknown name raises an `UnknownNameError`, which is a `KeyError`, with the closest name.

    >>> import tetrion
    >>> tetrion.PRESETS["nes"]
    Rules('nes')
    >>> "dellacherie" in tetrion.AGENTS
    True
    >>> tetrion.AGENTS["delacherie"]
    Traceback (most recent call last):
    ...
    tetrion.errors.UnknownNameError: Unknown agent 'delacherie'. Did you mean 'dellacherie'?
    """

    def __init__(
        self,
        kind: str,
        names: Collection[str],
        load: Callable[[str], Value],
        describe: Callable[[Value], str],
        *,
        listing: str = "",
    ) -> None:
        """`describe` returns one line about an object; `listing` ends the message about an unknown name."""
        self._kind = kind
        self._names = names
        self._load = load
        self._describe = describe
        self._listing = listing

    def __getitem__(self, name: str) -> Value:
        if name not in self:
            raise UnknownNameError(self._kind, name, self._names, listing=self._listing)
        return self._load(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        text = f"<{len(self)} {self._plural}: {', '.join(self)}>"
        return text if len(text) <= _MAX_REPR_LENGTH else f"{text[: _MAX_REPR_LENGTH - 2]}…>"

    def _repr_html_(self) -> str:
        from tetrion.notebook_display import render_html_table  # imported late, because the engine has registries

        rows = [(name, self._describe(value)) for name, value in self.items()]
        return render_html_table(self._plural.capitalize(), [], rows, text_columns=2)

    @property
    def _plural(self) -> str:
        return self._kind if self._kind.endswith("s") else f"{self._kind}s"
