"""A small synthesiser: plucked notes, reverb, and conversion to samples for the mixer."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tetrion.errors import TetrionError

Wave = NDArray[np.float32]
Samples = NDArray[np.int16]

SAMPLE_RATE = 44_100  # samples per second
_SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
REVERB_SECONDS = 0.9
_REVERB_DECAY = 6.5  # exponential rate per second
_FIRST_ECHO_SECONDS = 0.012


@dataclass(frozen=True)
class Timbre:
    """The sound of a note: its harmonics and its envelope."""

    harmonics: tuple[float, ...]  # amplitudes, from the fundamental upwards
    decay: float  # exponential rate of the fundamental per second; higher harmonics decay faster, as on a string
    attack: float = 0.006  # in seconds
    release: float = 0.08  # in seconds, after the length of the note


SOFT_TIMBRE = Timbre((1.0, 0.06, 0.16, 0.02, 0.05, 0.0, 0.02), 2.2)  # nearly a triangle: odd harmonics as 1 / k²
DEEP_TIMBRE = Timbre((1.0, 0.35, 0.16, 0.06, 0.03), 1.6, attack=0.010)
BELL_TIMBRE = Timbre((1.0, 0.0, 0.0, 0.22, 0.0, 0.0, 0.0, 0.04), 5.0, attack=0.003)
WOOD_TIMBRE = Timbre((1.0, 0.25, 0.08), 26.0, attack=0.002, release=0.03)


def parse_note_number(name: str) -> int:
    """Return the MIDI number of a note such as `A4` (69) or `G#3` (56)."""
    match = re.fullmatch(r"([A-G])(#?)(\d)", name)
    if match is None:
        raise TetrionError(f"A note is a letter from A to G, an optional # and an octave, such as G#4; given '{name}'.")
    letter, sharp, octave = match.groups()
    return 12 * (int(octave) + 1) + _SEMITONES[letter] + len(sharp)


def compute_frequency(number: float) -> float:
    """Return the frequency of a MIDI number in hertz, in equal temperament."""
    return float(440 * 2 ** ((number - 69) / 12))


def synthesise_note(number: float, length: int, timbre: Timbre) -> Wave:
    """Synthesise a note of `length` samples, followed by its release."""
    release = round(timbre.release * SAMPLE_RATE)
    time = np.arange(length + release, dtype=np.float32) / np.float32(SAMPLE_RATE)
    phase = np.float32(2 * np.pi * compute_frequency(number)) * time
    audible = [
        k
        for k, strength in enumerate(timbre.harmonics, 1)
        if strength and k * compute_frequency(number) < SAMPLE_RATE / 3
    ]
    wave = np.zeros_like(time)
    for k in audible:
        decay = np.exp(np.float32(-timbre.decay * (1 + 0.4 * (k - 1))) * time)
        wave += np.float32(timbre.harmonics[k - 1]) * np.sin(np.float32(k) * phase) * decay
    return apply_envelope(wave, round(timbre.attack * SAMPLE_RATE), release)


def apply_envelope(wave: Wave, attack: int, release: int) -> Wave:
    """Fade a wave in and out in place along half a cosine; `attack` and `release` are in samples."""
    wave[:attack] *= make_fade_in(attack)
    wave[wave.size - release :] *= make_fade_in(release)[::-1]
    return wave


def make_fade_in(length: int) -> Wave:
    """Return a smooth ramp from 0 to 1 over `length` samples."""
    return ((1 - np.cos(np.linspace(0, np.pi, length, dtype=np.float32))) / 2).astype(np.float32)


def pan_to_stereo(wave: Wave, pan: float) -> Wave:
    """Return a mono wave in stereo with constant power; `pan` is from −1 (left) to 1 (right)."""
    angle = (pan + 1) * np.pi / 4
    return np.outer(np.array([np.cos(angle), np.sin(angle)], dtype=np.float32), wave)


def add_reverb(stereo: Wave, share: float) -> Wave:
    """Return a sound with a share of reverb; the reverb at the end wraps round to the beginning."""
    reverb = np.fft.rfft(stereo) * np.fft.rfft(make_reverb_impulse(), stereo.shape[1])
    return (stereo + np.float32(share) * np.fft.irfft(reverb, stereo.shape[1])).astype(np.float32)


@cache
def make_reverb_impulse() -> Wave:
    """Return the impulse response of a room: decaying noise with unit energy."""
    time = np.arange(round(REVERB_SECONDS * SAMPLE_RATE), dtype=np.float32) / np.float32(SAMPLE_RATE)
    noise = np.random.default_rng(1868).standard_normal((2, time.size), dtype=np.float32)
    response = apply_low_pass(noise * np.exp(-_REVERB_DECAY * time) * (time >= _FIRST_ECHO_SECONDS))
    response /= np.sqrt((response**2).sum(axis=1, keepdims=True))
    return response


def apply_low_pass(noise: Wave, width: int = 16) -> Wave:
    """Return noise without its highest frequencies (a moving average of `width` samples), as a room damps them."""
    return np.array([np.convolve(channel, np.full(width, 1 / width))[: channel.size] for channel in noise], np.float32)


def measure_loudness(stereo: Wave, seconds: float) -> float:
    """Return the root mean square of the loudest interval of `seconds`, over both channels."""
    width = min(round(seconds * SAMPLE_RATE), stereo.shape[1])
    total = np.cumsum((stereo**2).mean(axis=0), dtype=np.float64)
    sums = total[width - 1 :].copy()
    sums[1:] -= total[:-width]
    return float(np.sqrt(sums.max() / width))


def to_int16_samples(stereo: Wave) -> Samples:
    """Convert a sound to 16-bit integers, one row of two channels per sample."""
    return np.ascontiguousarray(np.rint(np.clip(stereo, -1, 1) * 32_767).astype(np.int16).T)
