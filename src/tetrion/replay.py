"""A game written down: enough to play it again, and what it must lead to, so that a difference is noticed and named."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tetrion.board import Placement
from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import RULES_VERSION, Rules
from tetrion.errors import ReplayError, TetrionError
from tetrion.game import Game

REPLAY_FORMAT = 1
MAX_REPLAY_BYTES = 100_000_000  # bytes
MAX_REPLAY_FRAMES = 10**9  # frames; eleven days at a thousand a second
EVENT_ACTIONS = {"press": Game.press, "keydown": Game.key_down, "keyup": Game.key_up}
_FORMER_ACTIONS = {"hold": "keydown", "release": "keyup"}  # words of earlier versions
RESULT_FIELDS = ("pieces", "lines", "score", "frames", "over")
REPLAY_FILE_KEYS = ("format", "rules", "rules_version", "seed", "game", "agent", "placements", "keys", "result")

GameEvent = tuple[int, str, str]  # the frame, what is done, and with which key or placement


@dataclass(frozen=True)
class Replay:
    """A game that can be played again: rules, seed, who played, every placement, and the keys if it was in real time.

    A replay that is loaded has been played to its end, and everything in it was found to be so.
    """

    rules: Rules
    seed: int
    number: int
    agent: str | None
    placements: tuple[Placement, ...]
    key_events: tuple[GameEvent, ...] | None
    result: Mapping[str, int | bool]

    @classmethod
    def from_game(cls, game: Game, agent: str | None = None) -> "Replay":
        """What has happened in a game so far."""
        if not isinstance(game, Game) or not isinstance(agent, str | None):
            raise ReplayError(f"A replay is of a Game, and an agent's name is a text; given {game!r} and {agent!r}.")
        if game.starts_from_position:
            raise ReplayError("A replay begins with an empty board; this game began from a made-up position.")
        keys = tuple(game.events) if game.is_real_time else None
        result = get_result(game)
        return cls(game.rules, game.seed, game.number, agent, tuple(game.placements_made), keys, result)

    def play(self, placement_count: int | None = None) -> Game:
        """The game after so many of its placements, or all of it; it can be gone on with.

        A `ReplayError` names the first move that comes out differently.
        """
        wanted = len(self.placements) if placement_count is None else placement_count
        if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= len(self.placements):
            raise ReplayError(f"The replay has {len(self.placements)} moves; asked for {placement_count!r}.")
        game = Game(self.rules, self.seed, self.number)
        for _ in self.play_steps(game):
            if wanted <= game.pieces and wanted < len(self.placements):
                break
        return game

    def play_steps(self, game: Game) -> Iterator[None]:
        """Let everything happen in a new game that has happened in this one: halts before it, and after each of it.

        A `ReplayError` names the first move that comes out differently, or what the end differs in.
        """
        yield
        for number, placement in enumerate(self.placements if self.key_events is None else (), 1):
            self._repeat_placement(game, number, placement)
            yield
        for event in self.key_events or ():
            yield from self._wait_until(game, event[0])
            self._repeat_event(game, event)
            yield
        if self.key_events is not None:
            yield from self._wait_until(game, int(self.result["frames"]))
        self._compare_result(game)

    def _repeat_placement(self, game: Game, number: int, placement: Placement) -> None:
        if game.is_over:
            raise ReplayError(f"Move {number} differs: the game was over after {game.pieces} pieces.")
        if placement.piece != game.piece:
            raise ReplayError(f"Move {number} differs: it places {placement.piece}, the game deals {game.piece}.")
        try:
            game.place(placement)
        except TetrionError as mistake:
            raise ReplayError(f"Move {number} differs: {mistake}") from None

    def _repeat_event(self, game: Game, event: GameEvent) -> None:
        before, (frame, action, what) = game.pieces, event
        if game.frames > frame:
            raise ReplayError(f"Move {before + 1} differs: a key at frame {frame} comes after frame {game.frames}.")
        try:
            repeat_event(game, event)
        except TetrionError as mistake:
            raise ReplayError(f"Move {game.pieces + 1} differs: at frame {frame}, {action} {what}: {mistake}") from None
        self._compare_placements(game, before)

    def _wait_until(self, game: Game, frame: int) -> Iterator[None]:
        while game.frames < frame and not game.is_over:
            before = game.pieces
            game.tick_until_lock(frame - game.frames)
            self._compare_placements(game, before)
            yield

    def _compare_placements(self, game: Game, before: int) -> None:
        new = game.pieces - before
        for number, made in enumerate(game.placements_made[-new:] if new else (), before + 1):
            if number > len(self.placements):
                raise ReplayError(f"Move {number} differs: {made} was made, and the replay has no such move.")
            if made != self.placements[number - 1]:
                raise ReplayError(
                    f"Move {number} differs: {made} was made, the replay says {self.placements[number - 1]}."
                )

    def _compare_result(self, game: Game) -> None:
        if game.pieces < len(self.placements):
            missing = self.placements[game.pieces]
            raise ReplayError(f"Move {game.pieces + 1} differs: the replay says {missing}, and nothing was placed.")
        for name, actual in get_result(game).items():
            if actual != self.result[name]:
                raise ReplayError(
                    f"All moves are the same, but {name} is {actual}; the replay says {self.result[name]}."
                )

    def to_json(self) -> dict[str, Any]:
        """What a file holds."""
        content: dict[str, Any] = {
            "format": REPLAY_FORMAT,
            "rules": str(self.rules),
            "rules_version": RULES_VERSION,
            "seed": self.seed,
            "game": self.number,
            "agent": self.agent,
            "placements": [f"{p.piece} {p.rotation} {p.column} {p.row}" for p in self.placements],
        }
        if self.key_events is not None:
            content["keys"] = [f"{frame} {action} {what}" for frame, action, what in self.key_events]
        return content | {"result": dict(self.result)}

    def save(self, file: str | Path) -> None:
        """Write it as JSON."""
        try:
            Path(file).write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")
        except OSError as problem:
            raise ReplayError(f"{file} cannot be written: {problem.strerror}.") from None

    @classmethod
    def load(cls, file: str | Path) -> "Replay":
        """Read a replay and play it through; a `ReplayError` says what is wrong with it."""
        with add_file_to_errors(file):
            replay = cls.load_unverified(file)
            replay.play()
            return replay

    @classmethod
    def load_unverified(cls, file: str | Path) -> "Replay":
        """Read a replay, for whoever plays it through then, by `course`."""
        with Path(file).open("rb") as opened:
            content = opened.read(MAX_REPLAY_BYTES + 1)
        if len(content) > MAX_REPLAY_BYTES:
            raise ReplayError(f"a replay has at most {MAX_REPLAY_BYTES:,} bytes; this is longer.")
        return parse_replay(json.loads(content.decode("utf-8-sig")))


@contextmanager
def add_file_to_errors(file: str | Path) -> Iterator[None]:
    """Let whatever is wrong with a replay's file be a `ReplayError` that names the file."""
    try:
        yield
    except OSError as problem:
        raise ReplayError(f"{file} cannot be read: {problem.strerror}.") from None
    except ReplayError as mistake:
        raise ReplayError(f"{file}: {mistake}") from None
    except (ValueError, RecursionError) as problem:
        raise ReplayError(f"{file}: this is no replay: {problem}") from None


