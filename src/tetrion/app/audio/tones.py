"""A small synthesiser: plucked tones, a little room around them, and samples that a mixer plays."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tetrion.errors import TetrionError

Wave = NDArray[np.float32]
Samples = NDArray[np.int16]

RATE = 44_100  # samples a second
STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
ROOM_SECONDS = 0.9
ROOM_DECAY = 6.5  # a second, in powers of e
EARLIEST_ECHO = 0.012  # seconds


@dataclass(frozen=True)
class Tone:
    """How a note sounds: its harmonics, and how it begins, fades and ends."""

    harmonics: tuple[float, ...]  # the strength of each, from the ground tone up
    decay: float  # of the ground tone a second, in powers of e; higher harmonics fade faster, as on a string
    attack: float = 0.006  # seconds
    release: float = 0.08  # seconds, after the note's own time


SOFT = Tone((1.0, 0.06, 0.16, 0.02, 0.05, 0.0, 0.02), 2.2)  # nearly a triangle: odd harmonics as 1 / k²
DEEP = Tone((1.0, 0.35, 0.16, 0.06, 0.03), 1.6, attack=0.010)
BELL = Tone((1.0, 0.0, 0.0, 0.22, 0.0, 0.0, 0.0, 0.04), 5.0, attack=0.003)
WOOD = Tone((1.0, 0.25, 0.08), 26.0, attack=0.002, release=0.03)


def number_of(name: str) -> int:
    """The number of a note, in half tones with 69 for A4 and 60 for C4: `A4`, `G#3`."""
    match = re.fullmatch(r"([A-G])(#?)(\d)", name)
    if match is None:
        raise TetrionError(f"A note is a letter from A to G, perhaps #, and an octave, such as G#4; given '{name}'.")
    letter, sharp, octave = match.groups()
    return 12 * (int(octave) + 1) + STEPS[letter] + len(sharp)


def frequency_of(number: float) -> float:
    """The frequency of a note in hertz, in equal temperament."""
    return float(440 * 2 ** ((number - 69) / 12))


def plucked(number: float, length: int, tone: Tone) -> Wave:
    """One note of so many samples, and its release after them."""
    release = round(tone.release * RATE)
    time = np.arange(length + release, dtype=np.float32) / np.float32(RATE)
    phase = np.float32(2 * np.pi * frequency_of(number)) * time
    audible = [k for k, strength in enumerate(tone.harmonics, 1) if strength and k * frequency_of(number) < RATE / 3]
    wave = np.zeros_like(time)
    for k in audible:
        fading = np.exp(np.float32(-tone.decay * (1 + 0.4 * (k - 1))) * time)
        wave += np.float32(tone.harmonics[k - 1]) * np.sin(np.float32(k) * phase) * fading
    return shaped(wave, round(tone.attack * RATE), release)


def shaped(wave: Wave, attack: int, release: int) -> Wave:
    """The wave, beginning and ending in silence along half a cosine."""
    wave[:attack] *= rising(attack)
    wave[wave.size - release :] *= rising(release)[::-1]
    return wave


def rising(length: int) -> Wave:
    """From 0 to 1 in so many samples, smoothly."""
    return ((1 - np.cos(np.linspace(0, np.pi, length, dtype=np.float32))) / 2).astype(np.float32)


def panned(wave: Wave, place: float) -> Wave:
    """A wave on two channels, from −1 (left) to 1 (right), equally loud everywhere."""
    angle = (place + 1) * np.pi / 4
    return np.outer(np.array([np.cos(angle), np.sin(angle)], dtype=np.float32), wave)


def in_a_room(stereo: Wave, share: float) -> Wave:
    """The sound with a share of echoes. It goes round: what rings on at the end is heard at the beginning."""
    ringing = np.fft.rfft(stereo) * np.fft.rfft(echoes(), stereo.shape[1])
    return (stereo + np.float32(share) * np.fft.irfft(ringing, stereo.shape[1])).astype(np.float32)


@cache
def echoes() -> Wave:
    """What a room answers to one short clap: fading noise, as strong in all as the clap."""
    time = np.arange(round(ROOM_SECONDS * RATE), dtype=np.float32) / np.float32(RATE)
    noise = np.random.default_rng(1868).standard_normal((2, time.size), dtype=np.float32)
    ringing = softened(noise * np.exp(-ROOM_DECAY * time) * (time >= EARLIEST_ECHO))
    ringing /= np.sqrt((ringing**2).sum(axis=1, keepdims=True))
    return ringing


def softened(noise: Wave, width: int = 16) -> Wave:
    """Noise without its highest part, as walls and curtains leave it."""
    return np.array([np.convolve(channel, np.full(width, 1 / width))[: channel.size] for channel in noise], np.float32)


def loudness(stereo: Wave, seconds: float) -> float:
    """The root mean square of the loudest stretch of so many seconds, both channels together."""
    width = min(round(seconds * RATE), stereo.shape[1])
    total = np.cumsum((stereo**2).mean(axis=0), dtype=np.float64)
    stretches = total[width - 1 :].copy()
    stretches[1:] -= total[:-width]
    return float(np.sqrt(stretches.max() / width))


def sampled(stereo: Wave) -> Samples:
    """The sound as whole numbers of 16 bits, a pair for every moment."""
    return np.ascontiguousarray(np.rint(np.clip(stereo, -1, 1) * 32_767).astype(np.int16).T)
