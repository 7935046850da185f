"""Render the music and the sound effects of the window: `python packaging/render_sounds.py [FOLDER]`.

The files are part of the repository, so this is only needed after a change of the tune, an effect or the synthesiser.

The music is Korobeiniki, a Russian folk song of the nineteenth century, arranged for this project for three plucked
voices. A bar is written as notes and their lengths: `E5/4` is a quarter note, `B4/4.` a dotted quarter note, `-/8` an
eighth rest, and `G#3+B3/4` two notes at once. The song has two strains of four bars. They are played three times, each
time with a different accompaniment. An original interlude comes before the last repetition, and the end leads back to
the beginning.
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import imageio_ffmpeg
import numpy as np
from numpy.typing import NDArray

Wave = NDArray[np.float32]  # mono, or stereo with one row per channel

FOLDER = Path(__file__).parents[1] / "src" / "tetrion" / "app" / "sounds"
SAMPLE_RATE = 44_100  # samples per second
SAMPLES_PER_BAR = 4 * SAMPLE_RATE * 60 // 126  # 126 beats per minute make a beat a whole number of samples
MUSIC_LOUDNESS = 0.125  # root mean square of the loudest second
MUSIC_REVERB = 0.30  # volume of the reverb relative to the sound
VORBIS_QUALITY = 2  # about 50 kbit/s for this music
SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


class Timbre(NamedTuple):
    """The sound of a note: its harmonics and its envelope."""

    harmonics: tuple[float, ...]  # amplitudes, from the fundamental upwards
    decay: float  # exponential rate of the fundamental per second; higher harmonics decay faster, as on a string
    attack: float = 0.006  # in seconds
    release: float = 0.08  # in seconds, after the length of the note


SOFT = Timbre((1.0, 0.06, 0.16, 0.02, 0.05, 0.0, 0.02), 2.2)  # nearly a triangle: odd harmonics as 1 / k²
DEEP = Timbre((1.0, 0.35, 0.16, 0.06, 0.03), 1.6, attack=0.010)
BELL = Timbre((1.0, 0.0, 0.0, 0.22, 0.0, 0.0, 0.0, 0.04), 5.0, attack=0.003)
WOOD = Timbre((1.0, 0.25, 0.08), 26.0, attack=0.002, release=0.03)


class Effect(NamedTuple):
    """A sound effect: notes one after another, notes joined by + at once."""

    timbre: Timbre
    notes: str
    note_interval: float  # in seconds, from one note to the next
    note_length: float  # in seconds
    loudness: float  # root mean square of its loudest tenth of a second
    reverb: float = 0.0  # volume of the reverb relative to the sound


EFFECTS = {  # in the key of the music
    "move": Effect(WOOD, "A4", 0.0, 0.06, 0.04),
    "rotate": Effect(WOOD, "E5", 0.0, 0.07, 0.04),
    "step": Effect(WOOD, "E4", 0.0, 0.05, 0.04),
    "lock": Effect(WOOD, "A2+E3", 0.0, 0.14, 0.08),
    "single": Effect(BELL, "A4 E5", 0.07, 0.35, 0.065, 0.25),
    "double": Effect(BELL, "A4 C5 E5", 0.07, 0.40, 0.075, 0.25),
    "triple": Effect(BELL, "A4 C5 E5 A5", 0.07, 0.50, 0.085, 0.30),
    "tetris": Effect(SOFT, "A3 C#4 E4 A4 C#5 E5 A2+A4+C#5+E5+A5", 0.08, 1.20, 0.12, 0.40),
    "level": Effect(SOFT, "E4 A4 B4 E5", 0.11, 0.50, 0.08, 0.30),
    "over": Effect(DEEP, "E4 D4 C4 B3 A2+A3+E4", 0.24, 0.80, 0.08, 0.35),
    "focus": Effect(WOOD, "B4", 0.0, 0.05, 0.04),
    "choose": Effect(BELL, "E5 B5", 0.06, 0.20, 0.04, 0.20),
}

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


class Voice(NamedTuple):
    """One of the three voices of the music."""

    parts: tuple[str, ...]
    timbre: Timbre
    volume: float
    pan: float  # from −1 (left) to 1 (right)


VOICES = (
    Voice((SONG_MELODY, SONG_MELODY, INTERLUDE_MELODY, SONG_MELODY), SOFT, 1.0, 0.12),
    Voice((OFF_BEAT_CHORDS, SECOND_MELODY, LONG_CHORDS, ARPEGGIOS), SOFT, 0.42, -0.30),
    Voice((PLAIN_BASS, WALKING_BASS, INTERLUDE_BASS, PLAIN_BASS), DEEP, 0.80, 0.0),
)


def render_music() -> Wave:
    """Render the tune in stereo, ready to be looped: the tail of its end is part of its beginning."""
    dry = np.sum([pan_to_stereo(render_voice(voice), voice.pan) for voice in VOICES], axis=0)
    return set_loudness(add_reverb(dry, MUSIC_REVERB), MUSIC_LOUDNESS, seconds=1.0)


def render_voice(voice: Voice) -> Wave:
    """Render a voice of the music in mono, without reverb."""
    notes = " ".join(voice.parts).replace("|", " ").split()
    lengths = [parse_length(note) for note in notes]
    wave = np.zeros(sum(lengths), dtype=np.float32)
    start = 0
    for note, length in zip(notes, lengths, strict=True):
        for name in note.partition("/")[0].split("+"):
            if name != "-":
                sound = synthesise_note(name, length, voice.timbre)
                wave[np.arange(start, start + sound.size) % wave.size] += sound
        start += length
    return wave * np.float32(voice.volume)


def parse_length(note: str) -> int:
    """Return the length of a written note in samples."""
    length = note.partition("/")[2]
    samples = SAMPLES_PER_BAR // int(length.removesuffix("."))
    return samples * 3 // 2 if length.endswith(".") else samples


def render_effect(effect: Effect) -> Wave:
    """Render a sound effect in mono."""
    interval, length = (round(seconds * SAMPLE_RATE) for seconds in (effect.note_interval, effect.note_length))
    sounds = [
        (number * interval, synthesise_note(name, length, effect.timbre))
        for number, group in enumerate(effect.notes.split())
        for name in group.split("+")
    ]
    tail = round(0.6 * SAMPLE_RATE) if effect.reverb else 0
    wave = np.zeros(max(start + sound.size for start, sound in sounds) + tail, dtype=np.float32)
    for start, sound in sounds:
        wave[start : start + sound.size] += sound
    if effect.reverb:
        silence = np.zeros(SAMPLE_RATE, dtype=np.float32)  # into which the reverb of the end may wrap
        wave = add_reverb(np.append(wave, silence)[np.newaxis], effect.reverb)[0, : wave.size]
        wave[-tail:] *= make_fade_in(tail)[::-1]
    return set_loudness(wave[np.newaxis], effect.loudness, seconds=0.1)


@cache
def synthesise_note(name: str, length: int, timbre: Timbre) -> Wave:
    """Synthesise a note such as G#4 of `length` samples, followed by its release."""
    match = re.fullmatch(r"([A-G])(#?)(\d)", name)
    if match is None:
        raise ValueError(f"A note is a letter from A to G, an optional # and an octave, such as G#4; given '{name}'.")
    semitones_from_a4 = 12 * (int(match[3]) - 4) + SEMITONES[match[1]] + len(match[2]) - 9
    frequency = 440 * 2 ** (semitones_from_a4 / 12)  # equal temperament
    attack, release = round(timbre.attack * SAMPLE_RATE), round(timbre.release * SAMPLE_RATE)
    time = np.arange(length + release) / SAMPLE_RATE
    wave = np.zeros(time.size)
    for number, amplitude in enumerate(timbre.harmonics, 1):
        if number * frequency < SAMPLE_RATE / 3:
            decay = np.exp(-timbre.decay * (1 + 0.4 * (number - 1)) * time)
            wave += amplitude * np.sin(2 * np.pi * number * frequency * time) * decay
    wave[:attack] *= make_fade_in(attack)
    wave[-release:] *= make_fade_in(release)[::-1]
    return wave.astype(np.float32)


