"""Short games and replay files for tests of the screens."""

from pathlib import Path
from random import Random

from tetrion import Game
from tetrion.agents import load_weighted_agent
from tetrion.app.game_storage import get_replay_folder, save_game


def play_agent_game(name: str = "dellacherie", rules: str = "standard", pieces: int = 40, seed: int = 3) -> Game:
    game = Game(rules, seed=seed)
    game.play(load_weighted_agent(name), pieces)
    return game


def play_random_game(pieces: int = 30) -> Game:
    game = Game("standard", seed=5)
    random = Random(3)
    while not game.is_over and game.pieces < pieces:
        game.place(random.choice(game.placements()))
    return game


def play_random_keys(rules: str = "nes", actions: int = 300, seed: int = 5) -> Game:
    game = Game(rules, seed=seed)
    random = Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        method = getattr(game, random.choice(["press", "press", "key_down", "key_up"]))
        method(random.choice(game.rules.keys))
        game.tick(random.randrange(40))
    return game


def save_game_file(game: Game, player: str) -> Path:
    path, message = save_game(game, player)
    assert path is not None, message
    return path


def write_replay_file(name: str, content: str) -> Path:
    """Write a file into the folder of saved games."""
    get_replay_folder().mkdir(parents=True, exist_ok=True)
    path = get_replay_folder() / f"{name}.json"
    path.write_text(content, encoding="utf-8")
    return path
