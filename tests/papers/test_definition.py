"""Papers as data: expressions, and mistakes in claims, which are explained with the nearest name."""

import pytest

from tests.papers.small_paper import CLAIMS, MEASUREMENTS, SMALL_PAPER, make_paper
from tetrion.errors import TetrionError, UnknownNameError
from tetrion.papers import PAPERS
from tetrion.papers.measured_values import (
    GENERAL_FUNCTIONS,
    MeasuredValue,
    check_expression,
    evaluate_expression,
    to_identifier,
)

GAMES = {"games": 4, "capped": 0, "lines": {"mean": 5.0, "ci95": [4, 6], "deviation": 1, "played": 5, "max": 9}}
RESULTS = {
    "first": GAMES,
    "second": GAMES | {"lines": GAMES["lines"] | {"mean": 2.5, "ci95": [2, 3]}},  # type: ignore[operator]
    "found": {"with bug": GAMES, "numbers": [1, 2, 3], "lines": 7},
}


def evaluate(text: str) -> object:
    check_expression(text, RESULTS, GENERAL_FUNCTIONS)
    return evaluate_expression(text, RESULTS, GENERAL_FUNCTIONS)


def test_expressions() -> None:
    assert str(evaluate("first.lines")) == "5.00 ± 1.00"
    ratio = evaluate("ratio(first.lines, second.lines)")
    assert isinstance(ratio, MeasuredValue)
    assert ratio.value == 2
    assert str(evaluate("found.with_bug.lines")) == str(evaluate("found['with bug'].lines"))
    assert evaluate("found.lines") == 7
    assert evaluate("found.numbers[1]") == 2
    assert evaluate("found.numbers[-1]") == 3
    assert evaluate("best(first).value") == 9
    assert [value.value for value in evaluate("ratios(first.lines, second.lines)")] == [0.5]  # type: ignore[attr-defined]
    assert to_identifier("falling-60, thinking-11") == "falling_60_thinking_11"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frist.lines", "Unknown measurement 'frist'. Did you mean 'first'?"),
        ("ratoi(first.lines, second.lines)", "Unknown function 'ratoi'. Did you mean 'ratio'?"),
        ("first.lines + 1", "BinOp cannot be used in an expression"),
        ("__import__('os')", "Unknown function '__import__'"),
        ("(lambda: 1)()", "Only functions can be called"),
    ],
)
def test_mistakes_in_expressions_are_explained(text: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message.replace("(", r"\(").replace("?", r"\?").replace("+", r"\+")):
        evaluate(text)


def test_missing_part_of_a_result_is_explained() -> None:
    with pytest.raises(KeyError, match=r"Unknown part of a result 'number'\. Did you mean 'numbers'"):
        evaluate("found.number")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("flat.lines", "falt.lines", r"Unknown measurement 'falt'\. Did you mean 'flat'\?"),
        ('above = "many"', 'above = "mani"', r"Unknown threshold 'mani'\. Did you mean 'many'\?"),
        ("above = 0", "abvoe = 0", r"Unknown key 'abvoe'\. Did you mean 'above'\? It is given in the claim 'flat'"),
        ("above = 0", "", "A claim needs one comparison"),
        ("above = 0", "above = 0\nbelow = 1", "A claim needs one comparison"),
        ('name = "low"', 'name = "flat"', "needs a name of its own; given twice: flat"),
        ("[figures.lines]", "[figures.line]", r"Unknown figure 'line'\. Did you mean 'lines'"),
        ('title = "A small paper"', 'title = "A small paper', "not valid TOML"),
    ],
)
def test_mistakes_in_claims_are_explained(old: str, new: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make_paper(CLAIMS.replace(old, new, 1))


def test_thresholds_and_quotations() -> None:
    assert SMALL_PAPER.get_claim("low").criterion.parameters == {"bound": 1_000_000}
    with pytest.raises(UnknownNameError, match=r"Unknown claim 'lo'\. Did you mean 'low'"):
        SMALL_PAPER.get_claim("lo")
    with pytest.raises(UnknownNameError, match="Unknown measurement 'low'"):
        make_paper(measurements=MEASUREMENTS[:1])


def test_every_paper_is_complete() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'becker'"):
        PAPERS["beker"]
    for name in PAPERS:
        paper = PAPERS[name]
        assert paper.name == name
        names = [measurement.name for measurement in paper.measurements]
        assert len({to_identifier(measured) for measured in names}) == len(names)
        assert paper.summary
        central = [claim for claim in paper.claims if claim.central]
        assert 3 <= len(central) <= 8, name
        assert paper.is_study == all(claim.is_own for claim in paper.claims)
        for claim in paper.claims:
            assert "{" not in claim.quotation
            assert claim.is_own or claim.quotation, claim.name
            assert not (claim.central and claim.is_machine_dependent)
