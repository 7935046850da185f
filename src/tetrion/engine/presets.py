"""The named sets of rules: what each document says, and what was chosen where it says nothing or two things."""

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A named set: how it differs from `standard`, where it comes from, and the choices it needed."""

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

PRESETS = {
    "standard": Preset(
        "one-piece Tetris as research plays it (MdpTetris)",
        {},
        (
            "Research plays by placements alone, without a clock: gravity (a row in half a second), keys and their "
            "repetition are ours, for people who play it.",
            "A new piece appears wholly above the board, so that in real time too the game ends only when a piece "
            "comes to rest above the top.",
        ),
    ),
    "standard-10x10": Preset("the same on ten rows, where games are short", {"height": 10}),
    "gavrilov": Preset(
        "Gavrilov 2023, a game after TechWithTim's tutorial",
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
            "The agents of the report turn a piece above the board and let it fall, so placements are straight drops; "
            "a person's keys can do more.",
            "A hard drop does not lock: the piece can still be moved until gravity fails to move it.",
            "The tutorial lets a piece above the screen pass through the walls, and leaves an empty row where a "
            "partial row lay between two full ones; both are bugs and not imitated.",
            "Speed changes when a piece enters, and gravity counts anew for each piece; the tutorial goes on counting.",
        ),
    ),
    "becker": Preset(
        "Becker, a game for a static evaluation function",
        {
            "keys": "left+right+rotate",
            "lock_keys": "none",
            "lock_delay": 0,
            "das": 0,
            "arr": 0,
            "soft_drop_interval": 0,
        },
        (
            "The rate of falling is constant but not given: a row in half a second.",
            "A piece falls until it touches something, so it locks at once.",
            "The slides do not say when a game is over, what is shown of the next piece or where a piece appears: as "
            "in standard, nothing, and above the board. Pieces are matrices placed by their corner.",
            "The evaluation looks at straight drops; movement=timed asks what is left of them while the piece falls.",
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
            "Pieces come in random order: uniform, as in the program that theirs is based on, and not the console's "
            "randomiser.",
            "Their placements are straight drops, and their tables show no points for soft drops: placements earn "
            "none, the key does.",
            "A piece locks as soon as it makes contact, as the paper says; the console waits for gravity.",
            "A new piece appears in the two hidden rows.",
            "The last piece's lines count, since the paper removes them before it looks whether the game is over.",
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
            "When a game is over is not said: when a new piece finds no room in the middle of the top rows, where the "
            "report puts it. So random placements come nearest to the published mean and variance.",
            "The level, and with it the speed, is set before a game and stays: the report leaves rising speed for "
            "later. level_system=tens makes it rise.",
            "A piece may not be moved sideways once it has landed: it locks at once.",
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
            "Shapes are matrices whose top left cell is placed; how they lie at first is not given: flat, T J L "
            "pointing up.",
            "A new piece appears in the middle of the top rows; of an odd number of free columns the larger part is on "
            "the right.",
            "The report's game waits for its bot (half a second a move, 300 ms before a clear); a row in half a second "
            "is the choice for people.",
        ),
    ),
    "nes": Preset(
        "the console's game of 1989 (TetrisNESDisasm, Tetris wiki)",
        {
            **_NES_RULES,
            "spawn_height": 0,
            "randomiser": "nes",
            "movement": "timed",
            "keys": "left+right+rotate+back+down",
            "game_over": "entry",
        },
        (
            "Cells locked in the two hidden rows stay and come down with the rows; on the console they do not.",
            "A cleared row takes 18 frames, of the console's 17 to 20.",
            "Every row by the key down earns its point at once; the console gives points for the last unbroken run of "
            "them when the piece locks.",
            "The entry delay goes by the piece's lowest cell, and the first piece enters without one.",
            "A hold of the key down moves a row every two frames, beside gravity, which goes on counting.",
            "Agents press 30 keys a second (frames_per_key=2) and do not think (thinking_frames=0).",
        ),
    ),
}