def get_result(game: Game) -> dict[str, int | bool]:
    """Return the numbers that a replay's game must end with."""
    return {
        "pieces": game.pieces,
        "lines": game.lines,
        "score": game.score,
        "frames": game.frames,
        "over": game.is_over,
    }


def repeat_event(game: Game, event: GameEvent) -> None:
    """Do again in a game what was noted, now, whatever its frame."""
    _, action, what = event
    if action == "place":
        game.place(_parse_placement(f"{game.piece} {what}", game.rules))
    else:
        EVENT_ACTIONS[action](game, what)


def parse_replay(content: object) -> Replay:
    """The replay that a file's content describes, not yet played."""
    if not isinstance(content, Mapping):
        raise ReplayError(f"a replay is an object with rules, seed and placements; given {type(content).__name__}.")
    for key in REPLAY_FILE_KEYS:
        if key not in content and key not in ("keys", "agent"):
            raise ReplayError(f'"{key}" is missing.')
    if unknown := [key for key in content if key not in REPLAY_FILE_KEYS]:
        raise ReplayError(f'"{unknown[0]}" is unknown; a replay has {", ".join(REPLAY_FILE_KEYS)}.')
    if content["format"] != REPLAY_FORMAT or isinstance(content["format"], bool):
        raise ReplayError(f'"format" is {REPLAY_FORMAT}; given {content["format"]!r}. A newer Tetrion may read it.')
    if content["rules_version"] != RULES_VERSION or isinstance(content["rules_version"], bool):
        raise ReplayError(
            f"it was made by version {content['rules_version']!r} of the rules; this is version {RULES_VERSION}."
        )
    rules = Rules.parse(content["rules"])
    return Replay(
        rules,
        _parse_integer(content, "seed"),
        _parse_integer(content, "game"),
        _parse_agent_name(content),
        tuple(_parse_placement(text, rules) for text in _parse_texts(content, "placements")),
        tuple(_parse_event(text) for text in _parse_texts(content, "keys")) if "keys" in content else None,
        _parse_result(content["result"]),
    )


