"""Sound output with the dummy audio driver and without a sound device."""

from collections.abc import Callable, Iterator
from time import perf_counter, sleep

import numpy as np
import pygame
import pytest

from tetrion.app.audio import sound
from tetrion.app.audio.sound import Sound
from tetrion.app.audio.sound_effects import SOUND_EFFECTS
from tetrion.app.audio.synthesiser import SAMPLE_RATE
from tetrion.errors import TetrionError, UnknownNameError


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sound]:
    """Sound output through the dummy driver, with short silent music."""
    monkeypatch.setattr(sound, "get_music", lambda: np.zeros((SAMPLE_RATE, 2), dtype=np.int16))
    output = Sound()
    wait_until(lambda: all(output._mixer_thread and name in output._mixer_thread._effects for name in SOUND_EFFECTS))
    yield output
    output.close()


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    end = perf_counter() + seconds
    while not condition():
        assert perf_counter() < end, "condition not met"
        sleep(0.005)


def count_playing_effects() -> int:
    return sum(pygame.mixer.Channel(number).get_busy() for number in range(1, sound._MIXER_CHANNELS))


def get_music_channel() -> pygame.mixer.Channel:
    return pygame.mixer.Channel(0)


def test_all_effects_are_played(output: Sound) -> None:
    for name in SOUND_EFFECTS:
        pygame.mixer.stop()
        output.play(name)
        assert count_playing_effects() == 1, name
    assert not output.is_silent


def test_effect_does_not_start_twice_at_once(output: Sound) -> None:
    for _ in range(50):
        output.play("over")
    assert count_playing_effects() == 1


def test_nothing_is_played_at_volume_zero(output: Sound) -> None:
    output.volume = 0
    output.play("tetris")
    assert count_playing_effects() == 0
    output.volume = 0.5
    output.play("tetris")
    assert count_playing_effects() == 1


def test_music_starts_fades_and_stops(output: Sound) -> None:
    assert not get_music_channel().get_busy()
    output.is_music_on = True
    wait_until(lambda: get_music_channel().get_busy())
    wait_until(lambda: get_music_channel().get_volume() == pytest.approx(output.music_volume, abs=0.01))
    output.music_volume = 0.2
    wait_until(lambda: get_music_channel().get_volume() == pytest.approx(0.2, abs=0.01))
    output.is_music_on = False
    assert get_music_channel().get_busy(), "the music did not fade out"
    wait_until(lambda: not get_music_channel().get_busy())


def test_paused_music_is_resumed(output: Sound) -> None:
    output.is_music_on = True
    wait_until(lambda: get_music_channel().get_volume() == pytest.approx(output.music_volume, abs=0.01))
    output.pause()
    wait_until(lambda: get_music_channel().get_volume() == 0)
    assert get_music_channel().get_busy(), "the music was stopped"
    output.play("choose")
    assert count_playing_effects() == 1, "effects are not played during a pause"
    output.resume()
    wait_until(lambda: get_music_channel().get_volume() == pytest.approx(output.music_volume, abs=0.01))


def test_music_turned_on_during_a_pause_waits(output: Sound) -> None:
    output.pause()
    output.is_music_on = True
    sleep(0.1)
    assert not get_music_channel().get_busy()
    output.resume()
    wait_until(lambda: get_music_channel().get_busy())


def test_no_call_blocks(output: Sound) -> None:
    times = []
    for number in range(20):
        start = perf_counter()
        output.play("double")
        output.is_music_on = number % 2 == 0
        output.music_volume = number / 20
        output.pause()
        output.resume()
        times.append(perf_counter() - start)
    assert np.median(times) < 0.001


def test_invalid_names_and_volumes_are_errors(output: Sound) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rotate'"):
        output.play("rotat")
    for invalid in (-0.1, 1.1, float("nan")):
        with pytest.raises(TetrionError, match="from 0 to 1"):
            output.volume = invalid
        with pytest.raises(TetrionError, match="from 0 to 1"):
            output.music_volume = invalid


def use_all_methods(silent: Sound) -> None:
    silent.is_music_on = True
    silent.play("tetris")
    silent.pause()
    silent.resume()
    silent.volume = silent.music_volume = 0.3
    silent.is_music_on = False
    assert (silent.volume, silent.music_volume, silent.is_music_on) == (0.3, 0.3, False)


def test_closed_sound_is_silent(output: Sound) -> None:
    output.is_music_on = True
    output.close()
    use_all_methods(output)
    output.close()
    assert output.is_silent
    assert pygame.mixer.get_init() is None


def test_mixer_closed_by_other_code_is_no_error(output: Sound) -> None:
    pygame.mixer.quit()
    use_all_methods(output)


def test_sound_is_silent_without_a_device(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    silent = Sound()
    assert silent.is_silent
    use_all_methods(silent)
    with pytest.raises(UnknownNameError):
        silent.play("bang")
    silent.close()
    assert capfd.readouterr().err == ""


def test_sound_is_silent_without_a_mixer(monkeypatch: pytest.MonkeyPatch) -> None:
    class MissingMixer:
        def __getattr__(self, name: str) -> object:
            raise NotImplementedError("mixer module not available")

    monkeypatch.setattr(pygame, "mixer", MissingMixer())
    silent = Sound()
    assert silent.is_silent
    use_all_methods(silent)
    silent.close()


def test_closing_while_music_is_rendered_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def render_slowly() -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        sleep(0.2)
        return np.zeros((100, 2), dtype=np.int16)

    monkeypatch.setattr(sound, "get_music", render_slowly)
    output = Sound()
    output.is_music_on = True
    sleep(0.05)
    start = perf_counter()
    output.close()
    assert perf_counter() - start < 0.15
    sleep(0.3)
    assert pygame.mixer.get_init() is None
