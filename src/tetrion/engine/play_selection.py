"""Selection of the compiled function and the record of games for given settings."""

from tetrion.engine.batch_play import (
    EngineSettings,
    GameRecords,
    has_height_limits,
    supports_local_drops,
    uses_lookahead,
)
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.modern_choice import play_modern
from tetrion.engine.modern_records import ModernGameRecord, ModernRulesRecord
from tetrion.engine.play_functions import (
    play_any_movement,
    play_drops_between_heights,
    play_drops_simd,
    play_local_drops,
    play_local_drops_between_heights,
    play_local_drops_with_lookahead,
    play_pattern_drops,
    play_with_lookahead,
    play_with_lookahead_between_heights,
)
from tetrion.engine.randomisers import ADVERSARY
from tetrion.engine.records import GameRecord
from tetrion.engine.rules import DROP_MOVEMENT


def is_modern(settings: EngineSettings) -> bool:
    """Return whether games with these settings are modern."""
    return bool(settings.rules.dtype == ModernRulesRecord.dtype)


def get_game_record_type(settings: EngineSettings) -> type[GameRecord]:
    """Return the type of the records of games with these settings."""
    return ModernGameRecord if is_modern(settings) else GameRecord


def select_fastest_play(settings: EngineSettings) -> CompiledFunction[[GameRecords, EngineSettings, int], int]:
    """Return the fastest function that plays these settings on the CPU."""
    rules = settings.rules[0]
    if is_modern(settings):
        return play_modern  # type: ignore[return-value]
    if has_height_limits(settings):
        if uses_lookahead(settings):
            return play_with_lookahead_between_heights
        return play_local_drops_between_heights if supports_local_drops(settings) else play_drops_between_heights
    if supports_local_drops(settings):
        return play_local_drops_with_lookahead if uses_lookahead(settings) else play_local_drops
    if uses_lookahead(settings):
        return play_with_lookahead
    if rules.movement == DROP_MOVEMENT and rules.randomiser != ADVERSARY:
        return play_pattern_drops if settings.agents["pattern_mask"].any() else play_drops_simd
    return play_any_movement
