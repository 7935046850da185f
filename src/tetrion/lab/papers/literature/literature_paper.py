"""Controllers of the research literature on one-piece Tetris: their lines, and what these depend on."""

from functools import partial
from typing import NamedTuple

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.evaluation.number_format import format_number, format_percent
from tetrion.lab.papers.literature import capped_games, literature_figures
from tetrion.lab.papers.literature.capped_games import CappedGameMeasurement
from tetrion.lab.papers.literature.literature_answers import BURGIEL_MAX_PIECES, LiteratureAnswers
from tetrion.lab.papers.literature.literature_figures import MILLION_LINES, make_board_lines_reader, make_lines_reader
from tetrion.lab.reproduction.measured_values import make_ratio_reader, make_seed_mean_reader
from tetrion.lab.reproduction.measurements import GameMeasurement, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Claim, OpenQuestion, Paper, PaperFigure, ResultTable
from tetrion.lab.reproduction.published_values import (
    PublishedOrdering,
    PublishedRange,
    PublishedStatement,
    PublishedWithMargin,
)

_OTHER_PROGRAM_SOURCE = "another program with the same rules"
_CITED_NOTE = "as cited in the literature"
LITERATURE_BOARD_HEIGHTS = (*range(10, 21, 2),)  # rows of the boards for Dellacherie's controller


class LiteratureController(NamedTuple):
    """A controller, our games on twenty rows, and the published results on twenty and on ten rows.

    A report is the mean lines and its relative margin; the reports on twenty rows are keyed by source.
    """

    name: str
    games: int
    max_pieces: int
    quick_budget: tuple[int, int]  # games, and pieces per game at most
    reports_on_20_rows: dict[str, tuple[float, float]]
    report_on_10_rows: tuple[float, float] | None = None


_QUICK_LONG_GAMES = (75, 200_000)
_GPU_GAMES = 262_144  # games at a time that keep a large GPU busy; their caps are chosen for 400 deaths or more
_LITERATURE_CONTROLLERS = [
    LiteratureController("lee", 20_000, 10_000_000, (2000, 10_000_000), {_OTHER_PROGRAM_SOURCE: (630, 0.09)}),
    LiteratureController("ce-bertsekas", 1000, 10_000_000, (80, 10_000_000), {_OTHER_PROGRAM_SOURCE: (138_654, 0.2)}),
    LiteratureController(
        "dellacherie",
        _GPU_GAMES,
        30_000,
        (100, 400_000),
        {f"Thiery and Scherrer 2009, {_CITED_NOTE}": (5.2e6, 0.2), _OTHER_PROGRAM_SOURCE: (6.3e6, 0.09)},
    ),
    LiteratureController(
        "el-tetris", _GPU_GAMES, 90_000, _QUICK_LONG_GAMES, {f"El-Ashi 2011, {_CITED_NOTE}": (16e6, 0.2)}, (3014, 0.04)
    ),
    LiteratureController(
        "du",
        _GPU_GAMES,
        150_000,
        _QUICK_LONG_GAMES,
        {"Thiery and Scherrer 2009": (35e6, 0.2), _OTHER_PROGRAM_SOURCE: (32.9e6, 0.12)},
        (3906, 0.007),
    ),
    LiteratureController(
        "dt10",
        _GPU_GAMES,
        175_000,
        _QUICK_LONG_GAMES,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {_CITED_NOTE}": (29e6, 0.2), _OTHER_PROGRAM_SOURCE: (34.7e6, 0.12)},
        (5099, 0.008),
    ),
    LiteratureController(
        "bdu",
        _GPU_GAMES,
        175_000,
        _QUICK_LONG_GAMES,
        {f"Thiery and Scherrer 2009, {_CITED_NOTE}": (36e6, 0.2)},
        (4262, 0.06),
    ),
    LiteratureController(
        "dt20",
        _GPU_GAMES,
        260_000,
        _QUICK_LONG_GAMES,
        {f"Gabillon, Ghavamzadeh and Scherrer 2013, {_CITED_NOTE}": (51e6, 0.2), _OTHER_PROGRAM_SOURCE: (65e6, 0.12)},
        (4523, 0.008),
    ),
]
CONTROLLER_NAMES = [controller.name for controller in _LITERATURE_CONTROLLERS]
_REPORTS_ON_20_ROWS = {
    controller.name: list(controller.reports_on_20_rows.values()) for controller in _LITERATURE_CONTROLLERS
}
_REPORTS_ON_10_ROWS = {
    controller.name: [controller.report_on_10_rows] if controller.report_on_10_rows else []
    for controller in _LITERATURE_CONTROLLERS
}

