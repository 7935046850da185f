"""The values of modern features of a placement, for explanations."""

from collections.abc import Collection

from tetrion.board import Placement
from tetrion.engine.features.attack_features import ATTACK_FEATURES, AttackOutcome
from tetrion.engine.pieces import PIECES
from tetrion.engine.placing import place_piece
from tetrion.engine.records import SPIN_KINDS
from tetrion.position import Position, get_engine_settings


def measure_modern_features(position: Position, placement: Placement, names: Collection[str]) -> dict[str, int]:
    """Return the values of some modern features of a legal placement, by name; no garbage rises after it."""
    if not names:
        return {}
    games = position.to_game_records()
    games["batch_count"] = 0
    games["garbage_mask"] = 0  # the search does not count the attack that clearing garbage adds
    place_piece(games, get_engine_settings(position.rules).rules, placement.code)
    record = games[0]
    columns = tuple(record.board.tolist())
    outcome = AttackOutcome(
        columns=columns,
        heights=tuple(column.bit_length() for column in columns),
        height=position.rules.height,
        piece=PIECES.index(placement.piece),
        spin=SPIN_KINDS.index(placement.spin),
        lines=int(record.lines) - position.lines,
        attack=int(record.attack) - position.attack,
        combo=int(record.combo),
        back_to_back=int(record.back_to_back > 0),
    )
    return {name: int(ATTACK_FEATURES[name].measure(outcome)) for name in names}
