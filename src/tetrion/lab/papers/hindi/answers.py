"""What Hindi et al. left open, answered in sentences made from results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tetrion.evaluation.intervals import of_difference
from tetrion.evaluation.words import counted, figure
from tetrion.lab.papers.hindi.crowds import crowd_beside
from tetrion.lab.papers.hindi.findings import held_out, runs_of
from tetrion.lab.papers.hindi.runs import (
    CHOICES,
    LIMITS,
    MAIN,
    STEPS,
    SWAP,
    TABLE_I,
    TABLE_II,
    Setup,
    limit_name,
    more_name,
)
from tetrion.lab.papers.hindi.statistics import column, over
from tetrion.lab.reproduction.findings import difference, mean_in, over_seeds_in
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours
from tetrion.lab.reproduction.statistics import correlation_interval, rank_correlation

LEARNERS = {"genetic": "their algorithm", "entropy": "the cross-entropy method"}
THEIRS = 4  # features
OURS, AHEAD = "ours, bred for length", "ours, with the next piece"


def which(gain: Ours, more: str, less: str, same: str) -> str:
    """What a difference comes to: surely more, surely less, or not known."""
    low, high = gain.interval
    return more if low > 0 else less if high < 0 else same


def paired(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], of: str) -> Ours:
    """How much more the runs of one kind come to than those of another that began the same."""
    pairs = min(len(first), len(second))
    return over(held_out(first[:pairs], of) - held_out(second[:pairs], of), of_difference)


def limit_gain(results: Results, first: str, second: str) -> Ours:
    """How many pieces a game more the one kind of fitness makes than the other, in games without a limit."""
    return paired(results[limit_name(first)]["runs"], results[limit_name(second)]["runs"], "pieces")


def lives(results: Results, words: str) -> Ours:
    """How many pieces a game the agents of a kind of fitness place, in games without a limit."""
    return over_seeds_in(results[limit_name(words)], "pieces")


def limit_words(results: Results) -> str:
    """What becomes of agents if games have no limit."""
    capped, free, *_ = LIMITS
    gain = limit_gain(results, free, capped)
    told = which(gain, "they live longer", "they live shorter", "no difference was found")
    return (
        f"Bred for points in games without a limit, agents place {lives(results, free).shown} pieces a game, bred in "
        f"games of 500 pieces {lives(results, capped).shown} ({gain.basis} each, measured in games without a limit): "
        f"{told} (difference of runs that begin the same: {gain.shown})."
    )


def length_words(results: Results) -> str:
    """What becomes of agents if the length of games counts."""
    capped, free, short, long = LIMITS
    within, without = limit_gain(results, short, capped), limit_gain(results, long, free)
    words = "that is surely more", "that is surely less", "no difference was found"
    return (
        f"Bred for length instead of points, agents place {lives(results, short).shown} pieces a game if games end "
        f"with the 500th piece ({within.shown} against points: {which(within, *words)}), and "
        f"{lives(results, long).shown} if they have no limit ({without.shown}: {which(without, *words)})."
    )


def ages(results: Results) -> dict[str, Ours]:
    """How many pieces agents place in games without a limit."""
    told = {row.agent: mean_in(results[f"endless-{row.agent}"], "pieces") for row in (*TABLE_I, *TABLE_II)}
    best = results["well-formed"]
    return told | {OURS: mean_in(best["alone"], "pieces"), AHEAD: mean_in(best["ahead"], "pieces")}


def long_words(results: Results) -> str:
    """How long a well-formed agent can play."""
    told = ages(results)
    first, second = ([told[row.agent].value or 0 for row in table] for table in (TABLE_I, TABLE_II))
    ahead = results["well-formed"]["ahead"]
    return (
        f"Without a limit the agents of Table I place {figure(min(first))} to {figure(max(first))} pieces a game on "
        f"average, those of Table II {figure(min(second))} to {figure(max(second))}. The longest living agent that we "
        f"bred for length places {told[OURS].shown}, and {told[AHEAD].shown} if it is also shown the next piece: "
        f"{ahead['deaths']:,} of {counted(ahead['games'], 'game')} then ended within {ahead['cap']:,} pieces."
    )


def by_features(results: Results, learner: str) -> dict[int, Ours]:
    """What each number of features comes to."""
    return {count: over_seeds_in(results[more_name(learner, count)], "score") for count in STEPS}


def more_words(results: Results) -> str:
    """Whether further features make a stronger agent."""
    placed = results["pieces-placed"]
    words = "which is surely more", "which is surely less", "no difference was found"
    parts = []
    for learner, name in LEARNERS.items():
        told = by_features(results, learner)
        gain = paired(results[more_name(learner, 5)]["runs"], results[more_name(learner, THEIRS)]["runs"], "score")
        parts.append(
            f"with the height of the tallest column as a fifth, {name} comes to {told[5].shown} points a game instead "
            f"of {told[THEIRS].shown} ({which(gain, *words)})"
        )
    told_of = "; ".join(parts)
    same = f"{placed['same']:,} of {counted(placed['games'], 'game')}"
    return (
        f"{told_of[0].upper()}{told_of[1:]}. The number of pieces placed is the same wherever a piece is put, so it "
        f"can choose nothing: with a weight for it, {same} are the same. It can only be a fitness, a game's length."
    )


def stop_words(results: Results) -> str:
    """From when on further features do not help."""
    parts, ends = [], set()
    for learner, name in LEARNERS.items():
        told = by_features(results, learner)
        best = max(told, key=lambda count: told[count].value or 0)
        over_theirs, over_all = difference(told[best], told[THEIRS]), difference(told[best], told[STEPS[-1]])
        gained = which(over_theirs, "surely more than", "surely less than", "not distinguishable from")
        falls = which(over_all, "and surely falls off", "and does not fall off", "and does not surely fall off")
        then = "" if best == STEPS[-1] else f" {falls} to {told[STEPS[-1]].shown} with all {STEPS[-1]}"
        ends.add(best)
        beside = "" if best == THEIRS else f" {gained} the {told[THEIRS].shown} of their four,"
        parts.append(
            f"{name} comes furthest with {best} features, {told[best].shown} points a game,{beside}{then}".rstrip(",")
        )
    matter = "a matter of the learner too" if len(ends) > 1 else "the same for both learners"
    return (
        f"With as many games for each ({over_seeds_in(results[more_name('genetic', THEIRS)]).basis}), "
        f"{'; '.join(parts)}. Where it ends is {matter}."
    )


def first_and_last(results: Results, setup: Setup, name: str) -> tuple[float, int]:
    """The rank correlation of a figure of the first generation with what the run comes to."""
    runs = runs_of(results, setup)
    return rank_correlation(np.array([column(run, name)[0] for run in runs]), held_out(runs)), len(runs)


def early_words(results: Results) -> str:
    """Whether poor first generations end stronger."""
    parts, signs = [], []
    for setup in (MAIN, SWAP):
        for name, words in (("mean", "average"), ("max", "best")):
            value, pairs = first_and_last(results, setup, name)
            low, high = correlation_interval(value, pairs)
            signs.append(-1 if high < 0 else 1 if low > 0 else 0)
            ends = f"{figure(low, 2)} to {figure(high, 2)}"
            parts.append(f"{figure(value, 2)} ({ends}) for the {words} of {pairs} runs with {setup.words}")
    if min(signs) < 0 < max(signs):
        told = "It depends on the configuration"
    elif min(signs) < 0:
        told = "Yes, where an interval is below 0: poor first generations end stronger"
    elif max(signs) > 0:
        told = "No: where an interval excludes 0, poor first generations end weaker"
    else:
        told = "No connection was found"
    return f"{told}. Rank correlation of the first generation's score with that at the end: {'; '.join(parts)}."


def consensus_words(results: Results) -> str:
    """What the crowd that they propose comes to."""
    kind = "crowd (consensus)"
    gains = {name: crowd_beside(name, kind)(results) for name in ("crowd (mean)", "average expert", "best expert")}
    words = "surely more", "surely less", "no difference was found"
    named = {
        "crowd (mean)": "the mean of all experts",
        "average expert": "the average one",
        "best expert": "the best",
    }
    parts = [f"{gain.shown} against {named[name]} ({which(gain, *words)})" for name, gain in gains.items()]
    return (
        "The mean of those experts who agree, weighted by their scores, gains so many points a game: "
        f"{', '.join(parts)}; {gains['crowd (mean)'].basis}."
    )


def choice_words(results: Results) -> str:
    """Whether another choice of experts makes a stronger crowd."""
    told = {name: np.array(results["choices"][name]) for name in CHOICES}
    words = "surely more", "surely less", "no difference was found"
    parts = []
    for name in CHOICES[1:]:
        gain = over(told[name] - told[CHOICES[0]], of_difference, "run")
        parts.append(f"{name}: {gain.shown} ({which(gain, *words)})")
    return (
        f"The crowd of all generations' best scores {over(told[CHOICES[0]]).shown} points a game; crowds of others, "
        f"against it, {', '.join(parts)}."
    )
