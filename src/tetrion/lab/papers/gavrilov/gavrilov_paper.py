"""Gavrilov's report of 2023: four features, agents with equal weights, and weights from a genetic algorithm."""

import json
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.lab.papers.gavrilov import gavrilov_evolution, gavrilov_findings
from tetrion.lab.papers.gavrilov.gavrilov_figures import GAVRILOV_FIGURES
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    ADDED_FEATURES,
    BUMPINESS_WEIGHTS,
    GAVRILOV_AGENT_NAMES,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_RANDOMISERS,
    GAVRILOV_TRAINED_WEIGHTS,
    HOLES_WEIGHTS,
    format_ablation_name,
    format_randomiser_measurement_name,
    format_weighting_name,
)
from tetrion.lab.papers.gavrilov.gavrilov_games import (
    measure_key_rates,
    measure_line_clear_bug,
    measure_piece_sequences,
)
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
)
from tetrion.lab.reproduction.paper_definition import Claim, OpenQuestion, Paper, ResultTable
from tetrion.lab.reproduction.published_values import (
    PublishedLowerBound,
    PublishedMean,
    PublishedRange,
    PublishedStatement,
    PublishedWithMargin,
)

_GAVRILOV_RULES = "gavrilov"
_EVOLUTION_TRAINING = TrainingMeasurement("evolution", "gavrilov", seed_count=40, quick_seed_count=8)
_SINGLE_RUN_CAUSE = "his single run lies outside the 95 % range of our seeds"


def make_weighting_measurement(name: str, holes: float, bumpiness: float) -> GameMeasurement:
    """Return the games of an agent with other weights of holes and bumpiness; long games are capped."""
    weights = {"piece_top": 1.0, "holes": -holes, "bumpiness": -bumpiness}
    agent = WeightedAgent(format_weighting_name(name), weights, "before", rules=_GAVRILOV_RULES)
    return GameMeasurement(format_weighting_name(name), agent, games=2000, quick_games=300, max_pieces=50_000)


def make_ablation_measurement(feature: str) -> GameMeasurement:
    """Return the games of the trained agent without a feature."""
    weights = {name: weight for name, weight in GAVRILOV_TRAINED_WEIGHTS.items() if name != feature}
    agent = WeightedAgent(format_ablation_name(feature), weights, "before", rules=_GAVRILOV_RULES)
    return GameMeasurement(
        format_ablation_name(feature), agent, games=1000, quick_games=100, max_pieces=200_000, quick_max_pieces=20_000
    )


