"""Multilevel splitting: agreement with whole games, and mistakes."""

from dataclasses import replace

import numpy as np
import pytest

from tetrion.agents import WeightedAgent
from tetrion.board import Placement
from tetrion.errors import AgentError, RulesError, TetrionError
from tetrion.evaluation import evaluate, evaluate_by_splitting, splitting
from tetrion.evaluation.splitting import Replicates, estimate_means
from tetrion.position import Position
from tetrion.progress import Progress

RULES = "standard-10x10"
WEAK = WeightedAgent("weak", {"landing_height": -1.0})


class FirstPlacement:
    """A Python agent that chooses the first placement."""

    def choose(self, position: Position) -> Placement:
        return position.placements()[0]


@pytest.fixture
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitting, "DEFAULT_REPLICATES", 6)


@pytest.mark.parametrize(("agent", "rules"), [("du", RULES), ("dellacherie", "standard:height=8,randomiser=bag")])
def test_agreement_with_whole_games(agent: str, rules: str) -> None:
    """The means of both methods differ by less than three of their common standard errors, at a fixed seed."""
    whole = evaluate(agent, rules, 1000, seed=5)
    split = evaluate_by_splitting(agent, rules, seed=5)
    assert whole.lines.mean
    assert whole.lines.precision
    error = np.hypot(whole.lines.precision, split.lines.precision) / 2
    assert abs(split.lines.mean / whole.lines.mean - 1) < 3 * error < 0.2
    assert split.lines.ci95[0] < split.lines.mean < split.lines.ci95[1]
    assert split.pieces.mean * 0.4 - 10 < split.lines.mean < split.pieces.mean * 0.4
    assert split.pieces_played < whole.per_game["pieces"].sum()


@pytest.mark.usefixtures("few_replicates")
def test_result_does_not_depend_on_the_number_of_workers() -> None:
    one, two = (evaluate_by_splitting("du", RULES, 7, workers=count) for count in (1, 2))
    assert replace(one, seconds=two.seconds) == two
    assert one.replicates == 6
    assert one.lines != evaluate_by_splitting("du", RULES, 8).lines


@pytest.mark.slow  # compiles two functions
@pytest.mark.usefixtures("few_replicates")
@pytest.mark.parametrize(("agent", "rules"), [("dt20", RULES), ("du:depth=2", "standard:height=7,preview=1")])
def test_features_without_local_evaluation_and_lookahead(agent: str, rules: str) -> None:
    result = evaluate_by_splitting(agent, rules)
    assert result.lines.mean > 1000
    assert result.levels[1] - result.levels[0] == 10


@pytest.mark.usefixtures("few_replicates")
def test_precision_and_progress() -> None:
    reports: list[Progress] = []
    few = evaluate_by_splitting("du", RULES, seed=1)
    result = evaluate_by_splitting("du", RULES, seed=1, precision=0.12, on_progress=reports.append)
    assert result.lines.precision <= 0.12 < few.lines.precision
    assert result.replicates > few.replicates
    assert result.levels == few.levels
    assert reports[-1].done == reports[-1].planned == result.replicates
    assert reports[-1].pieces == result.pieces_played
    assert repr(result).startswith("<SplittingEvaluation du: ")


@pytest.mark.usefixtures("few_replicates")
def test_ctrl_c_keeps_finished_replicates() -> None:
    def interrupt_at_once(progress: Progress) -> None:
        raise KeyboardInterrupt

    def interrupt_later(progress: Progress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_by_splitting("du", RULES, on_progress=interrupt_at_once)
    result = evaluate_by_splitting("du", RULES, precision=0.01, on_progress=interrupt_later)
    assert (result.was_stopped, result.replicates) == (True, 6)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("medico", r"supports movement=drop without .*; given movement=reach\. Measure whole games"),
        ("standard:randomiser=nes-8988", "needs random pieces; given the randomiser nes-8988"),
    ],
)
def test_rules_that_splitting_does_not_support(rules: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        evaluate_by_splitting("du", rules)


def test_agents_that_splitting_does_not_support() -> None:
    with pytest.raises(AgentError, match=r"consists of weights; given FirstPlacement\. Measure whole games"):
        evaluate_by_splitting(FirstPlacement())
    with pytest.raises(AgentError, match=r"games of weak are too short for splitting: \d+ of 256 ended within 300"):
        evaluate_by_splitting(WEAK)


def test_no_death() -> None:
    """Replicates in which no trial dies are an error, not a division by zero."""
    with pytest.raises(TetrionError, match="No game ended in 4 replicates of splitting"):
        estimate_means(Replicates(np.zeros(4), np.ones(4), np.full(4, np.nan)))


def test_means_follow_from_the_replicates() -> None:
    """A death in every 1,000 excursions of 50 pieces is one in 50,000 pieces, of which 100 cells are left."""
    deaths = np.array([0.0005, 0.0015, 0.001, 0.001])
    pieces, lines = estimate_means(Replicates(deaths, np.full(4, 50.0), np.array([90.0, 110.0, 100.0, np.nan])))
    assert pieces.mean == pytest.approx(50_000)
    assert lines.mean == pytest.approx(19_990)
    assert pieces.ci95[0] * pieces.ci95[1] == pytest.approx(50_000**2)
    assert pieces.ci95[1] == pytest.approx(50_000 * np.exp(3.1824 * np.std([0.5, 1.5, 1, 1], ddof=1) / 2))
