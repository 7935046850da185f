"""Saved games and best results on disk."""

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tetrion.app.games.human_rules import MARATHON, GameMode, reset_handling
from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.replay import Replay
from tetrion.user_folders import describe_save_error, get_data_folder, rename_damaged_file

BEST_SCORES_FILE = "best-scores.json"
HUMAN_PLAYER = "you"
_MAX_SCORES_PER_RULES = 10
MAX_REPLAYS = 2000  # the oldest files are deleted
MIN_UNFINISHED_AGENT_PIECES = 10  # shorter games of agents are saved only if they have ended
_MAX_TITLE_BYTES = 60  # of the rules and the player in the name of a file


class BestScore(NamedTuple):
    """The result of a human player's game; `date` is YYYY-MM-DD."""

    score: int
    lines: int
    pieces: int
    date: str
    seconds: float


def get_replay_folder() -> Path:
    """Return the folder of saved games."""
    return get_data_folder() / "replays"


def get_runs_folder() -> Path:
    """Return the folder of training runs that were started in the window."""
    return get_data_folder() / "runs"


def list_run_folders(file_name: str) -> list[Path]:
    """Return the runs of the window and of the current folder that have a file of that name, newest first."""
    dated_folders: list[tuple[float, str]] = []
    for parent in (get_runs_folder(), Path("runs")):  # the default of `tetrion train`
        with suppress(OSError), os.scandir(parent) as entries:
            for entry in entries:
                with suppress(OSError):  # it may have been deleted
                    dated_folders.append((Path(entry.path, file_name).stat().st_mtime, entry.path))
    return [Path(folder) for _, folder in sorted(dated_folders, reverse=True)]


def should_save(game: Game, player: str) -> bool:
    """Return whether a game is saved: it needs placements, and an agent's unfinished game several of them."""
    if not game.pieces or game.starts_from_position:
        return False
    return player == HUMAN_PLAYER or game.is_over or game.pieces >= MIN_UNFINISHED_AGENT_PIECES


def save_game(game: Game, player: str, mode: GameMode = MARATHON) -> tuple[Path | None, str]:
    """Save a game unless it is saved already; return its path and "", or None and an error message for the window.

    Games that `should_save` excludes have neither a path nor a message.
    """
    if not should_save(game, player):
        return None, ""
    folder = get_replay_folder()
    title = re.sub(r"[^\w.=-]+", "-", f"{game.rules.name} {player[:_MAX_TITLE_BYTES]}").strip("-")
    title = title.encode()[:_MAX_TITLE_BYTES].decode("utf-8", "ignore")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replay = Replay.from_game(game, player, "" if mode is MARATHON else mode.name)
        content = (json.dumps(replay.to_json(), indent=1) + "\n").encode()
        digest = hashlib.sha256(content).hexdigest()[:16]
        if saved_file := next(folder.glob(f"* {digest}.json"), None):
            return saved_file, ""
        path = folder / f"{datetime.now():%Y-%m-%d %H-%M-%S.%f} {title} {digest}.json"
        write_atomically(path, content)
        for old_file in list_replay_files()[MAX_REPLAYS:]:
            with suppress(OSError):  # it may be a folder
                old_file.unlink()
    except (OSError, TetrionError) as error:
        return None, describe_save_error("The game", folder, error)
    return path, ""


def list_replay_files() -> list[Path]:
    """Return the files of all saved games, newest first."""
    try:
        return sorted(get_replay_folder().glob("*.json"), reverse=True)
    except OSError:
        return []


# Best results.


def get_list_name(rules: Rules, mode: GameMode = MARATHON) -> str:
    """Return the name of the list of best results of a mode under rules, whatever handling the player chose."""
    return f"{'' if mode is MARATHON else mode.name} {reset_handling(rules)}".strip()


def load_best_scores() -> tuple[dict[str, list[BestScore]], str]:
    """Return the best results by the names of their lists, and an error message if they cannot be read, else ""."""
    path = get_data_folder() / BEST_SCORES_FILE
    try:
        content = read_data_file(path)
    except FileNotFoundError:
        return {}, ""
    except DataFileError as error:
        return {}, f"The best scores cannot be used: {error}"
    try:
        scores = {name: list(map(_parse_best_score, entries)) for name, entries in parse_json(content).items()}
    except (DataFileError, ValueError, TypeError, KeyError, AttributeError):
        renamed = rename_damaged_file(path)
        note = f" The old file was renamed to {renamed.name}." if renamed else ""
        return {}, f"The file of best scores is damaged, so a new one is started.{note}"
    return scores, ""


def _parse_best_score(entry: dict[str, Any]) -> BestScore:
    """Convert an entry of the best-scores file; raise ValueError if it is not a result."""
    score = BestScore(*(entry[name] for name in BestScore._fields))
    is_valid = all(type(number) is int and number >= 0 for number in score[:3])
    if not is_valid or not isinstance(score.date, str) or type(score.seconds) not in (int, float):
        raise ValueError(f"not a score: {entry!r}")
    return score


def select_best_scores(
    scores: Mapping[str, Sequence[BestScore]], rules: Rules, mode: GameMode = MARATHON
) -> list[BestScore]:
    """Return the best results of a mode under rules, the best one first."""
    entries = scores.get(get_list_name(rules, mode), [])
    return sorted(entries, key=lambda entry: _get_rank_key(entry, mode))[:_MAX_SCORES_PER_RULES]


def _get_rank_key(entry: BestScore, mode: GameMode) -> float:
    return entry.seconds if mode.ranks_times else -entry.score


def save_best_score(game: Game, mode: GameMode = MARATHON) -> tuple[int, str]:
    """Save the result of a finished game of a human player.

    Return its rank among the best, 0 if it is not among them, and an error message or "".
    """
    scores, message = load_best_scores()
    is_unreadable = bool(message) and (get_data_folder() / BEST_SCORES_FILE).exists()  # it must not be overwritten
    seconds = round(game.frames / game.rules.frames_per_second, 3)
    result = BestScore(game.score, game.lines, game.pieces, f"{datetime.now():%Y-%m-%d}", seconds)
    entries = select_best_scores(scores, game.rules, mode)
    rank = 1 + sum(_get_rank_key(other, mode) <= _get_rank_key(result, mode) for other in entries)
    if rank > _MAX_SCORES_PER_RULES or is_unreadable:
        return 0, message
    entries.insert(rank - 1, result)
    scores[get_list_name(game.rules, mode)] = entries[:_MAX_SCORES_PER_RULES]
    content = {name: [score._asdict() for score in best] for name, best in scores.items()}
    try:
        get_data_folder().mkdir(parents=True, exist_ok=True)
        write_atomically(get_data_folder() / BEST_SCORES_FILE, (json.dumps(content, indent=1) + "\n").encode())
    except OSError as error:
        return rank, describe_save_error("The best scores", get_data_folder(), error)
    return rank, message
