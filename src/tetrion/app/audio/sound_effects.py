"""The sound effects of the game and the menu: a few notes each, in the key of the music."""

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

LINE_CLEAR_EFFECTS = ("single", "double", "triple", "tetris")  # for one to four lines cleared at once
_REVERB_TAIL_SECONDS = 0.6  # length of the reverb after an effect
_QUIET_LOUDNESS = 0.04
_NORMAL_LOUDNESS = 0.08


@dataclass(frozen=True)
class SoundEffect:
    """A sound effect: notes one after another, notes joined by + at once."""

    timbre: Timbre
    notes: str
    note_interval: float  # in seconds, from one note to the next
    note_length: float  # in seconds
    loudness: float  # root mean square of its loudest tenth of a second
    reverb_share: float = 0.0  # volume of the reverb relative to the sound


SOUND_EFFECTS = {
    "move": SoundEffect(WOOD_TIMBRE, "A4", 0.0, 0.06, _QUIET_LOUDNESS),
    "rotate": SoundEffect(WOOD_TIMBRE, "E5", 0.0, 0.07, _QUIET_LOUDNESS),
    "step": SoundEffect(WOOD_TIMBRE, "E4", 0.0, 0.05, _QUIET_LOUDNESS),
    "lock": SoundEffect(WOOD_TIMBRE, "A2+E3", 0.0, 0.14, _NORMAL_LOUDNESS),
    "single": SoundEffect(BELL_TIMBRE, "A4 E5", 0.07, 0.35, 0.065, 0.25),
    "double": SoundEffect(BELL_TIMBRE, "A4 C5 E5", 0.07, 0.40, 0.075, 0.25),
    "triple": SoundEffect(BELL_TIMBRE, "A4 C5 E5 A5", 0.07, 0.50, 0.085, 0.30),
    "tetris": SoundEffect(SOFT_TIMBRE, "A3 C#4 E4 A4 C#5 E5 A2+A4+C#5+E5+A5", 0.08, 1.20, 0.12, 0.40),
    "level": SoundEffect(SOFT_TIMBRE, "E4 A4 B4 E5", 0.11, 0.50, _NORMAL_LOUDNESS, 0.30),
    "over": SoundEffect(DEEP_TIMBRE, "E4 D4 C4 B3 A2+A3+E4", 0.24, 0.80, _NORMAL_LOUDNESS, 0.35),
    "focus": SoundEffect(WOOD_TIMBRE, "B4", 0.0, 0.05, _QUIET_LOUDNESS),
    "choose": SoundEffect(BELL_TIMBRE, "E5 B5", 0.06, 0.20, _QUIET_LOUDNESS, 0.20),
}


@cache
def render_effect(name: str) -> Samples:
    """Render an effect of SOUND_EFFECTS in stereo."""
    effect = SOUND_EFFECTS[name]
    notes = [
        (
            round(step * effect.note_interval * SAMPLE_RATE),
            synthesise_note(parse_note_number(note), round(effect.note_length * SAMPLE_RATE), effect.timbre),
        )
        for step, group in enumerate(effect.notes.split())
        for note in group.split("+")
    ]
    length = max(start + note.size for start, note in notes)
    wave = np.zeros(length, dtype=np.float32)
    for start, note in notes:
        wave[start : start + note.size] += note
    stereo = pan_to_stereo(wave, 0.0)
    if effect.reverb_share:
        stereo = add_reverb_tail(stereo, effect.reverb_share)
    return to_int16_samples(stereo * np.float32(effect.loudness / measure_loudness(stereo, 0.1)))


def add_reverb_tail(stereo: Wave, reverb_share: float) -> Wave:
    """Return a sound with reverb, including the tail of the reverb after its end, which fades to silence."""
    tail_length = round(_REVERB_TAIL_SECONDS * SAMPLE_RATE)
    length = stereo.shape[1] + tail_length
    padded_length = 1 << (length + round(REVERB_SECONDS * SAMPLE_RATE)).bit_length()  # no wrap-around
    padded = np.pad(stereo, ((0, 0), (0, padded_length - stereo.shape[1])))
    result = add_reverb(padded, reverb_share)[:, :length]
    result[:, -tail_length:] *= make_fade_in(tail_length)[::-1]
    return result
