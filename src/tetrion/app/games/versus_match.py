"""A match: two to four players on the same pieces, together or each at its own speed, and who is ahead in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.agent_game import MAX_ANIMATED_SPEED
from tetrion.app.games.match_players import CANDIDATES_SHOWN, AgentPlayer, HumanPlayer, MatchPlayer
from tetrion.app.games.match_setup import MIN_PLAYERS, MatchSetup
from tetrion.evaluation.number_format import format_count


class MatchSettings(NamedTuple):
    """What a match is played by: whom (as one types it), what was agreed on, from which seed, and how fast."""

    players: tuple[str, ...]
    setup: MatchSetup
    seed: int
    is_synchronised: bool
    speed: float  # moves a second


class VersusMatch:
    """A match under way; players keep their order, a person comes first."""

    def __init__(
        self,
        settings: MatchSettings,
        keys: Mapping[str, str],
        play_sound: Callable[[str], None],
        has_animation: bool = True,
    ) -> None:
        self.settings = settings
        self.rules = settings.setup.rules
        self.speed = settings.speed
        self.is_paused = False
        self.players: list[MatchPlayer] = []
        self._synchronised_pieces = 0  # pieces that everybody who plays together may place
        self._players_to_move: list[MatchPlayer] = []  # those who have not begun to place the last of them
        pairs = zip(settings.players, settings.setup.names, strict=True)
        for player, name in sorted(pairs, key=lambda pair: pair[0] != HUMAN_PLAYER):
            if player == HUMAN_PLAYER:
                self.players.append(HumanPlayer(self.rules, settings.seed, keys, play_sound, has_animation))
            else:
                self.players.append(AgentPlayer(name, player, self.rules, settings.seed, settings.speed))

    # What is seen.

    @property
    def human_player(self) -> HumanPlayer | None:
        """The person, if one takes part."""
        return next((player for player in self.players if isinstance(player, HumanPlayer)), None)

    @property
    def waiting_message(self) -> str:
        """What must be done before the match begins, else nothing."""
        return next((player.waiting_message for player in self.players if player.waiting_message), "")

    @property
    def active_players(self) -> list[MatchPlayer]:
        """Those who are not out."""
        return [player for player in self.players if not player.is_out]

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return not self.active_players

    @property
    def ranking(self) -> list[MatchPlayer]:
        """The players, who is ahead first: by points, then by lines."""
        return sorted(self.players, key=lambda player: player.ranking_key, reverse=True)

    @property
    def decided_winner(self) -> MatchPlayer | None:
        """Who plays on alone although nobody can overtake it any more."""
        left = self.active_players
        if len(left) != 1 or len(self.players) < MIN_PLAYERS:
            return None
        ahead = all(
            left[0].game.score > other.game.score and left[0].game.lines > other.game.lines
            for other in self.players
            if other is not left[0]
        )
        return left[0] if ahead else None

    # What goes on.

    def update(self, seconds: float) -> list[str]:
        """Let time pass; gives back what a person should know."""
        if self.is_paused:
            return []
        begun = not self.waiting_message
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.agent_game.speed = self.speed
            player.set_free_running(begun and not self.settings.is_synchronised)
        if begun and self.settings.is_synchronised:
            self._advance_together()
        asked = False
        for player in self.players:
            if isinstance(player, AgentPlayer) and player.needs_decision:
                if asked:  # one a frame: agents that all think at once would hold up the drawing
                    continue
                asked = True
            player.update(seconds if begun else 0)
        return [told for player in self.players if player.is_out and (told := player.save())]

    def set_paused(self, paused: bool = True) -> None:
        """Let nothing go on, or let it go on."""
        self.is_paused = paused
        for player in self.players:
            if paused:
                player.pause()

    def _advance_together(self) -> None:
        """Let everybody place the next piece once all have placed the last one and know where to go.

        Where moves can be followed they begin a frame apart, which nobody sees: so the work of a frame is shared out.
        """
        left = self.active_players
        if not self._players_to_move and all(
            player.game.pieces >= self._synchronised_pieces and player.has_decided for player in left
        ):
            self._synchronised_pieces = 1 + max((player.game.pieces for player in left), default=0)
            self._players_to_move = list(left)
        begin = 1 if self.speed <= MAX_ANIMATED_SPEED else len(self._players_to_move)
        for player in self._players_to_move[:begin]:
            player.place_next()
        del self._players_to_move[:begin]

    def set_explanations(self, is_on: bool) -> None:
        """Let agents tell what they consider, or not."""
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.agent_game.explained_count = CANDIDATES_SHOWN if is_on else 0

    def close(self) -> list[str]:
        """End it and keep all games; gives back what a person should know."""
        for player in self.players:
            player.close()
        return [told for player in self.players if (told := player.save())]

    # The pieces that all get.

    def get_pieces(self, first: int, count: int) -> list[str]:
        """So many pieces from a number on, counted from 0; an empty text for those that nobody may see yet."""
        game = max((player.game for player in self.players), key=lambda game: game.pieces + len(game.next))
        made = game.placements_made
        placed = game.pieces
        known = game.piece + game.next
        numbers = range(first, first + count)
        return [made[n].piece if n < placed else known[n - placed : n - placed + 1] for n in numbers]

    @property
    def first_piece_number(self) -> int:
        """The number of the piece that whoever is slowest has in play."""
        return min(player.game.pieces for player in self.active_players or self.players)


# In words.


def capitalise_name(name: str) -> str:
    """A name at the beginning of a sentence: agents keep theirs as one types it."""
    return "You" if name == HUMAN_PLAYER else name


def describe_lead(players: Sequence[MatchPlayer]) -> str:
    """Who leads by how many points."""
    first, second = sorted(players, key=lambda player: -player.game.score)[:2]
    ahead = first.game.score - second.game.score
    if not ahead:
        level = [player for player in players if player.game.score == first.game.score]
        who = "Level" if len(level) == len(players) else f"{len(level)} are level"
        return f"{who} at {format_count(first.game.score, 'point')}"
    return f"{capitalise_name(first.name)} {'lead' if first.is_human else 'leads'} by {format_count(ahead, 'point')}"


def describe_result(match: VersusMatch) -> tuple[str, list[str]]:
    """How a match has ended: a headline, and the rest."""
    first, second, *_ = ranking = match.ranking
    lines = f"{format_count(first.game.lines, 'line')} to {second.game.lines:,}"
    everybody = [f"{capitalise_name(player.name)} {player.game.score:,}" for player in ranking]
    told = [" · ".join(everybody)] if len(ranking) > MIN_PLAYERS else []
    if first.ranking_key == second.ranking_key:
        alike = [capitalise_name(player.name) for player in ranking if player.ranking_key == first.ranking_key]
        who = " and ".join([", ".join(alike[:-1]), alike[-1]])
        return "A draw", [
            f"{who} have {format_count(first.game.score, 'point')} and {format_count(first.game.lines, 'line')}.",
            *told,
        ]
    wins = f"{capitalise_name(first.name)} {'win' if first.is_human else 'wins'}"
    if ahead := first.game.score - second.game.score:
        return f"{wins} by {format_count(ahead, 'point')}", [f"{lines}.", *told]
    by_lines = format_count(first.game.lines - second.game.lines, "line")
    return f"{wins} by {by_lines}", [f"{lines}, with {format_count(first.game.score, 'point')} each.", *told]
