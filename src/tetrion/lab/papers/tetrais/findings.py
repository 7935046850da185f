"""How TetrAIs' figures are read from what was measured, and what its questions come to in words."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tetrion.evaluation.words import counted, figure, in_words, percent
from tetrion.lab.papers.tetrais.measuring import EPISODES, FALLING, FIRST_ALPHA, RUNS, falling
from tetrion.lab.reproduction.findings import Found, games_words, mean_in, over_seeds_in, ratio
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours, Published, Verdict

MEAN, VARIANCE = "mean", "normalised_variance"
OF_THREE = 3  # decimals of a normalised variance
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class OfRuns(Published):
    """A figure of so many games, which agrees if it is one that so many of our games have 95 times in 100."""

    value: float = 0
    runs: int = 1
    digits: int | None = None

    @property
    def shown(self) -> str:
        """The figure, and of how many games."""
        return f"{self.words or figure(self.value, self.digits)} ({counted(self.runs, 'game')})"

    def verdict(self, ours: Ours) -> Verdict:
        """Whether it lies within."""
        low, high = ours.interval
        room = f"what {counted(self.runs, 'game')} leave open ({between(low, high, self.digits)})"
        if low <= self.value <= high:
            return Verdict(True, f"it lies in {room}")
        return Verdict(False, f"it lies {'above' if self.value > high else 'below'} {room}")


def between(low: float, high: float, digits: int | None = None) -> str:
    """A range in words."""
    return f"{figure(low, digits)} to {figure(high, digits)}"


def cell(name: str, runs: int, of: str) -> Found:
    """A cell of Figure 13 or 14: what our games have, and what so many of them leave open."""
    return lambda results: cell_in(results[name], runs, of)


def cell_in(data: Mapping[str, Any], runs: int, of: str) -> Ours:
    """The same, of one measurement."""
    value = float(data["score"]["mean"] if of == MEAN else data[VARIANCE])
    low, _, high = data["runs"][str(runs)][of]
    digits = None if of == MEAN else OF_THREE
    basis = f"{counted(data['games'], 'game')}; {runs:,} of them: {between(low, high, digits)}"
    return Ours(value, (low, high), words=figure(value, digits), basis=basis)


def extreme(name: str, of: str) -> Found:
    """The lowest or highest of a thousand games: the middle of many such thousands, and where most of them lie."""

    def found(results: Results) -> Ours:
        low, middle, high = results[name]["runs"][str(RUNS[-1])][of]
        words = f"{figure(middle, 0)} ({between(low, high, 0)})"
        return Ours(middle, (low, high), words=words, basis=f"the {of} of 1,000 games")

    return found


def share(name: str, of: str, low: float, high: float = math.inf) -> Callable[[Results], float]:
    """The share of games above a number, and up to another."""

    def found(results: Results) -> float:
        numbers = np.array(results[name]["sample"][of])
        return float(np.mean((numbers > low) & (numbers <= high)))

    return found


def share_is(
    name: str, of: str, low: float, wanted: Callable[[float], bool], because: str, high: float = 1e99
) -> Found:
    """Whether the share of games above a number, and up to another, is as it should be."""

    def found(results: Results) -> Ours:
        part = share(name, of, low, high)(results)
        words = f"{percent(part)} of games" if part else "no game"
        basis = f"the first {counted(len(results[name]['sample'][of]), 'game')}"
        return Ours(holds=wanted(part), words=words, basis=basis, because=because)

    return found


def exceptional(results: Results) -> Ours:
    """How likely a thousand games of the minimum height agent have one with more than five lines."""
    each = float(results["min-height"]["many_lines"])
    chance = 1 - (1 - each) ** RUNS[-1]
    words = f"in {percent(chance)} of series of 1,000 games"
    basis = f"by {counted(results['min-height']['games'], 'game')}"
    return Ours(holds=chance > 0.05, words=words, basis=basis, because="more than 5 % of such series have one")


def series_won(results: Results) -> Ours:
    """In how many series of ten games the minimum height agent has the higher mean."""
    height, chance = (tens(results[name]["sample"]["score"]) for name in ("min-height", "random"))
    won = float(np.mean(height > chance))
    words = f"{percent(won)} of {counted(len(height), 'series').removesuffix('s')} of ten games"
    return Ours(holds=won > 0.95, words=words, because="the random agent loses more than 95 % of such series")


def tens(scores: Sequence[int]) -> Any:
    """The means of ten games each."""
    return np.array(scores)[: len(scores) // 10 * 10].reshape(-1, 10).mean(axis=1)


def scores(results: Results) -> dict[str, Ours]:
    """The mean score of each of the five agents."""
    return {
        "random": mean_in(results["random"], "score"),
        "minimum height": mean_in(results["min-height"], "score"),
        "greedy": mean_in(results["greedy"], "score"),
        "Q-learning": over_seeds_in(results["q"], "score"),
        "depth-limited": mean_in(results["depth2"], "score"),
    }


def in_order(names: Sequence[str], results: Results) -> Ours:
    """Whether each agent scores more than the one before it, beyond doubt."""
    known = scores(results)
    chain = [known[name] for name in names]
    holds = all(first.interval[1] < second.interval[0] for first, second in pairwise(chain))
    words = ", ".join(f"{name} {known[name].shown}" for name in names)
    return Ours(holds=holds, words=words, basis="score a game", because="the intervals lie apart, in this order")


def variances_in_order(results: Results) -> Ours:
    """Whether the normalised variances have the order of Figure 14."""
    found = [float(results[name][VARIANCE]) for name in ("random", "greedy", "min-height")]
    words = ", ".join(figure(number, OF_THREE) for number in found)
    return Ours(holds=found == sorted(found), words=words, because="they have this order")


def endless(name: str, results: Results) -> Ours:
    """Whether games go on without an end: none of them ended."""
    return endless_in(results[name])


def endless_in(data: Mapping[str, Any]) -> Ours:
    """The same, of one measurement."""
    ended, games = data["games"] - data["capped"], data["games"]
    lines = mean_in(data)
    words = f"{ended:,} of {counted(games, 'game')} ended; {lines.shown} lines a game"
    return Ours(holds=not ended, words=words, basis=games_words(data), because="none of our games ended")


def dies(results: Results) -> Ours:
    """Whether some of the depth-limited agent's games have ended."""
    found = endless("depth2", results)
    return Ours(holds=not found.holds, words=found.words, basis=found.basis, because="some of our games ended")


