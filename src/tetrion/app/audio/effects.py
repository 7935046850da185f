"""The sounds of the game and the menu: a few notes each, in the tune's own key."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tetrion.app.audio.tones import (
    BELL,
    DEEP,
    RATE,
    ROOM_SECONDS,
    SOFT,
    WOOD,
    Samples,
    Tone,
    Wave,
    in_a_room,
    loudness,
    number_of,
    panned,
    plucked,
    rising,
    sampled,
)

LINES = ("one", "two", "three", "four")  # the sound by how many rows are removed at once
ECHOES = 0.6  # seconds that a sound with a room rings on
QUIET, NORMAL = 0.04, 0.08


@dataclass(frozen=True)
class Effect:
    """A sound: notes one after the other, those joined by + at once, and how loud it is."""

    tone: Tone
    notes: str
    apart: float  # seconds from one note to the next
    length: float  # seconds of each note
    loudness: float  # the root mean square of its loudest tenth of a second
    room: float = 0.0  # the share of echoes


EFFECTS = {
    "move": Effect(WOOD, "A4", 0.0, 0.06, QUIET),
    "rotate": Effect(WOOD, "E5", 0.0, 0.07, QUIET),
    "step": Effect(WOOD, "E4", 0.0, 0.05, QUIET),
    "lock": Effect(WOOD, "A2+E3", 0.0, 0.14, NORMAL),
    "one": Effect(BELL, "A4 E5", 0.07, 0.35, 0.065, 0.25),
    "two": Effect(BELL, "A4 C5 E5", 0.07, 0.40, 0.075, 0.25),
    "three": Effect(BELL, "A4 C5 E5 A5", 0.07, 0.50, 0.085, 0.30),
    "four": Effect(SOFT, "A3 C#4 E4 A4 C#5 E5 A2+A4+C#5+E5+A5", 0.08, 1.20, 0.12, 0.40),
    "level": Effect(SOFT, "E4 A4 B4 E5", 0.11, 0.50, NORMAL, 0.30),
    "over": Effect(DEEP, "E4 D4 C4 B3 A2+A3+E4", 0.24, 0.80, NORMAL, 0.35),
    "focus": Effect(WOOD, "B4", 0.0, 0.05, QUIET),
    "choose": Effect(BELL, "E5 B5", 0.06, 0.20, QUIET, 0.20),
}


@cache
def rendered(name: str) -> Samples:
    """A sound of EFFECTS on two channels."""
    effect = EFFECTS[name]
    placed = [
        (round(step * effect.apart * RATE), plucked(number_of(note), round(effect.length * RATE), effect.tone))
        for step, group in enumerate(effect.notes.split())
        for note in group.split("+")
    ]
    ends = max(start + note.size for start, note in placed)
    wave = np.zeros(ends, dtype=np.float32)
    for start, note in placed:
        wave[start : start + note.size] += note
    stereo = panned(wave, 0.0)
    if effect.room:
        stereo = ringing_on(stereo, effect.room)
    return sampled(stereo * np.float32(effect.loudness / loudness(stereo, 0.1)))


def ringing_on(stereo: Wave, room: float) -> Wave:
    """The sound in a room, and after it the echoes, fading to silence."""
    after = round(ECHOES * RATE)
    ends = stereo.shape[1] + after
    circle = 1 << (ends + round(ROOM_SECONDS * RATE)).bit_length()  # so long that no echo comes round
    padded = np.pad(stereo, ((0, 0), (0, circle - stereo.shape[1])))
    heard = in_a_room(padded, room)[:, :ends]
    heard[:, -after:] *= rising(after)[::-1]
    return heard
