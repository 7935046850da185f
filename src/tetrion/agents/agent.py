"""What an agent is: a name, the rules it was made for, and players, which play its games and decide for each piece."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from tetrion.agents.explanation import Explanation
from tetrion.board import Placement
from tetrion.engine.piece_motion import NO_TURN, get_spawn_state, move_piece
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import GAME_KEYS
from tetrion.engine.rules import MAX_RULE_FRAMES, Rules
from tetrion.errors import AgentError, DifferentRulesError, TetrionError
from tetrion.game import Game
from tetrion.position import Position, get_engine_settings, parse_rules, validate_placement

DEFAULT_RULES = "standard"


# Agents.


@runtime_checkable
class Agent(Protocol):
    """Anything that plays Tetris: weights, a Python class, random keys, a network, an external program.

    A new kind of agent is one class with these members; every command, the window and `tetrion.evaluate` accept it.

    >>> import tetrion
    >>> isinstance(tetrion.load_agent("dellacherie"), tetrion.Agent)
    True
    """

    @property
    def name(self) -> str:
        """The name in results, replays and the window."""

    @property
    def rules(self) -> str:
        """The rules that the agent was made for, such as "nes" or "standard:preview=1"; empty if it has none."""

    def check_rules(self, rules: Rules) -> None:
        """Raise an `AgentError` if the agent cannot play under these rules."""

    def start_player(self) -> "Player":
        """Return a player, which plays one game after another until it is closed."""


class Chooser(Protocol):
    """An object that chooses placements, such as an instance of your own class."""

    def choose(self, position: Position) -> Placement:
        """Return one of the position's placements."""


def choose_rules(agents: Sequence[Agent], given: Rules | str | None = None) -> Rules:
    """Return the given rules, else the rules that all the agents were made for, else `DEFAULT_RULES`."""
    if given:
        return parse_rules(given)
    made_for = {agent.name: parse_rules(agent.rules) for agent in agents if agent.rules}
    first = next(iter(made_for.values()), parse_rules(DEFAULT_RULES))
    if any(rules != first for rules in made_for.values()):
        listing = ", ".join(f"{name} for {rules}" for name, rules in made_for.items())
        shared = next((rules for rules in made_for.values() if all(can_play(agent, rules) for agent in agents)), None)
        remedy = "Give `rules` that all of them can play."
        if shared:
            remedy = f"Choose the rules for all of them, for example `rules='{shared}'`."
        raise DifferentRulesError(f"The agents were made for different rules: {listing}. {remedy}")
    return first


def can_play(agent: Agent, rules: Rules) -> bool:
    """Return whether an agent can play under these rules."""
    try:
        agent.check_rules(rules)
    except AgentError:
        return False
    return True


# Players.


class KeyStep(NamedTuple):
    """A key press, and the location of the falling piece after it, written as a placement."""

    key: str
    piece: Placement | None


@dataclass(frozen=True)
class Decision:
    """A decision of a player in a position: the placement, and the reasons if they were asked for.

    `placement` is None if the player presses keys without a target. `seconds` is the time that the choice took.

    >>> import tetrion
    >>> game = tetrion.Game("nes", seed=1)
    >>> decision = tetrion.AGENTS["dellacherie"].start_player().decide(game.position)
    >>> [step.key for step in decision.find_keys()][:4]
    ['left', 'left', 'left', 'down']
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

    >>> import tetrion
    >>> game = tetrion.Game("nes", seed=1)
    >>> with tetrion.load_agent("dellacherie").start_player() as player:
    ...     player.choose(game.position)
    Placement('I', rotation=0, column=0, row=0, system='nes')
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
        placement = validate_placement(position, self.choose(position))
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


# The keys that lead to a placement.


def find_key_steps(position: Position, placement: Placement) -> tuple[KeyStep, ...]:
    """Return the keys that move a piece to a placement; empty if the placement is unreachable.

    Under `steered` movement they end where the piece locks, which can be elsewhere.
    """
    if position.rules.movement == "steered":
        return tuple(KeyStep(key, piece) for key, piece in position.find_steered_steps(placement))
    try:
        keys = position.find_keys(placement)
    except TetrionError:
        return ()
    rules = get_engine_settings(position.rules).rules[0]
    board = np.array(position.board.columns, np.int32)
    piece = PIECES.index(placement.piece)  # with hold, the swapped-in piece, which also starts where it spawns
    moving = get_spawn_state(rules, piece), NO_TURN
    steps = []
    for key in keys:
        moved = move_piece(board, rules, piece, moving, GAME_KEYS.index(key))
        moving = moved.piece_state, moved.turn
        state, column, row = map(int, moved.piece_state)
        rotation = int(rules.rotation_of_state[piece, state])
        steps.append(KeyStep(key, Placement(placement.piece, rotation, column, row, position.rules.rotation)))
    return tuple(steps)


def add_decision_time(position: Position, frames: int) -> Position:
    """Return a position under `timed` movement whose first key can be pressed `frames` frames after the spawn."""
    rules = position.rules
    lock_delay = 0 if rules.lock_delay == 0 else "gravity"  # timed movement allows no others
    timed_rules = rules.replace(movement="timed", lock_delay=lock_delay, lock_resets=0, thinking_frames=frames)
    return position.replace(rules=timed_rules)


def is_decision_in_time(position: Position, frames: int) -> bool:
    """Return whether every placement of a position can still be reached after a decision that takes `frames` frames."""
    if frames > MAX_RULE_FRAMES:
        return False
    return set(position.placements()) <= set(add_decision_time(position, frames).placements())


def find_keys_after_decision(position: Position, placement: Placement, frames: int) -> tuple[KeyStep, ...]:
    """Return the steps to a placement after a decision that takes `frames` frames, in which the piece falls.

    The first step starts where the piece is after the decision. As in `Position.find_keys`, each row is a step down,
    whether a key or gravity makes it. The placement must be reachable in time, see `is_decision_in_time`.
    """
    timed_position = add_decision_time(position, frames)
    timed_keys = timed_position.find_timed_keys(placement)
    game = Game.from_position(timed_position)
    game.tick(frames)
    piece = locate_piece(game, placement)
    steps = list[KeyStep]()
    for frame, key in timed_keys:
        game.tick(position.frames + frame - game.frames)
        steps += step_down(piece, locate_piece(game, placement))
        game.press(key)
        piece = locate_piece(game, placement)
        steps.append(KeyStep(key, piece))
    return (*steps, *step_down(piece, placement))


def locate_piece(game: Game, placement: Placement) -> Placement:
    """Return the falling piece of a game; once it has locked, its placement."""
    return placement if game.placements_made else game.falling_piece or placement


def step_down(start: Placement, end: Placement) -> Iterator[KeyStep]:
    """Yield the rows from one location of a piece to a lower one."""
    for row in range(start.row - 1, end.row - 1, -1):
        yield KeyStep("down", replace(start, row=row))
