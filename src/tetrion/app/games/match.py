"""A match: two to four players on the same pieces, together or each at its own speed, and who is ahead in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tetrion.app.games.meeting import FEWEST, Agreed
from tetrion.app.games.players import CONSIDERED, AgentPlayer, PersonPlayer, Player
from tetrion.app.games.seat import SLIDES_UP_TO
from tetrion.app.shelf import PERSON
from tetrion.evaluation.words import counted


class Terms(NamedTuple):
    """What a match is played by: whom (as one types it), what was agreed on, from which seed, and how fast."""

    players: tuple[str, ...]
    agreed: Agreed
    seed: int
    together: bool
    speed: float  # moves a second


class Match:
    """A match under way; players keep their order, a person comes first."""

    def __init__(self, terms: Terms, keys: Mapping[str, str], sound: Callable[[str], None], moves: bool = True) -> None:
        self.terms, self.rules, self.speed, self.paused = terms, terms.agreed.rules, terms.speed, False
        self.players: list[Player] = []
        self._round = 0  # pieces that everybody who plays together may place
        self._waiting: list[Player] = []  # those who have not begun to place the last of them
        pairs = zip(terms.players, terms.agreed.names, strict=True)
        for player, name in sorted(pairs, key=lambda pair: pair[0] != PERSON):
            if player == PERSON:
                self.players.append(PersonPlayer(self.rules, terms.seed, keys, sound, moves))
            else:
                self.players.append(AgentPlayer(name, player, self.rules, terms.seed, terms.speed))

    # What is seen.

    @property
    def person(self) -> PersonPlayer | None:
        """The person, if one takes part."""
        return next((player for player in self.players if isinstance(player, PersonPlayer)), None)

    @property
    def waits_for(self) -> str:
        """What must be done before the match begins, else nothing."""
        return next((player.waits_for for player in self.players if player.waits_for), "")

    @property
    def playing(self) -> list[Player]:
        """Those who are not out."""
        return [player for player in self.players if not player.out]

    @property
    def over(self) -> bool:
        """Whether all games have ended."""
        return not self.playing

    @property
    def ranking(self) -> list[Player]:
        """The players, who is ahead first: by points, then by lines."""
        return sorted(self.players, key=lambda player: player.standing, reverse=True)

    @property
    def won(self) -> Player | None:
        """Who plays on alone although nobody can overtake it any more."""
        left = self.playing
        if len(left) != 1 or len(self.players) < FEWEST:
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
        if self.paused:
            return []
        begun = not self.waits_for
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.seat.speed = self.speed
            player.go(begun and not self.terms.together)
        if begun and self.terms.together:
            self._go_together()
        asked = False
        for player in self.players:
            if isinstance(player, AgentPlayer) and player.must_ask:
                if asked:  # one a frame: agents that all think at once would hold up the drawing
                    continue
                asked = True
            player.update(seconds if begun else 0)
        return [told for player in self.players if player.out and (told := player.keep())]

    def pause(self, paused: bool = True) -> None:
        """Let nothing go on, or let it go on."""
        self.paused = paused
        for player in self.players:
            if paused:
                player.rest()

    def _go_together(self) -> None:
        """Let everybody place the next piece once all have placed the last one and know where to go.

        Where moves can be followed they begin a frame apart, which nobody sees: so the work of a frame is shared out.
        """
        left = self.playing
        if not self._waiting and all(player.game.pieces >= self._round and player.decided for player in left):
            self._round = 1 + max((player.game.pieces for player in left), default=0)
            self._waiting = list(left)
        begin = 1 if self.speed <= SLIDES_UP_TO else len(self._waiting)
        for player in self._waiting[:begin]:
            player.place_next()
        del self._waiting[:begin]

    def think(self, aloud: bool) -> None:
        """Let agents tell what they consider, or not."""
        for player in self.players:
            if isinstance(player, AgentPlayer):
                player.seat.best = CONSIDERED if aloud else 0

    def close(self) -> list[str]:
        """End it and keep all games; gives back what a person should know."""
        for player in self.players:
            player.close()
        return [told for player in self.players if (told := player.keep())]

    # The pieces that all get.

    def pieces(self, first: int, count: int) -> list[str]:
        """So many pieces from a number on, counted from 0; an empty text for those that nobody may see yet."""
        game = max((player.game for player in self.players), key=lambda game: game.pieces + len(game.next))
        made, placed, known = game.placements_made, game.pieces, game.piece + game.next
        numbers = range(first, first + count)
        return [made[n].piece if n < placed else known[n - placed : n - placed + 1] for n in numbers]

    @property
    def first_piece(self) -> int:
        """The number of the piece that whoever is slowest has in play."""
        return min(player.game.pieces for player in self.playing or self.players)


# In words.


def capital(name: str) -> str:
    """A name at the beginning of a sentence: agents keep theirs as one types it."""
    return "You" if name == PERSON else name


def lead_words(players: Sequence[Player]) -> str:
    """Who leads by how many points."""
    first, second = sorted(players, key=lambda player: -player.game.score)[:2]
    ahead = first.game.score - second.game.score
    if not ahead:
        level = [player for player in players if player.game.score == first.game.score]
        who = "Level" if len(level) == len(players) else f"{len(level)} are level"
        return f"{who} at {counted(first.game.score, 'point')}"
    return f"{capital(first.name)} {'lead' if first.person else 'leads'} by {counted(ahead, 'point')}"


def result_words(match: Match) -> tuple[str, list[str]]:
    """How a match has ended: a headline, and the rest."""
    first, second, *_ = ranking = match.ranking
    lines = f"{counted(first.game.lines, 'line')} to {second.game.lines:,}"
    everybody = [f"{capital(player.name)} {player.game.score:,}" for player in ranking]
    told = [" · ".join(everybody)] if len(ranking) > FEWEST else []
    if first.standing == second.standing:
        alike = [capital(player.name) for player in ranking if player.standing == first.standing]
        who = " and ".join([", ".join(alike[:-1]), alike[-1]])
        return "A draw", [
            f"{who} have {counted(first.game.score, 'point')} and {counted(first.game.lines, 'line')}.",
            *told,
        ]
    wins = f"{capital(first.name)} {'win' if first.person else 'wins'}"
    if ahead := first.game.score - second.game.score:
        return f"{wins} by {counted(ahead, 'point')}", [f"{lines}.", *told]
    by_lines = counted(first.game.lines - second.game.lines, "line")
    return f"{wins} by {by_lines}", [f"{lines}, with {counted(first.game.score, 'point')} each.", *told]
