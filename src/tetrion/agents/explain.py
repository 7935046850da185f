"""Why an agent chooses what it chooses: the best placements, their scores, and what each feature adds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.board import Placement
from tetrion.engine.agents import Terms, known, quantise
from tetrion.engine.ahead import ROOM_A_PLY, STEP, parts_of
from tetrion.engine.choose import WORST
from tetrion.engine.own import FIRST_OWN, OwnFeature
from tetrion.engine.pieces import PIECES
from tetrion.engine.registry import BOARD
from tetrion.engine.weigh import WEIGHED, weigh_places
from tetrion.errors import PositionError
from tetrion.position import Position

if TYPE_CHECKING:
    from tetrion.agents.data import DataAgent


@dataclass(frozen=True)
class Candidate:
    """A placement, its score, and what each feature adds to it; `line` are the placements that the score counts on.

    Where the agent looks ahead, the shares of placements' features are summed over the line, and those of the board
    are of its end. A line that does not survive ranks behind all that do.
    """

    placement: Placement
    score: float
    shares: dict[str, float]
    values: dict[str, float]
    line: tuple[Placement, ...]
    survives: bool


@dataclass(frozen=True)
class Explanation:
    """What an agent thinks of a position: its mode, if it has modes, and the best placements, the best one first."""

    agent: str
    mode: str
    candidates: tuple[Candidate, ...]
    placements: int  # how many there are in all


@dataclass
class Line:
    """A line of play in the making: its worth in the engine's whole numbers, and what it consists of."""

    worth: int
    shares: dict[str, float]
    values: dict[str, float]
    placements: tuple[Placement, ...]
    survives: bool
    place: int = 0


class Thinker:
    """An agent in a position: placements are weighed by the engine, the search is written out once more, plainly."""

    def __init__(self, agent: "DataAgent", position: Position) -> None:
        self.agent, self.position, self.setting = agent, position, agent.setting(position.rules)
        self.interval, self.shares = position.frames_a_row, len(PIECES) if agent.expect else 1
        second = agent.second is not None and agent.mode(position) == agent.second.names[1]
        self.number = int(self.setting.agents["other"][0]) if second else 0
        self.terms: Terms = agent.second.weights if second and agent.second else agent.weights
        self.points, self.scale = quantise(self.terms, agent.features)
        self.features = {name: known(name, agent.features) for name in self.terms}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Where the engine keeps each feature's value."""
        own = [name for name, feature in self.features.items() if isinstance(feature, OwnFeature)]
        return {
            name: FIRST_OWN + own.index(name) if isinstance(feature, OwnFeature) else feature.number
            for name, feature in self.features.items()
        }

    def weighed(self, position: Position) -> tuple[Any, list[int], bool]:
        """The engine's record of all placements, their order, and whether one survives."""
        record, board = np.zeros(1, WEIGHED), np.array(position.board.columns, np.int32)
        piece, setting = PIECES.index(position.piece or ""), self.setting
        alive = weigh_places(
            board, setting.rules, setting.agents, self.number, setting.tables, piece, self.interval, record
        )
        count, points, places = int(record["count"][0, 0]), record["points"][0], record["places"][0]
        return record[0], sorted((n for n in range(count) if points[n] != WORST), key=lambda n: int(places[n])), alive

    def worth(self, name: str, value: int) -> int:
        """The engine's points for a feature's value."""
        term = self.points[name]
        if isinstance(term, int):
            return term * value
        return term[max(0, min(value - self.features[name].smallest, len(term) - 1))]

    def one(self, record: Any, number: int, position: Position) -> Line:
        """The line that consists of one placement."""
        values = {name: int(record["measured"][self.numbers[name] * ROOM_A_PLY + number]) for name in self.terms}
        shares = {name: self.worth(name, value) / self.scale for name, value in values.items()}
        place = int(record["places"][number])
        placement = position.placement(*parts_of(place))
        return Line(int(record["points"][number]), shares, dict(values), (placement,), True, place)

    def lines(self, position: Position, ply: int) -> Iterator[Line]:
        """The best line of each placement of the current piece, in the order that breaks ties."""
        listed = self.agent.depth - 1 + self.agent.expect
        record, numbers, alive = self.weighed(position)
        if self.agent.beam and listed:
            best = sorted(numbers, key=lambda n: (-int(record["points"][n]), int(record["places"][n])))
            numbers = [n for n in numbers if n in best[: self.agent.beam]]
        for number in numbers:
            line = self.one(record, number, position)
            if not alive:
                line.worth, line.survives = line.worth * self.shares, False
            elif ply == listed:
                line.worth += (ply + 1) * STEP
            else:
                line = self.continued(line, position.after(line.placements[0]), ply, listed, record["gains"][number])
            yield line

    def continued(self, line: Line, after: Position, ply: int, listed: int, gain: Any) -> Line:
        """A line with the best that can follow it."""
        gain = int(gain)
        if self.agent.expect and ply + 1 == listed:
            return self.averaged(line, after, ply, gain)
        follower = self.best(after, ply + 1)
        if follower is None or follower.worth < (ply + 1) * STEP:  # it dies with the next piece
            line.worth, line.survives = (ply + 1) * STEP + line.worth * self.shares, False
            return line
        return Line(
            follower.worth + gain * self.shares,
            self.added(line.shares, follower.shares),
            self.added(line.values, follower.values),
            line.placements + follower.placements,
            follower.survives,
            line.place,
        )

    def averaged(self, line: Line, after: Position, ply: int, gain: int) -> Line:
        """A line whose next piece may be any of the seven."""
        worth, shares, values = (ply + 2) * STEP + len(PIECES) * gain, [], []
        for piece in PIECES:
            follower = self.best(replace(after, piece=piece), ply + 1)
            if follower is None or not follower.survives:
                worth += WORST
            else:
                worth += follower.worth - (ply + 2) * STEP
                shares.append(follower.shares)
                values.append(follower.values)
        if not shares:
            return Line(worth, line.shares, line.values, line.placements, False, line.place)
        means = [
            {name: sum(each[name] for each in every) / len(every) for name in line.shares} for every in (shares, values)
        ]
        return Line(
            worth,
            self.added(line.shares, means[0]),
            self.added(line.values, means[1]),
            line.placements,
            len(shares) == len(PIECES),
            line.place,
        )

    def best(self, position: Position, ply: int) -> Line | None:
        """The best line from a position; None if the piece cannot be placed."""
        if not position.enters:
            return None
        return max(self.lines(position, ply), key=lambda line: (line.worth, -line.place), default=None)

    def added(self, first: dict[str, float], later: dict[str, float]) -> dict[str, float]:
        """Features of a line: those of placements add up, those of the board are of its end."""
        return {
            name: value if self.features[name].of == BOARD else first[name] + value for name, value in later.items()
        }


def explain(agent: "DataAgent", position: Position, best: int) -> Explanation:
    """The best placements of a position for an agent."""
    if len(position.next) + 1 < agent.depth:
        raise PositionError(
            f"depth={agent.depth} looks at {agent.depth} pieces; {len(position.next) + 1} are known. Give next='…'."
        )
    thinker = Thinker(agent, position)
    lines = sorted(thinker.lines(position, 0), key=lambda line: (-line.worth, line.place))
    candidates = tuple(
        Candidate(
            line.placements[0],
            sum(line.shares.values()),
            line.shares,
            line.values,
            line.placements,
            line.survives,
        )
        for line in lines[:best]
    )
    return Explanation(agent.name, agent.mode(position), candidates, len(position.placements()))
