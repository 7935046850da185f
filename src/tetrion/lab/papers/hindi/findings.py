"""How our figures for Hindi et al. are read from what was measured."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.agents import data_agent
from tetrion.agents.zoo.hindi import FEATURES
from tetrion.evaluation.intervals import FEWEST, Interval, Numbers, of_difference, of_mean
from tetrion.evaluation.words import counted, figure, percent, with_interval
from tetrion.lab.papers.hindi.runs import (
    COUNTS,
    GRID,
    LOOKING,
    MAIN,
    SIGNED,
    SWAP,
    TABLE_I,
    TABLE_II,
    WITHOUT_ONE,
    Row,
    Setup,
)
from tetrion.lab.papers.hindi.statistics import (
    FINAL,
    among,
    column,
    explained,
    over,
    rises,
    roughness,
    spikes,
    trend,
)
from tetrion.lab.reproduction.findings import Found, difference, over_seeds_in
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

DECENT = 10_000  # points a game: a tenth of what their strongest agent scored
STRONG = 0.25  # the share of our runs that "strong agents" are taken from
POPULATIONS = (20, 50, 100)
SETTINGS = ("population", "mutation", "elitism")
EARLY = 8  # generations before those (9 to 11) in which Figure 7 begins to climb
SUM = "score"


def runs_of(results: Results, setups: Setup | Iterable[Setup]) -> list[Mapping[str, Any]]:
    """All runs of a configuration or several."""
    chosen = [setups] if isinstance(setups, Setup) else setups
    return [run for setup in chosen for run in results[setup.name]["runs"]]


def held_out(runs: Iterable[Mapping[str, Any]], of: str = SUM) -> Numbers:
    """What each run's agent scores a game, in games that nobody was trained on."""
    return np.array([run["result"]["as_played"][of]["mean"] for run in runs])


def at_the_end(row: Row) -> Found:
    """The best of the last generation, over the seeds of a row's configuration."""

    def found(results: Results) -> Ours:
        best = np.array([column(run, "max")[-1] for run in runs_of(results, row.setup)])
        below = percent(float((best < row.score).mean()))
        return among(best, f"middle and 95 % of {counted(len(best), 'run')}; {below} of them are below theirs")

    return found


def as_the_best(row: Row) -> Found:
    """The best of a generation of agents with a row's weights, of one game each."""

    def found(results: Results) -> Ours:
        best = results["published"][row.agent]["best"]["1"]
        middle, low, high = (best[key] for key in ("middle", "low", "high"))
        words = f"{figure(middle)} ({figure(low)} to {figure(high)})"
        basis = f"the best of {row.setup.population} games; {percent(best['below'])} of such are below theirs"
        return Ours(middle, (low, high), words=words, basis=basis)

    return found


def fitting(results: Results, count: int) -> int:
    """How many scores of Tables I and II lie where the best of a generation does if so many games are added up."""
    told = results["published"]
    bests = [(told[row.agent]["best"][str(count)], row) for row in (*TABLE_I, *TABLE_II)]
    return sum(best["low"] <= row.score <= best["high"] for best, row in bests)


def how_many_games(results: Results) -> Ours:
    """Whether the tables' scores are sums of several games."""
    fits = {count: fitting(results, count) for count in COUNTS}
    rows = len(TABLE_I) + len(TABLE_II)
    words = "; ".join(f"{counted(count, 'game')}: {fit} of {rows} scores fit" for count, fit in fits.items())
    return Ours(holds=max(fits, key=lambda count: fits[count]) > 1, words=words, basis="games drawn from those played")


def order_of_the_table(results: Results) -> Ours:
    """Whether the weights of Table I rank as their scores do, by the means of games."""
    told = results["published"]
    ranked = sorted(TABLE_I, key=lambda row: -row.score)
    ours = [Ours(told[row.agent]["mean"], tuple(told[row.agent]["ci95"])) for row in ranked]
    apart = [difference(first, second).interval for first, second in pairwise(ours)]
    words = "; ".join(f"{row.agent} {mean.shown}" for row, mean in zip(ranked, ours, strict=True))
    holds = all(high >= 0 for _, high in apart)
    return Ours(holds=holds, words=words, because="no agent's mean is surely above that of one that ranks higher")


