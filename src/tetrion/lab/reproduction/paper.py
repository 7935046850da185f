"""A document as data: its claims and how each is measured, its figures drawn anew, and what it left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tetrion.lab.reproduction.measuring import Measurement
from tetrion.lab.reproduction.published import Ours, Published

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

Results = Mapping[str, Any]  # what every measurement found, by its name


@dataclass(frozen=True)
class Claim:
    """What a document says and where, how ours is read from the results, and the cause if the two differ.

    `rules` are those that the published figure was made under, if they are not those of ours: then the row says so.
    """

    what: str
    where: str
    published: Published
    ours: Callable[[Results], Ours]
    cause: str = ""
    rules: str = ""


@dataclass(frozen=True)
class Question:
    """What a document leaves open, and our answer in a sentence made from the results."""

    asked: str
    where: str
    answer: Callable[[Results], str]


@dataclass(frozen=True)
class Drawing:
    """A figure drawn from our results: `title` names the document's own, if it is one of those."""

    name: str
    title: str
    caption: str
    draw: "Callable[[Results, Size], Figure]"


@dataclass(frozen=True)
class ResultTable:
    """More figures than claims have room for: rows of words, the first cell of each its head."""

    title: str
    about: str
    heads: Sequence[str]
    rows: Callable[[Results], Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Paper:
    """Everything that is reproduced of a document."""

    name: str
    title: str
    source: str  # author, kind and year
    about: str  # what it is, in two sentences
    rules: str  # that its agents play by, in words or as a rule set
    measurements: Sequence[Measurement]
    claims: Sequence[Claim]
    questions: Sequence[Question] = ()
    figures: Sequence[Drawing] = ()
    tables: Sequence[ResultTable] = ()
    notes: Sequence[str] = field(default=())  # decisions that a reader should know
