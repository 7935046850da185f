"""A match of two to four players on the same pieces, synchronised or each at its own speed, and its result as text."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.agent_game import MAX_ANIMATED_SPEED
from tetrion.app.games.human_rules import HumanControls
from tetrion.app.games.match_players import CANDIDATES_SHOWN, AgentPlayer, HumanPlayer, MatchPlayer
from tetrion.app.games.match_setup import MIN_PLAYERS, MatchSetup
from tetrion.evaluation.number_format import format_count


class MatchSettings(NamedTuple):
    """The settings of a match; `players` are arguments of `load_agent`, or "you" for the human player."""

    players: tuple[str, ...]
    setup: MatchSetup
    seed: int
    is_synchronised: bool
    speed: float  # moves per second


class VersusMatch:
    """A match in progress; the human player comes first, the agents follow in the order of the settings."""

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
        self.players: list[MatchPlayer] = []
        self._synchronised_pieces = 0  # the number of pieces that synchronised players may place
        self._dealt_pieces: dict[int, str] = {}  # of a match with hold, by number
        self._players_to_move: list[MatchPlayer] = []  # players that have not started to place the last of them
        pairs = zip(settings.players, settings.setup.names, strict=True)
        for player, name in sorted(pairs, key=lambda pair: pair[0] != HUMAN_PLAYER):
            if player == HUMAN_PLAYER:
                self.players.append(HumanPlayer(self.rules, settings.seed, controls, play_sound, has_animation))
            else:
                self.players.append(AgentPlayer(name, player, self.rules, settings.seed, settings.speed))

    # Current state.

    @property
    def human_player(self) -> HumanPlayer | None:
        """The human player, or None if only agents play."""
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
        """Whether all games are over."""
        return not self.active_players

    @property
    def ranking(self) -> list[MatchPlayer]:
        """The players from first to last, by points, then by lines."""
        return sorted(self.players, key=lambda player: player.ranking_key, reverse=True)

    @property
    def decided_winner(self) -> MatchPlayer | None:
        """The last active player if no other player can overtake it any more, or None."""
        active = self.active_players
        if len(active) != 1 or len(self.players) < MIN_PLAYERS:
            return None
        leader = active[0]
        is_ahead = all(
            leader.game.score > other.game.score and leader.game.lines > other.game.lines
            for other in self.players
            if other is not leader
        )
        return leader if is_ahead else None

    # Playing.

    def update(self, seconds: float) -> list[str]:
        """Advance the match by `seconds`; return error messages for the window."""
        if self.is_paused:
            return []
        has_begun = not self.waiting_message
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.agent_game.speed = self.speed
            player.set_free_running(has_begun and not self.settings.is_synchronised)
        if has_begun and self.settings.is_synchronised:
            self._advance_together()
        has_asked_agent = False
        for player in self.players:
            if isinstance(player, AgentPlayer) and player.needs_decision:
                if has_asked_agent:  # one per frame: several agents that think at once would delay the drawing
                    continue
                has_asked_agent = True
            player.update(seconds if has_begun else 0)
        return [message for player in self.players if player.is_out and (message := player.save())]

    def set_paused(self, is_paused: bool = True) -> None:
        """Pause or resume the match."""
        self.is_paused = is_paused
        for player in self.players:
            if is_paused:
                player.pause()

    def _advance_together(self) -> None:
        """Let all players place their next piece once all have placed the last one and have decided.

        Animated moves start one frame apart, which is not visible and spreads the work over several frames.
        """
        active = self.active_players
        if not self._players_to_move and all(
            player.game.pieces >= self._synchronised_pieces and player.has_decided for player in active
        ):
            self._synchronised_pieces = 1 + max((player.game.pieces for player in active), default=0)
            self._players_to_move = list(active)
        count = 1 if self.speed <= MAX_ANIMATED_SPEED else len(self._players_to_move)
        for player in self._players_to_move[:count]:
            player.place_next()
        del self._players_to_move[:count]

    def set_explanations(self, is_on: bool) -> None:
        """Turn the explanations of the agents on or off."""
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.agent_game.explained_count = CANDIDATES_SHOWN if is_on else 0

    def close(self) -> list[str]:
        """End the match and save all games; return error messages for the window."""
        for player in self.players:
            player.close()
        return [message for player in self.players if (message := player.save())]

    # The shared pieces.

    def get_pieces(self, first: int, count: int) -> list[str]:
        """Return `count` pieces from number `first` on, counted from 0; "" for pieces that are not visible yet."""
        if self.rules.hold:
            return self._get_dealt_pieces(first, count)
        game = max((player.game for player in self.players), key=lambda game: game.pieces + len(game.next))
        placements = game.placements_made
        placed = game.pieces
        visible = game.piece + game.next
        numbers = range(first, first + count)
        return [placements[n].piece if n < placed else visible[n - placed : n - placed + 1] for n in numbers]

    def _get_dealt_pieces(self, first: int, count: int) -> list[str]:
        """Return pieces of the queue of a game with hold, in which pieces are placed in another order than dealt."""
        for player in self.players:
            is_current = not player.game.position.hold  # otherwise the current piece may come from hold
            for number, letter in enumerate(player.game.piece + player.game.next, player.queue_number):
                if number > player.queue_number or is_current:
                    self._dealt_pieces[number] = letter
        return [self._dealt_pieces.get(number, "") for number in range(first, first + count)]

    @property
    def first_piece_number(self) -> int:
        """The number of the current piece of the slowest player."""
        return min(player.queue_number for player in self.active_players or self.players)


# Texts.


def capitalise_name(name: str) -> str:
    """Return a name for the beginning of a sentence; the names of agents are not capitalised."""
    return "You" if name == HUMAN_PLAYER else name


def describe_lead(players: Sequence[MatchPlayer]) -> str:
    """Return a sentence about the lead in points."""
    first, second = sorted(players, key=lambda player: -player.game.score)[:2]
    lead = first.game.score - second.game.score
    if not lead:
        tied = [player for player in players if player.game.score == first.game.score]
        subject = "Tied" if len(tied) == len(players) else f"{len(tied)} players are tied"
        return f"{subject} at {format_count(first.game.score, 'point')}"
    return f"{capitalise_name(first.name)} {'lead' if first.is_human else 'leads'} by {format_count(lead, 'point')}"


def describe_result(match: VersusMatch) -> tuple[str, list[str]]:
    """Return the result of a match as a headline and further lines."""
    ranking = match.ranking
    first, second, *_ = ranking
    points = format_count(first.game.score, "point")
    lines = f"{format_count(first.game.lines, 'line')} to {second.game.lines:,}"
    scores = " · ".join(f"{capitalise_name(player.name)} {player.game.score:,}" for player in ranking)
    all_scores = [scores] if len(ranking) > MIN_PLAYERS else []
    if first.ranking_key == second.ranking_key:
        tied = [capitalise_name(player.name) for player in ranking if player.ranking_key == first.ranking_key]
        names = " and ".join([", ".join(tied[:-1]), tied[-1]])
        return "Draw", [f"{names} have {points} and {format_count(first.game.lines, 'line')}.", *all_scores]
    winner = f"{capitalise_name(first.name)} {'win' if first.is_human else 'wins'}"
    if lead := first.game.score - second.game.score:
        return f"{winner} by {format_count(lead, 'point')}", [f"{lines}.", *all_scores]
    line_lead = format_count(first.game.lines - second.game.lines, "line")
    return f"{winner} by {line_lead}", [f"{lines}, with {points} each.", *all_scores]
