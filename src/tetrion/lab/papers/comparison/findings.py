"""What the comparison of learners comes to: rows over seeds, ratios with intervals, sentences, and figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.drawing.palette import series
from tetrion.evaluation.intervals import of_mean
from tetrion.evaluation.words import counted, figure, in_words, percent
from tetrion.lab.reproduction.figures import Entry, Places, forest
from tetrion.lab.reproduction.findings import Found, listed, ratio
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours
from tetrion.lab.reproduction.statistics import rank_correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.charts import Size

STEPS = 24  # at which a learning curve is read
FEWEST = 3  # seeds that tell how far apart seeds are
FORGOTTEN = 0.5  # of the best judged lines: who ends with less has unlearnt

Numbers = np.ndarray[Any, Any]


class Row(NamedTuple):
    """A learner as it stands in a table: its training, and whom of that run it puts forward; nobody is the result."""

    training: str
    member: str = ""


class Contest(NamedTuple):
    """A set of features and the budget of everybody who learns with it."""

    name: str  # how its measurements begin
    words: str
    features: Sequence[str]
    pieces: int
    quick: int
    rows: Mapping[str, Row]

    @property
    def told(self) -> str:
        """The features in words."""
        return ", ".join(map(in_words, self.features))

    def data(self, results: Results, learner: str) -> Mapping[str, Any]:
        """What was measured of a learner."""
        found: Mapping[str, Any] = results[f"{self.name}-{self.rows[learner].training}"]
        return found

    def lines(self, results: Results, *learners: str) -> Numbers:
        """The lines a game of every seed of one learner, or of several together, in held-out games."""
        return np.concatenate([self.of_seeds(results, learner) for learner in learners])

    def of_seeds(self, results: Results, learner: str) -> Numbers:
        """The lines a game of every seed of a learner."""
        member, runs = self.rows[learner].member, [run["result"] for run in self.data(results, learner)["runs"]]
        return np.array([run["crowd"][member] if member else run["as_played"]["lines"]["mean"] for run in runs])

    def budget(self, results: Results) -> int:
        """The budget that everybody had: the full one if anybody has used it up, else that of a quick reproduction."""
        every = [run["metrics"]["pieces"] for learner in self.rows for run in self.data(results, learner)["runs"]]
        return self.pieces if max(map(sum, every)) >= self.pieces else self.quick

    def ours(self, results: Results, learner: str) -> Ours:
        """The mean over a learner's seeds."""
        return over(self.lines(results, learner))


def over(values: Numbers) -> Ours:
    """The mean of seeds and its interval, which two seeds cannot tell."""
    return Ours(
        float(values.mean()), of_mean(values), deviation=float(values.std()), basis=counted(len(values), "seed")
    )


def times(first: Numbers, second: Numbers) -> Ours:
    """How many times the lines of the second the first have; the interval is not known if one has too few seeds."""
    basis = f"{len(first):,} seeds against {len(second):,}"
    found = ratio(over(first), over(second))
    known = min(len(first), len(second)) >= FEWEST
    return Ours(found.value, found.ci95 if known else None, basis=basis)


def paired(first: Numbers, second: Numbers) -> Ours:
    """The same for two members of the same runs: the ratios of single runs, and their mean."""
    if not second.all():
        return Ours(basis="unknown: one of them clears no lines")
    return Ours(float((first / second).mean()), of_mean(first / second), basis=counted(len(first), "run"))


def more(found: Ours) -> bool:
    """Whether it is known to be more than one."""
    return found.ci95 is not None and found.ci95[0] > 1


def fewer(found: Ours) -> bool:
    """Whether it is known to be less than one."""
    return found.ci95 is not None and found.ci95[1] < 1


def verdict(found: Ours) -> str:
    """What a ratio says in words."""
    if found.value is None or found.ci95 is None:
        return "the difference is not known"
    return "more" if more(found) else "fewer" if fewer(found) else "no difference found"


def told(found: Ours, holds: bool, because: str) -> Ours:
    """A ratio as evidence."""
    words = f"{found.shown} times the lines: {verdict(found)}"
    return Ours(holds=holds, words=words, basis=found.basis, because=because)


