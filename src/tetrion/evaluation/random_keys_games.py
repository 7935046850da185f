"""Games of agents that press keys: in real time, a game after another."""

from tetrion.agents import RandomKeysAgent
from tetrion.engine.batch_play import STATUS_CAPPED, STATUS_PLAYING, GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation.games_observer import GamesObserver
from tetrion.game import Game


def play_random_keys_games(
    games: GameRecords,
    agent: RandomKeysAgent,
    rules: Rules,
    seed: int,
    first: int,
    max_pieces: int,
    max_lines: int,
    on_progress: GamesObserver | None = None,
) -> bool:
    """Play games number `first`, `first + 1`, … of a seed, in place; tells whether Ctrl-C stopped them."""
    Game(rules).tick()  # compiled or loaded before the games
    try:
        for number in range(len(games)):
            game = Game(rules, seed, first + number)
            agent.play(game, max_pieces, max_lines)
            games[number] = game.copy_record()
            if games[number]["status"] == STATUS_PLAYING:
                games[number]["status"] = STATUS_CAPPED
            if on_progress:
                on_progress(games)
    except KeyboardInterrupt:
        return True
    return False
