"""A document as data: its claims, how each is measured, its figures and its open questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tetrion.lab.reproduction.measurements import Measurement
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

MeasurementResults = Mapping[str, Any]  # results of all measurements by name


@dataclass(frozen=True)
class Claim:
    """A published statement, its location, how to read our value, and the cause if the two differ.

    `published_rules` are the rules of the published value, if they differ from ours; the report mentions them.
    """

    statement: str
    location: str
    published: PublishedValue
    read_measured: Callable[[MeasurementResults], MeasuredValue]
    difference_cause: str = ""
    published_rules: str = ""


@dataclass(frozen=True)
class OpenQuestion:
    """A question that a document leaves open; `make_answer` writes our answer from the results."""

    text: str
    location: str
    make_answer: Callable[[MeasurementResults], str]


@dataclass(frozen=True)
class PaperFigure:
    """A figure drawn from our results; `title` names the corresponding figure of the document, if any."""

    name: str
    title: str
    caption: str
    draw: "Callable[[MeasurementResults, FigureSize], Figure]"


@dataclass(frozen=True)
class ResultTable:
    """An additional table of texts; the first cell of each row is its header."""

    title: str
    description: str
    headers: Sequence[str]
    make_rows: Callable[[MeasurementResults], Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Paper:
    """A document and everything that is reproduced of it."""

    name: str
    title: str
    source: str  # author, kind and year
    description: str  # two sentences
    rules: str  # rules of its agents, as a description or a rule set
    measurements: Sequence[Measurement]
    claims: Sequence[Claim]
    questions: Sequence[OpenQuestion] = ()
    figures: Sequence[PaperFigure] = ()
    tables: Sequence[ResultTable] = ()
    notes: Sequence[str] = field(default=())  # decisions that readers should be aware of