def _parse_integer(content: Mapping[str, Any], key: str) -> int:
    value = content[key]
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplayError(f'"{key}" is a whole number; given {value!r}.')
    return value


def _parse_agent_name(content: Mapping[str, Any]) -> str | None:
    agent = content.get("agent")
    if agent is not None and not isinstance(agent, str):
        raise ReplayError(f'"agent" is a name or null; given {agent!r}.')
    return agent


def _parse_texts(content: Mapping[str, Any], key: str) -> list[str]:
    texts = content[key]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ReplayError(f'"{key}" is a list of texts; given {texts!r:.80}.')
    return texts


def _parse_placement(text: str, rules: Rules) -> Placement:
    parts = text.split()
    if len(parts) != 4 or parts[0] not in PIECES or not all(part.isascii() and part.isdigit() for part in parts[1:]):
        raise ReplayError(f"a placement is piece, rotation, column and row, as in 'T 0 3 0'; given '{text}'.")
    return Placement(parts[0], int(parts[1]), int(parts[2]), int(parts[3]), rules.rotation)


def _parse_event(text: str) -> GameEvent:
    frame, _, rest = text.partition(" ")
    action, _, what = rest.partition(" ")
    action = _FORMER_ACTIONS.get(action, action)
    known = action == "place" or (action in EVENT_ACTIONS and what in GAME_KEYS)
    if not (frame.isascii() and frame.isdigit() and int(frame) <= MAX_REPLAY_FRAMES and known):
        raise ReplayError(f"an entry of keys is frame, action and key, as in '12 press left'; given '{text}'.")
    return int(frame), action, what


def _parse_result(result: object) -> dict[str, int | bool]:
    if not isinstance(result, Mapping) or set(result) != set(RESULT_FIELDS):
        raise ReplayError(f'"result" has {", ".join(RESULT_FIELDS)}; given {result!r:.80}.')
    if not isinstance(result["over"], bool) or not 0 <= _parse_integer(result, "frames") <= MAX_REPLAY_FRAMES:
        raise ReplayError(
            f'"result" has counts up to {MAX_REPLAY_FRAMES:,}, and over as true or false; given {result!r:.80}.'
        )
    return dict(result)
