"""The tune and the sounds: right notes, equal bars, voices that agree, no click, nothing too loud."""

from itertools import pairwise

import numpy as np
import pytest

from tetrion.app.audio import music, sound_effects
from tetrion.app.audio.music import (
    SAMPLES_PER_BAR,
    SAMPLES_PER_BEAT,
    VOICES,
    Note,
    count_samples,
    get_music,
    list_notes,
    parse_bars,
    render_voice,
)
from tetrion.app.audio.synthesiser import (
    SAMPLE_RATE,
    SOFT_TIMBRE,
    Samples,
    Wave,
    compute_frequency,
    parse_note_number,
    synthesise_note,
)
from tetrion.errors import TetrionError

BEGINNING = "E5 B4 C5 D5 C5 B4 A4 A4 C5 E5 D5 C5 B4 C5 D5 E5 C5 A4 A4"
CONSONANT = {0, 3, 4, 5, 7, 8, 9}  # half tones, octaves taken away
OVER_THE_BASS = CONSONANT - {5}


def share(samples: Samples) -> Wave:
    return (samples.astype(np.float32) / 32_767).astype(np.float32)


def root_mean_square(samples: Samples) -> float:
    return float(np.sqrt((share(samples).astype(np.float64) ** 2).mean()))


def pitch(wave: Wave) -> float:
    """The strongest frequency, in half tones."""
    spectrum = np.abs(np.fft.rfft(wave * np.hanning(wave.size), 1 << 17))
    return float(69 + 12 * np.log2(spectrum.argmax() * SAMPLE_RATE / (1 << 17) / 440))


def sounding(notes: list[Note], moment: int) -> list[int]:
    return [note.number for note in notes if note.start <= moment < note.start + note.length]


def test_names_of_notes() -> None:
    assert [parse_note_number(name) for name in ("C4", "A4", "G#4", "E5", "A2")] == [60, 69, 68, 76, 45]
    assert compute_frequency(parse_note_number("A5")) == 880
    for wrong in ("H4", "A", "Ab4", "a4"):
        with pytest.raises(TetrionError, match="such as G#4"):
            parse_note_number(wrong)
    with pytest.raises(TetrionError, match="'E5/3'"):
        parse_bars("E5/3")


def test_a_plucked_note_has_its_pitch_and_fades() -> None:
    for name in ("E2", "A4", "A5"):
        wave = synthesise_note(parse_note_number(name), SAMPLE_RATE, SOFT_TIMBRE)
        assert pitch(wave) == pytest.approx(parse_note_number(name), abs=0.1)
        assert abs(wave[: SAMPLE_RATE // 4]).max() > 2 * abs(wave[3 * SAMPLE_RATE // 4 :]).max()
        assert wave[0] == wave[-1] == 0


def test_the_song_begins_as_it_is_sung() -> None:
    written = list_notes(VOICES["melody"].parts)[: len(BEGINNING.split())]
    assert [note.number for note in written] == [parse_note_number(name) for name in BEGINNING.split()]
    wave = render_voice(VOICES["melody"])
    heard = [pitch(wave[note.start : note.start + note.length]) for note in written]
    assert heard == pytest.approx([note.number for note in written], abs=0.3)


def test_every_bar_of_every_voice_has_four_beats() -> None:
    for voice in VOICES.values():
        assert [len(parse_bars(part)) for part in voice.parts] == [8, 8, 8, 8]
        assert {sum(length for _, length in bar) for part in voice.parts for bar in parse_bars(part)} == {
            SAMPLES_PER_BAR
        }
    assert {count_samples(voice.parts) for voice in VOICES.values()} == {32 * SAMPLES_PER_BAR}


def test_the_voices_agree_on_strong_beats() -> None:
    melody, inner, bass = (list_notes(VOICES[name].parts) for name in ("melody", "inner", "bass"))
    for moment in range(0, 32 * SAMPLES_PER_BAR, 2 * SAMPLES_PER_BEAT):
        where = f"bar {moment // SAMPLES_PER_BAR + 1}, beat {moment % SAMPLES_PER_BAR // SAMPLES_PER_BEAT + 1}"
        (low,) = sounding(bass, moment)
        for high in sounding(melody, moment):
            assert (high - low) % 12 in OVER_THE_BASS, where
            assert all((high - middle) % 12 in CONSONANT for middle in sounding(inner, moment)), where
        assert all(low < middle for middle in sounding(inner, moment)), where


def test_the_tune_goes_round_without_a_click() -> None:
    samples = share(get_music())
    steps = np.abs(np.diff(samples, axis=0)).max(axis=1)
    across = np.abs(samples[0] - samples[-1]).max()
    assert across < np.percentile(steps, 90)
    assert steps.max() < 0.1, "nowhere a jump"


def test_the_tune_is_a_minute_of_stereo_and_never_clips() -> None:
    samples = get_music()
    assert samples.shape == (32 * SAMPLES_PER_BAR, 2)
    assert samples.dtype == np.int16
    assert samples.flags.c_contiguous
    assert abs(share(samples)).max() < 0.7
    assert 0.07 < root_mean_square(samples) < 0.13
    bars = [root_mean_square(bar) for bar in np.split(samples, 32)]
    assert max(bars) < 2 * min(bars), "no bar much louder than another"
    assert get_music() is samples, "rendered once"


@pytest.mark.parametrize("name", sound_effects.SOUND_EFFECTS)
def test_sounds_begin_and_end_in_silence_and_are_not_loud(name: str) -> None:
    samples = sound_effects.render_effect(name)
    assert abs(samples[[0, -1]]).max() <= 1
    assert abs(share(samples)).max() < 0.5
    assert 0.015 < root_mean_square(samples) < 0.08
    assert 0.05 < len(samples) / SAMPLE_RATE < 2.5
    assert abs(share(samples[:: len(samples) - 1])).max() < abs(share(samples)).max() / 100


def test_four_lines_are_the_grandest() -> None:
    powers = [
        root_mean_square(sound_effects.render_effect(name)) ** 2 * len(sound_effects.render_effect(name))
        for name in sound_effects.LINE_CLEAR_EFFECTS
    ]
    assert all(less < more for less, more in pairwise(powers))
    assert powers[3] > 2.5 * powers[2]
    assert all(
        len(sound_effects.render_effect(name)) / SAMPLE_RATE < 0.2
        for name in ("move", "rotate", "step", "lock", "focus")
    )
    assert music.BEATS_PER_MINUTE * SAMPLES_PER_BEAT == 60 * SAMPLE_RATE