def make_fade_in(length: int) -> Wave:
    """Return a smooth ramp from 0 to 1 over `length` samples."""
    return ((1 - np.cos(np.linspace(0, np.pi, length, dtype=np.float32))) / 2).astype(np.float32)


def pan_to_stereo(wave: Wave, pan: float) -> Wave:
    """Return a mono wave in stereo with constant power."""
    angle = (pan + 1) * np.pi / 4
    return np.outer(np.array([np.cos(angle), np.sin(angle)], dtype=np.float32), wave)


def add_reverb(wave: Wave, share: float) -> Wave:
    """Return a sound with the reverb of a room, decaying noise; the reverb at the end wraps round to the beginning."""
    time = np.arange(round(0.9 * SAMPLE_RATE)) / SAMPLE_RATE
    noise = np.random.default_rng(1868).standard_normal((2, time.size), dtype=np.float32)[: len(wave)]
    noise = noise * np.exp(-6.5 * time) * (time >= 0.012)  # 12 ms until the first echo
    smooth = np.array([np.convolve(channel, np.full(16, 1 / 16))[: time.size] for channel in noise])  # a low-pass
    smooth /= np.sqrt((smooth**2).sum(axis=1, keepdims=True))
    reverb = np.fft.irfft(np.fft.rfft(wave) * np.fft.rfft(smooth, wave.shape[1]), wave.shape[1])
    return (wave + share * reverb).astype(np.float32)


def set_loudness(wave: Wave, loudness: float, seconds: float) -> Wave:
    """Return a sound whose loudest interval of `seconds` has this root mean square."""
    width = min(round(seconds * SAMPLE_RATE), wave.shape[1])
    total = np.append(0.0, np.cumsum((wave**2).mean(axis=0), dtype=np.float64))
    return wave * np.float32(loudness / np.sqrt((total[width:] - total[:-width]).max() / width))


def write_sound(path: Path, wave: Wave) -> None:
    """Write a sound as Ogg Vorbis."""
    samples = np.rint(np.clip(wave, -1, 1) * 32_767).astype(np.int16).T
    source = ["-f", "s16le", "-ar", str(SAMPLE_RATE), "-ac", str(len(wave)), "-i", "-"]
    target = ["-c:a", "libvorbis", "-q:a", str(VORBIS_QUALITY), "-fflags", "+bitexact", "-flags:a", "+bitexact"]
    ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
    subprocess.run(
        [ffmpeg, "-y", "-loglevel", "error", *source, *target, str(path)], input=samples.tobytes(), check=True
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    write_sound(folder / "music.ogg", render_music())
    for effect_name, sound_effect in EFFECTS.items():
        write_sound(folder / f"{effect_name}.ogg", render_effect(sound_effect))
    print(f"Wrote {len(EFFECTS) + 1} files into {folder}.")
