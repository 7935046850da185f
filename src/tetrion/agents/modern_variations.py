"""The variations that the search of an agent with modern features finds in a position."""

from typing import TYPE_CHECKING, NamedTuple

from tetrion.board import Placement
from tetrion.engine.batch_play import CHOICE_ONLY, play_full_games
from tetrion.engine.beam_search import BeamSearchScratch
from tetrion.engine.lookahead import SURVIVAL_BONUS
from tetrion.position import Position

if TYPE_CHECKING:
    from tetrion.agents.weighted_agent import WeightedAgent


class SearchedVariation(NamedTuple):
    """The best variation of a placement, its score, and whether the game survives all its pieces."""

    placements: tuple[Placement, ...]
    engine_score: int
    survives: bool


def find_searched_variations(agent: "WeightedAgent", position: Position) -> list[SearchedVariation]:
    """Return the best variation of each placement that the search follows to its end, best first.

    The list is empty if every placement ends the game.
    """
    memory = BeamSearchScratch.make_array(1)
    games = position.to_game_records()
    play_full_games.call_with_memory(memory, games, agent.get_engine_settings(position.rules), CHOICE_ONLY)
    record = memory[0]
    depth = min(agent.depth, int(games[0].known) + bool(position.hold))
    variations = []
    for root in range(record.root_count):
        length = int(record.root_lengths[root])
        ends_game = length < depth and length == record.root_reach[root]
        if length == depth or ends_game:
            placements = tuple(decode_variation(position, trace_codes(record, root)))
            score = int(record.root_values[root]) + length * SURVIVAL_BONUS
            variations.append(SearchedVariation(placements, score, not ends_game))
    return sorted(variations, key=lambda variation: -variation.engine_score)


def trace_codes(record: BeamSearchScratch, root: int) -> list[int]:
    """Return the codes of the placements of the best variation of a state of the first layer."""
    codes = [int(record.root_codes[root])]
    parent = int(record.root_parents[root])
    for layer in range(int(record.root_lengths[root]) - 1, 0, -1):
        codes.append(int(record.codes[layer, parent]))
        parent = int(record.parents[layer, parent])
    return codes[::-1]


def decode_variation(position: Position, codes: list[int]) -> list[Placement]:
    """Return the placements of a variation from a position on."""
    placements = list[Placement]()
    for code in codes:
        if placements:
            position = position.after(placements[-1])
        placements.append(position.decode_placement(code))
    return placements
