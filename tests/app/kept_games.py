"""Small games for the screens that show what was kept."""

from pathlib import Path
from random import Random

from tetrion import Game, Replay, load
from tetrion.agents import DataAgent
from tetrion.app.shelf import keep_game, replay_folder


def by_agent(name: str = "dellacherie", rules: str = "standard", pieces: int = 40, seed: int = 3) -> Game:
    agent, game = load(name), Game(rules, seed=seed)
    assert isinstance(agent, DataAgent)
    game.play(agent.setting(game.rules), pieces)
    return game


def by_chance(pieces: int = 30) -> Game:
    game, random = Game("standard", seed=5), Random(3)
    while not game.over and game.pieces < pieces:
        game.place(random.choice(game.placements()))
    return game


def by_keys(rules: str = "nes", actions: int = 300, seed: int = 5) -> Game:
    game, random = Game(rules, seed=seed), Random(3)
    for _ in range(actions):
        if game.over:
            break
        getattr(game, random.choice(["press", "press", "hold", "release"]))(random.choice(game.rules.keys.split("+")))
        game.tick(random.randrange(40))
    return game


def kept(game: Game, player: str) -> Path:
    path, told = keep_game(game, player)
    assert path is not None, told
    return path


def written(name: str, content: str) -> Path:
    """A file among the games that are kept."""
    replay_folder().mkdir(parents=True, exist_ok=True)
    path = replay_folder() / f"{name}.json"
    path.write_text(content, encoding="utf-8")
    return path


def replay_of(game: Game, player: str = "you") -> Replay:
    return Replay.of(game, player)
