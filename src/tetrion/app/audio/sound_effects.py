"""The sounds of the game and the menu: a few notes each, in the tune's own key."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tetrion.app.audio.synthesiser import (
    BELL_TIMBRE,
    DEEP_TIMBRE,
    REVERB_SECONDS,
    SAMPLE_RATE,
    SOFT_TIMBRE,
    WOOD_TIMBRE,
    Samples,
    Timbre,
    Wave,
    add_reverb,
    make_fade_in,
    measure_loudness,
    pan_to_stereo,
    parse_note_number,
    synthesise_note,
    to_int16_samples,
)

LINE_CLEAR_EFFECTS = ("one", "two", "three", "four")  # the sound by how many rows are removed at once
_ECHO_SECONDS = 0.6  # seconds that a sound with a room rings on
_QUIET_LOUDNESS, _NORMAL_LOUDNESS = 0.04, 0.08


@dataclass(frozen=True)
class SoundEffect:
    """A sound: notes one after the other, those joined by + at once, and how loud it is."""

    timbre: Timbre
    notes: str
    note_interval: float  # seconds from one note to the next
    note_length: float  # seconds of each note
    loudness: float  # the root mean square of its loudest tenth of a second
    echo_share: float = 0.0  # the share of echoes


SOUND_EFFECTS = {
    "move": SoundEffect(WOOD_TIMBRE, "A4", 0.0, 0.06, _QUIET_LOUDNESS),
    "rotate": SoundEffect(WOOD_TIMBRE, "E5", 0.0, 0.07, _QUIET_LOUDNESS),
    "step": SoundEffect(WOOD_TIMBRE, "E4", 0.0, 0.05, _QUIET_LOUDNESS),
    "lock": SoundEffect(WOOD_TIMBRE, "A2+E3", 0.0, 0.14, _NORMAL_LOUDNESS),
    "one": SoundEffect(BELL_TIMBRE, "A4 E5", 0.07, 0.35, 0.065, 0.25),
    "two": SoundEffect(BELL_TIMBRE, "A4 C5 E5", 0.07, 0.40, 0.075, 0.25),
    "three": SoundEffect(BELL_TIMBRE, "A4 C5 E5 A5", 0.07, 0.50, 0.085, 0.30),
    "four": SoundEffect(SOFT_TIMBRE, "A3 C#4 E4 A4 C#5 E5 A2+A4+C#5+E5+A5", 0.08, 1.20, 0.12, 0.40),
    "level": SoundEffect(SOFT_TIMBRE, "E4 A4 B4 E5", 0.11, 0.50, _NORMAL_LOUDNESS, 0.30),
    "over": SoundEffect(DEEP_TIMBRE, "E4 D4 C4 B3 A2+A3+E4", 0.24, 0.80, _NORMAL_LOUDNESS, 0.35),
    "focus": SoundEffect(WOOD_TIMBRE, "B4", 0.0, 0.05, _QUIET_LOUDNESS),
    "choose": SoundEffect(BELL_TIMBRE, "E5 B5", 0.06, 0.20, _QUIET_LOUDNESS, 0.20),
}


@cache
def render_effect(name: str) -> Samples:
    """A sound of EFFECTS on two channels."""
    effect = SOUND_EFFECTS[name]
    placed = [
        (
            round(step * effect.note_interval * SAMPLE_RATE),
            synthesise_note(parse_note_number(note), round(effect.note_length * SAMPLE_RATE), effect.timbre),
        )
        for step, group in enumerate(effect.notes.split())
        for note in group.split("+")
    ]
    ends = max(start + note.size for start, note in placed)
    wave = np.zeros(ends, dtype=np.float32)
    for start, note in placed:
        wave[start : start + note.size] += note
    stereo = pan_to_stereo(wave, 0.0)
    if effect.echo_share:
        stereo = add_echo_tail(stereo, effect.echo_share)
    return to_int16_samples(stereo * np.float32(effect.loudness / measure_loudness(stereo, 0.1)))


def add_echo_tail(stereo: Wave, echo_share: float) -> Wave:
    """The sound in a room, and after it the echoes, fading to silence."""
    after = round(_ECHO_SECONDS * SAMPLE_RATE)
    ends = stereo.shape[1] + after
    circle = 1 << (ends + round(REVERB_SECONDS * SAMPLE_RATE)).bit_length()  # so long that no echo comes round
    padded = np.pad(stereo, ((0, 0), (0, circle - stereo.shape[1])))
    heard = add_reverb(padded, echo_share)[:, :ends]
    heard[:, -after:] *= make_fade_in(after)[::-1]
    return heard
