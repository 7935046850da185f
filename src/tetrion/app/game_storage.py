"""Games that were played, and the best of them: kept on disk as soon as they end."""

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tetrion.app.user_folders import get_data_folder, rename_damaged_file
from tetrion.atomic_files import write_atomically
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.replay import Replay

BEST_SCORES_FILE = "best-scores.json"
_REPLAYS_FOLDER = "replays"
_RUNS_FOLDER = "runs"
HUMAN_PLAYER = "you"
_MAX_SCORES_PER_RULES = 10  # of each rule set
MAX_REPLAYS = 2000  # files; the oldest go first


@dataclass(frozen=True)
class BestScore:
    """A person's result."""

    score: int
    lines: int
    pieces: int
    date: str


def get_replay_folder() -> Path:
    """Where games are."""
    return get_data_folder() / _REPLAYS_FOLDER


def get_run_folder() -> Path:
    """Where runs of training that the window began are."""
    return get_data_folder() / _RUNS_FOLDER


def save_game(game: Game, player: str) -> tuple[Path | None, str]:
    """Keep a game; gives back where, and what a person should know if that failed."""
    if not game.pieces or game.starts_from_position:
        return None, ""
    folder = get_replay_folder()
    words = re.sub(r"[^\w.=-]+", "-", f"{game.rules.name} {player}").strip("-")[:60]
    path = folder / f"{datetime.now():%Y-%m-%d %H-%M-%S.%f} {words}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps(Replay.from_game(game, player).to_json(), indent=1) + "\n"
        write_atomically(path, content.encode())
        for old in list_replay_files()[MAX_REPLAYS:]:
            old.unlink(missing_ok=True)
    except (OSError, TetrionError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        return None, f"The game cannot be kept: {reason}."
    return path, ""


def list_replay_files() -> list[Path]:
    """All games that are kept, the newest first."""
    try:
        return sorted(get_replay_folder().glob("*.json"), reverse=True)
    except OSError:
        return []


def load_best_scores() -> tuple[dict[str, list[BestScore]], str]:
    """The best scores by rules, and what a person should know if they could not be read."""
    path = get_data_folder() / BEST_SCORES_FILE
    try:
        content = json.loads(path.read_text("utf-8"))
        return {
            _update_rules_text(rules): [parse_best_score(entry) for entry in entries]
            for rules, entries in content.items()
        }, ""
    except FileNotFoundError:
        return {}, ""
    except OSError as problem:
        return {}, f"The best scores cannot be read: {problem.strerror}."
    except (ValueError, TypeError, KeyError, AttributeError):
        kept = rename_damaged_file(path)
        where = f" The file is kept as {kept.name}." if kept else ""
        return {}, f"The best scores were damaged, so they begin anew.{where}"


def _update_rules_text(text: str) -> str:
    """Return rules as this version writes them; rules that it does not know stay as they are."""
    try:
        return str(Rules.parse(text))
    except TetrionError:
        return text


def parse_best_score(entry: dict[str, Any]) -> BestScore:
    """A score as a file has it."""
    score = BestScore(entry["score"], entry["lines"], entry["pieces"], entry["date"])
    numbers = score.score, score.lines, score.pieces
    if not all(type(number) is int and number >= 0 for number in numbers) or not isinstance(score.date, str):
        raise ValueError(f"this is no score: {entry!r}")
    return score


def save_best_score(game: Game) -> tuple[int, str]:
    """Keep a person's result; gives back its place among the best (0 if it is none), and what went wrong."""
    scores, told = load_best_scores()
    unread = bool(told) and (get_data_folder() / BEST_SCORES_FILE).exists()  # it must not be written over
    mine = BestScore(game.score, game.lines, game.pieces, f"{datetime.now():%Y-%m-%d}")
    entries = scores.get(str(game.rules), [])
    place = 1 + sum(other.score >= mine.score for other in entries)
    if place > _MAX_SCORES_PER_RULES or not mine.score or unread:
        return 0, told
    entries.insert(place - 1, mine)
    scores[str(game.rules)] = entries[:_MAX_SCORES_PER_RULES]
    content = {rules: [asdict(score) for score in best] for rules, best in scores.items()}
    try:
        get_data_folder().mkdir(parents=True, exist_ok=True)
        write_atomically(get_data_folder() / BEST_SCORES_FILE, (json.dumps(content, indent=1) + "\n").encode())
    except OSError as problem:
        return place, f"The best scores cannot be kept: {problem.strerror}."
    return place, told
