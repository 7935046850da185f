"""Controllers of the research literature on one-piece Tetris: their lines, and what these depend on."""

from functools import partial

from tetrion.evaluation.number_format import format_percent
from tetrion.lab.papers.literature import capped_games, literature_figures
from tetrion.lab.papers.literature.literature_claims import LITERATURE_ANSWERS, LITERATURE_CLAIMS
from tetrion.lab.papers.literature.literature_controllers import (
    CONTROLLER_NAMES,
    LITERATURE_BOARD_HEIGHTS,
    LITERATURE_CONTROLLERS,
    MDP_TETRIS_MEANS,
    TIE_MEASUREMENTS,
    UNCHECKED_NOTE,
)
from tetrion.lab.papers.literature.literature_measurements import LITERATURE_MEASUREMENTS
from tetrion.lab.reproduction.paper_definition import OpenQuestion, Paper, PaperFigure, ResultTable

_CITED_INTERVALS = {
    controller.name: controller.cited and controller.cited.interval for controller in LITERATURE_CONTROLLERS
}
_MDP_TETRIS_INTERVALS = {
    name: MDP_TETRIS_MEANS[name, 10].interval if (name, 10) in MDP_TETRIS_MEANS else None for name in CONTROLLER_NAMES
}

LITERATURE_PAPER = Paper(
    name="literature",
    label="The literature",
    title="The controllers of the research literature",
    source="Fahey 2003, Szita and Lőrincz 2006, Thiery and Scherrer 2009, Gabillon et al. 2013 and others",
    description="Research uses one-piece Tetris: the next piece is unknown, a placement is an orientation and a "
    "column, and a controller weights features of the board. The reported means range from thirty lines to fifty "
    "million.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, hard drops only, game over when a piece does not fit",
    measurements=LITERATURE_MEASUREMENTS,
    claims=LITERATURE_CLAIMS,
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
            "Long games are capped; the censored mean is the number of all lines divided by the number of games that "
            "ended. The bars are the published means ± 20 %.",
            partial(literature_figures.draw_controllers, _CITED_INTERVALS, 20),
        ),
        PaperFigure(
            "ten",
            "Lines per game on 10×10",
            "All games are played to their end. The bars are the 95 % intervals of the means of MdpTetris.",
            partial(literature_figures.draw_controllers, _MDP_TETRIS_INTERVALS, 10),
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
            "Published results over the years and our measurements. The reported results are commonly cited, and were "
            "not checked in the originals. The weights of the older agents are not known; their rules partly differ "
            "(rows, game-over condition) and are not completely known.",
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
        f"“{UNCHECKED_NOTE.capitalize()}”: the value that other publications report for this one; we have not read the "
        "original. The quotations from abstracts and titles were checked. Where a publication gives no margin, ours is "
        "20 %.",
        "That the 35,000,000 lines of the abstract are those of `du` (also called BCTS) is commonly cited.",
        "The controllers `dellacherie`, `du`, `bdu` and `ce-bertsekas` have exactly the weights of the files of "
        "MdpTetris. Its games end as ours do: when a piece rests partly above the top row. It breaks ties in another "
        "order than we do. Our own comparisons agree if the two 95 % intervals overlap.",
        "The logs of MdpTetris show, after each generation, the mean of 30 games of the mean weights; our runs are "
        "validated in the same way. The options of the logged runs are those of its script `simulations_ce_sl.py`: 100 "
        "candidates with one game each, of which the best ten are kept, and a start around 0 with variance 100. Its "
        "training program lets a piece that exceeds the top clear lines, unless told otherwise, while here it ends the "
        "game. In 4,000 games of MdpTetris each with the weights of `ce-bertsekas` on 10×10, this changes the mean "
        "from 817 ± 24 lines to 857 ± 26.",
        "Lee's weights were designed for pieces from a bag and a known next piece; here they play uniformly drawn "
        "pieces without a next piece.",
        "Fahey's standard cannot be expressed completely: a hard drop here begins above the board, while there a piece "
        "also needs a free path sideways in the top rows. The rule that a new piece must fit into the top rows can be "
        "expressed.",
    ],
    implemented="The controllers of Dellacherie, Thiery and Scherrer (`du`, `bdu`, `ce-bertsekas`), Gabillon et al. "
    "(`dt10`, `dt20`), El-Ashi (`el-tetris`) and Lee (`lee`), and the noisy cross-entropy method (recipe "
    "`cross-entropy`).",
    deviations="Ties are broken in another order than in MdpTetris. Fahey's standard cannot be expressed completely.",
)
