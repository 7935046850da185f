"""When a figure of ours agrees with a published one."""

import math

import pytest

from tetrion.lab.reproduction.findings import more_or_less, ratio
from tetrion.lab.reproduction.published import Around, Mean, More, Ours, Published, Range, Statement


@pytest.mark.parametrize(
    ("published", "ours", "agrees"),
    [
        (Range(low=20, high=30), Ours(36.7, (35.8, 37.6)), False),
        (Range(low=20, high=30), Ours(31, (29, 33)), True),
        (Range(low=20, high=30), Ours(24), True),
        (Around(value=100, share=0.1), Ours(115, (109, 121)), True),
        (Around(value=100, share=0.1), Ours(115, (111, 119)), False),
        (More(than=10_000), Ours(10_001), True),
        (More(than=10_000), Ours(9_999, (1, 20_000)), False),
        (More(than=10_000), Ours(None, (50_000, math.inf)), True),
        (Mean(value=7.5, games=10), Ours(6.2, (6.1, 6.3), deviation=4), True),
        (Mean(value=7.5, games=1000), Ours(6.2, (6.1, 6.3), deviation=4), False),
        (Statement("so"), Ours(holds=True), True),
        (Statement("so"), Ours(holds=False), False),
    ],
)
def test_verdicts(published: Published, ours: Ours, agrees: bool) -> None:
    verdict = published.verdict(ours)
    assert verdict.agrees == agrees
    assert verdict.reason


def test_what_is_not_known_does_not_agree() -> None:
    for published in (Range(low=0, high=1), Around(value=1), Mean(value=1, games=10), More(than=0), Statement("so")):
        assert not published.verdict(Ours()).agrees


def test_a_difference_names_its_side() -> None:
    assert "above" in Range(low=20, high=30).verdict(Ours(36)).reason
    assert "below" in Range(low=20, high=30).verdict(Ours(6)).reason


def test_words() -> None:
    assert Mean(value=14_304, games=10).shown == "14,304 (10 games)"
    assert Range("20–30, best 90", low=20, high=30).shown == "20–30, best 90"
    assert Range(low=20, high=30).shown == "20.0 to 30.0"
    assert More(than=1500).shown == "> 1,500"
    assert Around(value=3906, share=0.007).shown == "3,906 ± 0.7 %"
    assert Ours(3906, (3900, 3912)).shown == "3,906 ± 6"
    assert Ours(None, (5, math.inf)).shown == "> 5.00"


def test_a_ratio_to_what_may_be_nothing_has_no_end() -> None:
    assert ratio(Ours(4, (2, 8)), Ours(2, (0, 4))).interval[1] == math.inf
    assert ratio(Ours(4, (0, 8)), Ours(2, (1, 4))).interval[0] == 0
    assert more_or_less(Ours(4, (0, 8)), Ours(2, (1, 4))) == "no difference that these games can show"
    low, high = ratio(Ours(4, (2, 8)), Ours(2)).interval
    assert (round(low, 9), round(high, 9)) == (1, 4)


def test_what_is_not_known_is_said_to_be_so() -> None:
    assert Range(low=0, high=1).verdict(Ours(basis="no game ended")).reason == "ours is not known, no game ended"
