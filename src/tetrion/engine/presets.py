"""The named sets of rules: their sources, and our decisions where a source gives no rule or contradicts itself."""

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A named set of rules: its source, its differences from `standard`, and our decisions."""

    source: str
    rules: dict[str, Any]
    choices: tuple[str, ...] = ()


_NES_RULES = {
    "hidden_rows": 2,
    "preview": 1,
    "rotation": "nes",
    "lock_keys": "down",
    "scoring": "nes",
    "level_system": "nes",
    "gravity": "nes",
    "frames_per_second": 60.0988,
    "spawn_delay": "nes",
    "clear_delay": 18,
    "das": 16,
    "arr": 6,
    "soft_drop_interval": 2,
    "frames_per_key": 2,
}

_MODERN_RULES = {
    "hidden_rows": 8,
    "spawn_height": 1,
    "preview": 5,
    "randomiser": "bag",
    "rotation": "srs",
    "movement": "reach",
    "lock_delay": 500,
    "lock_resets": 15,
    "scoring": "guideline",
    "start_level": 1,
    "level_system": "tens",
    "gravity": "guideline",
    "game_over": "lock-out",
    "hold": 1,
    "spins": "t",
    "initial_rotation": 1,
    "initial_hold": 1,
}

PRESETS = {
    "standard": Preset(
        "one-piece Tetris as used in research (MdpTetris)",
        {},
        (
            "Research programs choose placements and have no clock. Gravity (one row per half second), keys and key "
            "repeat are our choice, for people who play these rules.",
            "A new piece spawns completely above the board. In real time, too, the game therefore ends only when a "
            "piece locks above the top.",
        ),
    ),
    "standard-10x10": Preset("standard rules with ten rows, for short games", {"height": 10}),
    "gavrilov": Preset(
        "Gavrilov 2023, a game based on TechWithTim's tutorial",
        {
            "hidden_rows": 4,
            "preview": 1,
            "randomiser": "bag",
            "rotation": "tutorial",
            "keys": "left+right+rotate+down+drop",
            "lock_keys": "none",
            "scoring": "flat",
            "gravity": "gavrilov",
            "das": 0,
            "arr": 0,
            "soft_drop_interval": 0,
            "game_over": "top-row",
        },
        (
            "The agents of the report rotate and move a piece above the board and drop it, so placements are straight "
            "drops. A person can also move a piece while it falls.",
            "A hard drop does not lock the piece: it can still be moved until gravity would move it down.",
            "In the tutorial, a piece above the screen can pass through the walls, and an incomplete row between two "
            "full rows does not move down when they are cleared. Both are bugs, which we do not reproduce.",
            "The speed changes when a piece spawns, and the gravity timer restarts for each piece. In the tutorial the "
            "timer continues.",
        ),
    ),
    "becker": Preset(
        "Becker, a game for testing a static evaluation function",
        {
            "keys": "left+right+rotate",
            "lock_keys": "none",
            "lock_delay": 0,
            "das": 0,
            "arr": 0,
            "soft_drop_interval": 0,
        },
        (
            "The speed is constant but not specified. We use one row per half second.",
            "A piece falls until it touches something, so it locks at once.",
            "The slides do not specify the end of the game, the preview and the spawn position. We use the end of the "
            "game from standard, no preview, and a spawn above the board. Pieces are matrices positioned by their "
            "corner.",
            "The evaluation considers straight drops. Use movement=timed for all placements that can be reached "
            "while the piece falls.",
        ),
    ),
    "hindi": Preset(
        "Hindi, Kinney, Morris and Reilly 2018",
        {
            **_NES_RULES,
            "spawn_height": 2,
            "keys": "left+right+rotate+down",
            "lock_delay": 0,
            "game_over": "above",
        },
        (
            "Pieces come in random order. We use the uniform randomiser, as in the program on which theirs is based, "
            "instead of the one of NES Tetris.",
            "Their placements are straight drops, and their tables contain no points for soft drops. An agent's "
            "placement therefore earns no soft-drop points; a person's soft drop does.",
            "A piece locks as soon as it touches the stack, as stated in the paper. In NES Tetris it locks at the next "
            "gravity step.",
            "A new piece spawns in the two hidden rows.",
            "Lines cleared by the last piece count, because the paper removes them before it tests for the end of the "
            "game.",
        ),
    ),
    "tetrais": Preset(
        "TetrAIs, Brahmbhatt and Patel 2023",
        {
            "height": 22,
            "preview": 1,
            "keys": "left+right+rotate+drop",
            "lock_delay": 0,
            "scoring": "tetrais",
            "gravity": "tetrais",
            "spawn_height": 0,
            "game_over": "entry",
        },
        (
            "All 22 rows are visible, as in the report's pictures.",
            "The report does not specify the end of the game. We end it when a new piece is blocked in the middle of "
            "the top rows, where the report spawns pieces. Of three conditions tested, random placements then come "
            "closest to the published mean and variance.",
            "The level, and with it the speed, is set before a game and does not change: the report leaves increasing "
            "speed to future work. Use level_system=tens to increase it.",
            "A piece cannot be moved sideways after it has landed: it locks at once.",
        ),
    ),
    "medico": Preset(
        "Medico, a two-mode bot",
        {
            "spawn_height": 0,
            "preview": 1,
            "movement": "reach",
            "keys": "left+right+rotate+down",
            "lock_keys": "none",
            "scoring": "flat",
            "clear_delay": 300,
            "game_over": "entry",
        },
        (
            "Shapes are matrices positioned by their top left cell. The spawn orientation is not specified. We use the "
            "flat one, with T, J and L pointing up.",
            "A new piece spawns in the middle of the top rows. If the number of free columns is odd, the extra column "
            "is on the right.",
            "The report's game waits for its bot (half a second per move, 300 ms before a line clear). Gravity of one "
            "row per half second is our choice for people.",
        ),
    ),
    "nes": Preset(
        "Tetris for the Nintendo Entertainment System, 1989 (TetrisNESDisasm, Tetris wiki)",
        {
            **_NES_RULES,
            "spawn_height": 0,
            "randomiser": "nes",
            "movement": "timed",
            "keys": "left+right+rotate+back+down",
            "game_over": "entry",
        },
        (
            "Cells locked in the two hidden rows remain and move down with their rows. On the console they are lost.",
            "A line clear takes 18 frames; on the console it takes 17 to 20.",
            "Each row of a soft drop scores its point at once. The console scores the last uninterrupted soft drop "
            "when the piece locks.",
            "The spawn delay depends on the row of the piece's lowest cell. The first piece spawns without a delay.",
            "A soft drop moves the piece by one row every two frames, in addition to gravity, whose timer continues.",
            "Agents press 30 keys per second (frames_per_key=2) and have no reaction time (thinking_frames=0).",
        ),
    ),
    "guideline": Preset(
        "the Tetris Guideline of 2009, as read by several open engines: marathon with levels",
        {
            **_MODERN_RULES,
            "keys": "left+right+rotate+back+down+drop",
            "attack": "guideline",
            "das": 170,
            "arr": 50,
            "soft_drop_interval": 30,
        },
        (
            "The fifth kick makes any mini T-spin a full one (spin_kick=any), as in Cold Clear and, for rotations by "
            "90°, in cobra-movegen. Other sources allow it only for kicks by two rows (spin_kick=long).",
            "Attack is counted by the profile guideline, although a single player has no opponent to send it to.",
            "There are 8 hidden rows above the 20 visible ones; the guideline has 20.",
            "A soft drop moves a piece by one row every 30 ms at all levels; the guideline asks for 20 times gravity.",
            "Pieces spawn at once, and cleared rows vanish at once: the guideline's delays are for animations.",
        ),
    ),
    "jstris": Preset(
        "Jstris, by its documentation and derived programs",
        {
            **_MODERN_RULES,
            "keys": "left+right+rotate+back+half+down+drop",
            "half_turn_kicks": "jstris",
            "spin_kick": "none",
            "attack": "jstris",
            "level_system": "fixed",
            "gravity": 1000,
            "das": 133,
            "arr": 10,
            "soft_drop_interval": "instant",
        },
        (
            "Gravity is constant, as in its default practice mode.",
            "Jstris publishes no sources. Its attack is that of a user script with a copy of its function for clears. "
            "That no kick makes a mini T-spin full (spin_kick=none) follows from a bot's copy of its test for T-spins, "
            "which sees only the board and the place of the piece; we have not read the original.",
            "The score is that of the guideline, which Jstris follows in its ultra mode.",
        ),
    ),
    "tetrio": Preset(
        "TETR.IO, by the engine Triangle, which is checked against its replays",
        {
            **_MODERN_RULES,
            "rotation": "srs+",
            "keys": "left+right+rotate+back+half+down+drop",
            "half_turn_kicks": "tetrio",
            "spins": "all-mini",
            "spin_kick": "long",
            "attack": "tetrio",
            "attack_growth": 8,
            "attack_growth_start": 180_000,
            "opener_pieces": 14,
            "garbage_clear_bonus": 1,
            "garbage_delay": 333,
            "garbage_delay_unit": "frames",
            "placement_frames": 500,
            "game_over": "entry",
            "level_system": "fixed",
            "gravity": "tetrio",
            "das": 167,
            "arr": 33,
            "soft_drop_interval": "instant",
        },
        (
            "The options are those of the league since season 2, as Triangle gives them. attack=tetrio-s1 is the "
            "attack of season 1, which has no opener phase (opener_pieces=0) and no bonus for garbage "
            "(garbage_clear_bonus=0).",
            "Where a surge begins is not in Triangle's sources: that a chain of five difficult clears sends four rows "
            "is uncertain. A surge is one batch here and three in TETR.IO.",
            "From the fourth minute on, attack grows by 0.008 per second. Triangle applies it in each sixtieth of a "
            "second, we in each millisecond.",
            "Gravity is 0.02 rows per sixtieth of a second and grows by 0.0035 per second from the third minute on. It "
            "is set when a piece spawns; in TETR.IO it also changes while a piece falls.",
            "In the opener phase the parts of an attack (clear, surge, perfect clear) cancel garbage together; in "
            "Triangle they do so one after another.",
            "Garbage rises only when a piece clears nothing (garbage_blocking=combo). Limited blocking is left out, "
            "because no source that we know defines it.",
            "Attack also cancels garbage that still travels, as with passthrough zero. The other kinds of passthrough "
            "concern rows that cross each other in the network, and are left out.",
            "A piece that locks above the visible rows does not end the game. That a new piece which is blocked may "
            "appear higher if the last one cleared rows (clutch) is left out.",
            "How the gap moves from row to row is not known to us: garbage_messiness is 0, as in the other rules.",
            "In games by placements a piece takes half a second (placement_frames=500), which is our choice.",
            "The kicks of I by half a turn are those of Triangle; cobra-movegen has five tests.",
            "Pieces come from our own bag, not from TETR.IO's random numbers.",
        ),
    ),
    "perft": Preset(
        "counts of placement sequences in modern rules (cobra-movegen, fast-reachability)",
        {
            "hidden_rows": 8,
            "spawn_height": 0,
            "rotation": "srs",
            "movement": "reach",
            "game_over": "entry",
        },
        (
            "The centre of a new piece is in column 4 of row 19, counted from 0. The published counts assume this; "
            "the Tetris Guideline spawns pieces one row higher (spawn_height=1).",
            "The programs that published the counts use boards of 40 rows or more. Here a placement must lie within "
            "28 rows, which makes no difference to the counts.",
        ),
    ),
}
