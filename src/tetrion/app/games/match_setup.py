"""Who can meet in a match, and by which rules: known before a window opens."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import PythonAgent, WeightedAgent, load_agent
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.engine.randomisers import ADVERSARY, Randomiser
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, RulesError, TetrionError

MIN_PLAYERS, MAX_PLAYERS = 2, 4


class MatchSetup(NamedTuple):
    """What players have agreed on: the rules, and what each of them is called."""

    rules: Rules
    names: tuple[str, ...]


def make_match_setup(players: Sequence[str], rules: str = "") -> MatchSetup:
    """A match by the rules given, or those of the first agent that has some; or the error why there can be none."""
    if not MIN_PLAYERS <= len(players) <= MAX_PLAYERS:
        given = len(players) or "none"
        raise TetrionError(f"A match has two to four players, such as {HUMAN_PLAYER} and lee; given {given}.")
    if list(players).count(HUMAN_PLAYER) > 1:
        raise TetrionError(f"One person can play, since there is one keyboard; '{HUMAN_PLAYER}' stands there twice.")
    agents = {player: load_agent(player) for player in players if player != HUMAN_PLAYER}
    own = [agent.rules for agent in agents.values() if not isinstance(agent, PythonAgent) and agent.rules]
    chosen = Rules.parse(rules or next(iter(own), "standard"))
    if Randomiser(chosen.randomiser).parse_name()[0] == ADVERSARY:
        raise RulesError(
            "randomiser=adversary looks at a board before it deals, so players cannot share its pieces. Take another "
            "one, such as bag."
        )
    for agent in agents.values():
        if isinstance(agent, WeightedAgent) and agent.depth > 1 + chosen.preview:
            raise AgentError(
                f"{agent.name} looks at {agent.depth} pieces, and under {chosen} {1 + chosen.preview} can be seen. "
                f"Take rules with preview={agent.depth - 1}, as in {chosen.name}:preview={agent.depth - 1}."
            )
    if HUMAN_PLAYER in players and chosen.gravity == 0 and chosen.lock_keys == "none":
        raise RulesError(f"Under {chosen} nothing falls and no key locks a piece, so a person cannot place any.")
    return MatchSetup(
        chosen,
        number_duplicate_names([HUMAN_PLAYER if player == HUMAN_PLAYER else agents[player].name for player in players]),
    )


def number_duplicate_names(names: Sequence[str]) -> tuple[str, ...]:
    """What players are called: those that take part more than once are counted."""
    known: Counter[str] = Counter()
    told = []
    for name in names:
        known[name] += 1
        told.append(name if known[name] == 1 else f"{name} ({known[name]})")
    return tuple(told)