def better(contest: Contest, first: Sequence[str], second: Sequence[str]) -> Found:
    """Whether some learners clear more lines than others."""

    def found(results: Results) -> Ours:
        ours = times(contest.lines(results, *first), contest.lines(results, *second))
        return told(ours, more(ours), "the whole interval is above 1")

    return found


def no_worse(contest: Contest, first: str, second: str) -> Found:
    """Whether a learner clears as many lines as another, as far as seeds can tell."""

    def found(results: Results) -> Ours:
        ours = times(contest.lines(results, first), contest.lines(results, second))
        because = "the whole interval is above 1" if more(ours) else "the interval does not lie below 1"
        return told(ours, ours.ci95 is not None and not fewer(ours), because)

    return found


def better_than_members(contest: Contest, crowd: str, member: str) -> Found:
    """Whether a crowd clears more lines than a member of it, run by run."""

    def found(results: Results) -> Ours:
        ours = paired(contest.lines(results, crowd), of_members(contest, results, crowd, member))
        return told(ours, more(ours), "the whole interval is above 1")

    return found


def sometimes_beaten(contest: Contest, crowd: str, member: str) -> Found:
    """Whether a member is better than the crowd in some runs."""

    def found(results: Results) -> Ours:
        beaten = int((of_members(contest, results, crowd, member) > contest.lines(results, crowd)).sum())
        runs = len(contest.lines(results, crowd))
        words = f"in {beaten} of {counted(runs, 'run')}"
        return Ours(holds=beaten > 0, words=words, because="it happens here too")

    return found


def unlearnt(contest: Contest, learner: str) -> Found:
    """Whether the last favourite of a run is much worse than the best one that was judged."""

    def found(results: Results) -> Ours:
        shares = [last_over_best(run["metrics"]["judged"]) for run in contest.data(results, learner)["runs"]]
        forgot = sum(share < FORGOTTEN for share in shares)
        words = f"in {forgot} of {counted(len(shares), 'run')} the last favourite clears less than half of the best"
        return Ours(holds=forgot > 0, words=words, basis="both by the games that judge", because="it happens here too")

    return found


def last_over_best(judged: Sequence[float | None]) -> float:
    """The last judged favourite beside the best; 1 if nobody was judged."""
    known = [value for value in judged if value is not None and np.isfinite(value)]
    return known[-1] / max(known) if known and max(known) > 0 else 1.0


def of_members(contest: Contest, results: Results, crowd: str, member: str) -> Numbers:
    """The lines of a member of a crowd, run by run."""
    return np.array([run["result"]["crowd"][member] for run in contest.data(results, crowd)["runs"]])


def ranked(contest: Contest, results: Results) -> list[str]:
    """The learners, the most lines first."""
    return sorted(contest.rows, key=lambda learner: -float(contest.lines(results, learner).mean()))


def choice(contest: Contest, results: Results) -> str:
    """Which learner clears the most lines, and which ones cannot be told from it."""
    first, *others = ranked(contest, results)
    compared = {learner: times(contest.lines(results, learner), contest.lines(results, first)) for learner in others}
    alike = [learner for learner, found in compared.items() if not fewer(found)]
    below = [learner for learner, found in compared.items() if fewer(found)]
    ours = contest.ours(results, first)
    said = f"With {contest.words} {first} clears the most lines ({ours.shown} a game, {ours.basis})"
    if not alike:
        return f"{said}, more than every other."
    same = f"{said}; no difference to it was found for {listed(alike)}"
    return f"{same}, while {listed(below)} {'clears' if len(below) == 1 else 'clear'} fewer." if below else f"{same}."


def luck(contest: Contest, results: Results) -> str:
    """How far apart the seeds of a learner are, beside how far apart learners are."""
    spreads = [spread_of(contest.lines(results, learner)) for learner in contest.rows]
    order = ranked(contest, results)
    best, worst = (float(contest.lines(results, learner).mean()) for learner in (order[0], order[-1]))
    return (
        f"With {contest.words} the best seed of a learner clears {figure(float(np.median(spreads)))} times the lines "
        f"of its worst (the median over learners; {figure(min(spreads))} to {figure(max(spreads))}), and the best "
        f"learner's mean is {figure(best / max(worst, 1e-9))} times that of the worst."
    )


