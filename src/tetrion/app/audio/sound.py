"""Music and sounds for the window. Where nothing can be heard, everything works in silence."""

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

_BUFFER_SAMPLES = 512  # samples, which is 12 ms until a sound is heard
_MIXER_CHANNELS = 12
_MIN_REPEAT_SECONDS = 0.04  # sooner than this a sound does not begin again
_MUSIC_FADE_SECONDS = 0.3
_MUSIC_FADE_STEP = 0.01  # seconds


class Sound:
    """All that is heard; no call waits. Volumes are from 0 to 1; `music` turns the tune on and off."""

    def __init__(self, volume: float = 0.7, music_volume: float = 0.5) -> None:
        self._volume = validate_volume(volume)
        self._music_volume = validate_volume(music_volume)
        self._is_music_on = self._is_paused = False
        self._last_started: dict[str, float] = {}
        mixer = open_mixer()
        self._mixer_thread = MixerThread(mixer) if mixer else None

    @property
    def is_silent(self) -> bool:
        """Whether nothing can be heard, for want of a device or because it is closed."""
        return self._mixer_thread is None

    @property
    def volume(self) -> float:
        """How loud the sounds are."""
        return self._volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._volume = validate_volume(volume)

    @property
    def music_volume(self) -> float:
        """How loud the tune is."""
        return self._music_volume

    @music_volume.setter
    def music_volume(self, volume: float) -> None:
        self._music_volume = validate_volume(volume)
        self._update_music()

    @property
    def is_music_on(self) -> bool:
        """Whether the tune is on; turned on again, it begins at its beginning."""
        return self._is_music_on

    @is_music_on.setter
    def is_music_on(self, on: bool) -> None:
        self._is_music_on = on
        self._update_music()

    def play(self, name: str) -> None:
        """Begin a sound of `EFFECTS`, unless the same one has begun just now."""
        if name not in SOUND_EFFECTS:
            raise UnknownNameError("sound", name, SOUND_EFFECTS)
        now = monotonic()
        if self._mixer_thread and self._volume and now - self._last_started.get(name, -1.0) >= _MIN_REPEAT_SECONDS:
            self._last_started[name] = now
            self._mixer_thread.play(name, self._volume)

    def pause(self) -> None:
        """Hold the tune where it is; sounds are still played, for a menu may be open."""
        self._is_paused = True
        self._update_music()

    def resume(self) -> None:
        """Go on with the tune."""
        self._is_paused = False
        self._update_music()

    def close(self) -> None:
        """Fall silent for good."""
        if self._mixer_thread:
            self._mixer_thread.close()
        self._mixer_thread = None

    def _update_music(self) -> None:
        if self._mixer_thread:
            self._mixer_thread.request_music(MusicRequest(self._is_music_on, self._is_paused, self._music_volume))


@dataclass(frozen=True)
class MusicRequest:
    """How the tune is to be."""

    is_on: bool = False
    is_paused: bool = False
    volume: float = 0.0

    @property
    def target_volume(self) -> float:
        """How loud that is in the end."""
        return self.volume if self.is_on and not self.is_paused else 0.0


class MixerThread:
    """The mixer, and a thread that renders the sounds and the tune and fades the tune in and out."""

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
        """Begin a sound, if it has been rendered yet."""
        if sound := self._effects.get(name):
            with suppress(pygame.error):  # somebody else has ended the mixer
                sound.set_volume(volume)
                sound.play()

    def request_music(self, request: MusicRequest) -> None:
        """Say how the tune is to be; the thread brings it there."""
        self._request = request
        self._wake_event.set()

    def close(self) -> None:
        """Let go of the mixer; the thread ends by itself and does not touch it again."""
        with self._mixer_lock:
            self._is_closed = True
            with suppress(pygame.error):  # somebody else has ended the mixer
                self._mixer.stop()  # a sound that ended by itself during `quit` would wait for it, and it for the sound
            self._mixer.quit()
        self._wake_event.set()

    def _run(self) -> None:
        with suppress(MixerClosedError, pygame.error):  # the latter if somebody else has ended the mixer
            for name in SOUND_EFFECTS:
                self._effects[name] = self._make_sound(render_effect(name))
            while not self._request.is_on:
                self._wait(None)
            tune = self._make_sound(get_music())
            while True:
                self._wait(_MUSIC_FADE_STEP if self._fade_step(tune) else None)

    def _wait(self, seconds: float | None) -> None:
        """Wait for another wish, or so long."""
        self._wake_event.wait(seconds)
        self._wake_event.clear()
        if self._is_closed:
            raise MixerClosedError

    def _make_sound(self, samples: Samples) -> pygame.mixer.Sound:
        with self._mixer_lock:
            if self._is_closed:
                raise MixerClosedError
            made: pygame.mixer.Sound = self._mixer.Sound(buffer=samples)
            return made

    def _fade_step(self, tune: pygame.mixer.Sound) -> bool:
        """Bring the tune one step nearer to the wish; whether there is more to go."""
        wish, channel = self._request, self._music_channel
        with self._mixer_lock:
            if self._is_closed:
                raise MixerClosedError
            if wish.target_volume:
                if not channel.get_busy():
                    channel.play(tune, loops=-1)
                channel.unpause()
            change = _MUSIC_FADE_STEP / _MUSIC_FADE_SECONDS
            self._current_volume = min(
                max(wish.target_volume, self._current_volume - change), self._current_volume + change
            )
            channel.set_volume(self._current_volume)
            if not self._current_volume and not wish.target_volume:
                (channel.pause if wish.is_on else channel.stop)()
            return self._current_volume != wish.target_volume


class MixerClosedError(Exception):
    """The player was closed; its thread ends."""


def open_mixer() -> ModuleType | None:
    """The mixer of pygame, ready to play; None where there is no device or no mixer."""
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
    """Keep the system's sound library from writing its troubles to the standard error."""
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # a window without a console
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def validate_volume(volume: float) -> float:
    """A volume, if it can be one."""
    if not 0 <= volume <= 1:
        raise TetrionError(f"A volume is from 0 to 1; given {volume!r}.")
    return float(volume)
