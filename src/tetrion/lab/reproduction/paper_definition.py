"""A document as data: its claims and how each is measured, its figures drawn anew, and what it left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tetrion.lab.reproduction.measurements import Measurement
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

MeasurementResults = Mapping[str, Any]  # what every measurement found, by its name


@dataclass(frozen=True)
class Claim:
    """What a document says and where, how ours is read from the results, and the cause if the two differ.

    `rules` are those that the published figure was made under, if they are not those of ours: then the row says so.
    """

    statement: str
    location: str
    published: PublishedValue
    read_measured: Callable[[MeasurementResults], MeasuredValue]
    difference_cause: str = ""
    published_rules: str = ""


@dataclass(frozen=True)
class OpenQuestion:
    """What a document leaves open, and our answer in a sentence made from the results."""

    text: str
    location: str
    make_answer: Callable[[MeasurementResults], str]


@dataclass(frozen=True)
class PaperFigure:
    """A figure drawn from our results: `title` names the document's own, if it is one of those."""

    name: str
    title: str
    caption: str
    draw: "Callable[[MeasurementResults, FigureSize], Figure]"


@dataclass(frozen=True)
class ResultTable:
    """More figures than claims have room for: rows of words, the first cell of each its head."""

    title: str
    description: str
    headers: Sequence[str]
    make_rows: Callable[[MeasurementResults], Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Paper:
    """Everything that is reproduced of a document."""

    name: str
    title: str
    source: str  # author, kind and year
    description: str  # what it is, in two sentences
    rules: str  # that its agents play by, in words or as a rule set
    measurements: Sequence[Measurement]
    claims: Sequence[Claim]
    questions: Sequence[OpenQuestion] = ()
    figures: Sequence[PaperFigure] = ()
    tables: Sequence[ResultTable] = ()
    notes: Sequence[str] = field(default=())  # decisions that a reader should know
