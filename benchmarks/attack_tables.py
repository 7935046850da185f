"""The tables of attack and of the guideline's score in docs/rules.md, computed by the engine from its data."""

from benchmarks.common import format_table
from tetrion.engine.attack import ATTACK_PROFILES, compute_attack
from tetrion.engine.records import FULL_SPIN, MAX_CLEARED_ROWS, MINI_SPIN, NO_SPIN, FullGameRecord
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.engine.scoring import SCORING_SYSTEMS

# By spin and rows. Four rows with a spin do not occur.
_CLEAR_NAMES = {
    (NO_SPIN, 1): "single",
    (NO_SPIN, 2): "double",
    (NO_SPIN, 3): "triple",
    (NO_SPIN, 4): "tetris",
    (MINI_SPIN, 1): "mini spin, single",
    (MINI_SPIN, 2): "mini spin, double",
    (MINI_SPIN, 3): "mini spin, triple",
    (FULL_SPIN, 1): "spin, single",
    (FULL_SPIN, 2): "spin, double",
    (FULL_SPIN, 3): "spin, triple",
}
_CHAINS = (1, 2, 3, 5, 8, 12, 20)
_COMBOS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
_SPIN_DOUBLE = (FULL_SPIN, 2)
_SINGLE = (NO_SPIN, 1)


def format_attack() -> str:
    """Return the tables of the attack of each profile: single clears, chains of back-to-backs, and combos."""
    profiles = list(ATTACK_PROFILES)
    headers = [f"`{name}`" for name in profiles]
    clears = [[name, *(count_attack(profile, clear) for profile in profiles)] for clear, name in _CLEAR_NAMES.items()]
    perfect = [
        [f"{name}, perfect clear", *(count_attack(profile, clear, is_perfect=True) for profile in profiles)]
        for clear, name in _CLEAR_NAMES.items()
        if clear in (_SINGLE, (NO_SPIN, 2), (NO_SPIN, MAX_CLEARED_ROWS))
    ]
    chains = [
        [f"{chain}", *(count_attack(profile, _SPIN_DOUBLE, back_to_back=chain) for profile in profiles)]
        for chain in _CHAINS
    ]
    ends = [
        [f"{chain}, then a single", *(count_attack(profile, _SINGLE, back_to_back=chain) for profile in profiles)]
        for chain in _CHAINS
    ]
    combos = [[f"{combo}", *(count_combo(profile, combo) for profile in profiles)] for combo in _COMBOS]
    return (
        "A clear after a placement without one, and without back-to-back:\n\n"
        + format_table(["clear", *headers], clears + perfect)
        + "\nA double with a full spin by the number of difficult clears before it, and a single that ends such a "
        "chain:\n\n"
        + format_table(["difficult clears before", *headers], chains + ends)
        + "\nA single / a double / a tetris without back-to-back by the combo, the number of clears before it in a "
        "row:\n\n"
        + format_table(["combo", *headers], combos)
        + "\n"
        + "".join(f"- `{name}`: {profile.description}.\n" for name, profile in ATTACK_PROFILES.items())
    )


def count_attack(
    profile: str, clear: tuple[int, int], *, back_to_back: int = 0, combo: int = 0, is_perfect: bool = False
) -> str:
    """Return the attack of a clear, given as spin and rows, as the engine computes it."""
    game = FullGameRecord.make_array(1)[0]
    game.back_to_back, game.combo = back_to_back, combo
    rules = make_rules_record(Rules("guideline").replace(attack=profile))[0]
    spin, rows = clear
    return f"{compute_attack(game, rules, rows, spin, is_perfect)}"


def count_combo(profile: str, combo: int) -> str:
    """Return the attack of a single, a double and a tetris with a combo."""
    return " / ".join(count_attack(profile, (NO_SPIN, rows), combo=combo) for rows in (1, 2, MAX_CLEARED_ROWS))


def format_guideline_score() -> str:
    """Return the table of the guideline's points and a sentence about the others."""
    system = SCORING_SYSTEMS["guideline"]
    points = system.spin_points
    rows = [[name, f"{points[spin][rows]:,}"] for (spin, rows), name in _CLEAR_NAMES.items()]
    rows += [
        ["mini spin without a clear", f"{points[MINI_SPIN][0]:,}"],
        ["full spin without a clear", f"{points[FULL_SPIN][0]:,}"],
    ]
    *perfect, best = system.perfect_clear_points
    perfect_points = ", ".join(f"{points:,}" for points in perfect[1:])
    return (
        format_table(["placement", "points × level"], rows)
        + f"\nBack-to-back: half as much again. Each clear of a combo: {system.combo_points} × combo × level. "
        f"Perfect clear with one to four rows: further {perfect_points} × level ({best:,} for a back-to-back tetris). "
        f"Soft drop: {system.points_per_soft_drop_row} per row, hard drop: {system.points_per_hard_drop_row} per row, "
        "by keys only.\n"
    )
