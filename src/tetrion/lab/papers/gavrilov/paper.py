"""Gavrilov's report of 2023: four features, hand-made agents, and a genetic algorithm that finds their weights."""

import json
from functools import partial
from typing import Any

import numpy as np

from tetrion.agents import DataAgent
from tetrion.lab.papers.gavrilov import evolution as evolution
from tetrion.lab.papers.gavrilov import readings as read
from tetrion.lab.papers.gavrilov.figures import FIGURES
from tetrion.lab.papers.gavrilov.games import hanging_rows, key_rates, sequences
from tetrion.lab.papers.gavrilov.readings import (
    AGENTS,
    BUMPINESS,
    HOLES,
    MORE,
    NUMBERS,
    RANDOMISERS,
    WEIGHTS,
    cell,
    weighing,
    without,
)
from tetrion.lab.reproduction.findings import mean
from tetrion.lab.reproduction.measuring import Calculation, Laboratory, Measurement, Play, Training
from tetrion.lab.reproduction.paper import Claim, Paper, Question, ResultTable
from tetrion.lab.reproduction.published import Around, Mean, More, Range, Statement

RULES = "gavrilov"
EVOLUTION = Training("evolution", "gavrilov", seeds=40, quick_seeds=8)
ONE_RUN = "his single run lies outside of what 95 % of our seeds do"


def hand_made(name: str, holes: float, bumpiness: float) -> Play:
    """Height, holes and bumpiness weighed otherwise; a good agent's games are cut short."""
    weights = {"piece_top": 1.0, "holes": -holes, "bumpiness": -bumpiness}
    agent = DataAgent(weighing(name), weights, "before", rules=RULES)
    return Play(weighing(name), agent, games=2000, quick=300, pieces=50_000)


def ablated(feature: str) -> Play:
    """The trained agent without a feature."""
    weights = {name: weight for name, weight in NUMBERS.items() if name != feature}
    agent = DataAgent(without(feature), weights, "before", rules=RULES)
    return Play(without(feature), agent, games=1000, quick=100, pieces=200_000, quick_pieces=20_000)


