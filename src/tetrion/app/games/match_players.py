"""The players of a match: agents and a human player, with a common interface for the screen."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pygame

from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER, save_game
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.game_tracker import GameTracker
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import HumanControls
from tetrion.board import Placement
from tetrion.drawing.game_facts import ActionText, VisiblePieces
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.stack import LockedPiece

CANDIDATES_SHOWN = 12
_LOADING_MESSAGE = "Loading."


class MatchPlayer:
    """A player of a match, with the state after its last `update`; subclasses make the decisions."""

    is_human: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, tracker: GameTracker, action: ActionText) -> None:
        self.name = name
        self.game = game
        self.action = action
        self.tracker = tracker
        self.problem = ""
        self.waiting_message = _LOADING_MESSAGE  # why the match cannot begin yet, or ""
        self.clearing_lock: LockedPiece | None = None
        self.active_piece: Placement | None = None  # the current piece where it is drawn
        self.target: Placement | None = None  # the ghost, or the placement that the agent has chosen
        self.candidate_placements: tuple[Placement, ...] = ()
        self.has_decided = False  # whether the current piece can be placed at once
        self.is_saved = False
        self.saved_file: Path | None = None

    @property
    def is_out(self) -> bool:
        """Whether the game is over or the agent has failed."""
        return self.game.is_over or bool(self.problem)

    @property
    def height(self) -> int:
        """The number of rows of the stack."""
        return len(self.tracker.stack.rows)

    @property
    def holes(self) -> int:
        """The number of empty cells below filled ones."""
        return self.game.board.holes

    @property
    def attack(self) -> int | None:
        """The rows of garbage sent; None under rules without attack."""
        return self.game.attack if self.game.rules.attack != "none" else None

    @property
    def visible_pieces(self) -> VisiblePieces:
        """The hold box and the next pieces."""
        return VisiblePieces.from_position(self.game.position, self.active_piece)

    @property
    def queue_number(self) -> int:
        """The number of the last piece that left the shared queue, counted from 0."""
        return self.game.pieces + bool(self.game.position.hold)

    @property
    def ranking_key(self) -> tuple[int, int]:
        """Points, then lines: the higher key is ahead."""
        return self.game.score, self.game.lines

    def place_next(self) -> None:
        """Place one piece, then wait."""
        raise NotImplementedError

    def set_free_running(self, is_on: bool) -> None:
        """Start or stop placing pieces without waiting for the other players."""
        raise NotImplementedError

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`."""
        raise NotImplementedError

    def pause(self) -> None:
        """Prepare for a pause, in which `update` is not called."""

    def close(self) -> None:
        """Stop background work."""

    def save(self) -> str:
        """Save the game once; return an error message if that failed, else ""."""
        if self.is_saved:
            return ""
        self.is_saved = True
        self.saved_file, message = save_game(self.game, self.name)
        return message


class AgentPlayer(MatchPlayer):
    """An agent in a match; `name` is its name in the match, `agent` the argument of `load_agent`."""

    def __init__(self, name: str, agent: str, rules: Rules, seed: int, speed: float) -> None:
        self.agent_game = AgentGame(agent, rules, seed, speed=speed, autoplay=False)
        super().__init__(name, self.agent_game.game, self.agent_game.tracker, self.agent_game.action)
        self.offset = (0.0, 0.0)  # columns and rows between `active_piece` and where it is drawn
        self.clear_milliseconds = 0.0  # elapsed time of the line clear animation

    @property
    def needs_decision(self) -> bool:
        """Whether the agent will be asked in the next `update`."""
        agent_game = self.agent_game
        has_decision = agent_game.current_decision is not None or agent_game.is_thinking
        return not (has_decision or agent_game.clearing_lock or self.is_out)

    def place_next(self) -> None:
        """Place one piece, then wait."""
        self.agent_game.step()

    def set_free_running(self, is_on: bool) -> None:
        """Start or stop placing pieces without waiting for the other players."""
        self.agent_game.autoplay = is_on

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds` and copy its state."""
        agent_game = self.agent_game
        agent_game.update(seconds)
        agent_game.locks.clear()
        decision = agent_game.current_decision
        self.problem = agent_game.problem
        self.waiting_message = "" if self.problem or agent_game.decision else _LOADING_MESSAGE
        if self.waiting_message and agent_game.background_agent.is_compiling:
            self.waiting_message = describe_compilation()
        self.clearing_lock = agent_game.clearing_lock
        self.clear_milliseconds = agent_game.clear_milliseconds
        self.has_decided = decision is not None and not agent_game.clearing_lock
        self.active_piece = agent_game.active_piece
        self.offset = agent_game.offset
        self.target = agent_game.target
        explanation = None
        if decision and agent_game.explained_count and not agent_game.clearing_lock:
            explanation = decision.explanation
        candidates = explanation.candidates if explanation else ()
        self.candidate_placements = tuple(candidate.placement for candidate in candidates)

    def close(self) -> None:
        """Stop background work."""
        self.agent_game.close()


class HumanPlayer(MatchPlayer):
    """The human player at the keyboard."""

    is_human = True

    def __init__(
        self,
        rules: Rules,
        seed: int,
        controls: HumanControls,
        play_sound: Callable[[str], None],
        has_animation: bool,
    ) -> None:
        self.human_game = HumanGame(Game(controls.apply_to(rules), seed), controls.keys, has_animation)
        super().__init__(HUMAN_PLAYER, self.human_game.game, self.human_game.tracker, self.human_game.action)
        self.waiting_message = ""
        self.has_decided = True
        self.active_piece = self.game.falling_piece
        self._play_sound = play_sound
        self._is_free_running = False
        self._piece_limit = 0

    @property
    def is_playing(self) -> bool:
        """Whether the game is running."""
        return not self.is_out and (self._is_free_running or self.game.pieces < self._piece_limit)

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle a key event; a key pressed while waiting for other players is ignored."""
        if event.type == pygame.KEYDOWN and not self.is_playing:
            return self.human_game.key_input.is_game_key(event)
        return self.human_game.key_input.handle_event(event)

    def place_next(self) -> None:
        """Place one piece, then wait."""
        self._piece_limit = self.game.pieces + 1

    def set_free_running(self, is_on: bool) -> None:
        """Start or stop placing pieces without waiting for the other players."""
        self._is_free_running = is_on

    def pause(self) -> None:
        """Release all keys."""
        self.human_game.key_input.release_all()

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds` and play its sounds."""
        if self.is_playing:
            for sound in self.human_game.update(seconds):
                self._play_sound(sound)
        else:
            self.human_game.update_animation(seconds)
        self.active_piece = None if self.is_out else self.game.falling_piece
        self.target = None if self.is_out or self.human_game.board_animator.is_clearing else self.game.ghost