def q_endless(results: Results) -> Ours:
    """Whether what Q-learning learnt plays without an end."""
    held_out = [run["result"]["held_out"] for run in results["q"]["runs"]]
    ended, games = (sum(data[key] for data in held_out) for key in ("deaths", "games"))
    words = f"{ended:,} of {counted(games, 'game')} ended; {over_seeds_in(results['q']).shown} lines a game as played"
    basis = f"{counted(len(held_out), 'seed')}, games of at most 10,000 pieces"
    return Ours(holds=not ended, words=words, basis=basis, because="none of our games ended")


def q_steady(results: Results) -> Ours:
    """Whether the Q-learning agent's scores vary no more than the greedy agent's."""
    greedy = float(results["greedy"][VARIANCE])
    found = [float(run["result"]["held_out"][VARIANCE]) for run in results["q"]["runs"]]
    words = f"{figure(float(np.mean(found)), 2)}, greedy {figure(greedy, 2)}"
    return Ours(holds=max(found) <= greedy, words=words, basis="normalised variance", because="it varies no more")


def power(number: float) -> str:
    """A number of any size."""
    if abs(number) < 1e5:
        return figure(number)
    digits, _, exponent = f"{number:.2e}".partition("e")
    return f"{digits} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")


def largest(results: Results, features: str, episode: int, alpha: float = FIRST_ALPHA) -> tuple[str, float]:
    """The weight that is largest after an episode, by the feature's name and its size."""
    learnt = results["divergence"][features][f"{alpha:g}"]
    sizes = [abs(weight) if weight is not None else math.inf for weight in learnt["weights"][episode - 1]]
    place = int(np.argmax(sizes))
    return learnt["names"][place], sizes[place]


def grown(results: Results) -> Ours:
    """Whether a raw feature's weight is beyond 10^10 after three episodes."""
    name, size = largest(results, "raw", 3)
    words = f"{power(size)}, that of {in_words(name)}"
    basis = f"learning rate {FIRST_ALPHA:g}, which the report does not give"
    return Ours(holds=size >= 1e10, words=words, basis=basis, because="ours have grown at least as far")


def beyond_all(results: Results) -> Ours:
    """Whether some learning rate leads to 10^122 by episode five, as Figure 12 shows."""
    sizes = {alpha: largest(results, "raw", EPISODES, float(alpha))[1] for alpha in results["divergence"]["raw"]}
    words = "; ".join(f"{alpha}: {power(size)}" for alpha, size in sizes.items())
    holds = min(sizes.values()) < 5.46e122 < max(sizes.values())
    because = "the published one lies between those of two learning rates"
    return Ours(holds=holds, words=words, basis="by learning rate", because=because)


def blamed(results: Results) -> Ours:
    """Whether the weight of total height is the one that has grown most after the first episode."""
    found = [largest(results, "raw", 1, float(alpha))[0] for alpha in results["divergence"]["raw"]]
    right = sum(name == "aggregate_height" for name in found)
    words = f"the largest weight at {right} of {counted(len(found), 'learning rate')}"
    return Ours(holds=2 * right > len(found), words=words, basis="after one episode", because="so at most of them")