def spread_of(values: Numbers) -> float:
    """The best seed over the worst."""
    return float(values.max() / max(values.min(), 1e-9))


def moved(first: Contest, second: Contest, results: Results) -> str:
    """Whether the order of learners is the same with other features, and what features are worth beside it."""
    shared = [learner for learner in first.rows if learner in second.rows]
    agreement = rank_correlation(
        *(np.array([of.ours(results, one).value or 0 for one in shared]) for of in (first, second))
    )
    best = [max(float(of.lines(results, one).mean()) for one in shared) for of in (first, second)]
    order = "much the same" if agreement > 0.7 else "turned round" if agreement < -0.7 else "another"
    return (
        f"The order of the {len(shared)} learners that took part in both is {order}: the rank correlation is "
        f"{figure(agreement, 2)}, where 1 is the same order and 0 none in common. The best of them clears "
        f"{figure(best[0])} lines with {first.words} and {figure(best[1])} with {second.words}, "
        f"{figure(best[1] / max(best[0], 1e-9))} times as many."
    )


def agreeing(contest: Contest, results: Results, first: str, second: str) -> str:
    """Whether one kind of crowd is better than another, run by run."""
    ours = paired(contest.lines(results, first), contest.lines(results, second))
    if ours.ci95 is None or not (more(ours) or fewer(ours)):
        said = "no difference was found" if ours.ci95 is not None else "the difference is not known"
    else:
        said = f"it clears {verdict(ours)} lines"
    return f"With {contest.words} {said}: {ours.shown} times those of the mean ({ours.basis})."


def table_rows(contest: Contest, results: Results) -> list[list[str]]:
    """Every learner, the most lines first."""
    return [table_row(contest, results, learner) for learner in ranked(contest, results)]


def table_row(contest: Contest, results: Results, learner: str) -> list[str]:
    """A learner's figures."""
    data, lines = contest.data(results, learner), contest.lines(results, learner)
    steps = [run["metrics"]["pieces"] for run in data["runs"]]
    used = float(np.mean([sum(pieces) for pieces in steps]))
    return [
        learner,
        over(lines).shown,
        figure(float(lines.min())),
        figure(float(lines.max())),
        figure(used, 0),
        percent(max(used / contest.budget(results) - 1, 0)),
        figure(float(np.mean([len(pieces) for pieces in steps])), 0),
        figure(float(np.mean(data["time"]["seconds"]))),
    ]


def forest_of(contest: Contest, results: Results, size: "Size") -> "Figure":
    """Every learner's lines with their interval over seeds."""
    entries = [Entry(learner, contest.ours(results, learner)) for learner in ranked(contest, results)]
    return forest(size, "Lines a game", contest.words, entries, "Dot: mean of seeds, with its 95 % interval")


def curves_of(contest: Contest, learners: Sequence[str], results: Results, size: "Size") -> "Figure":
    """Judged lines against pieces placed, the mean of seeds."""
    runs = {learner: contest.data(results, learner)["runs"] for learner in learners}
    budget = max(sum(run["metrics"]["pieces"]) for some in runs.values() for run in some)
    grid = [budget * (step + 1) / STEPS for step in range(STEPS)]
    digits = 1 if budget >= 5e6 else 2 if budget >= 5e5 else 3
    places = [f"{figure(pieces / 1e6, digits)} M" for pieces in grid]
    key = "By pieces placed while learning: the favourite that was judged last, the mean of seeds"
    chart = Places(size, "Judged lines a game", contest.words, places, key)
    for place, learner in enumerate(learners):
        chart.line(learner, np.mean([curve(run["metrics"], grid) for run in runs[learner]], axis=0), series(place))
    return chart.finished()


def curve(metrics: Mapping[str, Sequence[float | None]], grid: Sequence[float]) -> Numbers:
    """How the last favourite was judged when so many pieces had been placed; not a number before the first one."""
    placed = np.cumsum([pieces or 0 for pieces in metrics["pieces"]])
    judged = [(pieces, value) for pieces, value in zip(placed, metrics["judged"], strict=True) if value is not None]
    known = [(pieces, value) for pieces, value in judged if np.isfinite(value)]
    before = [[value for pieces, value in known if pieces <= point] for point in grid]
    return np.array([values[-1] if values else np.nan for values in before])
