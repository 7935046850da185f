"""Who takes part in a match: an agent at its seat, or a person with keys; to whoever looks on they are alike."""

from collections.abc import Callable, Mapping
from typing import ClassVar

import pygame

from tetrion.agents import RandomKeysAgent
from tetrion.app.engine_loading import COMPILING_ENGINE
from tetrion.app.game_storage import HUMAN_PLAYER, save_game
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.game_tracker import GameTracker, LockedPiece
from tetrion.app.games.human_game import HumanGame
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.game import Game

CANDIDATES_SHOWN = 12  # placements that an agent's thinking shows
_LOADING_MESSAGE = "Loading."


class MatchPlayer:
    """Somebody in a match, as seen after its last `update`; a child says who decides."""

    is_human: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, follower: GameTracker) -> None:
        self.name = name
        self.game = game
        self.tracker = follower
        self.problem = ""
        self.waiting_message = _LOADING_MESSAGE  # what must be done before it can begin
        self.clearing_lock: LockedPiece | None = None
        self.active_piece: Placement | None = None  # where the piece in play is seen
        self.target: Placement | None = None  # where it would land, or the agent wants to go
        self.candidate_placements: tuple[Placement, ...] = ()
        self.has_decided = False  # whether the piece in play could be placed at once
        self.is_saved = False
        self._holes_counted_at = -1
        self._holes = 0

    @property
    def is_out(self) -> bool:
        """Whether it plays no more."""
        return self.game.is_over or bool(self.problem)

    @property
    def height(self) -> int:
        """How many rows the stack has."""
        return len(self.tracker.stack.rows)

    @property
    def holes(self) -> int:
        """How many cells lie empty below filled ones."""
        if self._holes_counted_at != self.game.pieces:
            self._holes_counted_at = self.game.pieces
            self._holes = self.game.board.measure_features()["holes"]
        return self._holes

    @property
    def ranking_key(self) -> tuple[int, int]:
        """Points and lines: who has more is ahead."""
        return self.game.score, self.game.lines

    def place_next(self) -> None:
        """Place one piece and then wait."""
        raise NotImplementedError

    def set_free_running(self, is_on: bool) -> None:
        """Place one piece after another, or wait."""
        raise NotImplementedError

    def update(self, seconds: float) -> None:
        """Let time pass."""
        raise NotImplementedError

    def pause(self) -> None:
        """Pause: `update` is not called for a while."""

    def close(self) -> None:
        """End what goes on beside the window."""

    def save(self) -> str:
        """Keep the game, once; tells what a person should know if that failed."""
        if self.is_saved:
            return ""
        self.is_saved = True
        return save_game(self.game, self.name)[1]


class AgentPlayer(MatchPlayer):
    """An agent; `name` is what it is called in the match, `agent` what one types for it."""

    def __init__(self, name: str, agent: str, rules: Rules, seed: int, speed: float) -> None:
        self.agent_game = AgentGame(agent, rules, seed, speed=speed, autoplay=False)
        super().__init__(name, self.agent_game.game, self.agent_game.tracker)
        self.offset = (0.0, 0.0)  # columns and rows that the piece in play is away from where it is seen next
        self.clear_milliseconds = 0.0  # milliseconds since rows began to be cleared

    @property
    def needs_decision(self) -> bool:
        """Whether the agent will be asked in the next `update`."""
        seat = self.agent_game
        known = (
            seat.current_decision is not None
            or seat.is_thinking
            or isinstance(seat.background_agent.agent, RandomKeysAgent)
        )
        return not (known or seat.clearing_lock or self.is_out)

    def place_next(self) -> None:
        """Place one piece and then wait."""
        self.agent_game.step()

    def set_free_running(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        self.agent_game.autoplay = freely

    def update(self, seconds: float) -> None:
        """Let time pass and see what the agent does."""
        seat = self.agent_game
        seat.update(seconds)
        seat.locks.clear()
        decider, decision = seat.background_agent, seat.current_decision
        by_keys = isinstance(decider.agent, RandomKeysAgent)
        self.problem = seat.problem
        self.waiting_message = "" if by_keys or self.problem or seat.decision else _LOADING_MESSAGE
        if self.waiting_message and decider.is_compiling:
            self.waiting_message = COMPILING_ENGINE
        self.clearing_lock = seat.clearing_lock
        self.clear_milliseconds = seat.clear_milliseconds
        self.has_decided = (decision is not None or by_keys) and not seat.clearing_lock
        self.active_piece = seat.active_piece
        self.offset = seat.offset
        self.target = seat.target
        reasons = decision.explanation if decision and seat.explained_count and not seat.clearing_lock else None
        self.candidate_placements = tuple(c.placement for c in reasons.candidates) if reasons else ()

    def close(self) -> None:
        """End what goes on beside the window."""
        self.agent_game.close()


class HumanPlayer(MatchPlayer):
    """The person at the keyboard."""

    is_human = True

    def __init__(
        self, rules: Rules, seed: int, keys: Mapping[str, str], play_sound: Callable[[str], None], has_animation: bool
    ) -> None:
        self.human_game = HumanGame(Game(rules, seed), keys, has_animation)
        super().__init__(HUMAN_PLAYER, self.human_game.game, self.human_game.tracker)
        self.waiting_message = ""
        self.has_decided = True
        self.active_piece = self.game.falling_piece
        self._play_sound = play_sound
        self._is_free_running = False
        self._piece_limit = 0

    @property
    def is_playing(self) -> bool:
        """Whether time passes in the game."""
        return not self.is_out and (self._is_free_running or self.game.pieces < self._piece_limit)

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Hear a key; one that is pressed while others are waited for is no key of the next piece."""
        if event.type == pygame.KEYDOWN and not self.is_playing:
            return self.human_game.key_input.is_game_key(event)
        return self.human_game.key_input.handle_event(event)

    def place_next(self) -> None:
        """Place one piece and then wait."""
        self._piece_limit = self.game.pieces + 1

    def set_free_running(self, freely: bool) -> None:
        """Place one piece after another, or wait."""
        self._is_free_running = freely

    def pause(self) -> None:
        """Pause, with all keys let go of."""
        self.human_game.key_input.release_all()

    def update(self, seconds: float) -> None:
        """Let time pass, and make what was done heard."""
        if self.is_playing:
            for heard in self.human_game.update(seconds):
                self._play_sound(heard)
        else:
            self.human_game.board_animator.update(seconds)
        self.active_piece = None if self.is_out else self.game.falling_piece
        self.target = None if self.is_out or self.human_game.board_animator.is_clearing else self.game.ghost
