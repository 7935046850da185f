"""The value of each feature: removed from published weights, left out of training, and added one by one."""

from functools import partial

from tetrion.lab.papers.ablation import ablation_findings
from tetrion.lab.papers.ablation.ablation_measurements import ABLATED_CONTROLLERS, ABLATION_MEASUREMENTS
from tetrion.lab.papers.literature.literature_controllers import UNCHECKED_NOTE
from tetrion.lab.reproduction.measured_values import make_ratio_reader, make_seed_mean_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, OpenQuestion, Paper, PaperFigure, ResultTable
from tetrion.lab.reproduction.published_values import PublishedOrdering

_BOARD_DIFFERENCE = "10×20, where games are too long to train on; ours are on 10×10"
_FEATURE_SET_CLAIMS = [
    (
        "hole depth and rows with holes improve on Dellacherie's six features",
        f"Thiery and Scherrer 2009, {UNCHECKED_NOTE}",
        ("without-diversity", "six"),
    ),
    (
        "diversity improves on these eight features",
        f"Gabillon, Ghavamzadeh and Scherrer 2013, {UNCHECKED_NOTE}",
        ("nine", "without-diversity"),
    ),
    (
        "Dellacherie's six features do better than Bertsekas' 21",
        f"Thiery and Scherrer 2009, {UNCHECKED_NOTE}",
        ("six", "bertsekas"),
    ),
]

ABLATION_PAPER = Paper(
    name="ablation",
    label="Features left out",
    title="The value of each feature",
    source="A study of our own about the features of the literature",
    description="A controller weights features of the board. Each feature is removed from published weights, left out "
    "of training, and added one by one, always with the same budget of pieces.",
    rules="standard-10x10: pieces drawn uniformly, hard drops only, ten rows, so that every game ends",
    measurements=ABLATION_MEASUREMENTS,
    claims=[
        Claim(
            statement,
            location,
            PublishedOrdering("better", criterion="more lines after training with the same budget"),
            make_ratio_reader(make_seed_mean_reader(first), make_seed_mean_reader(second)),
            difference_cause="the cause was not tested",
            published_rules=_BOARD_DIFFERENCE,
            kind=ClaimKind.OWN,
        )
        for statement, location, (first, second) in _FEATURE_SET_CLAIMS
    ],
    questions=[
        OpenQuestion(
            "Which feature can be left out?", "retrained without each", ablation_findings.describe_dispensable_features
        ),
        OpenQuestion(
            "Can the other weights compensate for a missing feature?",
            "unchanged and retrained weights",
            ablation_findings.describe_weight_adaptation,
        ),
        OpenQuestion(
            "When do further features stop helping?", "added one by one", ablation_findings.describe_sufficient_features
        ),
        OpenQuestion(
            "Why do the DT weights reward holes?", "Gabillon et al. 2013", ablation_findings.describe_hole_weights
        ),
    ],
    figures=[
        *(
            PaperFigure(
                f"kept-{name}",
                f"{name} without a feature",
                "One weight is set to 0 and the others stay as published.",
                partial(ablation_findings.draw_feature_removal, name),
            )
            for name in ABLATED_CONTROLLERS
        ),
        PaperFigure(
            "anew",
            "Retrained without a feature",
            "All other weights are retrained by CMA-ES.",
            ablation_findings.draw_retraining,
        ),
        PaperFigure(
            "steps",
            "Features added one by one",
            "Each step adds the feature that was best in short training runs.",
            ablation_findings.draw_greedy_steps,
        ),
    ],
    tables=[
        ResultTable(
            "All features",
            "Lines without the feature, as a multiple of the lines with all features.",
            ("Feature", "dt20, other weights unchanged", "du, other weights unchanged", "Retrained"),
            ablation_findings.make_feature_table,
        ),
        ResultTable(
            "Feature sets",
            "All sets were trained by the same learner with the same budget.",
            ("Features", "Number", "Lines per game", "Best seed", "Seeds"),
            ablation_findings.make_feature_set_table,
        ),
        ResultTable(
            "Added one by one",
            "The next feature is chosen by short training runs; the lines are those of longer runs with other seeds.",
            ("Step", "Added", "Lines per game", "Ratio to the previous step", "Second choice"),
            ablation_findings.make_greedy_step_table,
        ),
    ],
    notes=[
        "Intervals of trained weights are over seeds; intervals of published weights are over games.",
        "Training stops after the generation in which the budget of pieces is used up. Feature sets with short games "
        "therefore get more generations, up to a hundred.",
        "The publications compare controllers with their weights on 10×20; here one learner trains weights for each "
        "set of features on 10×10. So these are comparisons of our own.",
    ],
    implemented="Controllers without one feature, and the recipe `cma-dt` with other sets of features.",
    deviations="The board is 10×10, where every game ends; the publications play on 10×20.",
)
