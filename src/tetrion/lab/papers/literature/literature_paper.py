"""The controllers of the research literature on one-piece Tetris: what each clears, and what figures depend on."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.literature import literature_figures as drawn
from tetrion.lab.papers.literature.literature_answers import BURGIEL_MAX_PIECES, LiteratureAnswers
from tetrion.lab.papers.literature.literature_figures import MILLION_LINES, make_board_lines_reader, make_lines_reader
from tetrion.lab.reproduction.measured_values import make_ratio_reader, make_seed_mean_reader
from tetrion.lab.reproduction.measurements import GameMeasurement, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Claim, OpenQuestion, Paper, PaperFigure, ResultTable
from tetrion.lab.reproduction.published_values import (
    MeasuredValue,
    PublishedOrdering,
    PublishedRange,
    PublishedStatement,
    PublishedWithMargin,
    Verdict,
)

_OTHER_PROGRAM_SOURCE = "another program with the same rules"
_CITED_NOTE = "as cited in the literature"
LITERATURE_BOARD_HEIGHTS = (
    10,
    12,
    14,
    16,
    18,
    20,
)  # on which Dellacherie's controller plays, to see what a row is worth
_WIDE_INTERVAL_RATIO = 3  # from which ratio of its ends on an interval leaves almost everything open


class LiteratureController(NamedTuple):
    """A controller, what is reported of it on twenty rows and on ten and by whom, and the games that we play on twenty.

    A report is the mean lines and the margin as a share of it.
    """

    name: str
    games: int
    max_pieces: int
    quick_budget: tuple[int, int]  # games and their most pieces
    reports_on_20_rows: dict[str, tuple[float, float]]
    report_on_10_rows: tuple[float, float] | None = None


_QUICK_LONG_GAMES = (75, 200_000)
_LITERATURE_CONTROLLERS = [
    LiteratureController("lee", 20_000, 10_000_000, (2000, 10_000_000), {_OTHER_PROGRAM_SOURCE: (630, 0.09)}),
    LiteratureController("ce-bertsekas", 1000, 10_000_000, (80, 10_000_000), {_OTHER_PROGRAM_SOURCE: (138_654, 0.2)}),
    LiteratureController(
        "dellacherie",
        7000,
        150_000,
        (100, 400_000),
        {f"Thiery and Scherrer 2009, {_CITED_NOTE}": (5.2e6, 0.2), _OTHER_PROGRAM_SOURCE: (6.3e6, 0.09)},
    ),
    LiteratureController(
        "el-tetris", 10_000, 200_000, _QUICK_LONG_GAMES, {f"El-Ashi 2011, {_CITED_NOTE}": (16e6, 0.2)}, (3014, 0.04)
    ),
    LiteratureController(
        "du",
        16_000,
        200_000,
        _QUICK_LONG_GAMES,
        {"Thiery and Scherrer 2009": (35e6, 0.2), _OTHER_PROGRAM_SOURCE: (32.9e6, 0.12)},
        (3906, 0.007),
    ),
    LiteratureController(
        "dt10",
        16_000,
        200_000,
        _QUICK_LONG_GAMES,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {_CITED_NOTE}": (29e6, 0.2), _OTHER_PROGRAM_SOURCE: (34.7e6, 0.12)},
        (5099, 0.008),
    ),
    LiteratureController(
        "bdu",
        20_000,
        200_000,
        _QUICK_LONG_GAMES,
        {f"Thiery and Scherrer 2009, {_CITED_NOTE}": (36e6, 0.2)},
        (4262, 0.06),
    ),
    LiteratureController(
        "dt20",
        24_000,
        250_000,
        _QUICK_LONG_GAMES,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {_CITED_NOTE}": (51e6, 0.2), _OTHER_PROGRAM_SOURCE: (65e6, 0.12)},
        (4523, 0.008),
    ),
]
CONTROLLER_NAMES = [known.name for known in _LITERATURE_CONTROLLERS]
_REPORTS_ON_20_ROWS = {known.name: list(known.reports_on_20_rows.values()) for known in _LITERATURE_CONTROLLERS}
_REPORTS_ON_10_ROWS = {
    known.name: [known.report_on_10_rows] if known.report_on_10_rows else [] for known in _LITERATURE_CONTROLLERS
}

_DELLACHERIE_WEIGHTS = dict(load_weighted_agent("dellacherie").weights)
_TIE_BREAKS = {  # which of equally good placements Dellacherie's controller takes
    "the first by turn and column, as everywhere here": {},
    "the one with more quarter turns": {"turns": 0.01},
    "the one whose highest cell is lower": {"piece_top": 0.01},
    "the one whose highest cell is higher": {"piece_top": -0.01},
    "the one nearer to the lowest column": {"lowest_column_distance": -0.01},
    "the one farther from the lowest column": {"lowest_column_distance": 0.01},
}
TIE_MEASUREMENTS = {words: f"tie-{number}" for number, words in enumerate(_TIE_BREAKS)}
_CROSS_ENTROPY_NOISES = ("none", "constant", "decreasing")
_SMALL_BOARD_CHANGES = ("rules=standard-10x10",)
LITERATURE_ANSWERS = LiteratureAnswers(CONTROLLER_NAMES, TIE_MEASUREMENTS)
_ENTRY_RULES = "standard:spawn_height=0,game_over=entry"  # a new piece needs room in the middle of the top rows


@dataclass(frozen=True)
class ReportedMean(PublishedWithMargin):
    """A reported mean with its margin; that ours meets it says little where few deaths leave much open."""

    def compare(self, ours: MeasuredValue) -> Verdict:
        """Whether our interval meets theirs, and whether it would meet almost any."""
        verdict, (low, high) = super().compare(ours), ours.interval
        if verdict.agrees and high > _WIDE_INTERVAL_RATIO * low:
            return Verdict(True, f"{verdict.reason}, but too few games have ended to say more")
        return verdict


def make_reported_mean(value: float, share: float) -> ReportedMean:
    """A reported mean with its margin."""
    shown = f"{value / MILLION_LINES:g} M" if value >= MILLION_LINES else format_number(value, 0)
    return ReportedMean(f"{shown} ± {100 * share:g} %", value=value, margin_share=share)


_CLAIMS_ON_20_ROWS = [
    Claim(
        f"{known.name}, lines a game on 10×20",
        where,
        make_reported_mean(*figures),
        make_board_lines_reader(20, known.name),
        difference_cause="Lee's weights were made for a known next piece, and for a look before full rows are removed, by which "
        "they clear more, as the next row shows"
        if known.name == "lee"
        else "",
    )
    for known in _LITERATURE_CONTROLLERS
    for where, figures in known.reports_on_20_rows.items()
]
_CLAIMS_ON_10_ROWS = [
    Claim(
        f"{known.name}, lines a game on 10×10",
        _OTHER_PROGRAM_SOURCE,
        make_reported_mean(*known.report_on_10_rows),
        make_board_lines_reader(10, known.name),
        difference_cause="the same features and weights can still differ in the order of ties",
    )
    for known in _LITERATURE_CONTROLLERS
    if known.report_on_10_rows
]
_RANKING_CLAIMS = [
    (
        "du clears more than dellacherie on 10×20",
        "Thiery and Scherrer 2009",
        make_board_lines_reader(20, "du"),
        make_board_lines_reader(20, "dellacherie"),
    ),
    (
        "el-tetris clears more than dellacherie on 10×20",
        "El-Ashi 2011",
        make_board_lines_reader(20, "el-tetris"),
        make_board_lines_reader(20, "dellacherie"),
    ),
    (
        "dt20 clears more than du on 10×20",
        "Gabillon et al. 2013",
        make_board_lines_reader(20, "dt20"),
        make_board_lines_reader(20, "du"),
    ),
    (
        "dt20 clears more than dt10 on 10×20",
        "Gabillon et al. 2013",
        make_board_lines_reader(20, "dt20"),
        make_board_lines_reader(20, "dt10"),
    ),
    (
        "dt10 clears more than dt20 on 10×10",
        "Gabillon et al. 2013",
        make_board_lines_reader(10, "dt10"),
        make_board_lines_reader(10, "dt20"),
    ),
    (
        "bdu clears more than du on 10×10",
        _OTHER_PROGRAM_SOURCE,
        make_board_lines_reader(10, "bdu"),
        make_board_lines_reader(10, "du"),
    ),
    (
        "cross-entropy with decreasing noise ends better than without",
        "Szita and Lőrincz 2006",
        make_seed_mean_reader("noise-decreasing"),
        make_seed_mean_reader("noise-none"),
    ),
    (
        "cross-entropy with constant noise ends better than without",
        "Szita and Lőrincz 2006",
        make_seed_mean_reader("noise-constant"),
        make_seed_mean_reader("noise-none"),
    ),
]

LITERATURE_PAPER = Paper(
    name="literature",
    title="The controllers of the research literature",
    source="Fahey 2003, Szita and Lőrincz 2006, Thiery and Scherrer 2009, Gabillon et al. 2013 and others",
    description="Research plays one-piece Tetris: the next piece is unknown, a placement is a turn and a column, and a "
    "controller weighs features of the board. Their mean lines are reported from thirty to fifty million.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, straight drops, over when a piece does not fit",
    measurements=[
        *(
            GameMeasurement(f"{name}-10x10", name, games=12_000, quick_games=1500, rules="standard-10x10")
            for name in CONTROLLER_NAMES
        ),
        *(
            GameMeasurement(
                f"{known.name}-10x20",
                known.name,
                games=known.games,
                quick_games=known.quick_budget[0],
                rules="standard",
                max_pieces=known.max_pieces,
                quick_max_pieces=known.quick_budget[1],
                batch_count=20,
            )
            for known in _LITERATURE_CONTROLLERS
        ),
        GameMeasurement("lee-before", "lee:measured=before", games=10_000, quick_games=1000, rules="standard"),
        GameMeasurement(
            "dellacherie-entry",
            "dellacherie",
            200,
            60,
            rules=_ENTRY_RULES,
            max_pieces=1_000_000,
            quick_max_pieces=300_000,
            batch_count=8,
        ),
        *(
            GameMeasurement(
                f"dellacherie-10x{rows}", "dellacherie", games, quick, f"standard:height={rows}", pieces, batch_count=4
            )
            for rows, games, quick, pieces in (
                (12, 3000, 200, 10_000_000),
                (14, 800, 40, 10_000_000),
                (16, 160, 10, 2_000_000),
                (18, 160, 10, 1_000_000),
            )
        ),
        *(
            GameMeasurement(
                TIE_MEASUREMENTS[words],
                WeightedAgent(f"dellacherie, {words}", {**_DELLACHERIE_WEIGHTS, **more}),
                4000,
                800,
                "standard-10x10",
            )
            for words, more in _TIE_BREAKS.items()
        ),
        *(
            GameMeasurement(f"{name}-alternating", name, 1, 1, "standard:randomiser=alternating-sz")
            for name in CONTROLLER_NAMES
        ),
        *(GameMeasurement(f"{name}-sz", name, 10_000, 500, "standard:randomiser=sz") for name in CONTROLLER_NAMES),
        *(
            TrainingMeasurement(
                f"noise-{noise}",
                "cross-entropy",
                3,
                3,
                (*_SMALL_BOARD_CHANGES, f"cross-entropy.noise={noise}"),
                ("generations=30",),
            )
            for noise in _CROSS_ENTROPY_NOISES
        ),
        TrainingMeasurement(
            "cross-entropy", "cross-entropy", 1, 1, ("validation.every=10", "final=30"), ("generations=15", "final=30")
        ),
    ],
    claims=[
        *_CLAIMS_ON_20_ROWS,
        Claim(
            "lee, if the evaluation sees full rows before they are removed, lines a game on 10×20",
            _OTHER_PROGRAM_SOURCE,
            make_reported_mean(630, 0.09),
            make_lines_reader("lee-before"),
            difference_cause="the published figure fits a look after they are removed, the first row",
        ),
        *_CLAIMS_ON_10_ROWS,
        Claim(
            "dellacherie, lines a game on 10×10",
            f"{_OTHER_PROGRAM_SOURCE}, three orders of ties",
            PublishedRange("2,216 to 2,517, by the order of ties", low=2216, high=2517),
            make_board_lines_reader(10, "dellacherie"),
        ),
        *(
            Claim(
                what,
                where,
                PublishedOrdering("more"),
                make_ratio_reader(first, second),
                difference_cause="too few games have ended, or seeds been tried, to tell the two apart",
            )
            for what, where, first, second in _RANKING_CLAIMS
        ),
        Claim(
            "dellacherie, lines a game, if a new piece needs room to enter",
            f"Fahey 2003, {_CITED_NOTE}",
            make_reported_mean(0.6e6, 0.2),
            make_lines_reader("dellacherie-entry"),
            difference_cause="there a piece must also pass sideways between the stack and the top, which our rules cannot ask of "
            "a straight drop; ours moves above everything",
            published_rules="Fahey's standard; ours is the nearest that our rules can express",
        ),
        Claim(
            "cross-entropy on Bertsekas' features, 80 generations, lines a game on 10×20",
            _OTHER_PROGRAM_SOURCE,
            PublishedRange("187,402 to 244,669, two runs", low=187_402, high=244_669),
            make_seed_mean_reader("cross-entropy"),
            difference_cause="runs differ several times from seed to seed, and a quick reproduction stops early",
        ),
        Claim(
            "the length of games is close to exponential",
            f"Thiery and Scherrer 2009, {_CITED_NOTE}",
            PublishedStatement("the standard deviation is about the mean"),
            LITERATURE_ANSWERS.check_exponential_spread,
        ),
        Claim(
            "S and Z in turn end every game",
            "Burgiel 1997",
            PublishedRange(f"within {BURGIEL_MAX_PIECES:,} pieces", low=0, high=BURGIEL_MAX_PIECES),
            LITERATURE_ANSWERS.find_longest_sz_game,
        ),
    ],
    questions=[
        OpenQuestion(
            "Which controller is the best, and does the board decide that?",
            "Gabillon et al. 2013",
            LITERATURE_ANSWERS.describe_ranking,
        ),
        OpenQuestion(
            "Why do figures under other rules differ so much?", "Fahey 2003", LITERATURE_ANSWERS.describe_row_value
        ),
        OpenQuestion(
            "How far does the order of ties move a figure?",
            "every figure for whole weights",
            LITERATURE_ANSWERS.describe_tie_effect,
        ),
        OpenQuestion("Who lasts longest against S and Z?", "Burgiel 1997", LITERATURE_ANSWERS.describe_sz_survival),
    ],
    figures=[
        PaperFigure(
            "twenty",
            "Lines a game on 10×20",
            "Games are cut short and the mean is all lines over all deaths.",
            partial(drawn.draw_controllers, _REPORTS_ON_20_ROWS, 20),
        ),
        PaperFigure(
            "ten",
            "Lines a game on 10×10",
            "Every game is played to its end.",
            partial(drawn.draw_controllers, _REPORTS_ON_10_ROWS, 10),
        ),
        PaperFigure(
            "history",
            "Thirty years of reported figures, and ours",
            "Older agents played by rules that partly differ, so that only the order of magnitude can be compared.",
            partial(drawn.draw_result_history, CONTROLLER_NAMES),
        ),
        PaperFigure(
            "lengths",
            "How long games last",
            "If any moment may be the last, whatever has been, the share falls as the exponential curve.",
            partial(drawn.draw_survival, CONTROLLER_NAMES),
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
            partial(drawn.make_controller_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "For scale",
            "What has been reported over the years beside what we measure. The older agents' weights are not known, "
            "their rules partly differ (rows, when a game is over) and are not all known.",
            ("Agent", "Lines a game", "Whose figure", "Rules"),
            partial(drawn.make_result_history_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "The order of ties",
            "Dellacherie's weights are whole numbers, so that often several placements are equally good; 10×10.",
            ("Of equals it takes", "Lines a game"),
            partial(drawn.make_tie_table, TIE_MEASUREMENTS),
        ),
        ResultTable(
            "Height",
            "Dellacherie's controller on boards of other heights.",
            ("Rows", "Lines a game", "Times the lines of the board above, a row"),
            partial(drawn.make_height_table, LITERATURE_BOARD_HEIGHTS),
        ),
        ResultTable(
            "S and Z alone",
            "Pieces until the game is over on 10×20.",
            ("Controller", "S and Z in turn", "S and Z by lot, mean"),
            partial(drawn.make_sz_table, CONTROLLER_NAMES),
        ),
    ],
    notes=[
        f"Figures marked “{_CITED_NOTE}” are the commonly reported ones, which we did not check in the original; where no "
        "interval is given with them, 20 % is allowed, that of Thiery and Scherrer.",
        f"“{_OTHER_PROGRAM_SOURCE.capitalize()}” stands for simulations with independent code, with their own 95 % intervals.",
        "Lee's weights were made for pieces from a bag and a known next piece; here they play one uniform piece.",
        "Fahey's standard cannot be expressed whole: a straight drop here begins above everything, while there a piece "
        "also needs a free way sideways in the top rows. That a new piece needs room to enter can.",
    ],
)
