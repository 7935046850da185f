"""The wells of MdpTetris' feature −6, as Scherrer et al. used them instead of Dellacherie's."""

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.engine.bitboard import Outcome
from tetrion.engine.custom_features import CUSTOM_FEATURES, feature
from tetrion.engine.pieces import BOARD_WIDTH


def wells_with_all_cells_below(outcome: Outcome) -> int:
    """Return the sum over wells of 1 + 2 + … + depth; all empty cells below a well cell belong to its well.

    This is feature −6 of MdpTetris. Dellacherie's feature, number 6 there, sums over well cells only.
    """
    total = 0
    wall = (1 << (outcome.rows + 4)) - 1
    for column in range(BOARD_WIDTH):
        filled = outcome.columns[column]
        left = wall if column == 0 else outcome.columns[max(column - 1, 0)]
        right = wall if column == BOARD_WIDTH - 1 else outcome.columns[min(column + 1, BOARD_WIDTH - 1)]
        cells = ~filled & left & right
        below = (cells >> 1) & ~filled & ~cells
        while below:
            cells |= below
            below = (below >> 1) & ~filled & ~cells
        while cells:
            rest = cells
            while rest:  # count the cells
                total += 1
                rest &= rest - 1
            cells = (cells >> 1) & ~filled
    return total


def make_fast_wells_agent(name: str) -> WeightedAgent:
    """Return a controller with MdpTetris' feature −6 instead of Dellacherie's wells."""
    if wells_with_all_cells_below.__name__ not in CUSTOM_FEATURES:
        feature(max_value=4000)(wells_with_all_cells_below)
    weights = dict(load_weighted_agent(name).weights)
    weights[wells_with_all_cells_below.__name__] = weights.pop("wells")
    return WeightedAgent(f"{name}, feature −6", weights, rules="standard")
