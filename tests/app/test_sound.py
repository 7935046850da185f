"""What is heard, and when: with a device that plays nowhere, and with none."""

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
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sound]:
    """Sound through the dummy driver, with a short tune in place of the long one."""
    monkeypatch.setattr(sound, "get_music", lambda: np.zeros((SAMPLE_RATE, 2), dtype=np.int16))
    made = Sound()
    wait_until(lambda: all(made._mixer_thread and name in made._mixer_thread._effects for name in SOUND_EFFECTS))
    yield made
    made.close()


def wait_until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    end = perf_counter() + seconds
    while not true():
        assert perf_counter() < end, "it did not come to pass"
        sleep(0.005)


def sounds_playing() -> int:
    return sum(pygame.mixer.Channel(number).get_busy() for number in range(1, sound._MIXER_CHANNELS))


def tune() -> pygame.mixer.Channel:
    return pygame.mixer.Channel(0)


def test_every_sound_is_played(heard: Sound) -> None:
    for name in SOUND_EFFECTS:
        pygame.mixer.stop()
        heard.play(name)
        assert sounds_playing() == 1, name
    assert not heard.is_silent


def test_the_same_sound_does_not_begin_twice_at_once(heard: Sound) -> None:
    for _ in range(50):
        heard.play("over")
    assert sounds_playing() == 1


def test_nothing_is_played_at_no_volume(heard: Sound) -> None:
    heard.volume = 0
    heard.play("four")
    assert sounds_playing() == 0
    heard.volume = 0.5
    heard.play("four")
    assert sounds_playing() == 1


def test_music_begins_fades_and_ends(heard: Sound) -> None:
    assert not tune().get_busy()
    heard.is_music_on = True
    wait_until(lambda: tune().get_busy())
    wait_until(lambda: tune().get_volume() == pytest.approx(heard.music_volume, abs=0.01))
    heard.music_volume = 0.2
    wait_until(lambda: tune().get_volume() == pytest.approx(0.2, abs=0.01))
    heard.is_music_on = False
    assert tune().get_busy(), "it fades first"
    wait_until(lambda: not tune().get_busy())


def test_a_paused_tune_stays_where_it_is_and_goes_on(heard: Sound) -> None:
    heard.is_music_on = True
    wait_until(lambda: tune().get_volume() == pytest.approx(heard.music_volume, abs=0.01))
    heard.pause()
    wait_until(lambda: tune().get_volume() == 0)
    assert tune().get_busy(), "not stopped"
    heard.play("choose")
    assert sounds_playing() == 1, "a menu may be open"
    heard.resume()
    wait_until(lambda: tune().get_volume() == pytest.approx(heard.music_volume, abs=0.01))


def test_music_that_is_turned_on_in_a_pause_waits(heard: Sound) -> None:
    heard.pause()
    heard.is_music_on = True
    sleep(0.1)
    assert not tune().get_busy()
    heard.resume()
    wait_until(lambda: tune().get_busy())


def test_no_call_keeps_the_drawing_waiting(heard: Sound) -> None:
    times = []
    for turn in range(20):
        begun = perf_counter()
        heard.play("two")
        heard.is_music_on = turn % 2 == 0
        heard.music_volume = turn / 20
        heard.pause()
        heard.resume()
        times.append(perf_counter() - begun)
    assert np.median(times) < 0.001


def test_wrong_names_and_volumes(heard: Sound) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rotate'"):
        heard.play("rotat")
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(TetrionError, match="from 0 to 1"):
            heard.volume = wrong
        with pytest.raises(TetrionError, match="from 0 to 1"):
            heard.music_volume = wrong


def use_all(silent: Sound) -> None:
    silent.is_music_on = True
    silent.play("four")
    silent.pause()
    silent.resume()
    silent.volume = silent.music_volume = 0.3
    silent.is_music_on = False
    assert (silent.volume, silent.music_volume, silent.is_music_on) == (0.3, 0.3, False)


def test_after_closing_everything_is_silent(heard: Sound) -> None:
    heard.is_music_on = True
    heard.close()
    use_all(heard)
    heard.close()
    assert heard.is_silent
    assert pygame.mixer.get_init() is None


def test_a_mixer_ended_by_somebody_else_is_no_error(heard: Sound) -> None:
    pygame.mixer.quit()
    use_all(heard)


def test_without_a_device_everything_works_in_silence(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    silent = Sound()
    assert silent.is_silent
    use_all(silent)
    with pytest.raises(UnknownNameError):
        silent.play("bang")
    silent.close()
    assert capfd.readouterr().err == ""


def test_without_a_mixer_everything_works_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def __getattr__(self, name: str) -> object:
            raise NotImplementedError("mixer module not available")

    monkeypatch.setattr(pygame, "mixer", Missing())
    silent = Sound()
    assert silent.is_silent
    use_all(silent)
    silent.close()


def test_closing_while_the_tune_is_rendered_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly() -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        sleep(0.2)
        return np.zeros((100, 2), dtype=np.int16)

    monkeypatch.setattr(sound, "get_music", slowly)
    made = Sound()
    made.is_music_on = True
    sleep(0.05)
    begun = perf_counter()
    made.close()
    assert perf_counter() - begun < 0.15
    sleep(0.3)
    assert pygame.mixer.get_init() is None
