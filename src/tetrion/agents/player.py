"""Players: what plays the games of an agent, piece by piece."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import ClassVar, NamedTuple, Self

from tetrion.agents.explanation import Explanation
from tetrion.board import Placement
from tetrion.engine.records import GAME_KEYS
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position


class KeyStep(NamedTuple):
    """A key press, and the location of the falling piece after it, written as a placement."""

    key: str
    piece: Placement | None


@dataclass(frozen=True)
class Decision:
    """A decision of a player in a position: the placement, and the reasons if they were asked for.

    `placement` is None if the player presses keys without a target. `seconds` is the time that the choice took.
    """

    position: Position
    placement: Placement | None
    mode: str = ""
    explanation: Explanation | None = None
    seconds: float = 0.0

    @cached_property
    def _keys(self) -> tuple[KeyStep, ...]:
        return find_key_steps(self.position, self.placement) if self.placement else ()

    def find_keys(self) -> tuple[KeyStep, ...]:
        """Return the keys that lead to the placement; empty if there is no such sequence. They are computed once."""
        return self._keys


class Player:
    """Plays the games of an agent, one after another, until it is closed. Use it in a `with` block.

    A subclass defines `choose`, or `play_piece` if it plays by keys.
    """

    is_exclusive: ClassVar[bool] = False  # whether players of the agent share state and must not play in parallel

    def begin_game(self, game: Game) -> None:
        """Prepare for a new game."""

    def choose(self, position: Position) -> Placement:
        """Return one of the position's placements."""
        raise NotImplementedError

    def get_mode_name(self, position: Position) -> str:
        """Return the name of the mode that the agent uses in a position; empty for an agent without modes."""
        return ""

    def explain(
        self, position: Position, max_candidates: int, on_candidate: Callable[[], None] = lambda: None
    ) -> Explanation | None:
        """Return the best placements with their scores; None if the agent cannot explain its choice.

        `on_candidate` is called before each candidate is computed, so that a background thread can pause there.
        """
        return None

    def decide(
        self, position: Position, explained_count: int = 0, on_candidate: Callable[[], None] = lambda: None
    ) -> Decision:
        """Return the decision in a position, with an explanation of the best `explained_count` placements."""
        start = perf_counter()
        placement = position.validate_placement(self.choose(position))
        seconds = perf_counter() - start
        explanation = self.explain(position, explained_count, on_candidate) if explained_count else None
        return Decision(position, placement, self.get_mode_name(position), explanation, seconds)

    def play_piece(self, game: Game, decision: Decision) -> Iterator[str]:
        """Play the current piece until it locks; yield each key that is pressed in the game."""
        if decision.placement is not None:
            game.place(decision.placement)
        yield from ()

    def close(self) -> None:
        """Release what the player uses, such as a process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def find_key_steps(position: Position, placement: Placement) -> tuple[KeyStep, ...]:
    """Return the keys that move a piece to a placement; empty if the placement is unreachable."""
    try:
        keys = position.find_keys(placement)
        free_rules = position.rules.with_(
            keys="+".join(GAME_KEYS), lock_keys="none", gravity=0, spawn_delay=0, clear_delay=0
        )
        game = Game.from_position(replace(position, rules=free_rules, pieces=0))
    except TetrionError:
        return ()
    steps = []
    for key in keys:
        game.press(key)
        if game.falling_piece is None or game.pieces:  # the last soft drop may lock the piece
            break
        steps.append(KeyStep(key, game.falling_piece))
    return tuple(steps)
