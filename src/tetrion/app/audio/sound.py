"""Music and sounds for the window. Where nothing can be heard, everything works in silence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from types import ModuleType

import pygame

from tetrion.app.audio.effects import EFFECTS
from tetrion.app.audio.effects import rendered as rendered_effect
from tetrion.app.audio.tones import RATE, Samples
from tetrion.app.audio.tune import music as rendered_music
from tetrion.errors import TetrionError, UnknownNameError

BUFFER = 512  # samples, which is 12 ms until a sound is heard
CHANNELS = 12
AGAIN_SECONDS = 0.04  # sooner than this a sound does not begin again
FADE_SECONDS = 0.3
FADE_STEP = 0.01  # seconds


class Sound:
    """All that is heard; no call waits. Volumes are from 0 to 1; `music` turns the tune on and off."""

    def __init__(self, volume: float = 0.7, music_volume: float = 0.5) -> None:
        self._volume, self._music_volume = checked(volume), checked(music_volume)
        self._music = self._paused = False
        self._begun: dict[str, float] = {}
        mixer = opened_mixer()
        self._player = Player(mixer) if mixer else None

    @property
    def silent(self) -> bool:
        """Whether nothing can be heard, for want of a device or because it is closed."""
        return self._player is None

    @property
    def volume(self) -> float:
        """How loud the sounds are."""
        return self._volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._volume = checked(volume)

    @property
    def music_volume(self) -> float:
        """How loud the tune is."""
        return self._music_volume

    @music_volume.setter
    def music_volume(self, volume: float) -> None:
        self._music_volume = checked(volume)
        self._tell()

    @property
    def music(self) -> bool:
        """Whether the tune is on; turned on again, it begins at its beginning."""
        return self._music

    @music.setter
    def music(self, on: bool) -> None:
        self._music = on
        self._tell()

    def play(self, name: str) -> None:
        """Begin a sound of `EFFECTS`, unless the same one has begun just now."""
        if name not in EFFECTS:
            raise UnknownNameError("sound", name, EFFECTS)
        now = monotonic()
        if self._player and self._volume and now - self._begun.get(name, -1.0) >= AGAIN_SECONDS:
            self._begun[name] = now
            self._player.play(name, self._volume)

    def pause(self) -> None:
        """Hold the tune where it is; sounds are still played, for a menu may be open."""
        self._paused = True
        self._tell()

    def resume(self) -> None:
        """Go on with the tune."""
        self._paused = False
        self._tell()

    def close(self) -> None:
        """Fall silent for good."""
        if self._player:
            self._player.close()
        self._player = None

    def _tell(self) -> None:
        if self._player:
            self._player.want(Wish(self._music, self._paused, self._music_volume))


@dataclass(frozen=True)
class Wish:
    """How the tune is to be."""

    on: bool = False
    paused: bool = False
    volume: float = 0.0

    @property
    def level(self) -> float:
        """How loud that is in the end."""
        return self.volume if self.on and not self.paused else 0.0


class Player:
    """The mixer, and a thread that renders the sounds and the tune and fades the tune in and out."""

    def __init__(self, mixer: ModuleType) -> None:
        self._mixer, self._tune = mixer, mixer.Channel(0)
        self._effects: dict[str, pygame.mixer.Sound] = {}
        self._wish, self._level, self._closed = Wish(), 0.0, False
        self._woken, self._mixing = Event(), Lock()
        Thread(target=self._run, name="tetrion-sound", daemon=True).start()

    def play(self, name: str, volume: float) -> None:
        """Begin a sound, if it has been rendered yet."""
        if sound := self._effects.get(name):
            with suppress(pygame.error):  # somebody else has ended the mixer
                sound.set_volume(volume)
                sound.play()

    def want(self, wish: Wish) -> None:
        """Say how the tune is to be; the thread brings it there."""
        self._wish = wish
        self._woken.set()

    def close(self) -> None:
        """Let go of the mixer; the thread ends by itself and does not touch it again."""
        with self._mixing:
            self._closed = True
            with suppress(pygame.error):  # somebody else has ended the mixer
                self._mixer.stop()  # a sound that ended by itself during `quit` would wait for it, and it for the sound
            self._mixer.quit()
        self._woken.set()

    def _run(self) -> None:
        with suppress(ClosedError, pygame.error):  # the latter if somebody else has ended the mixer
            for name in EFFECTS:
                self._effects[name] = self._made(rendered_effect(name))
            while not self._wish.on:
                self._awaited(None)
            tune = self._made(rendered_music())
            while True:
                self._awaited(FADE_STEP if self._step(tune) else None)

    def _awaited(self, seconds: float | None) -> None:
        """Wait for another wish, or so long."""
        self._woken.wait(seconds)
        self._woken.clear()
        if self._closed:
            raise ClosedError

    def _made(self, samples: Samples) -> pygame.mixer.Sound:
        with self._mixing:
            if self._closed:
                raise ClosedError
            made: pygame.mixer.Sound = self._mixer.Sound(buffer=samples)
            return made

    def _step(self, tune: pygame.mixer.Sound) -> bool:
        """Bring the tune one step nearer to the wish; whether there is more to go."""
        wish, channel = self._wish, self._tune
        with self._mixing:
            if self._closed:
                raise ClosedError
            if wish.level:
                if not channel.get_busy():
                    channel.play(tune, loops=-1)
                channel.unpause()
            change = FADE_STEP / FADE_SECONDS
            self._level = min(max(wish.level, self._level - change), self._level + change)
            channel.set_volume(self._level)
            if not self._level and not wish.level:
                (channel.pause if wish.on else channel.stop)()
            return self._level != wish.level


class ClosedError(Exception):
    """The player was closed; its thread ends."""


def opened_mixer() -> ModuleType | None:
    """The mixer of pygame, ready to play; None where there is no device or no mixer."""
    try:
        mixer = pygame.mixer
        with quiet():
            mixer.init(RATE, -16, 2, BUFFER, allowedchanges=0)
    except (pygame.error, NotImplementedError, ImportError, AttributeError):
        return None
    mixer.set_num_channels(CHANNELS)
    mixer.set_reserved(1)
    return mixer


@contextmanager
def quiet() -> Iterator[None]:
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


def checked(volume: float) -> float:
    """A volume, if it can be one."""
    if not 0 <= volume <= 1:
        raise TetrionError(f"A volume is from 0 to 1; given {volume!r}.")
    return float(volume)
