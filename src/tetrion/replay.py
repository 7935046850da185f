"""A saved game that can be played again, with its expected result so that any difference is detected."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tetrion.atomic_files import write_atomically
from tetrion.board import NO_SPIN_NAME, Placement
from tetrion.data_files import DataFileError, parse_json, read_data_file
from tetrion.engine.pieces import PIECES
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.records import GAME_KEYS
from tetrion.engine.rules import Rules
from tetrion.errors import ReplayError, TetrionError, describe_value
from tetrion.game import Game, GameEvent, format_placement, tick_until_lock, validate_game_number
from tetrion.notebook_display import render_html_table
from tetrion.text_cleaning import clean_name

REPLAY_FORMAT = 1
MAX_REPLAY_BYTES = 100_000_000
MAX_REPLAY_FRAMES = 10**8  # 28 hours at 1000 frames per second, 19 days at 60
_MAX_REPLAY_VALUES = 4_000_000  # placements and key events
_MAX_DIGITS = 10  # of a number in a placement or a key event
_PLACEMENT = re.compile(
    rf"(?P<piece>[{PIECES}]) (?P<rotation>[0-9]{{1,{_MAX_DIGITS}}}) (?P<column>[0-9]{{1,{_MAX_DIGITS}}}) "
    rf"(?P<row>[0-9]{{1,{_MAX_DIGITS}}})(?: (?P<spin>mini|full))?(?P<hold> hold)?"
)
EVENT_ACTIONS = {"press": Game.press, "keydown": Game.key_down, "keyup": Game.key_up}
RESULT_FIELDS = ("pieces", "lines", "score", "frames", "over")
REPLAY_FILE_KEYS = ("format", "rules", "rules_version", "seed", "game", "agent", "mode", "placements", "keys", "result")
_OPTIONAL_KEYS = ("agent", "mode", "keys")


@dataclass(frozen=True)
class Replay:
    """A saved game: rules, seed, player, every placement, and the key events if it was played in real time.

    `mode` is the name of the goal that a person had, such as "sprint"; it does not change the game.

    `Replay.load` plays a replay to its end and verifies every placement and the result.

    >>> game = Game("nes", seed=7)
    >>> game.play("dellacherie", pieces=20)
    20
    >>> replay = Replay.from_game(game, agent="dellacherie")
    >>> replay.play(10).pieces, replay.play().board == game.board
    (10, True)
    """

    rules: Rules
    seed: int
    number: int
    agent: str | None
    placements: tuple[Placement, ...]
    key_events: tuple[GameEvent, ...] | None
    result: Mapping[str, int | bool]
    mode: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise ReplayError(f"A replay needs Rules, such as Rules('nes'); given {describe_value(self.rules)}.")
        validate_seed(self.seed)
        validate_game_number(self.number)
        if not isinstance(self.agent, str | None) or not isinstance(self.mode, str):
            given = f"{describe_value(self.agent)} and {describe_value(self.mode)}"
            raise ReplayError(
                f"The agent and the mode of a replay must be texts, the agent may be None; given {given}."
            )
        object.__setattr__(self, "agent", None if self.agent is None else clean_name(self.agent))
        object.__setattr__(self, "mode", clean_name(self.mode))
        self._check_moves()
        types = {name: type(value) for name, value in self.result.items()} if isinstance(self.result, Mapping) else {}
        if types != dict.fromkeys(RESULT_FIELDS, int) | {"over": bool}:
            raise ReplayError(
                f"The result of a replay must have {', '.join(RESULT_FIELDS)}, all whole numbers but the last, which "
                f"is True or False; given {describe_value(self.result)}."
            )

    def _check_moves(self) -> None:
        """Raise an error if the placements or the key events have another type."""
        placements, events = self.placements, self.key_events
        if not isinstance(placements, tuple) or not all(isinstance(placement, Placement) for placement in placements):
            raise ReplayError(f"The placements of a replay must be a tuple; given {describe_value(placements)}.")
        if events is not None and not (isinstance(events, tuple) and all(map(_is_event, events))):
            raise ReplayError(
                "The key events of a replay must be a tuple of (frame, action, key or placement), or None; given "
                f"{describe_value(events)}."
            )

    @classmethod
    def from_game(cls, game: Game, agent: str | None = None, mode: str = "") -> "Replay":
        """Create a replay of everything that has happened in a game so far."""
        if not isinstance(game, Game) or not isinstance(agent, str | None):
            raise ReplayError(
                "Expected a Game and the name of an agent as text; given "
                f"{describe_value(game)} and {describe_value(agent)}."
            )
        if game.starts_from_position:
            raise ReplayError("A replay must start with an empty board; this game was started from a position.")
        has_events = game.is_real_time or game.rules.movement == "steered"  # whose placements are targets
        keys = tuple(game.events) if has_events else None
        result = get_result(game)
        return cls(game.rules, game.seed, game.number, agent, tuple(game.placements_made), keys, result, mode)

    def play(self, placement_count: int | None = None) -> Game:
        """Play the replay and return the game after `placement_count` placements (default: all), ready to continue.

        Raise a `ReplayError` that names the first move, or the part of the result, that differs.
        """
        wanted = len(self.placements) if placement_count is None else placement_count
        if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= len(self.placements):
            raise ReplayError(
                f"placement_count must be from 0 to {len(self.placements)}; given {describe_value(placement_count)}."
            )
        game = Game(self.rules, self.seed, self.number)
        for _ in self.play_steps(game):
            if wanted <= game.pieces and wanted < len(self.placements):
                break
        return game

    def play_steps(self, game: Game) -> Iterator[None]:
        """Repeat every action of the replay in a new game, yielding before the first one and after each.

        Raise a `ReplayError` that names the first move, or the part of the result, that differs.
        """
        yield
        for number, placement in enumerate(self.placements if self.key_events is None else (), 1):
            self._repeat_placement(game, number, placement)
            yield
        for event in self.key_events or ():
            yield from self._wait_until(game, event.frame)
            self._repeat_event(game, event)
            yield
        if self.key_events is not None:
            yield from self._wait_until(game, int(self.result["frames"]))
        self._compare_result(game)

    def _repeat_placement(self, game: Game, number: int, placement: Placement) -> None:
        if game.is_over:
            raise ReplayError(f"Move {number} differs: the game is already over after {game.pieces} pieces.")
        piece = get_piece_to_place(game, placement.hold)
        if placement.piece != piece:
            raise ReplayError(
                f"Move {number} differs: the replay has the piece {placement.piece}, but the game has {piece}."
            )
        try:
            game.place(placement)
        except TetrionError as error:
            raise ReplayError(f"Move {number} differs: {error}") from None

    def _repeat_event(self, game: Game, event: GameEvent) -> None:
        before = game.pieces
        frame, action, argument = event
        if game.frames > frame:
            raise ReplayError(
                f"Move {before + 1} differs: its key event is at frame {frame}, but the game is at frame {game.frames}."
            )
        try:
            repeat_event(game, event)
        except TetrionError as error:
            raise ReplayError(
                f"Move {game.pieces + 1} differs: at frame {frame}, {action} {argument}: {error}"
            ) from None
        self._compare_placements(game, before)

    def _wait_until(self, game: Game, frame: int) -> Iterator[None]:
        while game.frames < frame and not game.is_over:
            before = game.pieces
            tick_until_lock(game, frame - game.frames)
            self._compare_placements(game, before)
            yield

    def _compare_placements(self, game: Game, before: int) -> None:
        new = game.pieces - before
        for number, actual in enumerate(game.placements_made[-new:] if new else (), before + 1):
            if number > len(self.placements):
                raise ReplayError(f"Move {number} differs: the game has {actual}, but the replay has no further move.")
            if actual != self.placements[number - 1]:
                raise ReplayError(
                    f"Move {number} differs: the replay has {self.placements[number - 1]}, but the game has {actual}."
                )

    def _compare_result(self, game: Game) -> None:
        if game.pieces < len(self.placements):
            missing = self.placements[game.pieces]
            raise ReplayError(f"Move {game.pieces + 1} differs: the replay has {missing}, but nothing was placed.")
        for name, actual in get_result(game).items():
            if actual != self.result[name]:
                raise ReplayError(
                    f"All moves match, but the result differs: {name} is {actual}; expected {self.result[name]}."
                )

    def __hash__(self) -> int:
        return hash((self.rules, self.seed, self.number, self.placements, self.key_events))

    def __repr__(self) -> str:
        return f"Replay.from_json({self.to_json()!r})"

    def _repr_html_(self) -> str:
        return render_html_table("Replay", [], self._list_facts(), text_columns=2)

    def _list_facts(self) -> list[tuple[str, str]]:
        number = f", game {self.number:,}" if self.number else ""
        counts = [(name, f"{self.result[name]:,}") for name in RESULT_FIELDS if name not in ("over", "frames")]
        ending = "over" if self.result["over"] else "not finished"
        keys = "placements" if self.key_events is None else "keys"
        facts = [("player", self.agent or "unknown"), ("rules", str(self.rules)), ("seed", f"{self.seed}{number}")]
        return [*facts, *counts, ("game", ending), ("recorded", keys)]

    def to_json(self) -> dict[str, Any]:
        """Return the content of a replay file."""
        content: dict[str, Any] = {
            "format": REPLAY_FORMAT,
            "rules": str(self.rules),
            "rules_version": self.rules.behaviour_version,
            "seed": self.seed,
            "game": self.number,
            "agent": self.agent,
            **({"mode": self.mode} if self.mode else {}),
            "placements": [f"{placement.piece} {format_placement(placement)}" for placement in self.placements],
        }
        if self.key_events is not None:
            content["keys"] = [f"{frame} {action} {argument}" for frame, action, argument in self.key_events]
        return content | {"result": dict(self.result)}

    def save(self, file: str | Path) -> None:
        """Write the replay to a JSON file."""
        try:
            write_atomically(Path(file), (json.dumps(self.to_json(), indent=1) + "\n").encode())
        except OSError as error:
            raise ReplayError(f"{file} cannot be written: {error.strerror}. Choose another path.") from None

    @classmethod
    def load(cls, file: str | Path) -> "Replay":
        """Load a replay and verify it by playing it to its end; raise a `ReplayError` if it is invalid."""
        with add_file_to_errors(file):
            replay = load_unverified_replay(file)
            replay.play()
            return replay

    @classmethod
    def from_json(cls, content: object) -> "Replay":
        """Return the replay that the content of a replay file describes, without playing it."""
        if not isinstance(content, Mapping):
            given = type(content).__name__
            raise ReplayError(f"expected a JSON object with rules, seed and placements; given {given}.")
        for key in REPLAY_FILE_KEYS:
            if key not in content and key not in _OPTIONAL_KEYS:
                raise ReplayError(f'"{key}" is missing; a replay has {", ".join(REPLAY_FILE_KEYS)}.')
        if unknown := [key for key in content if key not in REPLAY_FILE_KEYS]:
            raise ReplayError(f'unknown key "{unknown[0]}"; a replay has {", ".join(REPLAY_FILE_KEYS)}.')
        if content["format"] != REPLAY_FORMAT or isinstance(content["format"], bool):
            raise ReplayError(
                f'"format" must be {REPLAY_FORMAT}; given {describe_value(content["format"])}. Try a newer version of '
                "Tetrion."
            )
        rules = Rules.parse(content["rules"])
        if content["rules_version"] != rules.behaviour_version or isinstance(content["rules_version"], bool):
            raise ReplayError(
                f"the replay was saved with version {content['rules_version']!r} of the rules; this Tetrion has "
                f"version {rules.behaviour_version}. Open it with the version of Tetrion that saved it."
            )
        return cls(
            rules,
            _parse_integer(content, "seed"),
            _parse_integer(content, "game"),
            _parse_name(content, "agent"),
            tuple(_parse_placement(text, rules) for text in _parse_texts(content, "placements")),
            tuple(_parse_event(text) for text in _parse_texts(content, "keys")) if "keys" in content else None,
            _parse_result(content["result"]),
            _parse_name(content, "mode") or "",
        )


def load_unverified_replay(file: str | Path) -> Replay:
    """Load a replay without playing it; `play_steps` verifies it."""
    return Replay.from_json(read_replay_file(Path(file)))


def read_replay_file(path: Path) -> Any:
    """Return the JSON content of a replay file; `Replay.from_json` checks it."""
    return parse_json(read_data_file(path, MAX_REPLAY_BYTES), max_values=_MAX_REPLAY_VALUES)


@contextmanager
def add_file_to_errors(file: str | Path) -> Iterator[None]:
    """Convert every error of reading a replay to a `ReplayError` that names the file."""
    try:
        yield
    except OSError as error:
        raise ReplayError(f"{file} cannot be read: {error.strerror}.") from None
    except ReplayError as error:
        raise ReplayError(f"{file}: {error}") from None
    except DataFileError as error:
        raise ReplayError(
            f"{file} is not a saved game: {error} Expected a JSON file that was saved in the window or by Replay.save."
        ) from None
    except ValueError as error:
        raise ReplayError(f"{file} is not a valid replay: {error}") from None


def get_result(game: Game) -> dict[str, int | bool]:
    """Return the result of a game as a replay stores it: its counters, and whether it is over."""
    return {
        "pieces": game.pieces,
        "lines": game.lines,
        "score": game.score,
        "frames": game.frames,
        "over": game.is_over,
    }


def repeat_event(game: Game, event: GameEvent) -> None:
    """Repeat a recorded event in a game now, regardless of its frame."""
    _, action, argument = event
    if action == "place":
        piece = get_piece_to_place(game, argument.endswith(" hold"))
        game.place(_parse_placement(f"{piece} {argument}", game.rules))
    else:
        EVENT_ACTIONS[action](game, argument)


def _parse_integer(content: Mapping[str, Any], key: str) -> int:
    value = content[key]
    if isinstance(value, bool) or not isinstance(value, int):
        raise ReplayError(f'"{key}" must be a whole number; given {describe_value(value)}.')
    return value


def _parse_name(content: Mapping[str, Any], key: str) -> str | None:
    name = content.get(key)
    if name is not None and not isinstance(name, str):
        raise ReplayError(f'"{key}" must be a name or null; given {describe_value(name)}.')
    return name


def get_piece_to_place(game: Game, hold: bool) -> str:
    """Return the piece that a placement of a game places, with or without hold; empty text if there is none."""
    return (game.position.hold or game.next[:1]) if hold else game.piece


def _parse_texts(content: Mapping[str, Any], key: str) -> list[str]:
    texts = content[key]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ReplayError(f'"{key}" must be a list of strings; given {describe_value(texts)}.')
    return texts


def _parse_placement(text: str, rules: Rules) -> Placement:
    match = _PLACEMENT.fullmatch(text)
    has_unknown_spin = match is not None and match["spin"] and rules.spins == "none"
    has_unknown_hold = match is not None and match["hold"] and not rules.hold
    if match is None or has_unknown_spin or has_unknown_hold:
        raise ReplayError(
            "a placement must be piece, rotation, column and row, such as 'T 0 3 0', followed by mini or full for a "
            f"spin and by hold if the rules have them; given '{text}'."
        )
    rotation, column, row = (int(match[name]) for name in ("rotation", "column", "row"))
    spin = match["spin"] or NO_SPIN_NAME
    return Placement(match["piece"], rotation, column, row, rules.rotation, spin, bool(match["hold"]))


def _is_small_number(text: str) -> bool:
    return len(text) <= _MAX_DIGITS and text.isascii() and text.isdigit()


def _is_event(event: object) -> bool:
    """Return whether an event of a replay has valid parts; a placement is checked when it is repeated."""
    if not isinstance(event, tuple) or list(map(type, event)) != [int, str, str]:
        return False
    _, action, argument = event
    return action == "place" or (action in EVENT_ACTIONS and argument in GAME_KEYS)


def _parse_event(text: str) -> GameEvent:
    frame, _, rest = text.partition(" ")
    action, _, argument = rest.partition(" ")
    is_valid = _is_small_number(frame) and int(frame) <= MAX_REPLAY_FRAMES and _is_event((0, action, argument))
    if not is_valid:
        raise ReplayError(f"a key event must be frame, action and key, such as '12 press left'; given '{text}'.")
    return GameEvent(int(frame), action, argument)


def _parse_result(result: object) -> dict[str, int | bool]:
    if not isinstance(result, Mapping) or set(result) != set(RESULT_FIELDS):
        raise ReplayError(f'"result" must have {", ".join(RESULT_FIELDS)}; given {describe_value(result)}.')
    counters = [_parse_integer(result, name) for name in RESULT_FIELDS if name != "over"]
    if not isinstance(result["over"], bool) or min(counters) < 0 or result["frames"] > MAX_REPLAY_FRAMES:
        raise ReplayError(
            f'"result" must have whole numbers of at least 0, "frames" up to {MAX_REPLAY_FRAMES:,}, and "over" as true '
            f"or false; given {describe_value(result)}."
        )
    return dict(result)