def individuals(laboratory: Laboratory) -> dict[str, Any]:
    """Every individual's lines in the run that is the median of all seeds in held-out games."""
    count, changes = EVOLUTION.plan(laboratory.quick)
    numbers = range(laboratory.seed, laboratory.seed + count)
    runs = [laboratory.train(EVOLUTION.recipe, EVOLUTION.name, seed, changes) for seed in numbers]
    ends = [run.result["as_played"]["lines"]["mean"] if run.result else 0.0 for run in runs]
    place = int(np.argsort(ends, kind="stable")[len(ends) // 2])
    run = runs[place]
    return {"run": place, "fitness": [run.population(number).fitness.tolist() for number in range(run.generations)]}


def others_by(randomiser: str) -> list[Play]:
    """Every agent's games by a randomiser that is not his."""
    rules = f"{RULES}:randomiser={randomiser}"
    return [
        Play(cell(agent, randomiser), agent, games=500, quick=50, rules=rules)
        if agent == "random-keys"
        else Play(cell(agent, randomiser), agent, games=4000, quick=300, rules=rules)
        for agent in AGENTS
    ]


def compared(name: str, change: str) -> Training:
    """The recipe with a change, to be compared with evolution."""
    return Training(name, "gavrilov", seeds=20, quick_seeds=3, changes=(change,))


def quoted(features: tuple[str, ...]) -> str:
    """The change of a recipe that adds features."""
    return f"agent.features={json.dumps([*WEIGHTS, *features])}"


MEASUREMENTS: list[Measurement] = [
    Play("random-keys", "random-keys", games=2000, quick=200),
    *(Play(name, name, games=20_000, quick=2000) for name in AGENTS[1:5]),
    Play("gavrilov", "gavrilov", games=2000, quick=100, batches=8),
    Play("reach", "gavrilov", games=1000, quick=60, rules=f"{RULES}:movement=reach", batches=8),
    Play("low-entry", "gavrilov", games=500, quick=50, rules=f"{RULES}:movement=reach,entry=0"),
    *(hand_made(f"bumpiness-{value}", 1, float(value)) for value in BUMPINESS),
    *(hand_made(f"holes-{value}", float(value), 1) for value in HOLES),
    *(ablated(feature) for feature in WEIGHTS),
    Calculation("key-rates", key_rates),
    Calculation("hanging-rows", hanging_rows),
    Calculation("sequences", sequences),
    *(play for randomiser in RANDOMISERS[1:] for play in others_by(randomiser)),
    EVOLUTION,
    Calculation("individuals", individuals),
    compared("best-two", 'genetic.selection="best-two"'),
    *(compared(name, quoted(added)) for name, added in MORE.items()),
    compared("evolution-reach", f'rules="{RULES}:movement=reach"'),
]

HAND_MADE = [
    Claim(
        "random keys: lines a game",
        "Section 7.1.1",
        Range("1–2", low=1, high=2),
        mean("random-keys"),
        cause="the key rate is not given and decides it: ours presses sixty keys a second, and the table of rates "
        "shows how the lines change with them",
    ),
    Claim("lowest point: lines a game", "Section 7.2.1, Figure 47", Mean("7–8", 7.5, 10), mean("lowest")),
    Claim(
        "lowest point beats random keys",
        "Section 7.2.1",
        Statement("outperforms it noticeably"),
        partial(read.above, "lowest", "random-keys"),
    ),
    Claim("holes added: lines a game", "Section 7.3.1, Figure 50", Mean("60–70", 65, 10), mean("gavrilov-2")),
    Claim("bumpiness added: lines a game", "Section 7.4.1, Figure 55", Mean("about 15", 15, 10), mean("gavrilov-3")),
    Claim(
        "bumpiness added: the best of ten games",
        "Section 7.4.1, “barely cleared more than 15 lines”",
        Range("15", low=15, high=15),
        partial(read.best_of_ten, "gavrilov-3"),
        cause="read as the best game; read as the mean, the row above, it agrees",
    ),
    Claim(
        "bumpiness makes fewer lines: how many times",
        "Section 7.4.1",
        Around("nearly 6", value=6, share=0.1),
        partial(read.times, "gavrilov-2", "gavrilov-3"),
        cause="both means of ten games are off by chance",
    ),
    Claim(
        "it does so because holes and bumpiness weigh the same",
        "Sections 7.4.1 and 7.6",
        Statement("both lower the rating equally"),
        read.equal_weights,
    ),
    Claim("clearing added: lines a game", "Section 7.5.1, Figure 58", Mean("20", 20, 10), mean("gavrilov-4")),
    Claim(
        "clearing lines early is worth something",
        "Section 7.5.1",
        Statement("20 lines against 15"),
        partial(read.above, "gavrilov-4", "gavrilov-3"),
    ),
    Claim(
        "height and holes beat all four features",
        "Section 7.6, Figure 59",
        Statement("two parameters outperform the others"),
        partial(read.above, "gavrilov-2", "gavrilov-4"),
    ),
    Claim(
        "three features beat one",
        "Section 7.6, Figure 59",
        Statement("a modest improvement with more features"),
        partial(read.above, "gavrilov-3", "lowest"),
    ),
    Claim(
        "all four are not significantly above three",
        "Section 7.6, Figure 59",
        Statement("not significantly higher"),
        partial(read.found_in_ten, "gavrilov-4", "gavrilov-3"),
        cause="the two are apart enough for ten games to show it",
    ),
    Claim(
        "all four are not significantly above one",
        "Section 7.6, Figure 59",
        Statement("not significantly higher"),
        partial(read.found_in_ten, "gavrilov-4", "lowest"),
        cause="significance was not tested there; the two are so far apart that ten games of each show it",
    ),
]

EVOLVED = [
    Claim("the first generation", "Section 9.1, Figure 67", Statement("not satisfying"), evolution.first_generation),
    Claim(
        "generation whose best reaches the most of 850 moves",
        "Section 9.1",
        Range("4", low=4, high=4),
        evolution.generation_of_the_first,
        cause=ONE_RUN,
    ),
    Claim(
        "generation of which half reaches it",
        "Section 9.1, “the agents achieved the maximum”",
        Range("4", low=4, high=4),
        evolution.generation_of_half,
        cause=ONE_RUN,
    ),
    Claim(
        "mean lines of generation 8, of at most 460",
        "Section 9.1, Figure 69",
        Range("450", low=450, high=450),
        partial(evolution.mean_at, 8),
        cause=ONE_RUN,
    ),
    Claim(
        "the same, if parents are the best two of one tournament",
        "Section 5.6.7",
        Range("450", low=450, high=450),
        partial(evolution.mean_at, 8, name="best-two"),
        cause="the text has one tournament, the code of Figure 62 two, one a parent; the code, the row "
        "above, comes nearer to his figure",
    ),
    Claim(
        "performance rises",
        "Sections 9.1 and 9.3",
        Statement("considerable gains, gradually"),
        evolution.gains,
    ),
    Claim("fitness fluctuates less later", "Section 9.1, Figure 68", Statement("more stable"), evolution.steadier),
    Claim(
        "nothing to gain after generation 14",
        "Section 9.1",
        Statement("no need for continuing"),
        evolution.after_the_halt,
        cause="a little was still to be gained, which one run of one game an individual cannot show",
    ),
    *(
        Claim(
            f"final weight of {read.LABELS[name]}",
            "Section 9.2",
            Range(f"{NUMBERS[name]:.2f}".replace("-", "−"), low=NUMBERS[name], high=NUMBERS[name]),
            partial(evolution.final_weight, name),
            cause=ONE_RUN,
        )
        for name in WEIGHTS
    ),
    Claim("signs of the four weights", "Section 9.2", Statement("+, −, −, +"), evolution.same_signs),
    Claim("holes weigh most", "Section 9.1", Statement("the most crucial of all"), partial(evolution.largest, "holes")),
    Claim(
        "order of the weights by size",
        "Section 9.2",
        Statement("holes, clearing, bumpiness, height"),
        evolution.order_of,
        cause="bumpiness is a sum over nine steps and height a single row, so the smaller weight of bumpiness is not "
        "the smaller say; his run is one of those that end the other way round",
    ),
    Claim(
        "height's weight stays stable",
        "Section 9.1",
        Statement("relatively stable"),
        partial(evolution.steadiest, "piece_top"),
        cause="over seeds another weight changes less",
    ),
    Claim("holes' weight changes a lot", "Section 9.1", Statement("from −3 to −9.32"), evolution.fallen, ONE_RUN),
    Claim(
        "bumpiness's weight settles at generation 3",
        "Section 9.1",
        Statement("substantial changes only until 3"),
        partial(evolution.settled, "bumpiness"),
        cause="over seeds it keeps changing for longer",
    ),
    Claim(
        "time for half of the 30 generations",
        "Section 11.3",
        Range("2–3 days", low=2, high=3),
        evolution.days,
        cause="his games were drawn and their pieces fell in real time, ours are only computed",
    ),
]

TRAINED = [
    Claim("trained agent: lines a game", "Section 9.2, Figure 70", More(than=1500), mean("gavrilov")),
    Claim(
        "trained agent: over 1,500 lines every game",
        "Section 9.2",
        Statement("every game"),
        read.every_game,
        cause="games end early now and then",
    ),
    Claim(
        "trained agent: “about 1,500” lines",
        "Section 9.3",
        Around("about 1,500", value=1500, share=0.2),
        mean("gavrilov"),
        cause="neither the bug (below) nor pieces that enter low (next row) bring it down to that, so his games were "
        "probably not played to their ends",
    ),
    Claim(
        "the same, if pieces enter within the board and are moved there",
        "Section 9.3, Figure 45",
        Around("about 1,500", value=1500, share=0.2),
        mean("low-entry"),
        cause="his agents move a piece only once it has come down some rows, which costs lines, but not as many",
        rules="his pieces enter above the board",
    ),
    Claim(
        "evolved weights beat equal ones",
        "Sections 5.6, 7.6 and 9.3",
        Statement("the weights have to be found"),
        partial(read.above, "gavrilov", "gavrilov-4"),
    ),
    Claim(
        "holes matter most to the trained agent", "Sections 7.6 and 9.1", Statement("most crucial"), read.most_crucial
    ),
    Claim(
        "bumpiness matters to the trained agent",
        "Section 9.1",
        Statement("influential"),
        partial(read.matters, "bumpiness"),
    ),
    Claim(
        "clearing matters to the trained agent",
        "Section 9.1",
        Statement("important"),
        partial(read.matters, "lines"),
        cause="whoever keeps holes and bumps away clears lines anyway; the size of a weight does not tell its worth",
    ),
    Claim(
        "height matters to the trained agent",
        "Sections 5.3.1 and 9.1",
        Statement("less critical, but kept"),
        partial(read.matters, "piece_top"),
        cause="without it the agent does no worse; one game an individual cannot tell such weights apart",
    ),
    Claim("the line-clearing bug is rare", "Section 7.3.2", Statement("rare"), read.rare),
    Claim(
        "the line-clearing bug does no harm",
        "Sections 7.3.2 and 11.1",
        Statement("no serious problems"),
        read.harmless,
        cause="a row that hangs above an empty one costs lines",
    ),
    Claim("a bag deals more evenly", "Section 4.7", Statement("shorter streaks and waits"), read.bag_deals),
    Claim(
        "a bag helps the agent",
        "Section 4.7",
        Statement("beneficial for the future agent"),
        partial(read.above, "gavrilov", cell("gavrilov", "uniform")),
    ),
]

PAPER = Paper(
    name="gavrilov",
    title="Investigating Genetic Algorithms for Playing Tetris",
    source="A. V. Gavrilov, report for the BSc at the University of Hertfordshire, 2023",
    about="Agents rate every straight drop by the height of the piece, holes, bumpiness and the lines that it clears; "
    "first all weigh the same, then a genetic algorithm finds their weights.",
    rules="gavrilov: 10×20, pieces from a bag of seven, straight drops, over when the top row is reached",
    measurements=MEASUREMENTS,
    claims=[*HAND_MADE, *EVOLVED, *TRAINED],
    questions=[
        Question("Do a well count, aggregate and cumulative height help?", "Section 11.2", read.features_words),
        Question("Does every possible end position help?", "Section 11.2", read.reach_words),
        Question("Can the agents deal with other sequences of pieces?", "Section 5.1", read.randomisers_words),
        Question("Are the trained weights optimal?", "Section 9.1", read.optimum_words),
    ],
    figures=FIGURES,
    tables=[
        ResultTable(
            "Every agent by every randomiser",
            "Lines a game with their 95 % intervals; the first column is his. nes-counts are the console's "
            "frequencies, sz draws S and Z alone, alternating-sz in turn, and the adversary deals the worst piece.",
            ("Agent", *RANDOMISERS),
            read.randomiser_rows,
        ),
        ResultTable(
            "Random keys by their rate",
            "How many keys a second the random player presses is not told; the lines hang on it.",
            ("Keys a second", "Lines a game"),
            read.rate_rows,
        ),
    ],
    notes=(
        "Height is the row of the piece's highest cell counted from the top, as the code takes the smallest y of its "
        "cells (Figure 49); all features see the board before full rows are removed.",
        "The line-clearing bug (a partial row between two full ones stays above an empty row) is not in our rules. It "
        "was imitated for two rows only: whatever lies above the highest full row moves down by as many rows as were "
        "removed, onto what has stayed.",
        "Generations are counted from 0, as his code counts them. Games in evolution end after 850 moves, and after "
        "1,150 once half of a generation has reached that; what a recipe comes to is told by held-out games of at most "
        "4,000 pieces, which no individual was trained on.",
        "He trained once. Ours is the median of many seeds, and his figure agrees if it lies where 95 % of them do.",
        "The text draws the first weights from a normal distribution and both parents from one tournament, the code "
        "(Figures 60 and 62) from a uniform one and from two: ours follows the code.",
        "Cumulative height is not defined. Where other Tetris programs have it, it is the sum of the columns' heights, "
        "the same as aggregate height; so that it adds something, we also took it as the sum over all filled cells of "
        "their rows. Well count is taken as the cells of wells by depth (wells) and as their number.",
    ),
)
