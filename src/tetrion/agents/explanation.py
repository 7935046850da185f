"""Why an agent chooses what it chooses: the best placements, their scores, and what each feature adds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.board import Board, Placement
from tetrion.engine.agent_records import find_feature, quantise
from tetrion.engine.batch_play import play_with_lookahead
from tetrion.engine.best_placements import WORST_POINTS
from tetrion.engine.bitboard import place_piece_on_columns, remove_full_rows
from tetrion.engine.custom_features import CustomFeature
from tetrion.engine.feature_registry import BOARD_FEATURE, FIRST_CUSTOM_FEATURE
from tetrion.engine.lookahead import MAX_PLACEMENTS_PER_DEPTH, SEARCH_DTYPE, SURVIVAL_BONUS, decode_placement
from tetrion.engine.pieces import PIECES
from tetrion.engine.placement_values import PLACEMENT_VALUES_DTYPE, evaluate_placements
from tetrion.position import Position

if TYPE_CHECKING:
    from tetrion.agents.weighted_agent import WeightedAgent

FeatureNumbers = dict[str, float]


@dataclass(frozen=True)
class Candidate:
    """A placement, its score, and what each feature adds to it; `line` are the placements that the score counts on.

    Where the agent looks ahead, the shares of placements' features are summed over the line, and those of the board
    are of its end. A line that does not survive ranks behind all that do.
    """

    placement: Placement
    score: float
    contributions: FeatureNumbers
    values: FeatureNumbers
    variation: tuple[Placement, ...]
    survives: bool


@dataclass(frozen=True)
class Explanation:
    """What an agent thinks of a position: its mode, if it has modes, and the best placements, the best one first."""

    agent: str
    mode: str
    candidates: tuple[Candidate, ...]
    placement_count: int  # how many there are in all


class Variation(NamedTuple):
    """A line of play as the engine found it: its worth and placements, all but the last piece's."""

    engine_score: int
    encoded_placements: list[int]
    survives: bool


class ScoredPlacements(NamedTuple):
    """The placements of a piece as numbers, the points of each, and the engine's record of their features."""

    engine_scores: dict[int, int]
    record_rows: dict[int, int]
    record: Any
    survives: bool

    def find_best(self) -> int:
        """The placement that the agent prefers: the first of those with the most points."""
        return min(self.engine_scores, key=lambda place: (-self.engine_scores[place], place))


