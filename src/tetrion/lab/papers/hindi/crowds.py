"""How crowds fare beside their experts, and Table III, for the reproduction of Hindi et al."""

import numpy as np

from tetrion.evaluation.intervals import of_difference
from tetrion.evaluation.words import counted, percent
from tetrion.lab.papers.hindi.findings import DECENT
from tetrion.lab.papers.hindi.runs import CHOICES, CROWDS, HIGH, WITHOUT
from tetrion.lab.papers.hindi.statistics import among, column, over
from tetrion.lab.reproduction.findings import Found
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

FREQUENT = 0.25  # the share of games from which on something happens frequently


def table_iii(name: str, generation: int) -> Found:
    """A column of a generation, over our runs with crowds."""

    def found(results: Results) -> Ours:
        numbers = np.array([column(run, name)[generation] for run in results[CROWDS]["runs"]])
        return among(numbers, f"middle and 95 % of {counted(len(numbers), 'run')}")

    return found


def highest(results: Results) -> Ours:
    """The highest score of any generation, over our runs with crowds."""
    numbers = np.array([column(run, "max").max() for run in results[CROWDS]["runs"]])
    return among(numbers, f"middle and 95 % of {counted(len(numbers), 'run')}")


def crowd_beside(other: str, kind: str = "crowd (mean)") -> Found:
    """How much more a crowd scores than another, over runs."""

    def found(results: Results) -> Ours:
        runs = results[CROWDS]["runs"]
        known = [{"population": run["metrics"]["mean"][-1], **run["result"]["crowd"]} for run in runs]
        gain = np.array([scores[kind] - scores[other] for scores in known])
        return over(gain, of_difference, "run")

    return found


def crowd_better(other: str) -> Found:
    """Whether the crowd surely scores more than another."""

    def found(results: Results) -> Ours:
        gain = crowd_beside(other)(results)
        words = f"the crowd scores {gain.shown} points a game more"
        return Ours(holds=gain.interval[0] > 0, words=words, basis=gain.basis, because="the interval is above 0")

    return found


def experts_ahead(results: Results) -> Ours:
    """How often a single expert is better than the crowd."""
    told = [run["result"]["crowd"] for run in results[CROWDS]["runs"]]
    ahead = sum(crowd["best expert"] > crowd["crowd (mean)"] for crowd in told)
    words = f"the best expert beats the crowd in {ahead} of {counted(len(told), 'run')}"
    return Ours(holds=ahead > 0, words=words, because="so it happens here")


def same_generations(results: Results) -> Ours:
    """Whether the generations of a run differ if a crowd is formed in the end."""
    pairs = list(zip(results[WITHOUT]["runs"], results[CROWDS]["runs"], strict=False))
    same = sum(alone["metrics"]["mean"] == crowd["metrics"]["mean"] for alone, crowd in pairs)
    words = f"the generations are the same with and without a crowd in {same} of {counted(len(pairs), 'run')}"
    return Ours(holds=same < len(pairs), words=words)


def crowds_strong(results: Results) -> Ours:
    """How many crowds are decent agents."""
    scores = np.array(results["choices"][CHOICES[0]])
    share = float((scores >= DECENT).mean())
    words = f"{percent(share)} of the crowds score {DECENT:,} or more a game, on average {over(scores).shown}"
    return Ours(holds=share >= 0.9, words=words, basis=counted(len(scores), "run"), because="nine of ten and more do")


def crowds_high(results: Results) -> Ours:
    """How many games of a crowd have more than 100,000 points."""
    told = over(np.array(results["choices"]["high"]))
    words = f"{percent(told.value or 0)} of the crowds' games have more than {HIGH:,} points"
    return Ours(
        holds=(told.value or 0) >= FREQUENT, words=words, basis=told.basis, because="that is every fourth or more"
    )
