"""The ranking of a position's placements by a weighted agent, and what each feature contributes to their scores.

The engine searches as when the agent plays: once for each sequence of pieces that hold allows, or, for an agent with
attack features and lookahead, by a beam search. Without attack features, placements that differ only in their spin have
the same score.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tetrion.agents.explanation import Candidate, FeatureNumbers
from tetrion.agents.weighted_agent import WeightedAgent, get_agent_settings, is_in_second_mode, list_attack_features
from tetrion.board import Placement
from tetrion.engine.agent_records import AnyFeature, find_feature, quantise
from tetrion.engine.batch_play import CHOICE_ONLY, get_small_games, play_full_games, play_with_lookahead
from tetrion.engine.beam_search import BeamSearchScratch
from tetrion.engine.bitboard import compute_heights, place_piece_on_columns, remove_full_rows
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import BOARD_FEATURE, FIRST_CUSTOM_FEATURE
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackFeature, AttackOutcome
from tetrion.engine.lookahead import (
    MAX_PLACEMENTS_PER_DEPTH,
    SURVIVAL_BONUS,
    PlacementValuesRecord,
    SearchScratch,
    arrange_queue,
    evaluate_placements,
    get_holds,
)
from tetrion.engine.patterns import Pattern, examine_patterns, examine_view, find_view_bottom, list_pattern_points
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.pieces import PIECES
from tetrion.engine.placements import MAX_LOCATIONS, WORST_POINTS, encode_placement
from tetrion.engine.placing import is_stopped_at_spawn, place_piece
from tetrion.engine.records import FULL_SPIN, NO_SPIN, SPIN_KINDS, FullGameRecords
from tetrion.position import Position, decode_legal_placement, get_engine_settings, lock_placement, make_game_records


class PieceSequence(NamedTuple):
    """The pieces of a lookahead in order, with a flag for each that is placed with hold, and a game with this queue."""

    number: int
    pieces: str
    holds: tuple[bool, ...]
    games: FullGameRecords


class Variation(NamedTuple):
    """The best variation of a placement that the engine has found.

    `codes` are the placements of the variation, as the engine encodes them. With lookahead the engine does not store
    the last placement, and it knows the spin of the first one only; a beam search stores all of them, with spins.
    `holds` has a flag for each piece, also the last one: whether it is placed with hold; a beam search leaves it empty.
    """

    placement: Placement
    engine_score: int
    survives: bool
    codes: tuple[int, ...]
    holds: tuple[bool, ...]
    sequence_number: int = 0

    @property
    def order(self) -> tuple[bool, int, int, int]:
        """The sort key: variations that the game survives first, then by score; ties go to the first sequence."""
        return not self.survives, -self.engine_score, self.sequence_number, self.codes[0]


class ScoredPlacements(NamedTuple):
    """The placements of a piece by location code: their engine scores, and the engine's record of all feature values.

    The game survives all of them, or none.
    """

    engine_scores: dict[int, int]
    record_indices: dict[int, int]
    record: PlacementValuesRecord
    survives: bool

    def find_best(self) -> int:
        """Return the location code with the highest score; ties go to the lowest code."""
        return min(self.engine_scores, key=lambda code: (-self.engine_scores[code], code))


class PlacementRanking:
    """The placements that an agent considers in a position, with the best variation of each.

    `variations` has one variation per placement, best first; it is empty if the game is over. An agent with attack
    features and a beam considers the placements of which the beam follows a variation to its end. `scale` is the number
    of engine points per point of the agent.
    """

    def __init__(self, agent: WeightedAgent, position: Position) -> None:
        self.agent = agent
        self.position = position
        self.settings = get_agent_settings(agent, position.rules)
        self.frames_per_row = position.frames_per_row
        mode = agent.second_mode if is_in_second_mode(agent, position) else None
        self.agent_index = int(self.settings.agents[0].second_mode) if mode else 0
        self.engine_weights, self.scale = quantise(mode.weights if mode else agent.weights, agent.features)
        self.features = {name: find_feature(name, agent.features) for name in self.engine_weights}
        custom = [name for name, feature in self.features.items() if isinstance(feature, CustomFeature)]
        self.feature_indices = {  # where the engine stores the value of each feature
            name: FIRST_CUSTOM_FEATURE + custom.index(name) if isinstance(feature, CustomFeature) else feature.number
            for name, feature in self.features.items()
            if not isinstance(feature, Pattern | AttackFeature)
        }
        self.pattern_tables = {
            name: term
            for name, term in self.engine_weights.items()
            if isinstance(self.features[name], Pattern) and isinstance(term, list)
        }
        self.attack_feature_names = list_attack_features(agent)
        self.variations = self._find_variations()

    # The search.

    def _find_variations(self) -> list[Variation]:
        if not self.position.placements():
            return []
        depth = self.agent.depth
        if self.attack_feature_names and depth > 1:
            if variations := self._search_by_beam():
                return variations
            depth = 1  # every placement ends the game
        placements_by_cells = dict[int, list[Placement]]()  # the placements of a list differ in their spin
        for placement in self.position.placements():
            placements_by_cells.setdefault(placement.code // len(SPIN_KINDS), []).append(placement)
        best = dict[Placement, Variation]()
        for sequence in list_sequences(self.position, depth):
            for variation in self._search_sequence(sequence):
                for placement in placements_by_cells[variation.codes[0] // len(SPIN_KINDS)]:
                    values = self._measure_attack_features(self.position, placement)
                    found = variation._replace(
                        placement=placement,
                        engine_score=variation.engine_score + sum(map(self._score_feature, values, values.values())),
                        codes=(placement.code, *variation.codes[1:]),
                    )
                    if placement not in best or found.order < best[placement].order:
                        best[placement] = found
        return sorted(best.values(), key=lambda variation: variation.order)

    def _search_sequence(self, sequence: PieceSequence) -> Iterator[Variation]:
        """Yield the best variation of each placement of a sequence of pieces, without spins and attack features."""
        game = sequence.games[0]
        if is_stopped_at_spawn(game.board, self.settings.rules[0], int(game.queue[0])):
            return
        stored_count = len(sequence.holds) - 1 + self.agent.expect
        if not stored_count:
            scored = self._score_placements(self.position, sequence.pieces)
            for location, score in scored.engine_scores.items():
                yield self._make_variation(sequence, [location], score, scored.survives)
            return
        memory = SearchScratch.make_array(1)
        play_with_lookahead.call_with_memory(memory, get_small_games(sequence.games), self.settings, 1)
        scratch = memory[0]
        for root in range(int(scratch.count[0])):
            if scratch.points[root] != WORST_POINTS:
                score, length = int(scratch.variation_values[root]), int(scratch.variation_lengths[root])
                survives = score > stored_count * SURVIVAL_BONUS + SURVIVAL_BONUS // 2
                yield self._make_variation(sequence, scratch.variations[root, :length].tolist(), score, survives)

    def _make_variation(
        self, sequence: PieceSequence, locations: list[int], engine_score: int, survives: bool
    ) -> Variation:
        """Return a variation of a sequence of pieces, given by the location codes of its stored placements."""
        holds = sequence.holds
        codes = tuple(encode_placement(code, NO_SPIN, int(hold)) for code, hold in zip(locations, holds, strict=False))
        placement = decode_legal_placement(self.position, codes[0])
        return Variation(placement, engine_score, survives, codes, holds, sequence.number)

    def _search_by_beam(self) -> list[Variation]:
        """Return the variations that the beam follows to their end, best first; none if all placements end the game."""
        memory = BeamSearchScratch.make_array(1)
        games = make_game_records(self.position)
        play_full_games.call_with_memory(memory, games, self.settings, CHOICE_ONLY)
        scratch = memory[0]
        depth = min(self.agent.depth, int(games[0].known) + bool(self.position.hold))
        variations = []
        for root in range(scratch.root_count):
            length = int(scratch.root_lengths[root])
            ends_game = length < depth and length == scratch.root_reach[root]
            if length == depth or ends_game:
                codes = trace_codes(scratch, root)
                placement = decode_legal_placement(self.position, codes[0])
                score = int(scratch.root_values[root]) + length * SURVIVAL_BONUS
                variations.append(Variation(placement, score, not ends_game, codes, ()))
        return sorted(variations, key=lambda variation: variation.order)

    # The features of a variation.

    def make_candidate(self, variation: Variation) -> Candidate:
        """Return a variation with the values and contributions of its features."""
        position = self.position
        steps = list[tuple[Position, Placement]]()
        contributions = FeatureNumbers()
        values = FeatureNumbers()
        for code in variation.codes:
            position = lock_placement(position, steps[-1][1]) if steps else position
            steps.append((position, decode_legal_placement(position, code)))
            outcome = self._measure(*steps[-1])
            contributions = self._combine(contributions, self._compute_contributions(outcome))
            values = self._combine(values, self._select_features(outcome))
        if variation.survives and (self.agent.expect or len(variation.codes) < len(variation.holds)):
            position = lock_placement(position, steps[-1][1])
            if self.agent.expect:
                outcomes = self._measure_unknown_piece(position)
            else:
                steps.append((position, self._find_best_placement(position, variation.holds[-1])))
                outcomes = [self._measure(*steps[-1])]
            mean_contributions = average_by_name([self._compute_contributions(outcome) for outcome in outcomes])
            contributions = self._combine(contributions, mean_contributions)
            values = self._combine(values, average_by_name([self._select_features(outcome) for outcome in outcomes]))
        return Candidate(
            placement=variation.placement,
            score=sum(contributions.values()),
            contributions=contributions,
            values=values,
            variation=list_legal_placements(steps),
            survives=variation.survives,
        )

    def _find_best_placement(self, position: Position, hold: bool) -> Placement:
        """Return the best placement of the current or, with hold, of the swapped-in piece, without lookahead."""
        piece = (position.hold or position.next[0]) if hold else position.piece or ""
        location = self._score_placements(position, piece).find_best()
        return decode_legal_placement(position, encode_placement(location, NO_SPIN, int(hold)))

    def _measure_unknown_piece(self, position: Position) -> list[dict[str, int]]:
        """Return the feature values of the best placement of each piece that can be placed without ending the game."""
        outcomes = []
        for piece in PIECES:
            known = position.replace(piece=piece)
            if known.can_spawn and self._score_placements(known, piece).survives:
                outcomes.append(self._measure(known, self._find_best_placement(known, hold=False)))
        return outcomes

    def _score_placements(self, position: Position, piece: str) -> ScoredPlacements:
        """Score all placements of a piece on the board of a position, without lookahead and attack features."""
        records = PlacementValuesRecord.make_array(1)
        board = np.array(position.board.columns, np.int32)
        settings = self.settings
        survives = evaluate_placements(
            PieceOnBoard(board, settings.rules, PIECES.index(piece)),
            self.frames_per_row,
            settings.agents[self.agent_index :],
            settings.tables,
            records,
        )
        record = records[0]
        count = int(record.count[0])
        points = record.points[:count].tolist()
        codes = record.placements[:count].tolist()
        indices = {code: index for index, code in enumerate(codes) if points[index] != WORST_POINTS}
        return ScoredPlacements({code: points[index] for code, index in indices.items()}, indices, record, survives)

    def _measure(self, position: Position, placement: Placement) -> dict[str, int]:
        """Return the values of the features of a placement, and the points of its patterns."""
        scored = self._score_placements(position, placement.piece)
        record_index = scored.record_indices[placement.code // len(SPIN_KINDS) % MAX_LOCATIONS]
        values = scored.record.feature_values
        return {
            **{
                name: int(values[index * MAX_PLACEMENTS_PER_DEPTH + record_index])
                for name, index in self.feature_indices.items()
            },
            **(self._compute_pattern_points(position, placement) if self.pattern_tables else {}),
            **self._measure_attack_features(position, placement),
        }

    def _compute_pattern_points(self, position: Position, placement: Placement) -> dict[str, int]:
        """Return the engine's points for each pattern of the board after a placement."""
        board = np.array(position.board.columns, np.int64)
        columns, _, full_rows = place_piece_on_columns(board, placement.orientation, placement.column, placement.row)
        if self.agent.measured == "after":
            columns = remove_full_rows(columns, full_rows)
        heights = compute_heights(columns)
        view_rows = self.agent.view_rows
        if 0 < view_rows < position.rules.rows:
            bottom = find_view_bottom(view_rows, max(position.board.heights))
            return list_pattern_points(self.pattern_tables, examine_view(columns, heights, view_rows, bottom))
        return list_pattern_points(self.pattern_tables, examine_patterns(columns, heights, position.rules.rows))

    def _measure_attack_features(self, position: Position, placement: Placement) -> dict[str, int]:
        """Return the values of the agent's attack features after a placement; no garbage rises."""
        if not self.attack_feature_names:
            return {}
        games = make_game_records(position)
        games["batch_count"] = 0
        games["garbage_mask"] = 0  # the search does not count the attack that clearing garbage adds
        place_piece(games, self.settings.rules, placement.code)
        record = games[0]
        columns = tuple(record.board.tolist())
        outcome = AttackOutcome(
            columns=columns,
            heights=tuple(column.bit_length() for column in columns),
            height=position.rules.height,
            piece=PIECES.index(placement.piece),
            spin=SPIN_KINDS.index(placement.spin),
            lines=int(record.lines) - position.lines,
            attack=int(record.attack) - position.attack,
            combo=int(record.combo),
            back_to_back=int(record.back_to_back > 0),
        )
        return {name: int(ATTACK_FEATURES[name].measure(outcome)) for name in self.attack_feature_names}

    def _compute_contributions(self, values: dict[str, int]) -> FeatureNumbers:
        """Return what each feature value adds to the score."""
        return {name: self._score_feature(name, value) / self.scale for name, value in values.items()}

    def _score_feature(self, name: str, value: int) -> int:
        """Return the engine's points for a feature value, or the points of a pattern themselves."""
        feature = self.features[name]
        term = self.engine_weights[name]
        if isinstance(feature, Pattern):
            return value
        if isinstance(term, int):
            return term * value
        return term[max(0, min(value - feature.min_value, len(term) - 1))]

    def _select_features(self, values: dict[str, int]) -> FeatureNumbers:
        """Return the values of the features only: a pattern has no value, only points."""
        return {name: value for name, value in values.items() if not isinstance(self.features[name], Pattern)}

    def _combine(self, earlier: FeatureNumbers, later: FeatureNumbers) -> FeatureNumbers:
        """Combine the features of successive pieces: placement features add up, board features are replaced."""
        return {
            name: value if describes_board(self.features[name]) else earlier.get(name, 0) + value
            for name, value in later.items()
        }


