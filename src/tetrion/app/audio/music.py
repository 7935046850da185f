"""Korobeiniki, a Russian folk song of the nineteenth century, arranged for this project for three plucked voices.

A bar is written as notes and their lengths: `E5/4` is a quarter note, `B4/4.` a dotted quarter note, `-/8` an eighth
rest, and `G#3+B3/4` two notes at once. The song has two strains of four bars. They are played three times, each time
with a different accompaniment. An original interlude comes before the last repetition, and the end leads back to the
beginning.
"""

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from threading import Lock

import numpy as np

from tetrion.app.audio.synthesiser import (
    DEEP_TIMBRE,
    SAMPLE_RATE,
    SOFT_TIMBRE,
    Samples,
    Timbre,
    Wave,
    add_reverb,
    measure_loudness,
    pan_to_stereo,
    parse_note_number,
    synthesise_note,
    to_int16_samples,
)
from tetrion.errors import TetrionError

BEATS_PER_MINUTE = 126  # makes a beat a whole number of samples
SAMPLES_PER_BEAT = SAMPLE_RATE * 60 // BEATS_PER_MINUTE
SAMPLES_PER_BAR = 4 * SAMPLES_PER_BEAT
_MUSIC_LOUDNESS = 0.125  # root mean square of the loudest second
_REVERB_SHARE = 0.30
_RENDER_LOCK = Lock()

SONG_MELODY = """
E5/4 B4/8 C5/8 D5/4 C5/8 B4/8 | A4/4 A4/8 C5/8 E5/4 D5/8 C5/8 | B4/4. C5/8 D5/4 E5/4 | C5/4 A4/4 A4/2
D5/4. F5/8 A5/4 G5/8 F5/8     | E5/4. C5/8 E5/4 D5/8 C5/8     | B4/4 B4/8 C5/8 D5/4 E5/4 | C5/4 A4/4 A4/4 -/4
"""

INTERLUDE_MELODY = """
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

OFF_BEAT_CHORDS = """
-/4 G#3+B3/4 -/4 G#3+D4/4 | -/4 A3+C4/4 -/4 A3+C4/4 | -/4 G#3+B3/4 -/4 G#3+B3/4 | -/4 A3+C4/4 -/4 A3+C4/4
-/4 A3+D4/4 -/4 A3+F4/4   | -/4 G3+C4/4 -/4 G3+C4/4 | -/4 G#3+B3/4 -/4 G#3+D4/4 | -/4 A3+C4/4 -/4 A3+C4/4
"""

SECOND_MELODY = """
G#4/4 G#4/8 A4/8 B4/4 A4/8 G#4/8 | E4/4 E4/8 A4/8 C5/4 B4/8 A4/8 | G#4/4. A4/8 B4/4 B4/4 | A4/4 E4/4 E4/2
F4/4. A4/8 F5/4 E5/8 D5/8        | C5/4. G4/8 C5/4 B4/8 A4/8     | G#4/4 G#4/8 A4/8 B4/4 B4/4 | A4/4 E4/4 E4/2
"""

LONG_CHORDS = """
C4/2 F4/2 | E4/2 C4/2 | D4/2 D4/2 | C4/2 A3/2
C4/2 F4/2 | G4/2 E4/2 | A4/2 F4/2 | G#4/2 E4/2
"""

ARPEGGIOS = """
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/8 C4/8 E4/8 C4/8
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/8 C4/8 E4/8 C4/8
A3/8 D4/8 F4/8 D4/8 A3/8 D4/8 F4/8 D4/8   | G3/8 C4/8 E4/8 C4/8 G3/8 C4/8 E4/8 C4/8
G#3/8 B3/8 E4/8 B3/8 B3/8 D4/8 E4/8 D4/8  | A3/8 C4/8 E4/8 C4/8 A3/4 -/4
"""

MELODY_PARTS = (SONG_MELODY, SONG_MELODY, INTERLUDE_MELODY, SONG_MELODY)
BASS_PARTS = (PLAIN_BASS, WALKING_BASS, INTERLUDE_BASS, PLAIN_BASS)
INNER_PARTS = (OFF_BEAT_CHORDS, SECOND_MELODY, LONG_CHORDS, ARPEGGIOS)


@dataclass(frozen=True)
class Note:
    """A note of a voice: its MIDI number, and its start and length in samples."""

    number: int
    start: int
    length: int


@dataclass(frozen=True)
class Voice:
    """One of the three voices: its parts and its sound."""

    parts: tuple[str, ...]
    timbre: Timbre
    volume: float
    pan: float  # from −1 (left) to 1 (right)


VOICES = {
    "melody": Voice(MELODY_PARTS, SOFT_TIMBRE, 1.0, 0.12),
    "inner": Voice(INNER_PARTS, SOFT_TIMBRE, 0.42, -0.30),
    "bass": Voice(BASS_PARTS, DEEP_TIMBRE, 0.80, 0.0),
}


def parse_bars(part: str) -> list[list[tuple[tuple[int, ...], int]]]:
    """Parse the bars of a part: for each note, the MIDI numbers that sound together and their length in samples."""
    return [[parse_note(note) for note in bar.split()] for line in part.strip().splitlines() for bar in line.split("|")]


def parse_note(note: str) -> tuple[tuple[int, ...], int]:
    """Parse one written note: the MIDI numbers of its pitches, none for a rest, and its length in samples."""
    names, _, length = note.partition("/")
    size = length.removesuffix(".")
    if size not in ("1", "2", "4", "8"):
        raise TetrionError(f"A note must end in /1, /2, /4 or /8, with or without a dot; given '{note}'.")
    samples = SAMPLES_PER_BAR // int(size)
    numbers = () if names == "-" else tuple(parse_note_number(name) for name in names.split("+"))
    return numbers, samples * 3 // 2 if length.endswith(".") else samples


def list_notes(parts: tuple[str, ...]) -> list[Note]:
    """Return the notes of a voice, one part after another."""
    chords = [chord for part in parts for bar in parse_bars(part) for chord in bar]
    starts = accumulate((length for _, length in chords), initial=0)
    return [
        Note(number, start, length)
        for (numbers, length), start in zip(chords, starts, strict=False)
        for number in numbers
    ]


def count_samples(parts: tuple[str, ...]) -> int:
    """Return the length of a voice in samples."""
    return sum(length for part in parts for bar in parse_bars(part) for _, length in bar)


def render_voice(voice: Voice) -> Wave:
    """Render a voice as mono without reverb; the tail of the last notes wraps round to the beginning."""
    wave = np.zeros(count_samples(voice.parts), dtype=np.float32)
    rendered: dict[tuple[int, int], Wave] = {}
    for note in list_notes(voice.parts):
        key = note.number, note.length
        if key not in rendered:
            rendered[key] = synthesise_note(*key, voice.timbre)
        end = note.start + rendered[key].size
        overlap = max(end - wave.size, 0)
        wave[note.start : end] += rendered[key][: rendered[key].size - overlap]
        wave[:overlap] += rendered[key][rendered[key].size - overlap :]
    return wave * np.float32(voice.volume)


@cache
def render_music() -> Samples:
    """Render the whole tune in stereo, ready to be looped."""
    dry = np.sum([pan_to_stereo(render_voice(voice), voice.pan) for voice in VOICES.values()], axis=0)
    stereo = add_reverb(dry, _REVERB_SHARE)
    return to_int16_samples(stereo * np.float32(_MUSIC_LOUDNESS / measure_loudness(stereo, 1.0)))


def get_music() -> Samples:
    """Return the tune, rendered on the first call; thread-safe."""
    with _RENDER_LOCK:
        return render_music()
