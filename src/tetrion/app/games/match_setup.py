"""The rules and player names of a match, checked before the window opens."""

from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.app.agent_code import check_agent_code
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES
from tetrion.engine.randomisers import ADVERSARY, Randomiser
from tetrion.engine.rules import Rules
from tetrion.errors import RulesError, TetrionError
from tetrion.text_cleaning import number_duplicate_names

MIN_PLAYERS = 2
MAX_PLAYERS = 4


class MatchSetup(NamedTuple):
    """The rules of a match and the name of each player."""

    rules: Rules
    names: tuple[str, ...]


def make_match_setup(players: Sequence[str], rules: str = "") -> MatchSetup:
    """Return the setup of a match under the given rules, or those that all agents were made for.

    If no agent was made for any rules, a match with a human player has the default rules of human players.
    Raise a TetrionError if the players cannot play against each other.
    """
    if not MIN_PLAYERS <= len(players) <= MAX_PLAYERS:
        count = len(players) or "none"
        raise TetrionError(f"A match needs two to four players, such as {HUMAN_PLAYER} and lee; given {count}.")
    if list(players).count(HUMAN_PLAYER) > 1:
        raise TetrionError(f"Only one human player can take part; give '{HUMAN_PLAYER}' only once.")
    agents = {player: load_match_agent(player) for player in players if player != HUMAN_PLAYER}
    if HUMAN_PLAYER in players and not rules and not any(agent.rules for agent in agents.values()):
        rules = DEFAULT_PLAY_RULES
    match_rules = choose_rules(list(agents.values()), rules)
    if Randomiser(match_rules.randomiser).parse_name()[0] == ADVERSARY:
        raise RulesError(
            "randomiser=adversary chooses pieces depending on the board, so players cannot share its pieces. Use "
            "another randomiser, such as bag."
        )
    for agent in agents.values():
        agent.check_rules(match_rules)
    if HUMAN_PLAYER in players and match_rules.gravity == 0 and match_rules.lock_keys == "none":
        raise RulesError(
            f"Under {match_rules} pieces do not fall and no key locks them, so a human player cannot place a piece. "
            "Use rules with gravity, or with lock_keys other than none."
        )
    names = [HUMAN_PLAYER if player == HUMAN_PLAYER else agents[player].name for player in players]
    return MatchSetup(match_rules, tuple(number_duplicate_names(names)))


def load_match_agent(name: str) -> Agent:
    """Load an agent whose code, if it has any, the user has allowed."""
    check_agent_code(name)
    return load_agent(name)
