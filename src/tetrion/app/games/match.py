"""A match of two players on the same pieces: its setup, its players, its course and its result. Nothing is drawn here.

The players are two agents, or a person and an agent; they place their pieces together, or each at its own speed.
"""

from collections.abc import Callable, Sequence
from math import inf, isinf
from pathlib import Path
from typing import NamedTuple

import pygame

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER, save_game
from tetrion.app.games.agent_game import AgentGame
from tetrion.app.games.background_agent import check_agent_code
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES, HumanControls
from tetrion.app.games.played_game import COUNTDOWN_SECONDS
from tetrion.engine.randomisers import ADVERSARY, Randomiser
from tetrion.engine.rules import Rules
from tetrion.errors import RulesError, TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.game import Game
from tetrion.text_cleaning import number_duplicate_names

_CANDIDATES_SHOWN = 12
_LOADING_MESSAGE = "Loading."


# The setup, which is checked before the window opens.


class MatchSetup(NamedTuple):
    """The rules of a match and the names of its players."""

    rules: Rules
    names: tuple[str, ...]


def make_match_setup(players: Sequence[str], rules: str = "") -> MatchSetup:
    """Return the setup of a match under the given rules, or those that both players were made for.

    If no agent was made for any rules, a match with a person has the default rules of Play. Raise a TetrionError if the
    players cannot play against each other.
    """
    if len(players) != 2:
        raise TetrionError(
            f"A match has two players, such as {HUMAN_PLAYER} and lee; given {len(players) or 'none'}. "
            "To compare more agents, use `tetrion bench`."
        )
    has_person = HUMAN_PLAYER in players
    if set(players) == {HUMAN_PLAYER}:
        raise TetrionError(f"Only one human player can take part; give '{HUMAN_PLAYER}' only once.")
    agents: dict[str, Agent] = {}
    for player in players:
        if player != HUMAN_PLAYER:
            check_agent_code(player)
            agents[player] = load_agent(player)
    if has_person and not rules and not any(agent.rules for agent in agents.values()):
        rules = DEFAULT_PLAY_RULES
    match_rules = choose_rules(list(agents.values()), rules)
    if Randomiser(match_rules.randomiser).parse_name()[0] == ADVERSARY:
        raise RulesError(
            "randomiser=adversary chooses pieces depending on the board, so players cannot share its pieces. Use "
            "another randomiser, such as bag."
        )
    for agent in agents.values():
        agent.check_rules(match_rules)
    if has_person and match_rules.gravity == 0 and not match_rules.lock_keys:
        raise RulesError(
            f"Under {match_rules} pieces do not fall and no key locks them, so a human player cannot place a piece. "
            "Use rules with gravity, or with lock_keys other than none."
        )
    names = [agents[player].name if player in agents else player for player in players]
    return MatchSetup(match_rules, tuple(number_duplicate_names(names)))


class MatchSettings(NamedTuple):
    """The settings of a match; `players` are arguments of `load_agent`, or "you" for the person."""

    players: tuple[str, ...]
    setup: MatchSetup
    seed: int
    is_synchronised: bool
    speed: float  # moves per second of the agents


# The players.


