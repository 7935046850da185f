"""Korobeiniki, a Russian folk song of the nineteenth century, in an arrangement of our own for three plucked voices.

A bar is written as notes and their lengths: `E5/4` is a quarter, `B4/4.` a dotted one, `-/8` a rest of an eighth, and
`G#3+B3/4` two notes at once. The song has two strains of four bars. We play them three times, each time otherwise
accompanied, with an interlude of our own before the last, which leads back to the beginning.
"""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from threading import Lock

import numpy as np

from tetrion.app.audio.tones import (
    DEEP,
    RATE,
    SOFT,
    Samples,
    Tone,
    Wave,
    in_a_room,
    loudness,
    number_of,
    panned,
    plucked,
    sampled,
)
from tetrion.errors import TetrionError

BEATS_A_MINUTE = 126  # so that a beat is a whole number of samples
BEAT = RATE * 60 // BEATS_A_MINUTE
BAR = 4 * BEAT
LOUDNESS = 0.125  # of the loudest second
ROOM = 0.30
ONE_AT_A_TIME = Lock()

SONG = """
E5/4 B4/8 C5/8 D5/4 C5/8 B4/8 | A4/4 A4/8 C5/8 E5/4 D5/8 C5/8 | B4/4. C5/8 D5/4 E5/4 | C5/4 A4/4 A4/2
D5/4. F5/8 A5/4 G5/8 F5/8     | E5/4. C5/8 E5/4 D5/8 C5/8     | B4/4 B4/8 C5/8 D5/4 E5/4 | C5/4 A4/4 A4/4 -/4
"""

INTERLUDE = """
A4/4. B4/8 C5/4 A4/4 | G4/2 E4/4 G4/4 | F4/4. G4/8 A4/4 F4/4 | E4/2. -/4
A4/4. B4/8 C5/4 D5/4 | E5/2 C5/4 G4/4 | F5/4 E5/4 D5/4 C5/4  | B4/2 G#4/4 B4/4
"""

PLAIN_BASS = """
E2/2 B2/2 | A2/2 E2/2 | E2/2 B2/2 | A2/2 A2/4 G#2/4
D3/2 A2/2 | C3/2 G2/2 | E2/2 B2/2 | A2/2 A2/2
"""

WALKING_BASS = """
E2/4 G#2/4 B2/4 E3/4 | A2/4 C3/4 E3/4 C3/4 | E2/4 G#2/4 B2/4 G#2/4 | A2/4 E2/4 A2/4 C3/4
D3/4 F3/4 A2/4 D3/4  | C3/4 E3/4 G2/4 C3/4 | E2/4 G#2/4 B2/4 E3/4  | A2/4 E2/4 A2/2
"""

INTERLUDE_BASS = """
F2/2. C3/4 | C3/2 C3/4 G2/4 | D3/2 D3/4 A2/4 | A2/2 A2/2
F2/2. C3/4 | C3/2 A2/4 C3/4 | D3/2 B2/2      | E2/2 E2/4 G#2/4
"""

OFF_BEATS = """
-/4 G#3+B3/4 -/4 G#3+D4/4 | -/4 A3+C4/4 -/4 A3+C4/4 | -/4 G#3+B3/4 -/4 G#3+B3/4 | -/4 A3+C4/4 -/4 A3+C4/4
-/4 A3+D4/4 -/4 A3+F4/4   | -/4 G3+C4/4 -/4 G3+C4/4 | -/4 G#3+B3/4 -/4 G#3+D4/4 | -/4 A3+C4/4 -/4 A3+C4/4
"""

BELOW = """
G#4/4 G#4/8 A4/8 B4/4 A4/8 G#4/8 | E4/4 E4/8 A4/8 C5/4 B4/8 A4/8 | G#4/4. A4/8 B4/4 B4/4 | A4/4 E4/4 E4/2
F4/4. A4/8 F5/4 E5/8 D5/8        | C5/4. G4/8 C5/4 B4/8 A4/8     | G#4/4 G#4/8 A4/8 B4/4 B4/4 | A4/4 E4/4 E4/2
"""

