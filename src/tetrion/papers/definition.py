"""A document or a study of our own as data: its claims in `claims.toml`, and how each is measured.

The folder of a paper holds `claims.toml` (what is claimed and how it is judged), `page.md.jinja` (the page),
`tables.md.jinja` (further tables, if any), `measure.py` (measurements and calculations) and `figures.py`.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from tetrion.errors import TetrionError, UnknownNameError
from tetrion.papers.charts import Drawing
from tetrion.papers.judging import COMPARISONS, Criterion
from tetrion.papers.measured_values import GENERAL_FUNCTIONS, Functions, check_expression, to_identifier
from tetrion.papers.measurements import Measurement

CLAIMS_FILE = "claims.toml"
_VALUE_IN_TEXT = re.compile(r"""\bvalue\((?:"([^"]*)"|'([^']*)')\)""")  # not those that a loop composes
_QUANTIFIERS = ("all", "any")
_PARAMETER_NAMES = {  # of comparisons whose parameters are written as a number or a list
    "between": ("low", "high"),
    "above": ("bound",),
    "below": ("bound",),
    "holds": ("expected",),
}


class ClaimError(TetrionError):
    """A mistake in the file of claims of a paper."""


@dataclass(frozen=True)
class Reading:
    """Another reading of a document where it is incomplete or contradicts itself, and how it is measured.

    `condition` completes "agrees if …". A reading is `is_fitted` if it is not in the document, but was found because it
    gives the published value.
    """

    condition: str
    measured: Sequence[str]
    is_fitted: bool = False
    shown: str = ""
    criterion_text: str = ""


@dataclass(frozen=True)
class Claim:
    """A published statement, its location and quotation, how it is measured, and how it is judged.

    `criterion_text` says what we require where the document is vague; `shown` replaces the measured value in the table,
    and `cause` explains a difference. `is_own` marks a comparison that the document does not make. `fitted` says why
    agreement of the default is not independent evidence: it was chosen because it fits this value. `central` is the
    result, the published value and ours in a few words, for the table at the top of the page (ours can be omitted).
    Texts can contain expressions in `{{ }}`.
    """

    name: str
    statement: str
    location: str
    measured: Sequence[str]
    criterion: Criterion
    quotation: str = ""
    criterion_text: str = ""
    shown: str = ""
    cause: str = ""
    published_rules: str = ""
    readings: Sequence[Reading] = ()
    fitted: str = ""
    is_own: bool = False
    is_machine_dependent: bool = False
    central: Sequence[str] = ()


@dataclass(frozen=True)
class PaperFigure:
    """A figure drawn from our results, with its title and caption."""

    name: str
    title: str
    caption: str
    draw: Drawing


@dataclass(frozen=True)
class Paper:
    """A document, or a study of our own, and everything that is measured for it.

    `summary` is the verdict in one sentence. `functions` are calculations of its own that expressions can use.
    """

    name: str
    title: str
    source: str
    description: str
    rules: str
    claims: Sequence[Claim]
    measurements: Sequence[Measurement]
    summary: str = ""
    label: str = ""
    subject: str = "document"  # whose verdict it is
    implemented: str = ""
    deviations: str = ""
    is_study: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    functions: Functions = field(default_factory=dict)
    figures: Sequence[PaperFigure] = ()
    folder: Path | None = None

    @classmethod
    def from_toml(
        cls,
        name: str,
        text: str,
        measurements: Sequence[Measurement],
        functions: Sequence[Callable[..., Any]] = (),
        drawings: Sequence[Drawing] = (),
        *,
        folder: Path | None = None,
    ) -> Self:
        """Return a paper from the text of its claims; raise an error that names the nearest name if one is misspelled.

        `drawings` are the functions that draw its figures: `draw_games` draws the figure `games` of the text.
        """
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ClaimError(f"The claims of {name} are not valid TOML: {error}.") from error
        allowed = {part.name for part in fields(cls)} - {"name", "measurements", "functions", "folder"}
        _check_keys(content, allowed, f"the claims of {name}")
        thresholds = content.pop("thresholds", {})
        defaults = {"is_own": bool(content.get("is_study"))}  # a study makes only comparisons of its own
        paper = cls(
            **{
                **content,
                "name": name,
                "measurements": measurements,
                "functions": {function.__name__: function for function in functions},
                "thresholds": thresholds,
                "claims": [_parse_claim({**defaults, **claim}, thresholds) for claim in content.get("claims", ())],
                "figures": _parse_figures(content.get("figures", {}), drawings),
                "folder": folder,
            }
        )
        templates = [file.read_text("utf-8") for file in sorted(folder.glob("*.jinja"))] if folder else []
        paper.check([*_iterate_texts(content), *templates])
        return paper

    @cached_property
    def all_functions(self) -> Functions:
        """The functions of expressions: those of all papers, and those of this one."""
        return {**GENERAL_FUNCTIONS, **self.functions}

    def get_claim(self, name: str) -> Claim:
        """Return a claim by its name."""
        claims = {claim.name: claim for claim in self.claims}
        if name not in claims:
            raise UnknownNameError("claim", name, sorted(claims))
        return claims[name]

    def check(self, texts: Sequence[str] = ()) -> None:
        """Raise an error if two claims have one name, or a claim or text uses an unknown measurement or function."""
        names = [claim.name for claim in self.claims]
        if repeated := {name for name in names if names.count(name) > 1}:
            raise ClaimError(f"Each claim of {self.name} needs a name of its own; given twice: {', '.join(repeated)}.")
        identifiers = {to_identifier(measurement.name) for measurement in self.measurements}
        for claim in self.claims:
            for measured in (claim.measured, *(reading.measured for reading in claim.readings)):
                for expression in measured:
                    check_expression(expression, identifiers, self.all_functions)
        for text in texts:
            for expressions in _VALUE_IN_TEXT.findall(text):
                check_expression("".join(expressions), identifiers, self.all_functions)