def cured(results: Results) -> Ours:
    """Whether the weights of differences stay small, where those of raw features grow."""
    name, size = largest(results, "differences", EPISODES)
    words = f"{power(size)} at most, that of {in_words(name)}"
    bounded = [alpha for alpha in results["divergence"]["differences"] if small(results, float(alpha))]
    because = f"they stay below 10 at the learning rates {', '.join(bounded)}"
    return Ours(holds=size < 10, words=words, basis=f"after {EPISODES} episodes", because=because)


def small(results: Results, alpha: float) -> bool:
    """Whether the weights of differences stay below ten at a learning rate."""
    return largest(results, "differences", EPISODES, alpha)[1] < 10


def towers(results: Results) -> Ours:
    """What an agent plays like whose raw weights have begun to diverge."""
    held_out = results["raw"]["runs"][0]["result"]["as_played"]
    lines, pieces = held_out["lines"]["mean"], held_out["pieces"]["mean"]
    words = f"{figure(lines)} lines, {figure(pieces)} pieces a game"
    return Ours(holds=lines < 1, words=words, because="it clears less than a line a game")


def beats_greedy(name: str, results: Results) -> Ours:
    """Whether what Q-learning has learnt scores more than the greedy agent."""
    learnt, greedy = over_seeds_in(results[name], "score"), mean_in(results["greedy"], "score")
    basis = f"{counted(len(results[name]['runs']), 'seed')}, games of at most 10,000 pieces"
    words = f"{learnt.shown} points a game, greedy {greedy.shown}"
    because = "the interval of the ratio is above 1"
    return Ours(holds=compared(learnt, greedy) == "more", words=words, basis=basis, because=because)


def actions(results: Results) -> Ours:
    """How many placements a piece has on an empty board."""
    found = results["thinking"]["placements"]
    words = "; ".join(f"{''.join(pieces)} {number}" for number, pieces in by_number(found).items())
    return Ours(float(np.mean(list(found.values()))), words=words, basis="different placements on an empty board")


def by_number(found: Mapping[str, int]) -> dict[int, list[str]]:
    """Pieces by how many placements they have."""
    numbers = sorted(set(found.values()))
    return {number: [piece for piece, those in found.items() if those == number] for number in numbers}


def decision(depth: int, less_than: float, results: Results) -> Ours:
    """Whether a decision of that depth takes less than so many seconds."""
    seconds = results["thinking"]["time"]["decision"][str(depth)]
    words, because = f"{1e3 * seconds:.2g} ms a decision", "it takes less time here"
    return Ours(holds=seconds < less_than, words=words, because=because, varies=True)


def growth(results: Results) -> Ours:
    """Whether every further piece multiplies the time by forty, give or take a quarter."""
    rates = results["thinking"]["time"]["pieces_per_second"]
    second, third = (rates[f"{depth - 1}"] / rates[f"{depth}"] for depth in (2, 3))
    words = f"{second:.0f} times for the second piece, {third:.0f} for the third"
    holds = all(30 <= times <= 50 for times in (second, third))
    return Ours(holds=holds, words=words, because="both are near forty", varies=True)


def too_slow(results: Results) -> Ours:
    """Whether a decision of depth two takes longer than a row at the highest speed."""
    ours = decision(2, 0.1, results)
    return Ours(holds=not ours.holds, words=ours.words, because="it takes longer than 100 ms", varies=True)


def as_good_when_fast(results: Results) -> Ours:
    """Whether agents without look-ahead keep their score at the highest speed, if a piece is moved at once."""
    kept = {}
    for agent in FALLING:
        if agent != "tetrais-depth2":
            slow = mean_in(results[falling(agent, 1000)], "score", played=True)
            kept[agent] = ratio(mean_in(results[f"{agent}-100ms-at-once"], "score", played=True), slow)
    holds = all(times.interval[0] <= 1 <= times.interval[1] or (times.value or 0) > 1 for times in kept.values())
    words = "; ".join(f"{agent} {figure(times.value or 0)} times" for agent, times in kept.items())
    basis = "the score at 100 ms a row against that at 1,000 ms, a key every millisecond"
    return Ours(holds=holds, words=words, basis=basis, because="no interval lies below 1")


def faster(results: Results) -> Ours:
    """How many times as many pieces a second the genetic agent plays as the depth-limited one."""
    times = results["genetic-games"]["time"]
    words = f"{figure(times['depth-1'] / times['by-hand'])} times the pieces a second"
    holds = times["depth-1"] > times["by-hand"]
    return Ours(holds=holds, words=words, basis="at depth one", because="it looks at one piece alone", varies=True)


