"""Small games for the screens that show what was kept."""

from pathlib import Path
from random import Random

from tetrion import Game, Replay, load_agent
from tetrion.agents import WeightedAgent
from tetrion.app.game_storage import get_replay_folder, save_game


def play_agent_game(name: str = "dellacherie", rules: str = "standard", pieces: int = 40, seed: int = 3) -> Game:
    agent, game = load_agent(name), Game(rules, seed=seed)
    assert isinstance(agent, WeightedAgent)
    game.play(agent.get_engine_settings(game.rules), pieces)
    return game


def play_random_game(pieces: int = 30) -> Game:
    game, random = Game("standard", seed=5), Random(3)
    while not game.is_over and game.pieces < pieces:
        game.place(random.choice(game.placements()))
    return game


def play_random_keys(rules: str = "nes", actions: int = 300, seed: int = 5) -> Game:
    game, random = Game(rules, seed=seed), Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        getattr(game, random.choice(["press", "press", "key_down", "key_up"]))(
            random.choice(game.rules.keys.split("+"))
        )
        game.tick(random.randrange(40))
    return game


def save_game_file(game: Game, player: str) -> Path:
    path, told = save_game(game, player)
    assert path is not None, told
    return path


def write_replay_file(name: str, content: str) -> Path:
    """A file among the games that are kept."""
    get_replay_folder().mkdir(parents=True, exist_ok=True)
    path = get_replay_folder() / f"{name}.json"
    path.write_text(content, encoding="utf-8")
    return path


def make_replay(game: Game, player: str = "you") -> Replay:
    return Replay.from_game(game, player)