def strongest_weight(results: Results) -> Ours:
    """Whether the only agent with a positive weight of lines is the strongest."""
    told = results["published"]
    best = max(TABLE_I, key=lambda row: float(told[row.agent]["mean"]))
    positive = [row.agent for row in TABLE_I if number(data_agent(row.agent).weights["full_rows"]) > 0]
    words = f"{best.agent} has the highest mean, {figure(told[best.agent]['mean'])}"
    return Ours(holds=positive == [best.agent], words=words, because="it is the only one with a positive weight")


def number(term: object) -> float:
    """A weight that is a number."""
    return float(term) if isinstance(term, int | float) else math.nan


def first_generations(results: Results) -> Ours:
    """How many first generations have a decent agent, by their size."""
    shares = {}
    for population in POPULATIONS:
        runs = runs_of(results, [setup for setup in GRID if setup.population == population])
        shares[population] = float(np.mean([column(run, "max")[0] >= DECENT for run in runs]))
    words = ", ".join(f"{percent(share)} of those of {population}" for population, share in shares.items())
    because = "more than half have one, whatever their size"
    return Ours(holds=min(shares.values()) > 0.5, words=f"{words} have one of {DECENT:,} points", because=because)


def variability(results: Results) -> Ours:
    """In how many runs high scores drop by more than half from one generation to the next."""
    counts = np.array([spikes(run) for run in runs_of(results, [*GRID, *SIGNED, SWAP])])
    share = float((counts > 0).mean())
    words = f"the best score halves in {percent(share)} of the runs, {counts.mean():.1f} times a run"
    because = "more than half of the runs have such drops"
    return Ours(holds=share > 0.5, words=words, basis=counted(len(counts), "run"), because=because)


def luck(results: Results) -> Ours:
    """How much of the ups and downs is left if the luck of one game is averaged out over twenty."""
    one = over(np.array([roughness(run) for run in runs_of(results, MAIN)]))
    twenty = over(np.array([roughness(run) for run in results["luck"]["runs"]]))
    words = (
        f"{percent(one.value or 0)} from one generation to the next with a game, {percent(twenty.value or 0)} with 20"
    )
    holds = twenty.interval[1] < one.interval[0]
    return Ours(holds=holds, words=words, basis=one.basis, because="with more games a candidate it is surely less")


def by_population(results: Results, population: int) -> Ours:
    """What runs of a population size come to, over mutation rates and elitisms."""
    return by_seed(results, [setup for setup in GRID if setup.population == population])


def by_seed(results: Results, setups: Sequence[Setup]) -> Ours:
    """What configurations come to together; a seed's runs begin the same, so the interval is over seeds.

    Configurations of which a quick reproduction has too few runs are left out.
    """
    known = [setup for setup in setups if len(runs_of(results, setup)) >= FEWEST]
    seeds = min(len(runs_of(results, setup)) for setup in known)
    return over(np.mean([held_out(runs_of(results, setup)[:seeds]) for setup in known], axis=0), of_difference)


def evenly(results: Results, setups: Sequence[Setup]) -> list[Mapping[str, Any]]:
    """The runs of configurations, as many of each."""
    fewest = min(len(results[setup.name]["runs"]) for setup in setups)
    return [run for setup in setups for run in results[setup.name]["runs"][:fewest]]


def larger_populations(results: Results) -> Ours:
    """Whether a larger population is no better."""
    small, large = by_population(results, 20), by_population(results, 100)
    more = difference(large, small)
    best = {
        population: np.array(
            [
                column(run, "max")[-1]
                for setup in GRID
                if setup.population == population
                for run in runs_of(results, setup)
            ]
        )
        for population in POPULATIONS[::2]
    }
    upset = float((best[20][:, None] > best[100][None]).mean())
    words = (
        f"20: {small.shown}, 50: {by_population(results, 50).shown}, 100: {large.shown} points a game; a run of 20 "
        f"ends with a higher best than one of 100 in {percent(upset)} of all pairs"
    )
    return Ours(holds=more.interval[0] <= 0, words=words, basis=small.basis, because="100 is not surely better than 20")