def efficient(results: Results) -> Ours:
    """Whether the genetic agent clears more lines than the depth-limited one."""
    first, by_hand = mean_in(results["genetic-games"]["depth-1"]), mean_in(results["depth2"])
    words = f"{first.shown} lines a game, depth-limited {by_hand.shown}"
    because = "the interval of the ratio is above 1"
    return Ours(holds=compared(first, by_hand) == "more", words=words, basis="at depth one", because=because)


def compared(first: Ours, second: Ours) -> str:
    """How the first compares with the second, in a word, as far as the interval of their ratio tells."""
    (low, high), (least, most) = first.interval, second.interval
    if first.value and second.value:
        (low, high), (least, most) = ratio(first, second).interval, (1.0, 1.0)
    return "more" if low > most else "less" if high < least else "no different"


def told(ours: Ours) -> str:
    """A figure inside a sentence."""
    return ours.shown.replace("> ", "more than ")


def soft_drop(results: Results) -> str:
    """What moves after landing bring to each agent."""
    parts = []
    for label, name, drop in (("greedy", "greedy", "greedy"), ("Q-learning", "q", "q-drop"), ("depth-2", "depth2", "")):
        soft, stiff = (mean_in(results[f"{name}-{kind}"]) for kind in ("soft", "stiff"))
        plain = mean_in(results[drop or "depth2"])
        parts.append(
            f"{label} {told(soft)} lines with it, {told(stiff)} without ({WORDS[compared(soft, stiff)]}), "
            f"{told(plain)} by the report's rule ({WORDS[compared(soft, plain)]})"
        )
    return (
        f"Moving a piece after it has landed: {'; '.join(parts)}. Both with and without it a piece starts where it "
        "enters and has to find a way; by the report's rule it is turned and moved above everything."
    )


WORDS = {"more": "it helps", "less": "it harms", "no different": "no difference found"}
VERDICTS = {"more": "more than", "less": "less than", "no different": "not to be told from"}


def genetic(results: Results) -> str:
    """Whether a genetic agent beats the depth-limited one."""
    games, by_hand = results["genetic-games"], mean_in(results["depth2"])
    first, second, third = (mean_in(games[name]) for name in ("depth-1", "looking-ahead", "learnt-ahead"))
    return (
        f"At depth one the same five features with genetic weights clear {told(first)} lines a game, "
        f"{VERDICTS[compared(first, by_hand)]} the {told(by_hand)} of the depth-limited agent; how much faster they "
        f"play stands among the claims. At depth two these weights clear {told(second)} "
        f"({VERDICTS[compared(second, by_hand)]} the weights by hand), and weights learnt at depth two, on ten rows, "
        f"{told(third)} ({VERDICTS[compared(third, by_hand)]} the weights by hand)."
    )


def speeds(results: Results) -> str:
    """How agents fare as pieces fall faster."""
    parts = []
    for agent in FALLING:
        slow, quick = (mean_in(results[falling(agent, time)], "score", played=True) for time in (1000, 100))
        change = "no difference found" if compared(quick, slow) == "no different" else times(ratio(quick, slow))
        parts.append(f"{agent} {slow.shown} → {quick.shown} ({change})")
    cap = results[falling("tetrais-depth2", 100)]["cap"]
    at_once = mean_in(results["tetrais-greedy-100ms-at-once"], "score", played=True)
    return (
        f"From 1,000 to 100 ms a row, with ten keys a second and games of at most {cap:,} pieces, the score a game "
        f"goes: {'; '.join(parts)}. With a key every millisecond tetrais-greedy has {at_once.shown} at 100 ms."
    )


def times(change: Ours) -> str:
    """A ratio in words."""
    return f"{change.shown} times"


def ideal(results: Results) -> str:
    """What the results here say of features; the ablation says more."""
    greedy, learnt, q = mean_in(results["greedy"]), over_seeds_in(results["genetic"]), over_seeds_in(results["q"])
    weights = results["genetic-games"]["weights"]["depth-1"]
    sizes = sorted(weights, key=lambda name: abs(weights[name]))
    better = compared(learnt, greedy)
    verdict = {"more": "so the weights held it back, not the features", "less": "so learning found no better weights"}
    return (
        f"The greedy agent's five features clear {greedy.shown} lines a game with weights by hand, {learnt.shown} with "
        f"genetic ones ({verdict.get(better, 'no difference found')}); Q-learning's four differences, without total "
        f"height, clear {q.shown}. The largest genetic weight is that of {in_words(sizes[-1])}, the smallest that of "
        f"{in_words(sizes[0])}. What each of many features is worth is measured by tetrion reproduce ablation."
    )
