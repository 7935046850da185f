"""Games for replays: by agents, by chance, and by random keys in real time."""

from random import Random

from tetrion import Game, Replay, load_agent
from tetrion.agents import WeightedAgent


def by_agent(name: str, rules: str, pieces: int = 40) -> Replay:
    agent, game = load_agent(name), Game(rules, seed=3)
    assert isinstance(agent, WeightedAgent)
    while not game.is_over and game.pieces < pieces:
        game.place(agent.choose(game.position))
    return Replay.from_game(game, name)


def by_chance(rules: str, pieces: int = 60) -> Replay:
    game, random = Game(rules, seed=5, number=2), Random(3)
    while not game.is_over and game.pieces < pieces:
        game.place(random.choice(game.placements()))
    return Replay.from_game(game)


def by_keys(rules: str, actions: int = 600) -> Replay:
    game, random = Game(rules, seed=5), Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        getattr(game, random.choice(["press", "press", "key_down", "key_up"]))(
            random.choice(game.rules.keys.split("+"))
        )
        game.tick(random.randrange(40))
    return Replay.from_game(game, "keys")
