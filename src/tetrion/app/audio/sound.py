"""Music and sound effects of the window; without a sound device, every call does nothing."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from types import ModuleType

import pygame

from tetrion.app.audio.music import get_music
from tetrion.app.audio.sound_effects import SOUND_EFFECTS, render_effect
from tetrion.app.audio.synthesiser import SAMPLE_RATE, Samples
from tetrion.errors import TetrionError, UnknownNameError

_BUFFER_SAMPLES = 512  # a delay of 12 ms
_MIXER_CHANNELS = 12
_MIN_REPEAT_SECONDS = 0.04  # shortest time between two starts of the same effect
_MUSIC_FADE_SECONDS = 0.3
_MUSIC_FADE_STEP = 0.01  # in seconds


class Sound:
    """The sound output of the window; no call blocks. Volumes are between 0 and 1."""

    def __init__(self, volume: float = 0.7, music_volume: float = 0.5) -> None:
        self._volume = validate_volume(volume)
        self._music_volume = validate_volume(music_volume)
        self._is_music_on = False
        self._is_paused = False
        self._last_started: dict[str, float] = {}
        mixer = open_mixer()
        self._mixer_thread = MixerThread(mixer) if mixer else None

    @property
    def is_silent(self) -> bool:
        """Whether there is no sound device or the sound is closed."""
        return self._mixer_thread is None

    @property
    def volume(self) -> float:
        """The volume of the sound effects, from 0 to 1."""
        return self._volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._volume = validate_volume(volume)

    @property
    def music_volume(self) -> float:
        """The volume of the music, from 0 to 1."""
        return self._music_volume

    @music_volume.setter
    def music_volume(self, volume: float) -> None:
        self._music_volume = validate_volume(volume)
        self._update_music()

    @property
    def is_music_on(self) -> bool:
        """Whether the music is on; turning it on again restarts it from the beginning."""
        return self._is_music_on

    @is_music_on.setter
    def is_music_on(self, is_on: bool) -> None:
        self._is_music_on = is_on
        self._update_music()

    def play(self, name: str) -> None:
        """Play an effect of `SOUND_EFFECTS`, unless it was started less than 0.04 seconds ago."""
        if name not in SOUND_EFFECTS:
            raise UnknownNameError("sound", name, SOUND_EFFECTS)
        now = monotonic()
        if self._mixer_thread and self._volume and now - self._last_started.get(name, -1.0) >= _MIN_REPEAT_SECONDS:
            self._last_started[name] = now
            self._mixer_thread.play(name, self._volume)

    def pause(self) -> None:
        """Pause the music; effects are still played, because a menu may be open."""
        self._is_paused = True
        self._update_music()

    def resume(self) -> None:
        """Resume the music."""
        self._is_paused = False
        self._update_music()

    def close(self) -> None:
        """Stop all sound and release the device."""
        if self._mixer_thread:
            self._mixer_thread.close()
        self._mixer_thread = None

    def _update_music(self) -> None:
        if self._mixer_thread:
            self._mixer_thread.request_music(MusicRequest(self._is_music_on, self._is_paused, self._music_volume))


@dataclass(frozen=True)
class MusicRequest:
    """The requested state of the music."""

    is_on: bool = False
    is_paused: bool = False
    volume: float = 0.0

    @property
    def target_volume(self) -> float:
        """The volume after the fade, 0 while the music is off or paused."""
        return self.volume if self.is_on and not self.is_paused else 0.0


class MixerThread:
    """The mixer, and a thread that renders the effects and the music and fades the music in and out."""

    def __init__(self, mixer: ModuleType) -> None:
        self._mixer = mixer
        self._music_channel = mixer.Channel(0)
        self._effects: dict[str, pygame.mixer.Sound] = {}
        self._request = MusicRequest()
        self._current_volume = 0.0
        self._is_closed = False
        self._wake_event = Event()
        self._mixer_lock = Lock()
        Thread(target=self._run, name="tetrion-sound", daemon=True).start()

    def play(self, name: str, volume: float) -> None:
        """Play an effect if it is already rendered."""
        if sound := self._effects.get(name):
            with suppress(pygame.error):  # other code has closed the mixer
                sound.set_volume(volume)
                sound.play()

    def request_music(self, request: MusicRequest) -> None:
        """Request a state of the music; the thread fades to it."""
        self._request = request
        self._wake_event.set()

    def close(self) -> None:
        """Release the mixer; the thread ends by itself and does not use the mixer again."""
        with self._mixer_lock:
            self._is_closed = True
            with suppress(pygame.error):  # other code has closed the mixer
                self._mixer.stop()  # a sound that ends during `quit` would cause a deadlock
            self._mixer.quit()
        self._wake_event.set()

    def _run(self) -> None:
        with suppress(MixerClosedError, pygame.error):  # the latter if other code has closed the mixer
            for name in SOUND_EFFECTS:
                self._effects[name] = self._make_sound(render_effect(name))
            while not self._request.is_on:
                self._wait(None)
            music = self._make_sound(get_music())
            while True:
                self._wait(_MUSIC_FADE_STEP if self._step_fade(music) else None)

    def _wait(self, seconds: float | None) -> None:
        """Wait for a request, at most `seconds`; raise MixerClosedError if the mixer was closed."""
        self._wake_event.wait(seconds)
        self._wake_event.clear()
        if self._is_closed:
            raise MixerClosedError

    def _make_sound(self, samples: Samples) -> pygame.mixer.Sound:
        with self._mixer_lock:
            if self._is_closed:
                raise MixerClosedError
            sound: pygame.mixer.Sound = self._mixer.Sound(buffer=samples)
            return sound

    def _step_fade(self, music: pygame.mixer.Sound) -> bool:
        """Move the volume of the music one step towards the request; return whether more steps are needed."""
        request = self._request
        channel = self._music_channel
        with self._mixer_lock:
            if self._is_closed:
                raise MixerClosedError
            if request.target_volume:
                if not channel.get_busy():
                    channel.play(music, loops=-1)
                channel.unpause()
            change = _MUSIC_FADE_STEP / _MUSIC_FADE_SECONDS
            self._current_volume = min(
                max(request.target_volume, self._current_volume - change), self._current_volume + change
            )
            channel.set_volume(self._current_volume)
            if not self._current_volume and not request.target_volume:
                (channel.pause if request.is_on else channel.stop)()
            return self._current_volume != request.target_volume


class MixerClosedError(Exception):
    """The mixer was closed, so its thread ends."""


def open_mixer() -> ModuleType | None:
    """Return the initialised mixer of pygame, or None if there is no device or no mixer."""
    try:
        mixer = pygame.mixer
        with silence_stderr():
            mixer.init(SAMPLE_RATE, -16, 2, _BUFFER_SAMPLES, allowedchanges=0)
    except (pygame.error, NotImplementedError, ImportError, AttributeError):
        return None
    mixer.set_num_channels(_MIXER_CHANNELS)
    mixer.set_reserved(1)
    return mixer


@contextmanager
def silence_stderr() -> Iterator[None]:
    """Discard the messages that the sound library of the system writes to the standard error."""
    try:
        stderr_copy = os.dup(2)
        null_device = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # a window without a console
        yield
        return
    try:
        os.dup2(null_device, 2)
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)
        os.close(null_device)


def validate_volume(volume: float) -> float:
    """Return a volume, or raise an error if it is not between 0 and 1."""
    if not 0 <= volume <= 1:
        raise TetrionError(f"A volume must be from 0 to 1; given {volume!r}.")
    return float(volume)
