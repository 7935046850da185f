"""TetrAIs 2023, section 6: the minimum height agent, the greedy agents with depth 1 to 3, and Q-learning.

The minimum height agent and Q-learning are here in two versions: as the report describes them (`tetrais-min-height`,
`tetrais-q-report`), and with our additions or our interpretation (`min-height`, `tetrais-q`).
"""

from dataclasses import replace

from tetrion.agents.weighted_agent import WeightedAgent

_SOURCE = "TetrAIs 2023"
_FAMILY = "tetrais"

# "This technique guarantees that every tetrimino is positioned as low as feasible": the lowest cell of the piece is as
# low as possible. Ties are resolved by the engine: the orientation with the fewest rotations, then the column from left
# to right, as in the report's scan.
PLAIN_MIN_HEIGHT_AGENT = WeightedAgent(
    "tetrais-min-height",
    {"piece_bottom": -1},
    source=f"{_SOURCE}, section 6.2: as low as feasible",
    family=_FAMILY,
    rules="tetrais",
)
# "Detects the current board's lowest height and puts tetriminoes strategically in accordance", by a scan from left to
# right; pieces are "dropped in a straight line". We read this as: the left edge of the piece goes on the leftmost of
# the lowest columns, or as close to it as the wall allows, with as few rotations as possible. Of all the readings we
# tried, this one comes closest to the published points (docs/papers/tetrais.md).
MIN_HEIGHT_AGENT = WeightedAgent(
    "min-height",
    {"lowest_column_distance": -1},
    source=f"{_SOURCE}, section 6.2 and 8: on the lowest column, which fits the published score",
    family=_FAMILY,
    rules="tetrais",
)
GREEDY_AGENT = WeightedAgent(
    "tetrais-greedy",
    {"max_height": -1, "aggregate_height": -1, "holes": -2, "lines": 2, "bumpiness": -1},
    source=f"{_SOURCE}, section 6.3",
    family=_FAMILY,
    rules="tetrais",
)
Q_LEARNING_AGENT = WeightedAgent(
    "tetrais-q",
    {
        "lines": 0.7582130732667045,
        "max_height_change": 0.04598976294337756,
        "holes_change": -2.5498999713657677,
        "bumpiness_change": -0.5571734943273783,
    },
    source=f"{_SOURCE}, section 6.5; trained with the recipe tetrais-q, seed 0",
    family=_FAMILY,
    rules="tetrais",
)
REPORT_Q_LEARNING_AGENT = WeightedAgent(
    "tetrais-q-report",
    {
        "lines": 1.6750617606318963,
        "max_height_change": 0.07388570229110657,
        "holes_change": -0.006149642327602519,
        "bumpiness_change": -0.01671969581975946,
    },
    source=f"{_SOURCE}, section 6.5 without additions; trained with the recipe tetrais-q-report, seed 0",
    family=_FAMILY,
    rules="tetrais",
)
TETRAIS_AGENTS = (
    PLAIN_MIN_HEIGHT_AGENT,
    MIN_HEIGHT_AGENT,
    GREEDY_AGENT,
    replace(GREEDY_AGENT, name="tetrais-depth2", depth=2, source=f"{_SOURCE}, section 6.4"),
    replace(
        GREEDY_AGENT,
        name="tetrais-depth3",
        depth=3,
        source=f"{_SOURCE}, section 6.4, which allows a depth of three",
        rules="tetrais:preview=2",
    ),
    Q_LEARNING_AGENT,
    REPORT_Q_LEARNING_AGENT,
)