def measure_candidates(context: MeasurementContext) -> dict[str, Any]:
    """Return the lines of every candidate in the run whose held-out result is the median of all seeds."""
    count, changes = _EVOLUTION_TRAINING.get_plan(context.is_quick)
    numbers = range(context.seed, context.seed + count)
    runs = [context.train(_EVOLUTION_TRAINING.recipe, _EVOLUTION_TRAINING.name, seed, changes) for seed in numbers]
    means = [run.result["uncorrected"]["lines"]["mean"] if run.result else 0.0 for run in runs]
    median_index = int(np.argsort(means, kind="stable")[len(means) // 2])
    run = runs[median_index]
    return {
        "run": median_index,
        "fitness": [run.load_population(number).fitness.tolist() for number in range(run.generation_count)],
    }


def make_randomiser_measurements(randomiser: str) -> list[GameMeasurement]:
    """Return the games of every agent with a randomiser other than the report's."""
    rules = f"{_GAVRILOV_RULES}:randomiser={randomiser}"
    return [
        GameMeasurement(
            format_randomiser_measurement_name(agent, randomiser), agent, games=500, quick_games=50, rules=rules
        )
        if agent == "random-keys"
        else GameMeasurement(
            format_randomiser_measurement_name(agent, randomiser), agent, games=4000, quick_games=300, rules=rules
        )
        for agent in GAVRILOV_AGENT_NAMES
    ]


def make_variant_training(name: str, change: str) -> TrainingMeasurement:
    """Return the training with one recipe change."""
    return TrainingMeasurement(name, "gavrilov", seed_count=20, quick_seed_count=3, changes=(change,))


def format_added_features_change(features: tuple[str, ...]) -> str:
    """Return the recipe change that adds features to the four of the report."""
    return f"agent.features={json.dumps([*GAVRILOV_FEATURE_NAMES, *features])}"


GAVRILOV_MEASUREMENTS: list[Measurement] = [
    GameMeasurement("random-keys", "random-keys", games=2000, quick_games=200),
    *(GameMeasurement(name, name, games=20_000, quick_games=2000) for name in GAVRILOV_AGENT_NAMES[1:5]),
    GameMeasurement("gavrilov", "gavrilov", games=2000, quick_games=100, batch_count=8),
    GameMeasurement(
        "reach", "gavrilov", games=1000, quick_games=60, rules=f"{_GAVRILOV_RULES}:movement=reach", batch_count=8
    ),
    GameMeasurement(
        "low-entry", "gavrilov", games=500, quick_games=50, rules=f"{_GAVRILOV_RULES}:movement=reach,spawn_height=0"
    ),
    *(make_weighting_measurement(f"bumpiness-{value}", 1, float(value)) for value in BUMPINESS_WEIGHTS),
    *(make_weighting_measurement(f"holes-{value}", float(value), 1) for value in HOLES_WEIGHTS),
    *(make_ablation_measurement(feature) for feature in GAVRILOV_FEATURE_NAMES),
    CustomMeasurement("key-rates", measure_key_rates),
    CustomMeasurement("hanging-rows", measure_line_clear_bug),
    CustomMeasurement("sequences", measure_piece_sequences),
    *(
        measurement
        for randomiser in GAVRILOV_RANDOMISERS[1:]
        for measurement in make_randomiser_measurements(randomiser)
    ),
    _EVOLUTION_TRAINING,
    CustomMeasurement("individuals", measure_candidates),
    make_variant_training("best-two", 'genetic.selection="best-two"'),
    *(make_variant_training(name, format_added_features_change(added)) for name, added in ADDED_FEATURES.items()),
    make_variant_training("evolution-reach", f'rules="{_GAVRILOV_RULES}:movement=reach"'),
]

_HAND_MADE_CLAIMS = [
    Claim(
        "random keys: lines per game",
        "Section 7.1.1",
        PublishedRange("1–2", low=1, high=2),
        make_mean_reader("random-keys"),
        difference_cause="the key rate is not given and determines the result: ours is sixty keys per second, and the "
        "table of key rates shows how the lines depend on it",
    ),
    Claim(
        "lowest point: lines per game",
        "Section 7.2.1, Figure 47",
        PublishedMean("7–8", 7.5, 10),
        make_mean_reader("lowest"),
    ),
    Claim(
        "lowest point beats random keys",
        "Section 7.2.1",
        PublishedStatement("outperforms it noticeably"),
        partial(gavrilov_findings.check_more_lines, "lowest", "random-keys"),
    ),
    Claim(
        "holes added: lines per game",
        "Section 7.3.1, Figure 50",
        PublishedMean("60–70", 65, 10),
        make_mean_reader("gavrilov-2"),
    ),
    Claim(
        "bumpiness added: lines per game",
        "Section 7.4.1, Figure 55",
        PublishedMean("about 15", 15, 10),
        make_mean_reader("gavrilov-3"),
    ),
    Claim(
        "bumpiness added: the best of ten games",
        "Section 7.4.1, “barely cleared more than 15 lines”",
        PublishedRange("15", low=15, high=15),
        partial(gavrilov_findings.compute_best_of_ten, "gavrilov-3"),
        difference_cause="if read as the mean (row above) instead of the best game, it agrees",
    ),
    Claim(
        "bumpiness reduces the lines: factor",
        "Section 7.4.1",
        PublishedWithMargin("nearly 6", value=6, margin_share=0.1),
        partial(gavrilov_findings.compute_lines_ratio, "gavrilov-2", "gavrilov-3"),
        difference_cause="both means of ten games deviate by chance",
    ),
    Claim(
        "bumpiness reduces the lines because holes and bumpiness have equal weights",
        "Sections 7.4.1 and 7.6",
        PublishedStatement("both lower the rating equally"),
        gavrilov_findings.check_equal_weights_cause,
    ),
    Claim(
        "clearing added: lines per game",
        "Section 7.5.1, Figure 58",
        PublishedMean("20", 20, 10),
        make_mean_reader("gavrilov-4"),
    ),
    Claim(
        "clearing lines early helps",
        "Section 7.5.1",
        PublishedStatement("20 lines against 15"),
        partial(gavrilov_findings.check_more_lines, "gavrilov-4", "gavrilov-3"),
    ),
    Claim(
        "height and holes beat all four features",
        "Section 7.6, Figure 59",
        PublishedStatement("two parameters outperform the others"),
        partial(gavrilov_findings.check_more_lines, "gavrilov-2", "gavrilov-4"),
    ),
    Claim(
        "three features beat one",
        "Section 7.6, Figure 59",
        PublishedStatement("a modest improvement with more features"),
        partial(gavrilov_findings.check_more_lines, "gavrilov-3", "lowest"),
    ),
    Claim(
        "all four features are not significantly above three",
        "Section 7.6, Figure 59",
        PublishedStatement("not significantly higher"),
        partial(gavrilov_findings.check_significance_in_ten_games, "gavrilov-4", "gavrilov-3"),
        difference_cause="the difference is large enough to be significant in ten games",
    ),
    Claim(
        "all four features are not significantly above one",
        "Section 7.6, Figure 59",
        PublishedStatement("not significantly higher"),
        partial(gavrilov_findings.check_significance_in_ten_games, "gavrilov-4", "lowest"),
        difference_cause="significance was not tested in the report; the difference is so large that ten games of each "
        "show it",
    ),
]

_EVOLUTION_CLAIMS = [
    Claim(
        "the first generation",
        "Section 9.1, Figure 67",
        PublishedStatement("not satisfying"),
        gavrilov_evolution.check_first_generation_poor,
    ),
    Claim(
        "first generation whose best candidate reaches the maximum of 850 moves",
        "Section 9.1",
        PublishedRange("4", low=4, high=4),
        gavrilov_evolution.compute_best_full_game_generation,
        difference_cause=_SINGLE_RUN_CAUSE,
    ),
    Claim(
        "first generation of which half reaches this maximum",
        "Section 9.1, “the agents achieved the maximum”",
        PublishedRange("4", low=4, high=4),
        gavrilov_evolution.compute_median_full_game_generation,
        difference_cause=_SINGLE_RUN_CAUSE,
    ),
    Claim(
        "mean lines of generation 8, of at most 460",
        "Section 9.1, Figure 69",
        PublishedRange("450", low=450, high=450),
        partial(gavrilov_evolution.compute_mean_at_generation, 8),
        difference_cause=_SINGLE_RUN_CAUSE,
    ),
    Claim(
        "mean lines of generation 8, if parents are the best two of one tournament",
        "Section 5.6.7",
        PublishedRange("450", low=450, high=450),
        partial(gavrilov_evolution.compute_mean_at_generation, 8, name="best-two"),
        difference_cause="the text describes one tournament, the code of Figure 62 two, one per parent; the code (row "
        "above) comes closer to his value",
    ),
    Claim(
        "performance rises",
        "Sections 9.1 and 9.3",
        PublishedStatement("considerable gains, gradually"),
        gavrilov_evolution.check_mean_rises,
    ),
    Claim(
        "fitness fluctuates less later",
        "Section 9.1, Figure 68",
        PublishedStatement("more stable"),
        gavrilov_evolution.check_spread_narrows,
    ),
    Claim(
        "no further gain after generation 14",
        "Section 9.1",
        PublishedStatement("no need for continuing"),
        gavrilov_evolution.check_no_gain_after_stop,
        difference_cause="there is a small further gain, which a single run with one game per candidate cannot show",
    ),
    *(
        Claim(
            f"final weight of {gavrilov_findings.GAVRILOV_FEATURE_LABELS[name]}",
            "Section 9.2",
            PublishedRange(
                f"{GAVRILOV_TRAINED_WEIGHTS[name]:.2f}".replace("-", "−"),
                low=GAVRILOV_TRAINED_WEIGHTS[name],
                high=GAVRILOV_TRAINED_WEIGHTS[name],
            ),
            partial(gavrilov_evolution.compute_final_weight, name),
            difference_cause=_SINGLE_RUN_CAUSE,
        )
        for name in GAVRILOV_FEATURE_NAMES
    ),
    Claim(
        "signs of the four weights",
        "Section 9.2",
        PublishedStatement("+, −, −, +"),
        gavrilov_evolution.check_weight_signs,
    ),
    Claim(
        "holes have the largest weight",
        "Section 9.1",
        PublishedStatement("the most crucial of all"),
        partial(gavrilov_evolution.check_largest_weight, "holes"),
    ),
    Claim(
        "order of the weights by size",
        "Section 9.2",
        PublishedStatement("holes, clearing, bumpiness, height"),
        gavrilov_evolution.check_weight_order,
        difference_cause="bumpiness is a sum over nine steps and height a single row, so a smaller weight of "
        "bumpiness does not mean a smaller influence; in his run the two have the opposite order",
    ),
    Claim(
        "the weight of height stays stable",
        "Section 9.1",
        PublishedStatement("relatively stable"),
        partial(gavrilov_evolution.check_steadiest_weight, "piece_top"),
        difference_cause="over all seeds another weight changes less",
    ),
    Claim(
        "the weight of holes changes a lot",
        "Section 9.1",
        PublishedStatement("from −3 to −9.32"),
        gavrilov_evolution.check_holes_weight_falls,
        difference_cause=_SINGLE_RUN_CAUSE,
    ),
    Claim(
        "the weight of bumpiness settles at generation 3",
        "Section 9.1",
        PublishedStatement("substantial changes only until 3"),
        partial(gavrilov_evolution.check_weight_settles, "bumpiness"),
        difference_cause="over all seeds it keeps changing for longer",
    ),
    Claim(
        "time for half of the 30 generations",
        "Section 11.3",
        PublishedRange("2–3 days", low=2, high=3),
        gavrilov_evolution.compute_training_days,
        difference_cause="his games were displayed in real time, ours are only computed",
    ),
]

_TRAINED_AGENT_CLAIMS = [
    Claim(
        "trained agent: lines per game",
        "Section 9.2, Figure 70",
        PublishedLowerBound(bound=1500),
        make_mean_reader("gavrilov"),
    ),
    Claim(
        "trained agent: over 1,500 lines in every game",
        "Section 9.2",
        PublishedStatement("every game"),
        gavrilov_findings.check_every_game_above_1500,
        difference_cause="some games end early",
    ),
    Claim(
        "trained agent: “about 1,500” lines",
        "Section 9.3",
        PublishedWithMargin("about 1,500", value=1500, margin_share=0.2),
        make_mean_reader("gavrilov"),
        difference_cause="neither the bug (below) nor pieces that spawn low (next row) reduce the mean to this value, "
        "so his games were probably not played to their end",
    ),
    Claim(
        "trained agent: “about 1,500” lines, if pieces spawn and move within the board",
        "Section 9.3, Figure 45",
        PublishedWithMargin("about 1,500", value=1500, margin_share=0.2),
        make_mean_reader("low-entry"),
        difference_cause="his agents move a piece only after it has fallen some rows, which costs lines, but not as "
        "many",
        published_rules="his pieces spawn above the board",
    ),
    Claim(
        "evolved weights beat equal ones",
        "Sections 5.6, 7.6 and 9.3",
        PublishedStatement("the weights have to be found"),
        partial(gavrilov_findings.check_more_lines, "gavrilov", "gavrilov-4"),
    ),
    Claim(
        "holes matter most to the trained agent",
        "Sections 7.6 and 9.1",
        PublishedStatement("most crucial"),
        gavrilov_findings.check_holes_most_important,
    ),
    Claim(
        "bumpiness matters to the trained agent",
        "Section 9.1",
        PublishedStatement("influential"),
        partial(gavrilov_findings.check_feature_matters, "bumpiness"),
    ),
    Claim(
        "clearing matters to the trained agent",
        "Section 9.1",
        PublishedStatement("important"),
        partial(gavrilov_findings.check_feature_matters, "lines"),
        difference_cause="an agent that avoids holes and bumps clears lines anyway; the size of a weight does not "
        "measure its importance",
    ),
    Claim(
        "height matters to the trained agent",
        "Sections 5.3.1 and 9.1",
        PublishedStatement("less critical, but kept"),
        partial(gavrilov_findings.check_feature_matters, "piece_top"),
        difference_cause="without it the agent does no worse; one game per candidate cannot distinguish such weights",
    ),
    Claim(
        "the line-clearing bug is rare",
        "Section 7.3.2",
        PublishedStatement("rare"),
        gavrilov_findings.check_bug_is_rare,
    ),
    Claim(
        "the line-clearing bug does no harm",
        "Sections 7.3.2 and 11.1",
        PublishedStatement("no serious problems"),
        gavrilov_findings.check_bug_is_harmless,
        difference_cause="a row that stays above an empty row costs lines",
    ),
    Claim(
        "a bag deals more evenly",
        "Section 4.7",
        PublishedStatement("shorter streaks and waits"),
        gavrilov_findings.check_bag_deals_evenly,
    ),
    Claim(
        "a bag helps the agent",
        "Section 4.7",
        PublishedStatement("beneficial for the future agent"),
        partial(
            gavrilov_findings.check_more_lines, "gavrilov", format_randomiser_measurement_name("gavrilov", "uniform")
        ),
    ),
]

GAVRILOV_PAPER = Paper(
    name="gavrilov",
    title="Investigating Genetic Algorithms for Playing Tetris",
    source="A. V. Gavrilov, report for the BSc at the University of Hertfordshire, 2023",
    description="Agents rate each hard drop by the height of the piece, holes, bumpiness and cleared lines; first with "
    "equal weights, then with weights found by a genetic algorithm.",
    rules="gavrilov: 10×20, pieces from a bag of seven, hard drops only, game over when the top row is reached",
    measurements=GAVRILOV_MEASUREMENTS,
    claims=[*_HAND_MADE_CLAIMS, *_EVOLUTION_CLAIMS, *_TRAINED_AGENT_CLAIMS],
    questions=[
        OpenQuestion(
            "Do a well count, aggregate height and cumulative height help?",
            "Section 11.2",
            gavrilov_findings.describe_added_features,
        ),
        OpenQuestion(
            "Do all reachable placements help?", "Section 11.2", gavrilov_findings.describe_reachable_placements
        ),
        OpenQuestion(
            "Can the agents play other piece sequences?", "Section 5.1", gavrilov_findings.describe_randomisers
        ),
        OpenQuestion("Are the trained weights optimal?", "Section 9.1", gavrilov_findings.describe_weight_optimality),
    ],
    figures=GAVRILOV_FIGURES,
    tables=[
        ResultTable(
            "All agents with all randomisers",
            "Lines per game with 95 % confidence intervals; the first randomiser is his. nes-counts has the piece "
            "frequencies of the NES console, sz draws only S and Z at random, alternating-sz alternates them, and "
            "adversary always gives the worst piece.",
            ("Agent", *GAVRILOV_RANDOMISERS),
            gavrilov_findings.make_randomiser_table,
        ),
        ResultTable(
            "Random keys by key rate",
            "The report does not give the number of keys per second of the random player, which determines the lines.",
            ("Keys per second", "Lines per game"),
            gavrilov_findings.make_key_rate_table,
        ),
    ],
    notes=(
        "Height is the row of the piece's highest cell counted from the top, because the code uses the smallest y of "
        "its cells (Figure 49); all features are measured before full rows are removed.",
        "The line-clearing bug (a partial row between two full rows stays above an empty row) is not part of our "
        "rules. For the two claims about it, it was reproduced: all cells above the highest full row move down by the "
        "number of removed rows, onto the cells that stayed.",
        "Generations are counted from 0, as in his code. Games in evolution end after 850 moves, and after 1,150 moves "
        "once half of a generation has reached 850. The result of a recipe is measured in held-out games of at most "
        "4,000 pieces, not used for training.",
        "He trained once. Our value is the median of many seeds, and his value agrees if it lies within their 95 % "
        "range.",
        "In the text, the first weights come from a normal distribution and both parents from one tournament; in the "
        "code (Figures 60 and 62), from a uniform distribution and from two tournaments. We follow the code.",
        "Cumulative height is not defined. In other Tetris programs it is the sum of the column heights, which is "
        "aggregate height; as an alternative, we also tested the sum of the row numbers of all filled cells. Well "
        "count is tested as the cells of wells weighted by depth (wells) and as the number of wells.",
    ),
)
