"""Sound output with the dummy audio driver and without a sound device, and the files of the sounds."""

from collections.abc import Callable, Iterator
from time import monotonic, sleep

import numpy as np
import pygame
import pytest
from numpy.typing import NDArray

from tetrion.app.sound import SOUND_EFFECTS, SOUND_FOLDER, Sound


@pytest.fixture
def output() -> Iterator[Sound]:
    output = Sound()
    output.configure(0.7, 0.5, is_music_on=False)
    yield output
    output.close()


def wait_until(condition: Callable[[], bool]) -> None:
    end = monotonic() + 5
    while not condition():
        assert monotonic() < end
        sleep(0.005)


def count_playing_effects() -> int:
    """Return the number of effects that are played; the first channel is that of the music."""
    return sum(pygame.mixer.Channel(number).get_busy() for number in range(1, pygame.mixer.get_num_channels()))


def read_samples(name: str) -> NDArray[np.float64]:
    """Return the samples of a sound from −1 to 1, one row per moment."""
    return pygame.sndarray.array(pygame.mixer.Sound(SOUND_FOLDER / f"{name}.ogg")).astype(float) / 32_768


def test_sounds_are_complete_and_the_music_loops_without_a_click(output: Sound) -> None:
    assert {file.name for file in SOUND_FOLDER.iterdir()} == {f"{name}.ogg" for name in ("music", *SOUND_EFFECTS)}
    music = read_samples("music")
    steps = abs(np.diff(music, axis=0)).max(axis=1)
    assert abs(music[0] - music[-1]).max() < np.percentile(steps, 90)


def test_music_waits_in_a_pause_and_is_turned_off(output: Sound) -> None:
    channel = pygame.mixer.Channel(0)
    output.pause()
    output.configure(0.7, 0.5, is_music_on=True)
    sleep(0.5)  # it is decoded now
    assert not channel.get_busy(), "music that is turned on during a pause waits"
    output.resume()
    wait_until(channel.get_busy)
    output.pause()
    output.play("choose")
    assert count_playing_effects() == 1, "effects are not played during a pause"
    output.resume()
    output.configure(0.7, 0.2, is_music_on=True)
    assert channel.get_volume() == pytest.approx(0.2, abs=0.01)
    output.configure(0.7, 0.2, is_music_on=False)
    wait_until(lambda: not channel.get_busy())


def test_music_can_be_paused_while_effects_end(output: Sound) -> None:
    output.configure(0.7, 0.5, is_music_on=True)
    for number in range(500):
        output.play(("move", "lock", "rotate")[number % 3])
        (output.pause if number % 2 else output.resume)()
        sleep(0.0005)


@pytest.mark.parametrize("reason", ["closed", "no device", "no mixer"])
def test_silent_sound_does_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], reason: str
) -> None:
    class MissingMixer:
        def __getattr__(self, name: str) -> object:
            raise NotImplementedError("mixer module not available")

    if reason == "no device":
        monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    elif reason == "no mixer":
        monkeypatch.setattr(pygame, "mixer", MissingMixer())
    silent = Sound()
    if reason == "closed":
        pygame.mixer.quit()  # by other code
    for _ in range(2):
        silent.configure(0.3, 0.3, is_music_on=True)
        silent.play("tetris")
        silent.pause()
        silent.resume()
        silent.close()
    assert silent.is_silent
    assert capfd.readouterr().err == ""