def steadiest(results: Results) -> Ours:
    """Whether the configuration of Figure 4 rises most steadily."""
    trends = {setup: over(np.array([trend(run) for run in runs_of(results, setup)]), of_difference) for setup in GRID}
    ranking = sorted(trends, key=lambda setup: -(trends[setup].value or 0))
    mine, best = trends[MAIN], ranking[0]
    words = (
        f"rank correlation of generation and average {mine.shown}, place {ranking.index(MAIN) + 1} of {len(GRID)}; the "
        f"highest is {trends[best].shown} ({best.words})"
    )
    because = "no other configuration rises more steadily"
    return Ours(holds=best == MAIN, words=words, basis=mine.basis, because=because)


def improving(setups: Sequence[Setup], most: float) -> Found:
    """Whether the average rises over time, in more than such a share of runs."""

    def found(results: Results) -> Ours:
        rising = [rises(run) for run in runs_of(results, setups)]
        share = sum(rising) / len(rising)
        words = f"the last {FINAL} generations score above the first {FINAL} in {percent(share)} of the runs"
        because = f"more than {percent(most)} of the runs do"
        return Ours(holds=share > most, words=words, basis=counted(len(rising), "run"), because=because)

    return found


def signed_strength(results: Results) -> Ours:
    """Whether signed mutations make stronger agents with 1 % and 20 % than with 2 % and 15 %."""
    return compared_setups(results, held_out, of_mean, "points a game")


def signed_trend(results: Results) -> Ours:
    """Whether signed mutations improve more distinctly with 2 % and 15 % than with 1 % and 20 %."""
    return compared_setups(
        results, lambda runs: np.array([trend(run) for run in runs]), of_difference, "rank correlation", turned=True
    )


def compared_setups(
    results: Results,
    of: Callable[[Sequence[Mapping[str, Any]]], Numbers],
    interval: Callable[[Numbers], Interval | None],
    unit: str,
    *,
    turned: bool = False,
) -> Ours:
    """Figure 6's configuration beside Figure 5's."""
    sixth, fifth = (over(of(runs_of(results, setup)), interval) for setup in (SIGNED[1], SIGNED[2]))
    more = difference(fifth, sixth) if turned else difference(sixth, fifth)
    words = f"1 %, 20 %: {sixth.shown}; 2 %, 15 %: {fifth.shown} ({unit})"
    return Ours(holds=more.interval[0] > 0, words=words, basis=sixth.basis, because="it is surely so")


def late_risers(results: Results) -> Ours:
    """How many swap runs begin as poorly as Figure 7's and still end with a decent agent."""
    runs = runs_of(results, SWAP)
    risers = [
        column(run, "mean")[:EARLY].mean() < column(run, "mean")[-FINAL:].mean() / 4 and score >= DECENT
        for run, score in zip(runs, held_out(runs), strict=True)
    ]
    words = f"{sum(risers)} of {counted(len(runs), 'run')}"
    basis = f"a decent agent, and the first {EARLY} generations below a quarter of the last {FINAL}"
    return Ours(holds=sum(risers) > 0, words=words, basis=basis, because="such runs happen")


def best_before_the_end(results: Results) -> Ours:
    """In how many runs an earlier generation had a higher best score than the last."""
    higher = [bool(column(run, "max")[:-1].max() > column(run, "max")[-1]) for run in runs_of(results, GRID)]
    share = sum(higher) / len(higher)
    words = f"in {percent(share)} of the runs"
    return Ours(holds=share > 0.5, words=words, basis=counted(len(higher), "run"), because="so it is in more than half")


def strong_weights(results: Results) -> Numbers:
    """The weights of the strongest quarter of all single-piece runs, a row each."""
    runs = evenly(results, GRID)
    scores = held_out(runs)
    chosen = np.argsort(-scores, kind="stable")[: max(3, round(STRONG * len(runs)))]
    weights = np.array([[runs[place]["result"]["numbers"][feature] for feature in FEATURES] for place in chosen])
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def weight(*features: str) -> Found:
    """The mean weight of a feature in our strong agents, or of several together."""

    def found(results: Results) -> Ours:
        weights = strong_weights(results)
        told = over(weights[:, [FEATURES.index(feature) for feature in features]].sum(axis=1), of_difference, "agent")
        return Ours(told.value, told.ci95, basis=f"the strongest quarter, {told.basis}")

    return found


def published_weights(*features: str) -> tuple[float, float]:
    """From where to where the weights of Table I lie."""
    found = [sum(number(data_agent(row.agent).weights[feature]) for feature in features) for row in TABLE_I]
    return min(found), max(found)


