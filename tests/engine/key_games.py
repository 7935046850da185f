"""Modern games in real time, played by the engine and by the reference, and random rules for both."""

from dataclasses import fields
from functools import cache
from random import Random
from typing import Any

import numpy as np

from tests.reference.modern_real_time import ModernRealTimeGame, RealTimeRules
from tests.reference.randomisers import Dealer
from tetrion import Rules
from tetrion.engine.key_paths import find_keys
from tetrion.engine.pieces import PIECES, SHAPES
from tetrion.engine.placing import STATUS_OVER, list_placements
from tetrion.engine.randomisers import derive_random_keys
from tetrion.engine.real_time import (
    ACTION_KEY_DOWN,
    ACTION_KEY_UP,
    ACTION_PRESS,
    ACTION_SPAWN_OR_LOCK,
    ACTION_TICK,
    NO_KEY,
    EngineAction,
    FallingRecord,
    perform_action,
    prepare_next_piece,
)
from tetrion.engine.records import GAME_KEYS, FullGameRecord, RulesRecords

MAX_PLACEMENTS = 8_000
GUIDELINE = "guideline:frames_per_second=60,lock_delay=30,das=10,arr=2,soft_drop_interval=2"


@cache
def make_rules_record(rules: Rules) -> RulesRecords:
    return rules.to_record()


class KeyGame:
    """A modern game in the engine, with the actions of `Game`."""

    def __init__(self, rules: Rules, seed: int = 0, board: tuple[int, ...] = (0,) * 10, pieces: str = "") -> None:
        self.rules = rules
        self.record = make_rules_record(rules)
        self.games: Any = FullGameRecord.make_array(1)
        self.games["key"] = derive_random_keys(seed, 0, 1)
        self.games["board"] = board
        self.games["known"] = len(pieces)
        self.games["queue"][0, : len(pieces)] = [PIECES.index(piece) for piece in pieces]
        self.falls: Any = FallingRecord.make_array(1)
        self.falls[0].pressed_keys[:] = NO_KEY
        prepare_next_piece(self.games, self.falls, self.record)

    @property
    def game(self) -> Any:
        return self.games[0]

    @property
    def fall(self) -> Any:
        return self.falls[0]

    @property
    def is_over(self) -> bool:
        return bool(self.game.status == STATUS_OVER)

    @property
    def known_pieces(self) -> str:
        return "".join(PIECES[number] for number in self.game.queue[: self.game.known])

    @property
    def hold(self) -> str:
        return PIECES[self.game.hold - 1] if self.game.hold else ""

    @property
    def falling_cells(self) -> list[tuple[int, int]]:
        """The cells of the falling piece; none between two pieces and after the end."""
        if not self.fall.is_active or self.is_over:
            return []
        state, left, bottom = self.fall.piece_state.tolist()
        shape = SHAPES[int(self.record[0].orientation_of_state[self.game.queue[0], state])]
        return [(left + x, bottom + y) for x, column in enumerate(shape) for y in range(4) if column >> y & 1]

    @property
    def placement(self) -> tuple[int, ...]:
        """The last placement: orientation, column, row and spin."""
        return *self.game.placement.tolist(), int(self.game.spin)

    def press(self, key: str) -> bool:
        return bool(self.perform(ACTION_PRESS, GAME_KEYS.index(key)))

    def key_down(self, key: str) -> None:
        self.perform(ACTION_KEY_DOWN, GAME_KEYS.index(key))

    def key_up(self, key: str) -> None:
        self.perform(ACTION_KEY_UP, GAME_KEYS.index(key))

    def tick(self, frames: int = 1) -> None:
        while frames and not self.is_over:
            frames -= self.perform(ACTION_TICK, frames)

    def perform(self, action: int, number: int) -> int:
        """Perform an action, and spawn the next piece after each lock."""
        result = 0
        pieces = -1
        while pieces != self.game.pieces:
            pieces = int(self.game.pieces)
            result += perform_action(self.games, self.falls, self.record, EngineAction(action, number))
            action = ACTION_SPAWN_OR_LOCK
        return result

    def list_placements(self) -> list[int]:
        codes = np.zeros(MAX_PLACEMENTS, np.int32)
        count = list_placements(self.games, self.record, codes)
        return [int(code) for code in codes[:count]]

    def find_keys(self, code: int) -> list[str] | None:
        keys = np.zeros(1_000, np.int64)
        count = find_keys(self.games, self.record, code, keys)
        return None if count < 0 else [GAME_KEYS[key] for key in keys[:count]]