LONG_CHORDS = """
C4/2 F4/2 | E4/2 C4/2 | D4/2 D4/2 | C4/2 A3/2
C4/2 F4/2 | G4/2 E4/2 | A4/2 F4/2 | G#4/2 E4/2
"""

RIPPLES = """
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/8 C4/8 E4/8 C4/8
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/8 C4/8 E4/8 C4/8
A3/8 D4/8 F4/8 D4/8 A3/8 D4/8 F4/8 D4/8   | G3/8 C4/8 E4/8 C4/8 G3/8 C4/8 E4/8 C4/8
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/4 -/4
"""

MELODY = (SONG, SONG, INTERLUDE, SONG)
BASS = (PLAIN_BASS, WALKING_BASS, INTERLUDE_BASS, PLAIN_BASS)
INNER = (OFF_BEATS, BELOW, LONG_CHORDS, RIPPLES)


@dataclass(frozen=True)
class Note:
    """A note of a voice: its number, when it begins, and how long it is, in samples."""

    number: int
    start: int
    length: int


@dataclass(frozen=True)
class Voice:
    """One of the three: what it plays, and how it sounds."""

    parts: tuple[str, ...]
    tone: Tone
    strength: float
    place: float  # from −1, left, to 1, right


VOICES = {
    "melody": Voice(MELODY, SOFT, 1.0, 0.12),
    "inner": Voice(INNER, SOFT, 0.42, -0.30),
    "bass": Voice(BASS, DEEP, 0.80, 0.0),
}


def bars_of(part: str) -> list[list[tuple[tuple[int, ...], int]]]:
    """The bars of a part, each with the notes that sound together and their length in samples."""
    return [[read(note) for note in bar.split()] for line in part.strip().splitlines() for bar in line.split("|")]


def read(note: str) -> tuple[tuple[int, ...], int]:
    """One written note: the numbers of its pitches, none for a rest, and its length in samples."""
    names, _, length = note.partition("/")
    size = length.removesuffix(".")
    if size not in ("1", "2", "4", "8"):
        raise TetrionError(f"A note ends in /1, /2, /4 or /8, with a dot or without; given '{note}'.")
    samples = BAR // int(size)
    numbers = () if names == "-" else tuple(number_of(name) for name in names.split("+"))
    return numbers, samples * 3 // 2 if length.endswith(".") else samples


def notes_of(parts: tuple[str, ...]) -> list[Note]:
    """The notes of a voice, one part after the other."""
    written = [note for part in parts for bar in bars_of(part) for note in bar]
    starts = accumulate((length for _, length in written), initial=0)
    together = zip(written, starts, strict=False)
    return [Note(number, start, length) for (numbers, length), start in together for number in numbers]


def length_of(parts: tuple[str, ...]) -> int:
    """How many samples a voice is long."""
    return sum(length for part in parts for bar in bars_of(part) for _, length in bar)


def played(voice: Voice) -> Wave:
    """A voice on one channel, without room; what rings on at the end is heard at the beginning."""
    wave = np.zeros(length_of(voice.parts), dtype=np.float32)
    known: dict[tuple[int, int], Wave] = {}
    for note in notes_of(voice.parts):
        key = note.number, note.length
        if key not in known:
            known[key] = plucked(*key, voice.tone)
        ends = note.start + known[key].size
        over = max(ends - wave.size, 0)
        wave[note.start : ends] += known[key][: known[key].size - over]
        wave[:over] += known[key][known[key].size - over :]
    return wave * np.float32(voice.strength)


@cache
def rendered() -> Samples:
    """The whole tune on two channels, to be played in a circle."""
    dry = np.sum([panned(played(voice), voice.place) for voice in VOICES.values()], axis=0)
    stereo = in_a_room(dry, ROOM)
    return sampled(stereo * np.float32(LOUDNESS / loudness(stereo, 1.0)))


def music() -> Samples:
    """The tune, rendered when first asked for and then kept; any thread may ask."""
    with ONE_AT_A_TIME:
        return rendered()
