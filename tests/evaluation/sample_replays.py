"""Replays for tests: of agents, of random placements, and of random keys in real time."""

from random import Random

from tetrion import Game, Replay, load_agent
from tetrion.agents import WeightedAgent


def record_agent_game(name: str, rules: str, pieces: int = 40) -> Replay:
    agent = load_agent(name)
    game = Game(rules, seed=3)
    assert isinstance(agent, WeightedAgent)
    while not game.is_over and game.pieces < pieces:
        game.place(agent.choose(game.position))
    return Replay.from_game(game, name)


def record_random_game(rules: str, pieces: int = 60) -> Replay:
    game = Game(rules, seed=5, number=2)
    random = Random(3)
    while not game.is_over and game.pieces < pieces:
        game.place(random.choice(game.placements()))
    return Replay.from_game(game)


def record_key_game(rules: str, actions: int = 600) -> Replay:
    game = Game(rules, seed=5)
    random = Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        action = random.choice([game.press, game.press, game.key_down, game.key_up])
        action(random.choice(game.rules.keys))
        game.tick(random.randrange(40))
    return Replay.from_game(game, "keys")
