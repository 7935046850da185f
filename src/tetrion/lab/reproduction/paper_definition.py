"""A document as data: its claims, how each is measured, its figures and its open questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tetrion.lab.reproduction.measurements import Measurement
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

MeasurementResults = Mapping[str, Any]  # results of all measurements by name


class ClaimKind(StrEnum):
    """What a row compares; only `DOCUMENT` rows count as reproduced claims."""

    DOCUMENT = "document"  # a result of the document, measured under the default reading
    TRANSCRIPTION = "transcription"  # constants of the document compared with our copy of them
    OWN = "own"  # a comparison of our own


@dataclass(frozen=True)
class Reading:
    """Another reading of a document where it is incomplete or contradicts itself, and our value under it.

    `criterion` replaces that of the claim, if the reading measures another quantity.
    """

    description: str  # completes "agrees if …"
    read_measured: Callable[[MeasurementResults], MeasuredValue]
    criterion: str = ""


@dataclass(frozen=True)
class Claim:
    """A published statement, its location, how to read our value, and the cause if the two differ.

    `readings` are other readings of the document: a claim that agrees only under one of them is reported as such.
    `fitted_reading` says why the default reading is no independent evidence: it was chosen because it fits this value.
    `published_rules` are the rules of the published value, if they differ from ours; the report mentions them.
    `headline` is the published result in a few words, for the summary of all documents, which shows only a few.
    """

    statement: str
    location: str
    published: PublishedValue
    read_measured: Callable[[MeasurementResults], MeasuredValue]
    _: KW_ONLY
    difference_cause: str = ""
    published_rules: str = ""
    readings: Sequence[Reading] = ()
    fitted_reading: str = ""
    kind: ClaimKind = ClaimKind.DOCUMENT
    headline: str = ""


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
    label: str = ""  # short name in the summary of all documents
    implemented: str = ""  # what of the document is implemented, for the summary of all documents
    deviations: str = ""  # in what our implementation differs from the document