def list_sequences(position: Position, depth: int) -> Iterator[PieceSequence]:
    """Yield the sequences of `depth` pieces that hold allows, in the order in which the engine searches them."""
    rules = get_engine_settings(position.rules).rules[0]
    for number in range(1 << depth if rules.hold else 1):
        games = make_game_records(position)
        queue = games[0].queue
        holds = get_holds(number, depth)
        if arrange_queue(games[0], rules, holds, depth, queue.copy()):
            pieces = "".join(PIECES[piece] for piece in queue[:depth].tolist())
            yield PieceSequence(number, pieces, tuple(bool(holds >> index & 1) for index in range(depth)), games)


def trace_codes(scratch: BeamSearchScratch, root: int) -> tuple[int, ...]:
    """Return the codes of the placements of the best variation of a state of the first layer."""
    codes = [int(scratch.root_codes[root])]
    parent = int(scratch.root_parents[root])
    for layer in range(int(scratch.root_lengths[root]) - 1, 0, -1):
        codes.append(int(scratch.codes[layer, parent]))
        parent = int(scratch.parents[layer, parent])
    return tuple(codes[::-1])


def list_legal_placements(steps: list[tuple[Position, Placement]]) -> tuple[Placement, ...]:
    """Return the placements of a variation with the first kind of spin that leads to their cells.

    The list ends before a piece that cannot spawn, for which a search without attack features does not look if hold
    swaps it.
    """
    rules = steps[0][0].rules
    if not rules.hold and rules.spins == "none":  # the search has found legal placements
        return tuple(placement for _, placement in steps)
    placements = list[Placement]()
    for position, placement in steps:
        legal = {other.code: other for other in position.placements()}
        if not legal:
            break
        last_code = placement.code - placement.code % len(SPIN_KINDS) + FULL_SPIN
        placements.append(next(legal[code] for code in range(placement.code, last_code + 1) if code in legal))
    return tuple(placements)


def describes_board(feature: AnyFeature) -> bool:
    """Return whether a feature or pattern is one of the board, not of a placement."""
    if isinstance(feature, AttackFeature):
        return not feature.is_additive
    return isinstance(feature, Pattern) or feature.kind == BOARD_FEATURE


def average_by_name(parts: list[FeatureNumbers]) -> FeatureNumbers:
    """Return the mean of each named number; empty if `parts` is empty."""
    return {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]} if parts else {}