def make_slow_game(rules: Rules, seed: int) -> ModernRealTimeGame:
    """Return the same game of the reference."""
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    dealer = Dealer(rules.randomiser, seed, 0)
    return ModernRealTimeGame(RealTimeRules.from_mapping(values), dealer.deal, dealer.key)


def make_random_modern_rules(random: Random, **changes: Any) -> Rules:
    """Return random rules of a modern game; boards are low so that games end."""
    keys = ["left", "right", "rotate"] + [key for key in ("back", "half", "down", "drop") if random.random() < 0.8]
    lock_keys = [key for key in ("down", "drop") if key in keys and random.random() < 0.6]
    lock_delay = random.choice(["gravity", 0, 1, 7, 30, 30])
    hold = random.choice([0, 1, 1])
    spins = "none" if lock_delay == 0 else random.choice(["none", "t", "all-mini", "all"])
    height = random.choice([5, 6, 8, 12])
    by_pieces = random.random() < 0.5
    values: dict[str, Any] = {
        "height": height,
        "hidden_rows": random.choice([0, 2, 4, 8]),
        "spawn_height": random.randint(0, 4),
        "preview": random.choice([0, 1, 2, 5]),
        "randomiser": random.choice(["uniform", "bag", "nes", "only-T", "script-IIO"]),
        "rotation": random.choice(["srs", "srs", "srs+"]),
        "half_turn_kicks": random.choice(["none", "jstris", "tetrio"]) if "half" in keys else "none",
        "movement": "reach",
        "keys": "+".join(keys),
        "lock_keys": "+".join(lock_keys) or "none",
        "lock_delay": lock_delay,
        "lock_resets": random.choice([0, 1, 2, 15]) if lock_delay not in ("gravity", 0) else 0,
        "hold": hold,
        "spins": spins,
        "spin_kick": random.choice(["none", "any", "long", "late"]),
        "attack": random.choice(["libtetris", "jstris", "tetrio"]),
        "attack_growth": random.choice([0, 0, 100, 1000]),
        "attack_growth_start": random.choice([0, 200]),
        "opener_pieces": random.choice([0, 10]),
        "garbage_clear_bonus": random.choice([0, 1]),
        "scoring": random.choice(["guideline", "guideline", "nes", "lines"]),
        "start_level": random.choice([0, 1, 5, 12, 15, 18, 20]),
        "level_system": random.choice(["fixed", "tens"]),
        "game_over": random.choice(["room", "entry", "lock-out", "above"]),
        "gravity": random.choice([0, 1, 3, 10, "guideline", "guideline", "guideline", "tetrio"]),
        "frames_per_second": random.choice([60, 60, 100, 59.94]),
        "spawn_delay": random.choice([0, 0, 1, 5]),
        "clear_delay": random.choice([0, 4]),
        "das": random.choice([0, 1, 5, 10]),
        "arr": random.choice(["instant", 0, 1, 2]),
        "soft_drop_interval": random.choice(["instant", 0, 1, 2]),
        "garbage_rows": random.choice([0, 0, 1, 2]),
        "garbage_interval": random.choice([1, 3, 5]) if by_pieces else random.choice([40, 100, 300]),
        "garbage_interval_unit": "pieces" if by_pieces else "frames",
        "garbage_delay": random.choice([0, 2, 20]),
        "garbage_delay_unit": random.choice(["pieces", "frames"]),
        "garbage_blocking": random.choice(["combo", "none"]),
        "placement_frames": 30,
        "garbage_messiness": random.choice([0, 30, 100]),
        "initial_rotation": random.choice([0, 1]),
        "initial_hold": hold * random.choice([0, 1]),
    }
    return Rules.from_preset("standard").with_(**(values | changes))
