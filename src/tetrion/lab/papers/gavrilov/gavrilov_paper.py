"""Gavrilov's report of 2023: four features, agents with equal weights, and weights from a genetic algorithm."""

from tetrion.lab.papers.gavrilov import gavrilov_answers
from tetrion.lab.papers.gavrilov.gavrilov_evolution_claims import GAVRILOV_EVOLUTION_CLAIMS, GAVRILOV_OWN_COMPARISONS
from tetrion.lab.papers.gavrilov.gavrilov_figures import GAVRILOV_FIGURES
from tetrion.lab.papers.gavrilov.gavrilov_findings import GAVRILOV_RANDOMISERS
from tetrion.lab.papers.gavrilov.gavrilov_game_claims import GAVRILOV_GAME_CLAIMS, GAVRILOV_REMOVAL_TESTS
from tetrion.lab.papers.gavrilov.gavrilov_measurements import GAVRILOV_MEASUREMENTS
from tetrion.lab.reproduction.paper_definition import OpenQuestion, Paper, ResultTable

GAVRILOV_PAPER = Paper(
    name="gavrilov",
    label="Gavrilov",
    title="Investigating Genetic Algorithms for Playing Tetris",
    source="A. V. Gavrilov, report for the BSc at the University of Hertfordshire, 2023",
    description="Agents rate each hard drop by the height of the piece, holes, bumpiness and cleared lines; first with "
    "equal weights, then with weights found by a genetic algorithm.",
    rules="gavrilov: 10×20, pieces from a bag of seven, hard drops only, game over when the top row is reached",
    measurements=GAVRILOV_MEASUREMENTS,
    claims=[*GAVRILOV_GAME_CLAIMS, *GAVRILOV_EVOLUTION_CLAIMS, *GAVRILOV_OWN_COMPARISONS, *GAVRILOV_REMOVAL_TESTS],
    questions=[
        OpenQuestion(
            "Do a well count, aggregate height and cumulative height help?",
            "Section 11.2",
            gavrilov_answers.describe_added_features,
        ),
        OpenQuestion(
            "Do all reachable placements help?", "Section 11.2", gavrilov_answers.describe_reachable_placements
        ),
        OpenQuestion(
            "Can the agents play other piece sequences?", "Section 5.1", gavrilov_answers.describe_randomisers
        ),
    ],
    figures=GAVRILOV_FIGURES,
    tables=[
        ResultTable(
            "All agents with all randomisers",
            "Lines per game with 95 % confidence intervals; the first randomiser is his. nes-counts has the piece "
            "frequencies of the NES console, sz draws only S and Z at random, alternating-sz alternates them, and "
            "adversary always gives the worst piece.",
            ("Agent", *GAVRILOV_RANDOMISERS),
            gavrilov_answers.make_randomiser_table,
        ),
        ResultTable(
            "Random keys by key rate",
            "The report does not give the number of keys per second of the random player, which determines the lines. "
            "A key takes a whole number of milliseconds (17 ms: 59 per second; 2 ms: 500 per second).",
            ("Keys per second", "Lines per game", "Games"),
            gavrilov_answers.make_key_rate_table,
        ),
        ResultTable(
            "The trained agent in real time",
            "With the keys of the report, at several key rates, which it does not give: 8 keys per second are about "
            "one per row. If games were capped, the lines per game are censored means: estimates from the games that "
            "ended, which may exceed what a capped game can have. The times of 1,500 lines, of a whole game and of the "
            "training until generation 14 follow from the time per piece and the number of pieces; the report gives "
            "2–3 days for the training (Section 11.3).",
            ("Keys per second", "Lines per game", "Time per piece", "Time of 1,500 lines", "Whole game", "Training"),
            gavrilov_answers.make_real_time_table,
        ),
    ],
    notes=(
        "Height is the row of the piece's highest cell counted from the top, because the code uses the smallest y of "
        "its cells (Figure 49); all features are measured before full rows are removed.",
        "The line-clearing bug (a partial row between two full rows stays above an empty row) is not part of our "
        "rules. For the claims about it, it was reproduced: all cells above the highest full row move down by the "
        "number of removed rows, onto the cells that stayed.",
        "Generations are counted from 0, as in his code, also in the figures. Games in evolution end after 850 moves, "
        "and after 1,150 moves once half of a generation has reached 850. The result of a recipe is measured in "
        "held-out games of at most 4,000 pieces, not used for training.",
        "He trained once. Our value is the median of many seeds with the range of 95 % of them. His value agrees if it "
        "lies within this range, unless the range is so wide that it does not decide.",
        "In the text, the first weights come from a normal distribution and both parents from one tournament; in the "
        "code (Figures 60 and 62), from a uniform distribution and from two tournaments. We follow the code; the text "
        "is measured as another reading.",
        "In the games in real time, a piece is first moved after three rows (Figure 45), gets its rotation at once, "
        "and then moves by one key per pass of the main loop: left or right, then down (Figure 44). The target is the "
        "best straight drop, even if the stack blocks the way to it. The fall speeds up to 0.12 s per row (Section "
        "4.15), the speed at which the lines per game are measured. A pass lets a piece fall by at most one row "
        "(Section 4.16), so that there is at least one key per row; the passes per second are not given.",
        "Cumulative height is not defined. In other Tetris programs it is the sum of the column heights, which is "
        "aggregate height; as an alternative, we also tested the sum of the row numbers of all filled cells. Well "
        "count is tested as the cells of wells weighted by depth (wells) and as the number of wells.",
    ),
    implemented="The game as the rules `gavrilov`; the agents `random-keys`, `lowest`, `gavrilov-2`, `gavrilov-3` and "
    "`gavrilov-4`, and the trained agent `gavrilov`; the genetic algorithm as the recipe `gavrilov` "
    "(`tetrion train gavrilov`).",
    deviations="Games are computed instead of displayed, and a piece is dropped straight from above the board; his "
    "agents move it with keys after it has fallen three rows, which we measure apart for the trained agent. Two bugs "
    "of the tutorial (line clearing, walls above the screen) are not part of the rules. Where text and code contradict "
    "each other, we follow the code.",
)