class PositionAnalyser:
    """An agent in a position."""

    def __init__(self, agent: "WeightedAgent", position: Position) -> None:
        self.agent = agent
        self.position = position
        self.setting = agent.get_engine_settings(position.rules)
        self.frames_per_row = position.frames_per_row
        self.lookahead = agent.depth - 1 + agent.expect
        second = agent.second_mode if agent.is_in_second_mode(position) else None
        self.agent_index = int(self.setting.agents["second_mode"][0]) if second else 0
        self.engine_weights, self.scale = quantise(second.weights if second else agent.weights, agent.features)
        self.features = {name: find_feature(name, agent.features) for name in self.engine_weights}
        own = [name for name, feature in self.features.items() if isinstance(feature, CustomFeature)]
        self.feature_indices = {  # where the engine keeps each feature's value
            name: FIRST_CUSTOM_FEATURE + own.index(name) if isinstance(feature, CustomFeature) else feature.number
            for name, feature in self.features.items()
        }

    def find_variations(self) -> list[Variation]:
        """The best line of every placement, the best one first."""
        if not self.position.can_spawn:
            return []
        if not self.lookahead:
            here = self.score_placements(self.position)
            found = [Variation(points, [place], here.survives) for place, points in here.engine_scores.items()]
        else:
            found = self.search_variations()
        return sorted(found, key=lambda line: (-line.engine_score, line.encoded_placements[0]))

    def search_variations(self) -> list[Variation]:
        """The lines that the engine finds when it looks ahead."""
        memory = np.zeros(1, SEARCH_DTYPE)
        play_with_lookahead.call_with_memory(memory, self.position.to_game_records(), self.setting, 1)
        record, found = memory[0], []
        for root in range(int(record["count"][0])):
            if record["points"][root] != WORST_POINTS:
                worth, length = int(record["variation_values"][root]), int(record["variation_lengths"][root])
                alive = worth > self.lookahead * SURVIVAL_BONUS + SURVIVAL_BONUS // 2
                found.append(Variation(worth, record["variations"][root, :length].tolist(), alive))
        return found

    def make_candidate(self, line: Variation) -> Candidate:
        """What a line consists of, told by features."""
        position = self.position
        shares = dict[str, float]()
        values = dict[str, float]()
        followed = list[Placement]()
        for place in line.encoded_placements:
            found = self.read_feature_values(self.score_placements(position), place)
            shares, values = (
                self.combine_features(shares, self.compute_contributions(found)),
                self.combine_features(values, dict(found)),
            )
            followed.append(position.make_placement(*decode_placement(place)))
            position = self.advance(position, followed[-1])
        if line.survives and self.lookahead:
            last, final = self.evaluate_last_piece(position)
            shares = self.combine_features(
                shares, average_by_name([self.compute_contributions(found) for found in last])
            )
            values = self.combine_features(values, average_by_name([dict(found) for found in last]))
            followed += final
        return Candidate(followed[0], sum(shares.values()), shares, values, tuple(followed), line.survives)

    def evaluate_last_piece(self, position: Position) -> tuple[list[dict[str, int]], list[Placement]]:
        """The values of the last piece's best placement, or of each that may come, and where it goes if it is known."""
        if not self.agent.expect:
            here = self.score_placements(position)
            return [self.read_feature_values(here, here.find_best())], [
                position.make_placement(*decode_placement(here.find_best()))
            ]
        every = (replace(position, piece=piece) for piece in PIECES)
        weighed = [self.score_placements(after) for after in every if after.can_spawn]
        return [self.read_feature_values(here, here.find_best()) for here in weighed if here.survives], []

    def score_placements(self, position: Position) -> ScoredPlacements:
        """All placements of the current piece."""
        record = np.zeros(1, PLACEMENT_VALUES_DTYPE)
        board = np.array(position.board.columns, np.int32)
        setting = self.setting
        piece = PIECES.index(position.piece or "")
        survives = evaluate_placements(
            board, setting.rules, setting.agents, self.agent_index, setting.tables, piece, self.frames_per_row, record
        )
        count = int(record["count"][0, 0])
        points, places = record["points"][0, :count].tolist(), record["placements"][0, :count].tolist()
        rows = {place: row for row, place in enumerate(places) if points[row] != WORST_POINTS}
        return ScoredPlacements({place: points[row] for place, row in rows.items()}, rows, record[0], survives)

    def read_feature_values(self, weighed: ScoredPlacements, place: int) -> dict[str, int]:
        """The values of the features of a placement."""
        row = weighed.record_rows[place]
        return {
            name: int(weighed.record["feature_values"][number * MAX_PLACEMENTS_PER_DEPTH + row])
            for name, number in self.feature_indices.items()
        }

    def compute_contributions(self, values: dict[str, int]) -> FeatureNumbers:
        """What each value adds to the score."""
        return {name: self.score_feature(name, value) / self.scale for name, value in values.items()}

    def score_feature(self, name: str, value: int) -> int:
        """The engine's points for a feature's value."""
        term = self.engine_weights[name]
        if isinstance(term, int):
            return term * value
        return term[max(0, min(value - self.features[name].min_value, len(term) - 1))]

    def combine_features(self, first: FeatureNumbers, later: FeatureNumbers) -> FeatureNumbers:
        """Features of a line: those of placements add up, those of the board are of its end."""
        return {
            name: value if self.features[name].kind == BOARD_FEATURE else first.get(name, 0) + value
            for name, value in later.items()
        }

    def advance(self, position: Position, placement: Placement) -> Position:
        """The board after a placement and the next piece; the rest does not matter for weighing."""
        board = np.array(position.board.columns, np.int32)
        columns, _, full = place_piece_on_columns(board, placement.orientation, placement.column, placement.row)
        after = tuple(int(column) for column in remove_full_rows(columns, full))
        rest = position.next
        return replace(position, board=Board(after, position.board.rows), piece=rest[:1] or None, next=rest[1:])


def average_by_name(parts: list[FeatureNumbers]) -> FeatureNumbers:
    """The mean of numbers by name."""
    return {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]} if parts else {}


def explain_position(
    agent: "WeightedAgent", position: Position, max_candidates: int, on_candidate: Callable[[], None]
) -> Explanation:
    """The best placements of a position for an agent; none if the game is over. `rest` is called between them."""
    thinker, candidates = PositionAnalyser(agent, position), list[Candidate]()
    for line in thinker.find_variations()[:max_candidates]:
        on_candidate()
        candidates.append(thinker.make_candidate(line))
    return Explanation(agent.name, agent.get_mode_name(position), tuple(candidates), len(position.placements()))
