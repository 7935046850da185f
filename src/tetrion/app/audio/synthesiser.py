"""A small synthesiser: plucked tones, a little room around them, and samples that a mixer plays."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tetrion.errors import TetrionError

Wave = NDArray[np.float32]
Samples = NDArray[np.int16]

SAMPLE_RATE = 44_100  # samples a second
_SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
REVERB_SECONDS = 0.9
_REVERB_DECAY = 6.5  # a second, in powers of e
_FIRST_ECHO_SECONDS = 0.012  # seconds


@dataclass(frozen=True)
class Timbre:
    """How a note sounds: its harmonics, and how it begins, fades and ends."""

    harmonics: tuple[float, ...]  # the strength of each, from the ground tone up
    decay: float  # of the ground tone a second, in powers of e; higher harmonics fade faster, as on a string
    attack: float = 0.006  # seconds
    release: float = 0.08  # seconds, after the note's own time


SOFT_TIMBRE = Timbre((1.0, 0.06, 0.16, 0.02, 0.05, 0.0, 0.02), 2.2)  # nearly a triangle: odd harmonics as 1 / k²
DEEP_TIMBRE = Timbre((1.0, 0.35, 0.16, 0.06, 0.03), 1.6, attack=0.010)
BELL_TIMBRE = Timbre((1.0, 0.0, 0.0, 0.22, 0.0, 0.0, 0.0, 0.04), 5.0, attack=0.003)
WOOD_TIMBRE = Timbre((1.0, 0.25, 0.08), 26.0, attack=0.002, release=0.03)


def parse_note_number(name: str) -> int:
    """The number of a note, in half tones with 69 for A4 and 60 for C4: `A4`, `G#3`."""
    match = re.fullmatch(r"([A-G])(#?)(\d)", name)
    if match is None:
        raise TetrionError(f"A note is a letter from A to G, perhaps #, and an octave, such as G#4; given '{name}'.")
    letter, sharp, octave = match.groups()
    return 12 * (int(octave) + 1) + _SEMITONES[letter] + len(sharp)


def compute_frequency(number: float) -> float:
    """The frequency of a note in hertz, in equal temperament."""
    return float(440 * 2 ** ((number - 69) / 12))


def synthesise_note(number: float, length: int, tone: Timbre) -> Wave:
    """One note of so many samples, and its release after them."""
    release = round(tone.release * SAMPLE_RATE)
    time = np.arange(length + release, dtype=np.float32) / np.float32(SAMPLE_RATE)
    phase = np.float32(2 * np.pi * compute_frequency(number)) * time
    audible = [
        k
        for k, strength in enumerate(tone.harmonics, 1)
        if strength and k * compute_frequency(number) < SAMPLE_RATE / 3
    ]
    wave = np.zeros_like(time)
    for k in audible:
        fading = np.exp(np.float32(-tone.decay * (1 + 0.4 * (k - 1))) * time)
        wave += np.float32(tone.harmonics[k - 1]) * np.sin(np.float32(k) * phase) * fading
    return apply_envelope(wave, round(tone.attack * SAMPLE_RATE), release)


def apply_envelope(wave: Wave, attack: int, release: int) -> Wave:
    """The wave, beginning and ending in silence along half a cosine."""
    wave[:attack] *= make_fade_in(attack)
    wave[wave.size - release :] *= make_fade_in(release)[::-1]
    return wave


def make_fade_in(length: int) -> Wave:
    """From 0 to 1 in so many samples, smoothly."""
    return ((1 - np.cos(np.linspace(0, np.pi, length, dtype=np.float32))) / 2).astype(np.float32)


def pan_to_stereo(wave: Wave, pan: float) -> Wave:
    """A wave on two channels, from −1 (left) to 1 (right), equally loud everywhere."""
    angle = (pan + 1) * np.pi / 4
    return np.outer(np.array([np.cos(angle), np.sin(angle)], dtype=np.float32), wave)


def add_reverb(stereo: Wave, share: float) -> Wave:
    """The sound with a share of echoes. It goes round: what rings on at the end is heard at the beginning."""
    ringing = np.fft.rfft(stereo) * np.fft.rfft(make_reverb_impulse(), stereo.shape[1])
    return (stereo + np.float32(share) * np.fft.irfft(ringing, stereo.shape[1])).astype(np.float32)


@cache
def make_reverb_impulse() -> Wave:
    """What a room answers to one short clap: fading noise, as strong in all as the clap."""
    time = np.arange(round(REVERB_SECONDS * SAMPLE_RATE), dtype=np.float32) / np.float32(SAMPLE_RATE)
    noise = np.random.default_rng(1868).standard_normal((2, time.size), dtype=np.float32)
    ringing = low_pass_filter(noise * np.exp(-_REVERB_DECAY * time) * (time >= _FIRST_ECHO_SECONDS))
    ringing /= np.sqrt((ringing**2).sum(axis=1, keepdims=True))
    return ringing


def low_pass_filter(noise: Wave, width: int = 16) -> Wave:
    """Noise without its highest part, as walls and curtains leave it."""
    return np.array([np.convolve(channel, np.full(width, 1 / width))[: channel.size] for channel in noise], np.float32)


def measure_loudness(stereo: Wave, seconds: float) -> float:
    """The root mean square of the loudest stretch of so many seconds, both channels together."""
    width = min(round(seconds * SAMPLE_RATE), stereo.shape[1])
    total = np.cumsum((stereo**2).mean(axis=0), dtype=np.float64)
    stretches = total[width - 1 :].copy()
    stretches[1:] -= total[:-width]
    return float(np.sqrt(stretches.max() / width))


def to_int16_samples(stereo: Wave) -> Samples:
    """The sound as whole numbers of 16 bits, a pair for every moment."""
    return np.ascontiguousarray(np.rint(np.clip(stereo, -1, 1) * 32_767).astype(np.int16).T)
