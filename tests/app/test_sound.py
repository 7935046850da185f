"""Sound output with the dummy audio driver and without a sound device, and the files of the sounds."""

from collections.abc import Callable, Iterator
from time import perf_counter, sleep

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

from tetrion.app.sound import LINE_CLEAR_EFFECTS, SOUND_EFFECTS, SOUND_FOLDER, Sound


@pytest.fixture
def output() -> Iterator[Sound]:
    """Sound output through the dummy driver."""
    output = Sound()
    output.configure(0.7, 0.5, is_music_on=False)
    yield output
    output.close()


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    end = perf_counter() + seconds
    while not condition():
        assert perf_counter() < end, "condition not met"
        sleep(0.005)


def count_playing_effects() -> int:
    return sum(pygame.mixer.Channel(number).get_busy() for number in range(pygame.mixer.get_num_channels()))


def read_samples(name: str) -> NDArray[np.float64]:
    """Return the samples of a sound from −1 to 1, one row per moment."""
    samples: NDArray[np.float64] = pygame.sndarray.array(pygame.mixer.Sound(SOUND_FOLDER / f"{name}.ogg")) / 32_768
    return samples


def test_files_of_the_sounds_are_complete_and_small(output: Sound) -> None:
    files = list(SOUND_FOLDER.iterdir())
    assert {file.name for file in files} == {f"{name}.ogg" for name in ("music", *SOUND_EFFECTS)}
    assert sum(file.stat().st_size for file in files) < 600_000
    energies = [(read_samples(name) ** 2).sum() for name in LINE_CLEAR_EFFECTS]
    assert energies == sorted(energies), "larger line clears sound stronger"


@pytest.mark.parametrize("name", SOUND_EFFECTS)
def test_effects_are_short_and_not_loud_and_are_played_once_at_a_time(output: Sound, name: str) -> None:
    samples = read_samples(name)
    assert 0.05 < len(samples) / 44_100 < (0.2 if name in ("move", "rotate", "step", "lock", "focus") else 2.5)
    assert abs(samples[[0, -1]]).max() < abs(samples).max() / 50, "it begins and ends in silence"
    assert 0.02 < abs(samples).max() < 0.5
    output.configure(0.0, 0.5, is_music_on=False)
    output.play(name)
    assert count_playing_effects() == 0
    output.configure(0.7, 0.5, is_music_on=False)
    for _ in range(50):
        output.play(name)
    assert count_playing_effects() == 1


def test_music_lasts_32_bars_and_loops_without_a_click(output: Sound) -> None:
    samples = read_samples("music")
    assert len(samples) == 32 * 4 * 44_100 * 60 / 126, "126 beats per minute"
    assert 0.3 < abs(samples).max() < 0.7
    steps = abs(np.diff(samples, axis=0)).max(axis=1)
    assert abs(samples[0] - samples[-1]).max() < np.percentile(steps, 90)


def test_music_starts_pauses_and_stops(output: Sound) -> None:
    music = pygame.mixer.music
    output.pause()
    output.configure(0.7, 0.5, is_music_on=True)
    assert not music.get_busy(), "music that is turned on during a pause waits"
    output.resume()
    assert music.get_busy()
    assert output.is_music_playing
    output.pause()
    assert not music.get_busy()
    output.play("choose")
    assert count_playing_effects() == 1, "effects are not played during a pause"
    output.resume()
    output.configure(0.7, 0.2, is_music_on=True)
    wait_until(lambda: music.get_busy() and music.get_volume() == pytest.approx(0.2, abs=0.01))
    output.configure(0.7, 0.2, is_music_on=False)
    wait_until(lambda: not music.get_busy())
    output.configure(0.7, 0.2, is_music_on=True)
    wait_until(lambda: music.get_busy() and music.get_pos() < 1000)


def use_all_methods(silent: Sound) -> None:
    silent.configure(0.3, 0.3, is_music_on=True)
    silent.play("tetris")
    silent.pause()
    silent.resume()
    silent.configure(0.3, 0.3, is_music_on=False)
    silent.close()


def test_closed_sound_is_silent(output: Sound) -> None:
    output.configure(0.7, 0.5, is_music_on=True)
    pygame.mixer.quit()  # by other code
    use_all_methods(output)
    use_all_methods(output)
    assert output.is_silent
    assert pygame.mixer.get_init() is None


def test_sound_is_silent_without_a_device(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    silent = Sound()
    assert silent.is_silent
    use_all_methods(silent)
    assert capfd.readouterr().err == ""


def test_sound_is_silent_without_a_mixer(monkeypatch: pytest.MonkeyPatch) -> None:
    class MissingMixer:
        def __getattr__(self, name: str) -> object:
            raise NotImplementedError("mixer module not available")

    monkeypatch.setattr(pygame, "mixer", MissingMixer())
    silent = Sound()
    assert silent.is_silent
    use_all_methods(silent)