_DELLACHERIE_WEIGHTS = dict(load_weighted_agent("dellacherie").weights)
_TIE_BREAKS = {  # label: weights that choose among equally good placements of Dellacherie's controller
    "first by orientation and column (default)": {},
    "more quarter turns": {"turns": 0.01},
    "lower highest cell": {"piece_top": 0.01},
    "higher highest cell": {"piece_top": -0.01},
    "nearer to the lowest column": {"lowest_column_distance": -0.01},
    "farther from the lowest column": {"lowest_column_distance": 0.01},
}
TIE_MEASUREMENTS = {label: f"tie-{number}" for number, label in enumerate(_TIE_BREAKS)}
_CROSS_ENTROPY_NOISES = ("none", "constant", "decreasing")
_SMALL_BOARD_CHANGES = ("rules=standard-10x10",)
LITERATURE_ANSWERS = LiteratureAnswers(CONTROLLER_NAMES, TIE_MEASUREMENTS)
_ENTRY_RULES = "standard:spawn_height=0,game_over=entry"  # a new piece must fit into the middle of the top rows


def make_reported_mean(value: float, share: float) -> PublishedWithMargin:
    """Return a published mean whose margin is a share of it."""
    number = f"{value / MILLION_LINES:g} M" if value >= MILLION_LINES else format_number(value, 0)
    return PublishedWithMargin(f"{number} ± {100 * share:g} %", value=value, margin_share=share)


_CLAIMS_ON_20_ROWS = [
    Claim(
        f"{controller.name}, lines per game on 10×20",
        source,
        make_reported_mean(*report),
        make_board_lines_reader(20, controller.name),
        difference_cause="Lee's weights were designed for a known next piece and for an evaluation before full rows "
        "are removed, with which they clear more, as the next row shows"
        if controller.name == "lee"
        else "",
    )
    for controller in _LITERATURE_CONTROLLERS
    for source, report in controller.reports_on_20_rows.items()
]
_CLAIMS_ON_10_ROWS = [
    Claim(
        f"{controller.name}, lines per game on 10×10",
        _OTHER_PROGRAM_SOURCE,
        make_reported_mean(*controller.report_on_10_rows),
        make_board_lines_reader(10, controller.name),
        difference_cause="programs with the same features and weights can still break ties differently",
    )
    for controller in _LITERATURE_CONTROLLERS
    if controller.report_on_10_rows
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
        "cross-entropy with decreasing noise gives more lines than without noise",
        "Szita and Lőrincz 2006",
        make_seed_mean_reader("noise-decreasing"),
        make_seed_mean_reader("noise-none"),
    ),
    (
        "cross-entropy with constant noise gives more lines than without noise",
        "Szita and Lőrincz 2006",
        make_seed_mean_reader("noise-constant"),
        make_seed_mean_reader("noise-none"),
    ),
]