class MatchPlayer:
    """A player of a match; subclasses make the decisions.

    The match sets `piece_limit`, the number of pieces that the player may place in total: one more when all players are
    ready, or infinity.
    """

    piece_limit: float = 0
    problem = ""  # why an agent cannot continue, or ""
    waiting_message = ""  # why the match cannot begin yet, or ""
    saved_file: Path | None = None
    _is_saved = False

    def __init__(self, name: str, player_game: AgentGame | HumanGame) -> None:
        self.name = name
        self.game = player_game.game
        self.tracker = player_game.tracker
        self.action = player_game.action

    @property
    def title(self) -> str:
        """The name at the beginning of a sentence; the names of agents are not capitalised."""
        return "You" if isinstance(self, HumanPlayer) else self.name

    @property
    def is_out(self) -> bool:
        """Whether the game is over or the agent has failed."""
        return self.game.is_over or bool(self.problem)

    @property
    def is_ready(self) -> bool:
        """Whether the player can place the next piece at once."""
        return True

    @property
    def queue_number(self) -> int:
        """The number of the last piece that left the shared queue, counted from 0."""
        return self.game.pieces + bool(self.game.rules.hold and self.game.position.hold)

    @property
    def ranking_key(self) -> tuple[int, int]:
        """Points, then lines: the higher key is ahead. Neither ever decreases."""
        return self.game.score, self.game.lines

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`."""
        raise NotImplementedError

    def close(self) -> str:
        """End the game and save it; return an error message or ""."""
        return self.save()

    def save(self) -> str:
        """Save the game once; return an error message if that failed, else ""."""
        message = ""
        if not self._is_saved:
            self._is_saved = True
            self.saved_file, message = save_game(self.game, self.name)
        return message


class AgentPlayer(MatchPlayer):
    """An agent in a match; `name` is its name in the match."""

    waiting_message = _LOADING_MESSAGE

    def __init__(self, name: str, agent_game: AgentGame) -> None:
        self.agent_game = agent_game
        super().__init__(name, agent_game)

    @property
    def is_ready(self) -> bool:
        """Whether the agent has decided and no rows are being cleared."""
        return self.agent_game.current_decision is not None and not self.agent_game.clearing_lock

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`."""
        agent_game = self.agent_game
        agent_game.autoplay = isinf(self.piece_limit)
        if self.game.pieces < self.piece_limit:
            agent_game.step()
        agent_game.update(seconds)
        agent_game.locks.clear()
        self.problem = agent_game.problem
        self.waiting_message = "" if self.problem or agent_game.decision else _LOADING_MESSAGE
        if self.waiting_message and agent_game.background_agent.is_compiling:
            self.waiting_message = describe_compilation()

    def close(self) -> str:
        """Stop the agent, and save the game."""
        self.agent_game.close()
        return super().close()


class HumanPlayer(MatchPlayer):
    """The person at the keyboard."""

    def __init__(self, human_game: HumanGame, play_sound: Callable[[str], None]) -> None:
        self.human_game = human_game
        super().__init__(HUMAN_PLAYER, human_game)
        self._play_sound = play_sound

    @property
    def is_playing(self) -> bool:
        """Whether the game is running."""
        return not self.is_out and self.game.pieces < self.piece_limit

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle a key event; a key pressed while waiting for the other player is ignored."""
        if event.type == pygame.KEYDOWN and not self.is_playing:
            return self.human_game.key_input.is_game_key(event)
        return self.human_game.key_input.handle_event(event)

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds` and play its sounds."""
        if self.is_playing:
            for sound in self.human_game.update(seconds):
                self._play_sound(sound)
        else:
            self.human_game.update_animation(seconds)


# The match.


class Match:
    """A match in progress; the person comes first, otherwise the order is that of the settings."""

    def __init__(
        self,
        settings: MatchSettings,
        controls: HumanControls,
        play_sound: Callable[[str], None],
        has_animation: bool = True,
    ) -> None:
        self.settings = settings
        self.rules = settings.setup.rules
        self.speed = settings.speed
        self.is_paused = False
        self.explains = False  # whether the placements that agents consider are shown
        self.plays_on = False  # after the match is decided, or the person is out
        self.players: list[MatchPlayer] = []
        self._dealt_pieces: dict[int, str] = {}  # by number, those that a player has seen
        pairs = zip(settings.players, settings.setup.names, strict=True)
        for player, name in sorted(pairs, key=lambda pair: pair[0] != HUMAN_PLAYER):
            if player == HUMAN_PLAYER:
                game = Game(controls.apply_to(self.rules), settings.seed)
                self.players.append(HumanPlayer(HumanGame(game, controls.keys, has_animation), play_sound))
            else:
                self.players.append(AgentPlayer(name, AgentGame(player, self.rules, settings.seed, autoplay=False)))
        self.countdown = COUNTDOWN_SECONDS if self.person else 0.0  # seconds until the match begins
        self._record_pieces()

    @property
    def person(self) -> HumanPlayer | None:
        """The person, or None if two agents play."""
        return next((player for player in self.players if isinstance(player, HumanPlayer)), None)

    @property
    def waiting_message(self) -> str:
        """The reason why the match cannot begin yet, or ""."""
        return next((player.waiting_message for player in self.players if player.waiting_message), "")

    @property
    def active_players(self) -> list[MatchPlayer]:
        """The players that are not out."""
        return [player for player in self.players if not player.is_out]

    @property
    def is_over(self) -> bool:
        """Whether both games are over."""
        return not self.active_players

    @property
    def ranking(self) -> list[MatchPlayer]:
        """The players, the leader first."""
        return sorted(self.players, key=lambda player: player.ranking_key, reverse=True)

    @property
    def is_decided(self) -> bool:
        """Whether the result is certain: both players are out, or the one that is behind."""
        first, second = self.ranking
        return self.is_over or (second.is_out and first.ranking_key > second.ranking_key)

    @property
    def has_result(self) -> bool:
        """Whether the match has stopped with a result: it is decided or the person is out, and no side continues."""
        is_person_out = self.person is not None and self.person.is_out
        return self.is_over or (not self.plays_on and (self.is_decided or is_person_out))

    @property
    def is_running(self) -> bool:
        """Whether the players play."""
        return not (self.is_paused or self.has_result or self.waiting_message)

    def update(self, seconds: float) -> list[str]:
        """Advance the match by `seconds`; return error messages for the window."""
        if self.is_paused:
            return []
        has_begun = not self.waiting_message and self.countdown <= 0
        if not self.waiting_message and self.countdown > 0:
            self.countdown -= seconds
        if has_begun:
            self._set_piece_limits()
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.agent_game.speed = self.speed
                player.agent_game.explained_count = _CANDIDATES_SHOWN if self.explains else 0
            if player.is_out or not self.has_result:  # after the result, only the animations continue
                player.update(seconds if has_begun else 0)
        self._record_pieces()
        if self.has_result:
            self._release_keys()
        return [message for player in self.players if player.is_out and (message := player.save())]

    def _set_piece_limits(self) -> None:
        """Let the players place any number of pieces, or the next one once both have placed the last and are ready."""
        active = self.active_players
        if not self.settings.is_synchronised:
            limit = inf
        elif all(player.is_ready and player.game.pieces >= player.piece_limit for player in active):
            limit = 1 + max((player.game.pieces for player in active), default=0)
        else:
            return
        for player in active:
            player.piece_limit = limit

    def set_paused(self, is_paused: bool) -> None:
        """Pause or resume the match."""
        self.is_paused = is_paused
        self._release_keys()

    def _release_keys(self) -> None:
        if self.person and not self.person.is_out:
            self.person.human_game.key_input.release_all()

    def close(self) -> list[str]:
        """End the match and save both games; return error messages for the window."""
        return [message for player in self.players if (message := player.close())]

    # The shared pieces.

    def list_queue(self, count: int) -> list[tuple[str, list[int]]]:
        """Return `count` pieces from the slower player's on, each with the indices of the players who have it.

        A piece that no player can see yet is an empty text. A player beyond the last piece is shown at the last one,
        whose text is then the distance, such as `+6`.
        """
        first = min(player.queue_number for player in self.active_players or self.players)
        queue: list[tuple[str, list[int]]] = [
            (self._dealt_pieces.get(number, ""), []) for number in range(first, first + count)
        ]
        for index, player in enumerate(self.players):
            if not player.is_out:
                distance = player.queue_number - first
                if distance >= count:
                    queue[-1] = f"+{distance:,}", []
                queue[min(count - 1, distance)][1].append(index)
        return queue

    def _record_pieces(self) -> None:
        for player in self.players:
            game, first = player.game, player.queue_number
            if first > game.pieces:  # there is a held piece, and the current one may come from hold
                self._dealt_pieces.update(enumerate(game.next, first + 1))
            else:
                self._dealt_pieces.update(enumerate(game.piece + game.next, first))


# Texts.


def describe_lead(match: Match) -> str:
    """Return a sentence about the lead in points."""
    first, second = match.ranking
    lead = first.game.score - second.game.score
    if match.is_decided and not match.is_over:
        return f"{first.title} {'have' if first.title == 'You' else 'has'} already won"
    if not lead:
        return f"Tied at {format_count(first.game.score, 'point')}"
    return f"{first.title} {'lead' if first.title == 'You' else 'leads'} by {format_count(lead, 'point')}"


def describe_result(match: Match) -> tuple[str, list[str]]:
    """Return the result of a match as a headline and further sentences."""
    first, second = match.ranking
    points, lines = format_count(first.game.score, "point"), format_count(first.game.lines, "line")
    score = f"{lines} to {second.game.lines:,}"
    if match.person is second and second.game.is_over:
        score = f"You topped out. {score}"
    problems = [f"{player.name} cannot continue. {player.problem}" for player in match.players if player.problem]
    if not match.is_decided:
        return "You are out", [f"{describe_lead(match)}. {match.active_players[0].name} is still playing.", *problems]
    if first.ranking_key == second.ranking_key:
        return "Draw", [f"{first.title} and {second.title} have {points} and {lines}.", *problems]
    winner = f"{first.title} {'win' if first.title == 'You' else 'wins'}"
    if lead := first.game.score - second.game.score:
        return f"{winner} by {format_count(lead, 'point')}", [f"{score}.", *problems]
    line_lead = format_count(first.game.lines - second.game.lines, "line")
    return f"{winner} by {line_lead}", [f"{score}, with {points} each.", *problems]
