"""The controllers of the research literature on one-piece Tetris: what each clears, and what figures depend on."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tetrion.agents import DataAgent, data_agent
from tetrion.evaluation.words import figure
from tetrion.lab.papers.literature import figures as drawn
from tetrion.lab.papers.literature.answers import BURGIEL, Answers
from tetrion.lab.papers.literature.figures import MILLION, lines, on
from tetrion.lab.reproduction.findings import over_seeds, times
from tetrion.lab.reproduction.measuring import Play, Training
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, ResultTable
from tetrion.lab.reproduction.published import Ahead, Around, Ours, Range, Statement, Verdict

ANOTHER = "another program with the same rules"
CITED = "as cited in the literature"
HEIGHTS = (10, 12, 14, 16, 18, 20)  # on which Dellacherie's controller plays, to see what a row is worth
WIDE = 3  # from which ratio of its ends on an interval leaves almost everything open


class Controller(NamedTuple):
    """A controller, what is reported of it on twenty rows and on ten and by whom, and the games that we play on twenty.

    A report is the mean lines and the margin as a share of it.
    """

    name: str
    games: int
    pieces: int
    quick: tuple[int, int]  # games and their most pieces
    twenty: dict[str, tuple[float, float]]
    ten: tuple[float, float] | None = None


LONG = (75, 200_000)
CONTROLLERS = [
    Controller("lee", 20_000, 10_000_000, (2000, 10_000_000), {ANOTHER: (630, 0.09)}),
    Controller("ce-bertsekas", 1000, 10_000_000, (80, 10_000_000), {ANOTHER: (138_654, 0.2)}),
    Controller(
        "dellacherie",
        7000,
        150_000,
        (100, 400_000),
        {f"Thiery and Scherrer 2009, {CITED}": (5.2e6, 0.2), ANOTHER: (6.3e6, 0.09)},
    ),
    Controller("el-tetris", 10_000, 200_000, LONG, {f"El-Ashi 2011, {CITED}": (16e6, 0.2)}, (3014, 0.04)),
    Controller(
        "du", 16_000, 200_000, LONG, {"Thiery and Scherrer 2009": (35e6, 0.2), ANOTHER: (32.9e6, 0.12)}, (3906, 0.007)
    ),
    Controller(
        "dt10",
        16_000,
        200_000,
        LONG,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {CITED}": (29e6, 0.2), ANOTHER: (34.7e6, 0.12)},
        (5099, 0.008),
    ),
    Controller("bdu", 20_000, 200_000, LONG, {f"Thiery and Scherrer 2009, {CITED}": (36e6, 0.2)}, (4262, 0.06)),
    Controller(
        "dt20",
        24_000,
        250_000,
        LONG,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {CITED}": (51e6, 0.2), ANOTHER: (65e6, 0.12)},
        (4523, 0.008),
    ),
]
NAMES = [known.name for known in CONTROLLERS]
ON_TWENTY = {known.name: list(known.twenty.values()) for known in CONTROLLERS}
ON_TEN = {known.name: [known.ten] if known.ten else [] for known in CONTROLLERS}

WHOLE = dict(data_agent("dellacherie").weights)
TIES = {  # which of equally good placements Dellacherie's controller takes
    "the first by turn and column, as everywhere here": {},
    "the one with more quarter turns": {"turns": 0.01},
    "the one whose highest cell is lower": {"piece_top": 0.01},
    "the one whose highest cell is higher": {"piece_top": -0.01},
    "the one nearer to the lowest column": {"lowest_column_distance": -0.01},
    "the one farther from the lowest column": {"lowest_column_distance": 0.01},
}
TIED = {words: f"tie-{number}" for number, words in enumerate(TIES)}
NOISES = ("none", "constant", "decreasing")
SHORT = ("rules=standard-10x10",)
ANSWERS = Answers(NAMES, TIED)
ENTRY = "standard:entry=0,over=entry"  # a new piece needs room in the middle of the top rows


@dataclass(frozen=True)
class Reported(Around):
    """A reported mean with its margin; that ours meets it says little where few deaths leave much open."""

    def verdict(self, ours: Ours) -> Verdict:
        """Whether our interval meets theirs, and whether it would meet almost any."""
        verdict, (low, high) = super().verdict(ours), ours.interval
        if verdict.agrees and high > WIDE * low:
            return Verdict(True, f"{verdict.reason}, but too few games have ended to say more")
        return verdict


def reported(value: float, share: float) -> Reported:
    """A reported mean with its margin."""
    shown = f"{value / MILLION:g} M" if value >= MILLION else figure(value, 0)
    return Reported(f"{shown} ± {100 * share:g} %", value=value, share=share)


TWENTY = [
    Claim(
        f"{known.name}, lines a game on 10×20",
        where,
        reported(*figures),
        on(20, known.name),
        cause="Lee's weights were made for a known next piece, and for a look before full rows are removed, by which "
        "they clear more, as the next row shows"
        if known.name == "lee"
        else "",
    )
    for known in CONTROLLERS
    for where, figures in known.twenty.items()
]
TEN = [
    Claim(
        f"{known.name}, lines a game on 10×10",
        ANOTHER,
        reported(*known.ten),
        on(10, known.name),
        cause="the same features and weights can still differ in the order of ties",
    )
    for known in CONTROLLERS
    if known.ten
]
RANKS = [
    ("du clears more than dellacherie on 10×20", "Thiery and Scherrer 2009", on(20, "du"), on(20, "dellacherie")),
    ("el-tetris clears more than dellacherie on 10×20", "El-Ashi 2011", on(20, "el-tetris"), on(20, "dellacherie")),
    ("dt20 clears more than du on 10×20", "Gabillon et al. 2013", on(20, "dt20"), on(20, "du")),
    ("dt20 clears more than dt10 on 10×20", "Gabillon et al. 2013", on(20, "dt20"), on(20, "dt10")),
    ("dt10 clears more than dt20 on 10×10", "Gabillon et al. 2013", on(10, "dt10"), on(10, "dt20")),
    ("bdu clears more than du on 10×10", ANOTHER, on(10, "bdu"), on(10, "du")),
    (
        "cross-entropy with decreasing noise ends better than without",
        "Szita and Lőrincz 2006",
        over_seeds("noise-decreasing"),
        over_seeds("noise-none"),
    ),
    (
        "cross-entropy with constant noise ends better than without",
        "Szita and Lőrincz 2006",
        over_seeds("noise-constant"),
        over_seeds("noise-none"),
    ),
]

PAPER = Paper(
    name="literature",
    title="The controllers of the research literature",
    source="Fahey 2003, Szita and Lőrincz 2006, Thiery and Scherrer 2009, Gabillon et al. 2013 and others",
    about="Research plays one-piece Tetris: the next piece is unknown, a placement is a turn and a column, and a "
    "controller weighs features of the board. Their mean lines are reported from thirty to fifty million.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, straight drops, over when a piece does not fit",
    measurements=[
        *(Play(f"{name}-10x10", name, games=12_000, quick=1500, rules="standard-10x10") for name in NAMES),
        *(
            Play(
                f"{known.name}-10x20",
                known.name,
                games=known.games,
                quick=known.quick[0],
                rules="standard",
                pieces=known.pieces,
                quick_pieces=known.quick[1],
                batches=20,
            )
            for known in CONTROLLERS
        ),
        Play("lee-before", "lee:measured=before", games=10_000, quick=1000, rules="standard"),
        Play(
            "dellacherie-entry", "dellacherie", 200, 60, rules=ENTRY, pieces=1_000_000, quick_pieces=300_000, batches=8
        ),
        *(
            Play(f"dellacherie-10x{rows}", "dellacherie", games, quick, f"standard:height={rows}", pieces, batches=4)
            for rows, games, quick, pieces in (
                (12, 3000, 200, 10_000_000),
                (14, 800, 40, 10_000_000),
                (16, 160, 10, 2_000_000),
                (18, 160, 10, 1_000_000),
            )
        ),
        *(
            Play(TIED[words], DataAgent(f"dellacherie, {words}", {**WHOLE, **more}), 4000, 800, "standard-10x10")
            for words, more in TIES.items()
        ),
        *(Play(f"{name}-alternating", name, 1, 1, "standard:randomiser=alternating-sz") for name in NAMES),
        *(Play(f"{name}-sz", name, 10_000, 500, "standard:randomiser=sz") for name in NAMES),
        *(
            Training(
                f"noise-{noise}", "cross-entropy", 3, 3, (*SHORT, f"cross-entropy.noise={noise}"), ("generations=30",)
            )
            for noise in NOISES
        ),
        Training(
            "cross-entropy", "cross-entropy", 1, 1, ("judge.every=10", "final=30"), ("generations=15", "final=30")
        ),
    ],
    claims=[
        *TWENTY,
        Claim(
            "lee, if the evaluation sees full rows before they are removed, lines a game on 10×20",
            ANOTHER,
            reported(630, 0.09),
            lines("lee-before"),
            cause="the published figure fits a look after they are removed, the first row",
        ),
        *TEN,
        Claim(
            "dellacherie, lines a game on 10×10",
            f"{ANOTHER}, three orders of ties",
            Range("2,216 to 2,517, by the order of ties", low=2216, high=2517),
            on(10, "dellacherie"),
        ),
        *(
            Claim(
                what,
                where,
                Ahead("more"),
                times(first, second),
                cause="too few games have ended, or seeds been tried, to tell the two apart",
            )
            for what, where, first, second in RANKS
        ),
        Claim(
            "dellacherie, lines a game, if a new piece needs room to enter",
            f"Fahey 2003, {CITED}",
            reported(0.6e6, 0.2),
            lines("dellacherie-entry"),
            cause="there a piece must also pass sideways between the stack and the top, which our rules cannot ask of "
            "a straight drop; ours moves above everything",
            rules="Fahey's standard; ours is the nearest that our rules can express",
        ),
        Claim(
            "cross-entropy on Bertsekas' features, 80 generations, lines a game on 10×20",
            ANOTHER,
            Range("187,402 to 244,669, two runs", low=187_402, high=244_669),
            over_seeds("cross-entropy"),
            cause="runs differ several times from seed to seed, and a quick reproduction stops early",
        ),
        Claim(
            "the length of games is close to exponential",
            f"Thiery and Scherrer 2009, {CITED}",
            Statement("the standard deviation is about the mean"),
            ANSWERS.spread,
        ),
        Claim(
            "S and Z in turn end every game",
            "Burgiel 1997",
            Range(f"within {BURGIEL:,} pieces", low=0, high=BURGIEL),
            ANSWERS.longest,
        ),
    ],
    questions=[
        Question(
            "Which controller is the best, and does the board decide that?", "Gabillon et al. 2013", ANSWERS.ranking
        ),
        Question("Why do figures under other rules differ so much?", "Fahey 2003", ANSWERS.row),
        Question("How far does the order of ties move a figure?", "every figure for whole weights", ANSWERS.tie),
        Question("Who lasts longest against S and Z?", "Burgiel 1997", ANSWERS.burgiel),
    ],
    figures=[
        Drawing(
            "twenty",
            "Lines a game on 10×20",
            "Games are cut short and the mean is all lines over all deaths.",
            partial(drawn.forest_of, ON_TWENTY, 20),
        ),
        Drawing(
            "ten", "Lines a game on 10×10", "Every game is played to its end.", partial(drawn.forest_of, ON_TEN, 10)
        ),
        Drawing(
            "history",
            "Thirty years of reported figures, and ours",
            "Older agents played by rules that partly differ, so that only the order of magnitude can be compared.",
            partial(drawn.ladder, NAMES),
        ),
        Drawing(
            "lengths",
            "How long games last",
            "If any moment may be the last, whatever has been, the share falls as the exponential curve.",
            partial(drawn.survival, NAMES),
        ),
    ],
    tables=[
        ResultTable(
            "The controllers",
            "A row's worth is the tenth root of how many times more lines twenty rows give than ten.",
            (
                "Controller",
                "Lines on 10×10",
                "Lines on 10×20",
                "Deaths on 10×20",
                "Deviation / mean on 10×10",
                "A row's worth",
            ),
            partial(drawn.controller_rows, NAMES),
        ),
        ResultTable(
            "For scale",
            "What has been reported over the years beside what we measure. The older agents' weights are not known, "
            "their rules partly differ (rows, when a game is over) and are not all known.",
            ("Agent", "Lines a game", "Whose figure", "Rules"),
            partial(drawn.scale_rows, NAMES),
        ),
        ResultTable(
            "The order of ties",
            "Dellacherie's weights are whole numbers, so that often several placements are equally good; 10×10.",
            ("Of equals it takes", "Lines a game"),
            partial(drawn.tie_rows, TIED),
        ),
        ResultTable(
            "Height",
            "Dellacherie's controller on boards of other heights.",
            ("Rows", "Lines a game", "Times the lines of the board above, a row"),
            partial(drawn.height_rows, HEIGHTS),
        ),
        ResultTable(
            "S and Z alone",
            "Pieces until the game is over on 10×20.",
            ("Controller", "S and Z in turn", "S and Z by lot, mean"),
            partial(drawn.sz_rows, NAMES),
        ),
    ],
    notes=[
        f"Figures marked “{CITED}” are the commonly reported ones, which we did not check in the original; where no "
        "interval is given with them, 20 % is allowed, that of Thiery and Scherrer.",
        f"“{ANOTHER.capitalize()}” stands for simulations with independent code, with their own 95 % intervals.",
        "Lee's weights were made for pieces from a bag and a known next piece; here they play one uniform piece.",
        "Fahey's standard cannot be expressed whole: a straight drop here begins above everything, while there a piece "
        "also needs a free way sideways in the top rows. That a new piece needs room to enter can.",
    ],
)
