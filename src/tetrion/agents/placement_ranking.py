"""Rankings of all placements of a position by an agent's score, with hold and spins in modern games.

In a modern game the search of an agent without modern features is done once for each sequence of pieces that hold
allows, as when it plays; placements that differ only in their spin have the same score.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tetrion.agents.explanation import Candidate, Explanation, PositionAnalyser, Variation
from tetrion.agents.modern_values import measure_modern_features
from tetrion.agents.modern_variations import SearchedVariation, find_searched_variations
from tetrion.board import Cell, Placement
from tetrion.engine.placements import encode_location, encode_placement
from tetrion.engine.records import NO_SPIN
from tetrion.position import Position, get_engine_settings

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
    "placement_frames": 0,
}


class RankedPlacement(NamedTuple):
    """A placement and its best variation; in modern games `holds` tells which of its pieces are placed with hold."""

    placement: Placement
    variation: Variation
    analyser: PositionAnalyser
    holds: tuple[bool, ...] = ()
    modern_values: dict[str, int] = {}  # noqa: RUF012 -- never changed
    searched: tuple[Placement, ...] = ()  # the variation, if an agent with modern features has searched it
    number: tuple[int, int] = (0, 0)  # of the sequence of pieces and of the placement: of equal ones the lowest wins

    @property
    def order(self) -> tuple[bool, int, tuple[int, int]]:
        """The sort key: placements that the game survives first, then by score."""
        return not self.variation.survives, -self.variation.engine_score, self.number


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
    """Return the placements that an agent considers in a position of a modern game, best first.

    An agent with modern features and a beam considers the placements of which the beam follows a variation to its end.
    """
    if not position.placements():
        return []
    if agent.has_modern_features and agent.depth > 1:
        if variations := find_searched_variations(agent, position):
            return [rank_searched_variation(agent, position, variation) for variation in variations]
        agent = replace(agent, depth=1)  # every placement ends the game
    spins = group_spins(position)
    numbers = {placement: number for number, placement in enumerate(position.placements())}
    names = agent.list_modern_feature_names()
    best = dict[Placement, RankedPlacement]()
    for number, (pieces, holds) in enumerate(list_sequences(position, agent.depth)):
        analyser = make_analyser(agent, position, pieces)
        arranged = analyser.position
        for variation in analyser.find_variations():
            for placement in spins[holds[0], get_first_placement(arranged, variation).cells]:
                values = measure_modern_features(position, placement, names)
                points = sum(analyser.score_feature(name, value) for name, value in values.items())
                score = variation.engine_score + points
                ranked = RankedPlacement(
                    placement,
                    variation._replace(engine_score=score),
                    analyser,
                    holds,
                    values,
                    number=(number, numbers[placement]),
                )
                if placement not in best or ranked.order < best[placement].order:
                    best[placement] = ranked
    return sorted(best.values(), key=lambda ranked: ranked.order)


def rank_searched_variation(agent: "WeightedAgent", position: Position, searched: SearchedVariation) -> RankedPlacement:
    """Return the first placement of a variation that an agent with modern features has searched."""
    first = searched.placements[0]
    variation = Variation(searched.engine_score, [], searched.survives)
    return RankedPlacement(first, variation, make_analyser(agent, position, first.piece), searched=searched.placements)


def make_analyser(agent: "WeightedAgent", position: Position, pieces: str) -> PositionAnalyser:
    """Return an analyser of some pieces on the board of a modern game, which is placed like a research game."""
    rules = position.rules.with_(**_RESEARCH_RULES)
    settings = agent.get_engine_settings(position.rules)._replace(rules=get_engine_settings(rules).rules)
    return PositionAnalyser(agent, Position(position.board, pieces[0], pieces[1:], rules), settings)


def get_first_placement(position: Position, variation: Variation) -> Placement:
    """Return the first placement of a variation, without spin and hold."""
    return position.decode_placement(encode_placement(variation.encoded_placements[0], NO_SPIN, 0))


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
    queue = (position.piece or "") + position.next
    held = position.hold
    pieces = ""
    for hold in holds:
        taken = 2 if hold and not held else 1
        if len(queue) < taken:
            return ""
        pieces += held if hold and held else queue[taken - 1]
        held = queue[0] if hold else held
        queue = queue[taken:]
    return pieces


def make_candidate(ranked: RankedPlacement, position: Position) -> Candidate:
    """Return a ranked placement with the values and contributions of its features."""
    if ranked.searched:
        return make_searched_candidate(ranked, position)
    candidate = ranked.analyser.make_candidate(ranked.variation)
    if not position.rules.is_modern:
        return candidate
    placements = [ranked.placement]
    for placement, hold in zip(candidate.variation[1:], ranked.holds[1:], strict=False):
        position = position.after(placements[-1])
        spins = group_spins(position).get((hold, placement.cells))
        if spins is None:  # the piece that hold exchanges cannot spawn, for which this search does not look
            break
        placements.append(spins[0])
    contributions = candidate.contributions | ranked.analyser.compute_contributions(ranked.modern_values)
    return replace(
        candidate,
        placement=ranked.placement,
        score=sum(contributions.values()),
        contributions=contributions,
        values=candidate.values | ranked.modern_values,
        variation=tuple(placements),
    )


def make_searched_candidate(ranked: RankedPlacement, position: Position) -> Candidate:
    """Return a placement with the values and contributions of its searched variation."""
    analyser = ranked.analyser
    names = analyser.agent.list_modern_feature_names()
    values = dict[str, float]()
    contributions = dict[str, float]()
    for placement in ranked.searched:
        step = make_analyser(analyser.agent, position, placement.piece)
        code = encode_location(placement.rotation, placement.column, placement.row)
        piece_values = step.read_values(step.position, step.score_placements(step.position), code)
        modern_values = measure_modern_features(position, placement, names)
        values = analyser.combine_features(values, analyser.select_features(piece_values) | modern_values)
        points = analyser.compute_contributions(piece_values | modern_values)
        contributions = analyser.combine_features(contributions, points)
        position = position.after(placement)
    return Candidate(
        placement=ranked.placement,
        score=sum(contributions.values()),
        contributions=contributions,
        values=values,
        variation=ranked.searched,
        survives=ranked.variation.survives,
    )


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
