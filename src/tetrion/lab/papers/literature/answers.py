"""What the games of the literature's controllers tell together, in sentences that follow the figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tetrion.evaluation.words import figure, percent
from tetrion.lab.papers.literature.figures import lines, on, row_worth, shape
from tetrion.lab.reproduction.findings import times
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

BURGIEL = 70_000  # pieces within which S and Z in turn end every game (Burgiel 1997)
NEAR = 0.1  # how far from 1 the deviation may be as a share of the mean, to call lengths exponential
LASTING = 500  # lines from which on the empty board at the start counts for little
LOW, HIGH = 10, 18  # rows between which a row's worth is told
TOO_FEW = "Too few games have ended to say."


@dataclass(frozen=True)
class Answers:
    """The answers about these controllers and orders of ties (in words, and as measurements)."""

    names: Sequence[str]
    tied: Mapping[str, str]

    def spread(self, results: Results) -> Ours:
        """Whether the lines of games spread as much as their mean, for every controller whose games last."""
        data = {name: results[f"{name}-10x10"] for name in self.names}
        shares = {name: shape(data[name]) for name in self.names}
        lasting = [shares[name] for name in self.names if data[name]["lines"]["played"] >= LASTING]
        if not lasting:
            return Ours(holds=False, words="no controller's games last")
        short = [name for name in self.names if data[name]["lines"]["played"] < LASTING]
        words = f"the deviation is {figure(min(lasting))} to {figure(max(lasting))} times the mean"
        if short:
            told = ", ".join(f"{name} {figure(shares[name])}" for name in short)
            words += f"; below {LASTING} lines, where the empty board at the start counts: {told}"
        holds = min(lasting) >= 1 - NEAR and max(lasting) <= 1 + NEAR
        basis = f"{len(self.names)} controllers on ten rows"
        return Ours(holds=holds, words=words, basis=basis, because=f"where games last it is within {NEAR:g} of 1")

    def longest(self, results: Results) -> Ours:
        """The longest game of any controller when S and Z come in turn."""
        pieces = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.names}
        name = max(pieces, key=lambda name: pieces[name])
        basis = f"the longest of {len(pieces)} controllers: {name}"
        return Ours(pieces[name], words=f"{pieces[name]:,} pieces", basis=basis)

    def ranking(self, results: Results) -> str:
        """Who is best on ten rows and on twenty, and whether that is known."""
        ten, twenty = self.best(10, "ten", results), self.best(20, "twenty", results)
        return f"{ten[0].upper()}{ten[1:]}; {twenty}."

    def best(self, rows: int, words: str, results: Results) -> str:
        """Who is best on a board."""
        found = {name: on(rows, name)(results) for name in self.names}
        if unseen := [name for name in self.names if found[name].value is None]:
            return f"on {words} rows no game of {', '.join(unseen)} has ended here, so that the best is not known"
        first, second = sorted(found, key=lambda name: -(found[name].value or 0))[:2]
        gap = times(on(rows, first), on(rows, second))(results)
        sure = "more than chance explains" if gap.interval[0] > 1 else "which chance may explain"
        return f"on {words} rows it is {first} with {found[first].shown} lines a game, {gap.shown} {second}'s, {sure}"

    def row(self, results: Results) -> str:
        """What a further row of height is worth, by Dellacherie's controller."""
        low, high = (on(rows, "dellacherie")(results) for rows in (LOW, HIGH))
        worth = row_worth(high, low, HIGH - LOW)
        entry = times(on(20, "dellacherie"), lines("dellacherie-entry"))(results)
        if not worth.value or worth.value <= 1 or not entry.value:
            return TOO_FEW
        rows = math.log(entry.value) / math.log(worth.value)
        return (
            f"Because height counts for so much: between {LOW} and {HIGH} rows every further row multiplies "
            f"Dellacherie's lines by {worth.shown}. That a new piece needs room to enter leaves the twenty rows but "
            f"divides the lines by {figure(entry.value)}, as {figure(rows)} rows fewer would."
        )

    def tie(self, results: Results) -> str:
        """How far the order of ties moves a mean."""
        found = {words: lines(name)(results) for words, name in self.tied.items()}
        least, most = (choose(found, key=lambda words: found[words].value or 0) for choose in (min, max))
        gap = times(lines(self.tied[most]), lines(self.tied[least]))(results)
        known = "more than chance explains" if gap.interval[0] > 1 else "which chance may explain"
        return (
            f"From {found[least].shown} lines ({least}) to {found[most].shown} ({most}): {gap.shown} as many, {known}."
        )

    def burgiel(self, results: Results) -> str:
        """Who lasts longest when S and Z come in turn, and when they come by lot."""
        turn = {name: results[f"{name}-alternating"]["pieces"]["max"] for name in self.names}
        lot = {name: results[f"{name}-sz"]["pieces"]["mean"] for name in self.names}
        first, last = (choose(turn, key=lambda name: turn[name]) for choose in (max, min))
        best = max(lot, key=lambda name: lot[name])
        return (
            f"If they come in turn, {first} with {turn[first]:,} pieces, and {last} is the first to end with "
            f"{turn[last]:,}; if they come by lot, {best} with {figure(lot[best])} pieces a game. The bound of "
            f"{BURGIEL:,} is one for the best play that there can be: the longest game here is "
            f"{percent(turn[first] / BURGIEL)} of it."
        )
