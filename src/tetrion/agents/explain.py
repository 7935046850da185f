"""Why an agent chooses what it chooses: the best placements, their scores, and what each feature adds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.board import Board, Placement
from tetrion.engine.agents import known, quantise
from tetrion.engine.ahead import ROOM_A_PLY, SEARCH, STEP, parts_of
from tetrion.engine.board import placed, without_full_rows
from tetrion.engine.leaders import WORST
from tetrion.engine.own import OwnFeature
from tetrion.engine.pieces import PIECES
from tetrion.engine.play import play_ahead
from tetrion.engine.registry import BOARD, FIRST_OWN
from tetrion.engine.weigh import WEIGHED, weigh_places
from tetrion.position import Position

if TYPE_CHECKING:
    from tetrion.agents.data import DataAgent

Numbers = dict[str, float]


@dataclass(frozen=True)
class Candidate:
    """A placement, its score, and what each feature adds to it; `line` are the placements that the score counts on.

    Where the agent looks ahead, the shares of placements' features are summed over the line, and those of the board
    are of its end. A line that does not survive ranks behind all that do.
    """

    placement: Placement
    score: float
    shares: Numbers
    values: Numbers
    line: tuple[Placement, ...]
    survives: bool


@dataclass(frozen=True)
class Explanation:
    """What an agent thinks of a position: its mode, if it has modes, and the best placements, the best one first."""

    agent: str
    mode: str
    candidates: tuple[Candidate, ...]
    placements: int  # how many there are in all


class Line(NamedTuple):
    """A line of play as the engine found it: its worth and placements, all but the last piece's."""

    worth: int
    places: list[int]
    survives: bool


class Weighed(NamedTuple):
    """The placements of a piece as numbers, the points of each, and the engine's record of their features."""

    points: dict[int, int]
    row_of: dict[int, int]
    record: Any
    survives: bool

    def best(self) -> int:
        """The placement that the agent prefers: the first of those with the most points."""
        return min(self.points, key=lambda place: (-self.points[place], place))


class Thinker:
    """An agent in a position."""

    def __init__(self, agent: "DataAgent", position: Position) -> None:
        self.agent, self.position, self.setting = agent, position, agent.setting(position.rules)
        self.interval, self.listed = position.frames_a_row, agent.depth - 1 + agent.expect
        second = agent.second if agent.in_second_mode(position) else None
        self.number = int(self.setting.agents["other"][0]) if second else 0
        self.points, self.scale = quantise(second.weights if second else agent.weights, agent.features)
        self.features = {name: known(name, agent.features) for name in self.points}
        own = [name for name, feature in self.features.items() if isinstance(feature, OwnFeature)]
        self.numbers = {  # where the engine keeps each feature's value
            name: FIRST_OWN + own.index(name) if isinstance(feature, OwnFeature) else feature.number
            for name, feature in self.features.items()
        }

    def lines(self) -> list[Line]:
        """The best line of every placement, the best one first."""
        if not self.position.enters:
            return []
        if not self.listed:
            here = self.weighed(self.position)
            found = [Line(points, [place], here.survives) for place, points in here.points.items()]
        else:
            found = self.searched()
        return sorted(found, key=lambda line: (-line.worth, line.places[0]))

    def searched(self) -> list[Line]:
        """The lines that the engine finds when it looks ahead."""
        memory = np.zeros(1, SEARCH)
        play_ahead.using(memory, self.position.as_game(), self.setting, 1)
        record, found = memory[0], []
        for root in range(int(record["count"][0])):
            if record["points"][root] != WORST:
                worth, length = int(record["worth"][root]), int(record["length"][root])
                alive = worth > self.listed * STEP + STEP // 2
                found.append(Line(worth, record["line"][root, :length].tolist(), alive))
        return found

    def candidate(self, line: Line) -> Candidate:
        """What a line consists of, told by features."""
        position, shares, values, followed = self.position, dict[str, float](), dict[str, float](), list[Placement]()
        for place in line.places:
            found = self.measured(self.weighed(position), place)
            shares, values = self.added(shares, self.shares_of(found)), self.added(values, dict(found))
            followed.append(position.placement(*parts_of(place)))
            position = self.advanced(position, followed[-1])
        if line.survives and self.listed:
            last, final = self.last_piece(position)
            shares = self.added(shares, mean([self.shares_of(found) for found in last]))
            values = self.added(values, mean([dict(found) for found in last]))
            followed += final
        return Candidate(followed[0], sum(shares.values()), shares, values, tuple(followed), line.survives)

    def last_piece(self, position: Position) -> tuple[list[dict[str, int]], list[Placement]]:
        """The values of the last piece's best placement, or of each that may come, and where it goes if it is known."""
        if not self.agent.expect:
            here = self.weighed(position)
            return [self.measured(here, here.best())], [position.placement(*parts_of(here.best()))]
        every = (replace(position, piece=piece) for piece in PIECES)
        weighed = [self.weighed(after) for after in every if after.enters]
        return [self.measured(here, here.best()) for here in weighed if here.survives], []

    def weighed(self, position: Position) -> Weighed:
        """All placements of the current piece."""
        record, board, setting = np.zeros(1, WEIGHED), np.array(position.board.columns, np.int32), self.setting
        piece = PIECES.index(position.piece or "")
        survives = weigh_places(
            board, setting.rules, setting.agents, self.number, setting.tables, piece, self.interval, record
        )
        count = int(record["count"][0, 0])
        points, places = record["points"][0, :count].tolist(), record["places"][0, :count].tolist()
        rows = {place: row for row, place in enumerate(places) if points[row] != WORST}
        return Weighed({place: points[row] for place, row in rows.items()}, rows, record[0], survives)

    def measured(self, weighed: Weighed, place: int) -> dict[str, int]:
        """The values of the features of a placement."""
        row = weighed.row_of[place]
        return {
            name: int(weighed.record["measured"][number * ROOM_A_PLY + row]) for name, number in self.numbers.items()
        }

    def shares_of(self, values: dict[str, int]) -> Numbers:
        """What each value adds to the score."""
        return {name: self.worth(name, value) / self.scale for name, value in values.items()}

    def worth(self, name: str, value: int) -> int:
        """The engine's points for a feature's value."""
        term = self.points[name]
        if isinstance(term, int):
            return term * value
        return term[max(0, min(value - self.features[name].smallest, len(term) - 1))]

    def added(self, first: Numbers, later: Numbers) -> Numbers:
        """Features of a line: those of placements add up, those of the board are of its end."""
        return {
            name: value if self.features[name].of == BOARD else first.get(name, 0) + value
            for name, value in later.items()
        }

    def advanced(self, position: Position, placement: Placement) -> Position:
        """The board after a placement and the next piece; the rest does not matter for weighing."""
        board = np.array(position.board.columns, np.int32)
        columns, _, full = placed(board, placement.orientation, placement.column, placement.row)
        after = tuple(int(column) for column in without_full_rows(columns, full))
        rest = position.next
        return replace(position, board=Board(after, position.board.height), piece=rest[:1] or None, next=rest[1:])


def mean(parts: list[Numbers]) -> Numbers:
    """The mean of numbers by name."""
    return {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]} if parts else {}


def explain(agent: "DataAgent", position: Position, best: int, rest: Callable[[], None]) -> Explanation:
    """The best placements of a position for an agent; none if the game is over. `rest` is called between them."""
    thinker, candidates = Thinker(agent, position), list[Candidate]()
    for line in thinker.lines()[:best]:
        rest()
        candidates.append(thinker.candidate(line))
    return Explanation(agent.name, agent.mode(position), tuple(candidates), len(position.placements()))
