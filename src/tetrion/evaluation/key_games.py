"""Games of agents that press keys: in real time, a game after another."""

from tetrion.agents import RandomKeys
from tetrion.engine.play import CAPPED, PLAYING, Games
from tetrion.engine.rules import Rules
from tetrion.evaluation.watching import Watch
from tetrion.game import Game


def play_keys(
    games: Games,
    agent: RandomKeys,
    rules: Rules,
    seed: int,
    first: int,
    most_pieces: int,
    most_lines: int,
    progress: Watch | None = None,
) -> bool:
    """Play games number `first`, `first + 1`, … of a seed, in place; tells whether Ctrl-C stopped them."""
    Game(rules).tick()  # compiled or loaded before the games
    try:
        for number in range(len(games)):
            game = Game(rules, seed, first + number)
            agent.play(game, most_pieces, most_lines)
            games[number] = game.record()
            if games[number]["status"] == PLAYING:
                games[number]["status"] = CAPPED
            if progress:
                progress(games)
    except KeyboardInterrupt:
        return True
    return False
