"""The music and the sound effects: notes, bars, harmony, loudness, no clicks."""

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

FIRST_NOTES = "E5 B4 C5 D5 C5 B4 A4 A4 C5 E5 D5 C5 B4 C5 D5 E5 C5 A4 A4"
CONSONANT_INTERVALS = {0, 3, 4, 5, 7, 8, 9}  # in semitones, modulo octaves
CONSONANT_WITH_BASS = CONSONANT_INTERVALS - {5}


def normalise(samples: Samples) -> Wave:
    return (samples.astype(np.float32) / 32_767).astype(np.float32)


def compute_rms(samples: Samples) -> float:
    return float(np.sqrt((normalise(samples).astype(np.float64) ** 2).mean()))


def measure_pitch(wave: Wave) -> float:
    """Return the strongest frequency as a MIDI number."""
    spectrum = np.abs(np.fft.rfft(wave * np.hanning(wave.size), 1 << 17))
    return float(69 + 12 * np.log2(spectrum.argmax() * SAMPLE_RATE / (1 << 17) / 440))


def list_sounding_notes(notes: list[Note], moment: int) -> list[int]:
    return [note.number for note in notes if note.start <= moment < note.start + note.length]


def test_note_names_are_parsed() -> None:
    assert [parse_note_number(name) for name in ("C4", "A4", "G#4", "E5", "A2")] == [60, 69, 68, 76, 45]
    assert compute_frequency(parse_note_number("A5")) == 880
    for invalid in ("H4", "A", "Ab4", "a4"):
        with pytest.raises(TetrionError, match="such as G#4"):
            parse_note_number(invalid)
    with pytest.raises(TetrionError, match="'E5/3'"):
        parse_bars("E5/3")


def test_note_has_its_pitch_and_decays() -> None:
    for name in ("E2", "A4", "A5"):
        wave = synthesise_note(parse_note_number(name), SAMPLE_RATE, SOFT_TIMBRE)
        assert measure_pitch(wave) == pytest.approx(parse_note_number(name), abs=0.1)
        assert abs(wave[: SAMPLE_RATE // 4]).max() > 2 * abs(wave[3 * SAMPLE_RATE // 4 :]).max()
        assert wave[0] == wave[-1] == 0


def test_melody_begins_with_the_song() -> None:
    notes = list_notes(VOICES["melody"].parts)[: len(FIRST_NOTES.split())]
    assert [note.number for note in notes] == [parse_note_number(name) for name in FIRST_NOTES.split()]
    wave = render_voice(VOICES["melody"])
    pitches = [measure_pitch(wave[note.start : note.start + note.length]) for note in notes]
    assert pitches == pytest.approx([note.number for note in notes], abs=0.3)


def test_all_bars_have_four_beats() -> None:
    for voice in VOICES.values():
        assert [len(parse_bars(part)) for part in voice.parts] == [8, 8, 8, 8]
        assert {sum(length for _, length in bar) for part in voice.parts for bar in parse_bars(part)} == {
            SAMPLES_PER_BAR
        }
    assert {count_samples(voice.parts) for voice in VOICES.values()} == {32 * SAMPLES_PER_BAR}


def test_voices_are_consonant_on_strong_beats() -> None:
    melody, inner, bass = (list_notes(VOICES[name].parts) for name in ("melody", "inner", "bass"))
    for moment in range(0, 32 * SAMPLES_PER_BAR, 2 * SAMPLES_PER_BEAT):
        where = f"bar {moment // SAMPLES_PER_BAR + 1}, beat {moment % SAMPLES_PER_BAR // SAMPLES_PER_BEAT + 1}"
        (low,) = list_sounding_notes(bass, moment)
        for high in list_sounding_notes(melody, moment):
            assert (high - low) % 12 in CONSONANT_WITH_BASS, where
            assert all((high - middle) % 12 in CONSONANT_INTERVALS for middle in list_sounding_notes(inner, moment)), (
                where
            )
        assert all(low < middle for middle in list_sounding_notes(inner, moment)), where


def test_music_loops_without_a_click() -> None:
    samples = normalise(get_music())
    steps = np.abs(np.diff(samples, axis=0)).max(axis=1)
    loop_step = np.abs(samples[0] - samples[-1]).max()
    assert loop_step < np.percentile(steps, 90)
    assert steps.max() < 0.1, "the music has a jump"


def test_music_is_one_minute_of_stereo_without_clipping() -> None:
    samples = get_music()
    assert samples.shape == (32 * SAMPLES_PER_BAR, 2)
    assert samples.dtype == np.int16
    assert samples.flags.c_contiguous
    assert abs(normalise(samples)).max() < 0.7
    assert 0.07 < compute_rms(samples) < 0.13
    bars = [compute_rms(bar) for bar in np.split(samples, 32)]
    assert max(bars) < 2 * min(bars), "a bar is much louder than another"
    assert get_music() is samples, "the music was rendered twice"


@pytest.mark.parametrize("name", sound_effects.SOUND_EFFECTS)
def test_effects_begin_and_end_in_silence_and_are_not_loud(name: str) -> None:
    samples = sound_effects.render_effect(name)
    assert abs(samples[[0, -1]]).max() <= 1
    assert abs(normalise(samples)).max() < 0.5
    assert 0.015 < compute_rms(samples) < 0.08
    assert 0.05 < len(samples) / SAMPLE_RATE < 2.5
    assert abs(normalise(samples[:: len(samples) - 1])).max() < abs(normalise(samples)).max() / 100


def test_tetris_is_the_strongest_line_clear_effect() -> None:
    energies = [
        compute_rms(sound_effects.render_effect(name)) ** 2 * len(sound_effects.render_effect(name))
        for name in sound_effects.LINE_CLEAR_EFFECTS
    ]
    assert all(less < more for less, more in pairwise(energies))
    assert energies[3] > 2.5 * energies[2]
    assert all(
        len(sound_effects.render_effect(name)) / SAMPLE_RATE < 0.2
        for name in ("move", "rotate", "step", "lock", "focus")
    )
    assert music.BEATS_PER_MINUTE * SAMPLES_PER_BEAT == 60 * SAMPLE_RATE