def negative_lines(results: Results) -> Ours:
    """How many strong agents shun full rows."""
    share = float((strong_weights(results)[:, FEATURES.index("full_rows")] < 0).mean())
    words = f"{percent(share)} of the strongest quarter have a negative weight"
    return Ours(holds=share > 0.5, words=words, because="most of ours have one too")


def heights_or_lines(results: Results) -> Ours:
    """What runs without the height of the columns come to, and runs without full rows."""
    height, rows = (over_seeds_in(results[WITHOUT_ONE[name]], SUM) for name in ("aggregate_height", "full_rows"))
    holes, whole = over_seeds_in(results[WITHOUT_ONE["holes"]], SUM), over(held_out(runs_of(results, MAIN)))
    words = (
        f"without the aggregate height {height.shown}, without holes {holes.shown}, without full rows {rows.shown} "
        f"points a game; with all four {whole.shown}"
    )
    worse = difference(rows, height).interval[0] > 0 and difference(whole, height).interval[0] > 0
    return Ours(holds=worse, words=words, basis=height.basis, because="leaving out the height costs surely more")


def looking(results: Results) -> Ours:
    """Runs with the next piece beside runs of the same configurations without."""
    ahead, single = by_seed(results, LOOKING), by_seed(results, [Setup(*setup[:3]) for setup in LOOKING])
    more = difference(ahead, single)
    words = f"{ahead.shown} with it, {single.shown} without"
    return Ours(holds=more.interval[0] > 0, words=words, basis=ahead.basis, because="the difference is surely above 0")


def looking_weights(results: Results) -> Ours:
    """The published agents of Table II beside those of Table I, a game each."""
    told = results["published"]
    best, worst = max(told[row.agent]["mean"] for row in TABLE_I), min(told[row.agent]["mean"] for row in TABLE_II)
    words = f"the weakest of Table II scores {figure(worst)} a game, the strongest of Table I {figure(best)}"
    return Ours(holds=worst > best, words=words, because="all of Table II are above all of Table I")


def settings_role(results: Results) -> Ours:
    """How much of what runs come to depends on population, mutation rate and elitism."""
    fewest = min(len(results[setup.name]["runs"]) for setup in GRID)
    groups = [[getattr(setup, name) for setup in GRID for _ in range(fewest)] for name in SETTINGS]
    scores = held_out(evenly(results, GRID))
    shares = [explained(scores, [group]) for group in groups]
    whole = explained(scores, groups)
    named = ", ".join(
        f"{name} {percent(round(max(share, 0), 2))}" for name, share in zip(SETTINGS, shares, strict=True)
    )
    words = f"the three explain {percent(max(whole, 0))} of the variance of runs ({named}), chance the rest"
    return Ours(holds=whole > 0.5, words=words, basis=counted(len(scores), "run"), because="that is more than half")


def crossover_role(results: Results) -> Ours:
    """Runs with the weighted average beside runs with other crossovers."""
    average = over(held_out(runs_of(results, MAIN)))
    others = {name: over_seeds_in(results[f"crossover-{name}"], SUM) for name in ("uniform", "one-point")}
    better = all(difference(average, other).interval[0] > 0 for other in others.values())
    words = f"average {average.shown}, " + ", ".join(f"{name} {other.shown}" for name, other in others.items())
    return Ours(holds=better, words=f"{words} points a game", basis=average.basis, because="it surely beats both")


def harmony(results: Results) -> Ours:
    """Their algorithm beside harmony search with the same features, games and rules."""
    theirs, other = over(held_out(runs_of(results, MAIN))), over_seeds_in(results["harmony"], SUM)
    holds = difference(other, theirs).interval[0] <= 0
    words = f"genetic {theirs.shown}, harmony search {other.shown} points a game"
    return Ours(holds=holds, words=words, basis=theirs.basis, because="harmony search is not surely better")


def reinforcement(results: Results) -> Ours:
    """Their algorithm beside an agent that learnt by Q-learning."""
    theirs, other = over(held_out(runs_of(results, MAIN))), results["reinforcement"]["score"]
    words = f"genetic {theirs.shown}, Q-learning {with_interval(other['played'], other['played_ci95'])} points a game"
    holds = theirs.interval[0] > other["played_ci95"][1]
    return Ours(holds=holds, words=words, basis="tetrais-q in the same games", because="it is surely above")