LITERATURE_PAPER = Paper(
    name="literature",
    title="The controllers of the research literature",
    source="Fahey 2003, Szita and Lőrincz 2006, Thiery and Scherrer 2009, Gabillon et al. 2013 and others",
    description="Research uses one-piece Tetris: the next piece is unknown, a placement is an orientation and a "
    "column, and a controller weights features of the board. The reported means range from thirty lines to fifty "
    "million.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, hard drops only, game over when a piece does not fit",
    measurements=[
        *(
            GameMeasurement(f"{name}-10x10", name, games=12_000, quick_games=1500, rules="standard-10x10")
            for name in CONTROLLER_NAMES
        ),
        *(
            CappedGameMeasurement(
                f"{controller.name}-10x20",
                controller.name,
                games=controller.games,
                quick_games=controller.quick_budget[0],
                rules="standard",
                max_pieces=controller.max_pieces,
                quick_max_pieces=controller.quick_budget[1],
                batch_count=1 if controller.games == _GPU_GAMES else 20,
                is_long=controller.games == _GPU_GAMES,
            )
            for controller in _LITERATURE_CONTROLLERS
        ),
        GameMeasurement("lee-before", "lee:measured=before", games=10_000, quick_games=1000, rules="standard"),
        GameMeasurement(
            "dellacherie-entry",
            "dellacherie",
            games=200,
            quick_games=60,
            rules=_ENTRY_RULES,
            max_pieces=1_000_000,
            quick_max_pieces=300_000,
            batch_count=8,
        ),
        *(
            GameMeasurement(
                f"dellacherie-10x{rows}",
                "dellacherie",
                games=games,
                quick_games=quick_games,
                rules=f"standard:height={rows}",
                max_pieces=max_pieces,
                batch_count=4,
            )
            for rows, games, quick_games, max_pieces in (
                (12, 3000, 200, 10_000_000),
                (14, 800, 40, 10_000_000),
                (16, 160, 10, 2_000_000),
                (18, 160, 10, 1_000_000),
            )
        ),
        *(
            GameMeasurement(
                TIE_MEASUREMENTS[label],
                WeightedAgent(f"dellacherie, {label}", {**_DELLACHERIE_WEIGHTS, **weights}),
                games=4000,
                quick_games=800,
                rules="standard-10x10",
            )
            for label, weights in _TIE_BREAKS.items()
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
                seed_count=3,
                quick_seed_count=3,
                changes=(*_SMALL_BOARD_CHANGES, f"cross-entropy.noise={noise}"),
                quick_changes=("generations=30",),
            )
            for noise in _CROSS_ENTROPY_NOISES
        ),
        TrainingMeasurement(
            "cross-entropy",
            "cross-entropy",
            seed_count=1,
            changes=("validation.every=10", "validation.final_games=30"),
            quick_changes=("generations=15", "validation.final_games=30"),
        ),
    ],
    claims=[
        *_CLAIMS_ON_20_ROWS,
        Claim(
            "lee, lines per game on 10×20, if boards are evaluated before full rows are removed",
            _OTHER_PROGRAM_SOURCE,
            make_reported_mean(630, 0.09),
            make_lines_reader("lee-before"),
            difference_cause="the published value fits an evaluation after full rows are removed (first row)",
        ),
        *_CLAIMS_ON_10_ROWS,
        Claim(
            "dellacherie, lines per game on 10×10",
            f"{_OTHER_PROGRAM_SOURCE}, three tie-breaking rules",
            PublishedRange("2,216 to 2,517, depending on the tie-breaking rule", low=2216, high=2517),
            make_board_lines_reader(10, "dellacherie"),
        ),
        *(
            Claim(
                statement,
                source,
                PublishedOrdering("more"),
                make_ratio_reader(first, second),
                difference_cause="there are too few ended games or too few seeds to distinguish the two",
            )
            for statement, source, first, second in _RANKING_CLAIMS
        ),
        Claim(
            "dellacherie, lines per game, if a new piece must fit into the top rows",
            f"Fahey 2003, {_CITED_NOTE}",
            make_reported_mean(0.6e6, 0.2),
            make_lines_reader("dellacherie-entry"),
            difference_cause="under Fahey's rules a piece must also move sideways between the stack and the top, which "
            "our rules cannot require of a hard drop; our pieces move sideways above the board",
            published_rules="Fahey's standard; ours is the closest that our rules can express",
        ),
        Claim(
            "cross-entropy with Bertsekas' features, 80 generations, lines per game on 10×20",
            _OTHER_PROGRAM_SOURCE,
            PublishedRange("187,402 to 244,669, two runs", low=187_402, high=244_669),
            make_seed_mean_reader("cross-entropy"),
            difference_cause="runs with different seeds differ by a factor of several, and a quick reproduction stops "
            "early",
        ),
        Claim(
            "the length of games is close to exponential",
            f"Thiery and Scherrer 2009, {_CITED_NOTE}",
            PublishedStatement("the standard deviation is about the mean"),
            LITERATURE_ANSWERS.check_exponential_spread,
        ),
        Claim(
            "alternating S and Z pieces end every game",
            "Burgiel 1997",
            PublishedRange(f"within {BURGIEL_MAX_PIECES:,} pieces", low=0, high=BURGIEL_MAX_PIECES),
            LITERATURE_ANSWERS.find_longest_sz_game,
        ),
    ],
    questions=[
        OpenQuestion(
            "Which controller is best, and does that depend on the board?",
            "Gabillon et al. 2013",
            LITERATURE_ANSWERS.describe_ranking,
        ),
        OpenQuestion(
            "Why do results under other rules differ so much?", "Fahey 2003", LITERATURE_ANSWERS.describe_row_value
        ),
        OpenQuestion(
            "How much does the tie-breaking rule change a result?",
            "all results with integer weights",
            LITERATURE_ANSWERS.describe_tie_effect,
        ),
        OpenQuestion(
            "Which controller plays longest with only S and Z pieces?",
            "Burgiel 1997",
            LITERATURE_ANSWERS.describe_sz_survival,
        ),
    ],
    figures=[
        PaperFigure(
            "twenty",
            "Lines per game on 10×20",
            "Games are capped; the censored mean is the number of all lines divided by the number of games that ended.",
            partial(literature_figures.draw_controllers, _REPORTS_ON_20_ROWS, 20),
        ),
        PaperFigure(
            "ten",
            "Lines per game on 10×10",
            "All games are played to their end.",
            partial(literature_figures.draw_controllers, _REPORTS_ON_10_ROWS, 10),
        ),
        PaperFigure(
            "history",
            "Thirty years of published results, and ours",
            "The rules of older agents partly differ, so only the order of magnitude can be compared.",
            partial(literature_figures.draw_result_history, CONTROLLER_NAMES),
        ),
        PaperFigure(
            "lengths",
            "Length of games",
            "If the risk of losing is the same at every moment of a game, the share follows the exponential curve.",
            partial(literature_figures.draw_survival, CONTROLLER_NAMES),
        ),
    ],
    tables=[
        ResultTable(
            "The controllers",
            "The factor per row is the tenth root of the ratio of the lines on twenty rows to those on ten.",
            (
                "Controller",
                "Lines on 10×10",
                "Lines on 10×20",
                "Games ended on 10×20",
                "Standard deviation / mean on 10×10",
                "Factor per row",
            ),
            partial(literature_figures.make_controller_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "Long games on 10×20",
            "Games are capped, and the mean is the number of all lines divided by the number of deaths. Only the time "
            "depends on the machine.",
            ("Controller", "Games", "Cap", "Pieces", "Deaths", "Lines per game", "Time", "Pieces per second"),
            partial(capped_games.make_long_games_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "Independence of the cap",
            "The same games, as if they had been capped earlier: lines per death, and the number of deaths. Four cells "
            "per piece and ten per line make 0.4 lines per piece. A mean that depended on the cap would change from "
            "column to column by more than its interval.",
            ("Controller", *(f"{format_percent(share)} of the cap" for share in capped_games.CAP_SHARES)),
            partial(capped_games.make_cap_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "History of results",
            "Published results over the years and our measurements. The weights of the older agents are not known; "
            "their rules partly differ (rows, game-over condition) and are not completely known.",
            ("Agent", "Lines per game", "Source", "Rules"),
            partial(literature_figures.make_result_history_table, CONTROLLER_NAMES),
        ),
        ResultTable(
            "Tie-breaking rules",
            "Dellacherie's weights are integers, so several placements are often equally good. Measured on 10×10.",
            ("Preferred placement among equals", "Lines per game"),
            partial(literature_figures.make_tie_table, TIE_MEASUREMENTS),
        ),
        ResultTable(
            "Board height",
            "Dellacherie's controller on boards of different heights. The factor is relative to the previous table "
            "row.",
            ("Rows", "Lines per game", "Factor per additional row"),
            partial(literature_figures.make_height_table, LITERATURE_BOARD_HEIGHTS),
        ),
        ResultTable(
            "Only S and Z pieces",
            "Number of pieces until the game is over on 10×20.",
            ("Controller", "S and Z alternating", "S and Z at random, mean"),
            partial(literature_figures.make_sz_table, CONTROLLER_NAMES),
        ),
    ],
    notes=[
        f"Values marked “{_CITED_NOTE}” are the commonly reported ones, which we did not check in the original. Where "
        "they have no interval, we allow 20 %, the margin of Thiery and Scherrer.",
        f"“{_OTHER_PROGRAM_SOURCE.capitalize()}” means simulations with independent code, with their own 95 % "
        "confidence intervals.",
        "Lee's weights were designed for pieces from a bag and a known next piece; here they play uniformly drawn "
        "pieces without a next piece.",
        "Fahey's standard cannot be expressed completely: a hard drop here begins above the board, while there a piece "
        "also needs a free path sideways in the top rows. The rule that a new piece must fit into the top rows can be "
        "expressed.",
    ],
)