def _iterate_texts(content: Any) -> Iterator[str]:
    """Yield all texts of the content of a file."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping | list):
        for part in content.values() if isinstance(content, Mapping) else content:
            yield from _iterate_texts(part)


def _check_keys(content: Mapping[str, Any], allowed: set[str], owner: str) -> None:
    for key in content:
        if key not in allowed:
            raise UnknownNameError("key", key, sorted(allowed), listing=f"It is given in {owner}.")


def _parse_claim(content: Mapping[str, Any], thresholds: Mapping[str, float]) -> Claim:
    """Return a claim from its table."""
    owner = f"the claim {content.get('name', content.get('statement', '?'))!r}"
    names = {part.name for part in fields(Claim)} - {"criterion"} | set(COMPARISONS) | {"quantifier"}
    _check_keys(content, names, owner)
    for key in ("name", "statement", "location", "measured"):
        if key not in content:
            raise ClaimError(f"A claim needs the key {key!r}; {owner} has none.")
    given = [name for name in COMPARISONS if name in content]
    if len(given) != 1:
        raise ClaimError(f"A claim needs one comparison ({', '.join(COMPARISONS)}); {owner} has {given or 'none'}.")
    quantifier = content.get("quantifier", "all")
    if quantifier not in _QUANTIFIERS:
        raise UnknownNameError("quantifier", quantifier, _QUANTIFIERS)
    parameters = _parse_parameters(given[0], content[given[0]], thresholds)
    texts = {key: value for key, value in content.items() if key not in {given[0], "quantifier"}}
    return Claim(
        **{
            **texts,
            "measured": _to_expressions(content["measured"]),
            "criterion": Criterion(given[0], parameters, quantifier),
            "readings": [_parse_reading(reading, owner) for reading in content.get("readings", ())],
        }
    )


def _to_expressions(measured: str | Sequence[str]) -> Sequence[str]:
    return [measured] if isinstance(measured, str) else measured


def _parse_parameters(comparison: str, given: Any, thresholds: Mapping[str, float]) -> dict[str, Any]:
    """Return the parameters of a comparison; a text is the name of a threshold of the document."""
    if isinstance(given, Mapping):
        parameters = dict(given)
    else:
        values = given if isinstance(given, list) else [given]
        parameters = dict(zip(_PARAMETER_NAMES.get(comparison, ()), values, strict=False))
        if len(parameters) != len(values):
            raise ClaimError(f"The comparison {comparison!r} needs a table of parameters; given {given!r}.")
    for key, value in parameters.items():
        if isinstance(value, str) and key != "sample":
            if value not in thresholds:
                raise UnknownNameError("threshold", value, sorted(thresholds))
            parameters[key] = thresholds[value]
    return parameters


def _parse_reading(content: Mapping[str, Any], owner: str) -> Reading:
    """Return a reading from its table."""
    _check_keys(content, {part.name for part in fields(Reading)}, f"a reading of {owner}")
    return Reading(**{**content, "measured": _to_expressions(content["measured"])})


def _parse_figures(content: Mapping[str, Mapping[str, str]], drawings: Sequence[Drawing]) -> list[PaperFigure]:
    """Return the figures in the order of the file; each has a function that draws it."""
    functions = {function.__name__.removeprefix("draw_"): function for function in drawings}
    for name in content:
        if name not in functions:
            raise UnknownNameError("figure", name, sorted(functions), listing="No function draws it.")
    return [PaperFigure(name, texts["title"], texts["caption"], functions[name]) for name, texts in content.items()]
