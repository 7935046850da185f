"""Explanations of an agent's choice: the best placements, their scores, and the contribution of each feature."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.agents.explanation_table import (
    ENDING_NOTE,
    describe_contributions,
    list_explanation_records,
    list_table_rows,
)
from tetrion.board import Board, Placement
from tetrion.engine.agent_records import find_feature, quantise
from tetrion.engine.batch_play import EngineSettings, get_bulk_games, play_with_lookahead
from tetrion.engine.bitboard import compute_heights, place_piece_on_columns, remove_full_rows
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import BOARD_FEATURE, FIRST_CUSTOM_FEATURE
from tetrion.engine.features.attack_features import AttackFeature
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SURVIVAL_BONUS, SearchScratch
from tetrion.engine.patterns import Pattern, examine_patterns, examine_view, find_view_bottom, list_pattern_points
from tetrion.engine.piece_motion import PieceOnBoard
from tetrion.engine.pieces import PIECES
from tetrion.engine.placement_values import PlacementValuesRecord, evaluate_placements
from tetrion.engine.placements import WORST_POINTS, encode_placement
from tetrion.engine.records import NO_SPIN
from tetrion.notebook_display import (
    format_count,
    format_four_digits,
    make_short_repr,
    render_beside,
    render_html_table,
)
from tetrion.position import Position, describe_pieces

if TYPE_CHECKING:
    from tetrion.agents.weighted_agent import WeightedAgent

FeatureNumbers = dict[str, float]


@dataclass(frozen=True)
class Candidate:
    """A placement, its score, the contribution of each feature and pattern to the score, and the values of features.

    `variation` holds the placements that the score assumes, starting with this one. With lookahead, contributions of
    placement features are summed over the variation; those of board features are taken at its end. A variation that
    does not survive ranks after all that do.
    """

    placement: Placement
    score: float
    contributions: FeatureNumbers
    values: FeatureNumbers
    variation: tuple[Placement, ...]
    survives: bool

    def __repr__(self) -> str:
        ending = "" if self.survives else ", may end the game"
        return make_short_repr("Candidate", f"{self.placement}: score {format_four_digits(self.score)}{ending}")


@dataclass(frozen=True)
class Explanation:
    """An agent's evaluation of a position: its mode (empty without modes) and the best placements, best first."""

    agent: str
    mode: str
    candidates: tuple[Candidate, ...]
    placement_count: int  # number of all placements of the position
    position: Position | None = None

    def to_records(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain numbers and texts per candidate, for `pandas.DataFrame` and the like.

        The keys are agent, rank, piece, rotation, column, row, spin, hold, score and survives, and for each feature its
        value and its contribution to the score, such as `holes_value` and `holes_contribution`. A pattern has its
        contribution.
        """
        return list_explanation_records(self)

    def __repr__(self) -> str:
        best = "no placement: the game is over"
        if self.candidates:
            best = f"best {self.candidates[0].placement}, score {format_four_digits(self.candidates[0].score)}"
        counts = f"{len(self.candidates)} of {self.placement_count} placements"
        mode = f" in {self.mode} mode" if self.mode else ""
        return make_short_repr("Explanation", f"by {self.agent}{mode}: {best}, {counts}")

    def _repr_html_(self) -> str:
        mode = f" in {self.mode} mode" if self.mode else ""
        piece = f"{describe_pieces(self.position)}, rules {self.position.rules}, " if self.position else ""
        title = f"{self.agent}{mode}: {piece}{format_count(self.placement_count, 'placement')}"
        if not self.candidates:
            return render_html_table(title, [], [], note="The piece cannot be placed: the game is over.")
        notes = [
            describe_contributions(self.candidates[0]),
            *([] if all(c.survives for c in self.candidates) else [ENDING_NOTE]),
        ]
        headings = ["", *(f"{rank}." for rank in range(1, len(self.candidates) + 1))]
        table = render_html_table(title, headings, list_table_rows(self.candidates), note=" ".join(notes))
        if self.position is None:
            return table
        return render_beside(self.position.board.draw_svg(self.candidates[0].placement), table)


class Variation(NamedTuple):
    """A sequence of placements found by the engine, and its score.

    With lookahead the engine does not store the placement of the last piece; `make_candidate` adds it.
    """

    engine_score: int
    encoded_placements: list[int]
    survives: bool


class ScoredPlacements(NamedTuple):
    """The encoded placements of a piece, the engine score of each, and the engine's record of their feature values."""

    engine_scores: dict[int, int]
    record_indices: dict[int, int]  # index in the record, by encoded placement
    record: PlacementValuesRecord
    survives: bool

    def find_best(self) -> int:
        """Return the encoded placement with the highest score; ties go to the lowest code."""
        return min(self.engine_scores, key=lambda code: (-self.engine_scores[code], code))


class PositionAnalyser:
    """Scores the placements of one position for one agent, without its modern features.

    `settings` are those of the agent, if they are not the ones for the position's rules.
    """

    def __init__(self, agent: "WeightedAgent", position: Position, settings: EngineSettings | None = None) -> None:
        self.agent = agent
        self.position = position
        self.settings = settings or agent.get_engine_settings(position.rules)
        self.frames_per_row = position.frames_per_row
        self.lookahead = agent.depth - 1 + agent.expect
        mode = agent.second_mode if agent.is_in_second_mode(position) else None
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

    def find_variations(self) -> list[Variation]:
        """Return the best variation of every placement, best first; an empty list if the piece cannot spawn."""
        if not self.position.can_spawn:
            return []
        if self.lookahead:
            variations = self.search_variations()
        else:
            scored = self.score_placements(self.position)
            variations = [Variation(score, [code], scored.survives) for code, score in scored.engine_scores.items()]
        return sorted(variations, key=lambda variation: (-variation.engine_score, variation.encoded_placements[0]))

    def search_variations(self) -> list[Variation]:
        """Return the variations that the engine finds with lookahead, in no particular order."""
        memory = SearchScratch.make_array(1)
        play_with_lookahead.call_with_memory(
            memory, get_bulk_games(self.position.to_game_records(), self.settings), self.settings, 1
        )
        record = memory[0]
        variations = []
        for root in range(int(record.count[0])):
            if record.points[root] != WORST_POINTS:
                score, length = int(record.variation_values[root]), int(record.variation_lengths[root])
                survives = score > self.lookahead * SURVIVAL_BONUS + SURVIVAL_BONUS // 2
                variations.append(Variation(score, record.variations[root, :length].tolist(), survives))
        return variations

    def make_candidate(self, variation: Variation) -> Candidate:
        """Return a variation with the values and contributions of its features."""
        position = self.position
        contributions = dict[str, float]()
        values = dict[str, float]()
        placements = list[Placement]()
        for code in variation.encoded_placements:
            piece_values = self.read_values(position, self.score_placements(position), code)
            contributions = self.combine_features(contributions, self.compute_contributions(piece_values))
            values = self.combine_features(values, self.select_features(piece_values))
            placements.append(position.decode_placement(encode_placement(code, NO_SPIN, 0)))
            position = self.advance(position, placements[-1])
        if variation.survives and self.lookahead:
            outcomes, last_placements = self.evaluate_last_piece(position)
            mean_contributions = average_by_name([self.compute_contributions(outcome) for outcome in outcomes])
            contributions = self.combine_features(contributions, mean_contributions)
            mean_values = average_by_name([self.select_features(outcome) for outcome in outcomes])
            values = self.combine_features(values, mean_values)
            placements += last_placements
        return Candidate(
            placement=placements[0],
            score=sum(contributions.values()),
            contributions=contributions,
            values=values,
            variation=tuple(placements),
            survives=variation.survives,
        )

    def evaluate_last_piece(self, position: Position) -> tuple[list[dict[str, int]], list[Placement]]:
        """Return the feature values of the last piece's best placement, and that placement.

        With `expect` the last piece is unknown: the result has the feature values for each piece that can be placed
        without ending the game, and no placement.
        """
        if not self.agent.expect:
            scored = self.score_placements(position)
            best = scored.find_best()
            return [self.read_values(position, scored, best)], [
                position.decode_placement(encode_placement(best, NO_SPIN, 0))
            ]
        positions = (replace(position, piece=piece) for piece in PIECES)
        all_scored = [(position, self.score_placements(position)) for position in positions if position.can_spawn]
        return [
            self.read_values(position, scored, scored.find_best()) for position, scored in all_scored if scored.survives
        ], []

    def score_placements(self, position: Position) -> ScoredPlacements:
        """Score all placements of the current piece, without lookahead."""
        records = PlacementValuesRecord.make_array(1)
        board = np.array(position.board.columns, np.int32)
        settings = self.settings
        piece = PIECES.index(position.piece or "")
        survives = evaluate_placements(
            PieceOnBoard(board, settings.rules, piece),
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

    def read_values(self, position: Position, scored: ScoredPlacements, code: int) -> dict[str, int]:
        """Return the values of the features of an encoded placement, and the points of its patterns."""
        record_index = scored.record_indices[code]
        values = scored.record.feature_values
        feature_values = {
            name: int(values[index * MAX_PLACEMENTS_PER_DEPTH + record_index])
            for name, index in self.feature_indices.items()
        }
        return feature_values | (self.compute_pattern_points(position, code) if self.pattern_tables else {})

    def compute_pattern_points(self, position: Position, code: int) -> dict[str, int]:
        """Return the engine's points for each pattern of the board after a placement."""
        placement = position.decode_placement(encode_placement(code, NO_SPIN, 0))
        columns, _, full_rows = place_piece_on_columns(
            np.array(position.board.columns, np.int64), placement.orientation, placement.column, placement.row
        )
        if self.agent.measured == "after":
            columns = remove_full_rows(columns, full_rows)
        heights = compute_heights(columns)
        rows = int(self.settings.rules[0].rows)
        view_rows = self.agent.view_rows
        board = examine_patterns(columns, heights, rows)
        if 0 < view_rows < rows:
            bottom = find_view_bottom(view_rows, max(column.bit_length() for column in position.board.columns))
            board = examine_view(columns, heights, view_rows, bottom)
        return list_pattern_points(self.pattern_tables, board)

    def compute_contributions(self, values: dict[str, int]) -> FeatureNumbers:
        """Return what each feature value adds to the score."""
        return {name: self.score_feature(name, value) / self.scale for name, value in values.items()}

    def score_feature(self, name: str, value: int) -> int:
        """Return the engine's points for a feature value."""
        feature = self.features[name]
        if isinstance(feature, Pattern):
            return value
        term = self.engine_weights[name]
        if isinstance(term, int):
            return term * value
        return term[max(0, min(value - feature.min_value, len(term) - 1))]

    def select_features(self, values: dict[str, int]) -> FeatureNumbers:
        """Return the values of the features only: a pattern has no value, only points."""
        return {name: value for name, value in values.items() if name in self.feature_indices}

    def combine_features(self, earlier: FeatureNumbers, later: FeatureNumbers) -> FeatureNumbers:
        """Combine the features of successive pieces: placement features add up, board features are replaced."""
        return {
            name: value if self.describes_board(name) else earlier.get(name, 0) + value for name, value in later.items()
        }

    def describes_board(self, name: str) -> bool:
        """Return whether a feature or pattern is one of the board, not of a placement."""
        feature = self.features[name]
        if isinstance(feature, AttackFeature):
            return not feature.is_additive
        return isinstance(feature, Pattern) or feature.kind == BOARD_FEATURE

    def advance(self, position: Position, placement: Placement) -> Position:
        """Return the position after a placement: board and next pieces only, counters are not updated."""
        board = np.array(position.board.columns, np.int32)
        columns, _, full_rows = place_piece_on_columns(board, placement.orientation, placement.column, placement.row)
        after = Board(tuple(int(column) for column in remove_full_rows(columns, full_rows)), position.board.rows)
        return replace(position, board=after, piece=position.next[:1] or None, next=position.next[1:])


def average_by_name(parts: list[FeatureNumbers]) -> FeatureNumbers:
    """Return the mean of each named number; empty if `parts` is empty."""
    return {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]} if parts else {}
