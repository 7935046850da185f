"""Rankings of all placements of a position by an agent's score, with hold and spins in modern games.

In a modern game the agent's search is done once for each sequence of pieces that hold allows, as when it plays. Scores
do not depend on spins: placements that differ only in their spin follow each other.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tetrion.agents.explanation import Candidate, Explanation, PositionAnalyser, Variation
from tetrion.board import Cell, Placement
from tetrion.engine.best_placements import decode_placement
from tetrion.position import Position

if TYPE_CHECKING:
    from tetrion.agents.weighted_agent import WeightedAgent

_RESEARCH_RULES = {  # the values of all rules that only modern games have
    "hold": 0,
    "spins": "none",
    "attack": "none",
    "garbage_rows": 0,
    "scoring": "lines",
    "arr": 0,
    "soft_drop_interval": 0,
    "lock_resets": 0,
    "initial_rotation": 0,
    "initial_hold": 0,
}


class RankedPlacement(NamedTuple):
    """A placement and its best variation; `holds` tells which of the pieces of the variation are placed with hold."""

    placement: Placement
    variation: Variation
    analyser: PositionAnalyser
    holds: tuple[bool, ...] = ()


class PieceSequence(NamedTuple):
    """The pieces that are placed one after another, the first of them first, and which of them are placed with hold."""

    pieces: str
    holds: tuple[bool, ...]


def rank_placements(agent: "WeightedAgent", position: Position) -> list[RankedPlacement]:
    """Return the placements that an agent considers in a position, best first; none if the game is over."""
    if position.rules.is_modern:
        return rank_modern_placements(agent, position)
    analyser = PositionAnalyser(agent, position)
    return [
        RankedPlacement(get_first_placement(position, variation), variation, analyser)
        for variation in analyser.find_variations()
    ]


def rank_modern_placements(agent: "WeightedAgent", position: Position) -> list[RankedPlacement]:
    """Return the placements that an agent considers in a position of a modern game, best first."""
    if not position.can_spawn:
        return []
    spins = group_spins(position)
    best = dict[Placement, RankedPlacement]()
    rules = position.rules.with_(**_RESEARCH_RULES)
    for sequence in list_sequences(position, agent.depth):
        arranged = Position(position.board, sequence.pieces[0], sequence.pieces[1:], rules)
        analyser = PositionAnalyser(agent, arranged)
        for variation in analyser.find_variations():
            for placement in spins[sequence.holds[0], get_first_placement(arranged, variation).cells]:
                ranked = RankedPlacement(placement, variation, analyser, sequence.holds)
                if placement not in best or compare_values(ranked) > compare_values(best[placement]):
                    best.pop(placement, None)  # so that equal ones are in the order of their sequences
                    best[placement] = ranked
    return sorted(best.values(), key=compare_values, reverse=True)


def get_first_placement(position: Position, variation: Variation) -> Placement:
    """Return the first placement of a variation, without spin and hold."""
    return position.make_placement(*decode_placement(variation.encoded_placements[0]))


def compare_values(ranked: RankedPlacement) -> tuple[bool, int]:
    """Return the sort key of a placement: survival first, then the score."""
    return ranked.variation.survives, ranked.variation.engine_score


def group_spins(position: Position) -> dict[tuple[bool, tuple[Cell, ...]], list[Placement]]:
    """Return the placements of a position by hold and cells; those of a group differ in their spin."""
    groups = dict[tuple[bool, tuple[Cell, ...]], list[Placement]]()
    for placement in position.placements():
        groups.setdefault((placement.hold, placement.cells), []).append(placement)
    return groups


def list_sequences(position: Position, depth: int) -> Iterator[PieceSequence]:
    """Yield the sequences of `depth` pieces that hold allows, in the order in which the engine searches them."""
    for number in range(1 << depth):
        holds = (bool(number >> (depth - 1)), *(bool(number >> index & 1) for index in range(depth - 1)))
        if pieces := arrange_pieces(position, holds):
            yield PieceSequence(pieces, holds)


def arrange_pieces(position: Position, holds: tuple[bool, ...]) -> str:
    """Return the pieces that are placed if some of them are placed with hold; empty text if this is not possible."""
    if (any(holds) and not position.rules.hold) or (holds[0] and not position.can_hold):
        return ""
    queue, held, pieces = (position.piece or "") + position.next, position.hold, ""
    for hold in holds:
        taken = 2 if hold and not held else 1
        if len(queue) < taken:
            return ""
        piece = held if hold and held else queue[taken - 1]
        held = queue[0] if hold else held
        queue, pieces = queue[taken:], pieces + piece
    return pieces


def make_candidate(ranked: RankedPlacement, position: Position) -> Candidate:
    """Return a ranked placement with the values and contributions of its features."""
    candidate = ranked.analyser.make_candidate(ranked.variation)
    if not position.rules.is_modern:
        return candidate
    placements = [ranked.placement]
    for placement, hold in zip(candidate.variation[1:], ranked.holds[1:], strict=False):
        position = position.after(placements[-1])
        placements.append(group_spins(position)[hold, placement.cells][0])
    return replace(candidate, placement=ranked.placement, variation=tuple(placements))


def explain_position(
    agent: "WeightedAgent", position: Position, max_candidates: int, on_candidate: Callable[[], None]
) -> Explanation:
    """Return the best placements of a position for an agent; no candidates if the game is over.

    `on_candidate` is called before each candidate is computed.
    """
    candidates = list[Candidate]()
    for ranked in rank_placements(agent, position)[:max_candidates]:
        on_candidate()
        candidates.append(make_candidate(ranked, position))
    return Explanation(
        agent.name, agent.get_mode_name(position), tuple(candidates), len(position.placements()), position
    )
