"""Music and sound effects of the window; without a sound device, every call does nothing.

`packaging/render_sounds.py` renders the files in `sounds`.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import pygame

SOUND_FOLDER = Path(__file__).parent / "sounds"
LINE_CLEAR_EFFECTS = ("single", "double", "triple", "tetris")  # for one to four lines cleared at once
SOUND_EFFECTS = ("move", "rotate", "step", "lock", *LINE_CLEAR_EFFECTS, "level", "over", "focus", "choose")
_SAMPLE_RATE = 44_100
_BUFFER_SAMPLES = 512  # a delay of 12 ms
_MIXER_CHANNELS = 12  # the first one for the music
_MIN_REPEAT_SECONDS = 0.04  # shortest time between two starts of the same effect
_MUSIC_FADE_MILLISECONDS = 300


class Sound:
    """The sound output of the window; no call blocks. Volumes are between 0 and 1."""

    def __init__(self) -> None:
        self.is_silent = not open_mixer()  # whether there is no sound device, or the output is closed
        self.is_music_on = False
        self._volume = 1.0
        self._music_volume = 1.0
        self._is_paused = False
        self._is_music_started = False
        self._music: pygame.mixer.Sound | None = None  # when it is decoded, which takes several frames
        self._music_loader = threading.Thread(target=self._load_music, name="tetrion-music", daemon=True)
        self._lock = threading.Lock()
        self._effects: dict[str, pygame.mixer.Sound] = {}  # those that were played
        self._last_started: dict[str, float] = {}

    def configure(self, volume: float, music_volume: float, is_music_on: bool) -> None:
        """Set the volumes of effects and music, and turn the music on, from its beginning, or off."""
        self._volume = volume
        self._music_volume = music_volume
        if is_music_on and not self.is_silent and self._music_loader.ident is None:
            self._music_loader.start()
        self.is_music_on = is_music_on
        self._update_music()

    def play(self, name: str) -> None:
        """Play an effect of `SOUND_EFFECTS`, unless it was started less than 0.04 seconds ago."""
        now = monotonic()
        if self.is_silent or not self._volume or now - self._last_started.get(name, -1.0) < _MIN_REPEAT_SECONDS:
            return
        self._last_started[name] = now
        with suppress(pygame.error):  # other code has closed the mixer
            if name not in self._effects:
                self._effects[name] = pygame.mixer.Sound(SOUND_FOLDER / f"{name}.ogg")
            self._effects[name].set_volume(self._volume)
            self._effects[name].play()

    def pause(self, is_paused: bool = True) -> None:
        """Pause the music; effects are still played, because a menu may be open."""
        if is_paused != self._is_paused:
            self._is_paused = is_paused
            self._update_music()

    def resume(self) -> None:
        """Resume the music."""
        self.pause(False)

    def close(self) -> None:
        """Stop all sound and release the device."""
        if self.is_silent:
            return
        self.is_silent = True
        if self._music_loader.is_alive():
            self._music_loader.join()  # the mixer must exist until the music is decoded
        with suppress(pygame.error):  # other code has closed the mixer
            pygame.mixer.stop()  # a sound that ends during `quit` would cause a deadlock
        pygame.mixer.quit()

    def _load_music(self) -> None:
        with suppress(pygame.error):  # other code has closed the mixer
            self._music = pygame.mixer.Sound(SOUND_FOLDER / "music.ogg")
        self._update_music()

    def _update_music(self) -> None:
        """Start, pause, resume or stop the music.

        It is played on a channel: `pygame.mixer.music` waits for the audio thread without releasing the interpreter,
        which is a deadlock if an effect ends at that moment.
        """
        with self._lock, suppress(pygame.error):  # other code has closed the mixer
            if self.is_silent or self._music is None:
                return
            channel = pygame.mixer.Channel(0)
            if self.is_music_on:
                if not self._is_music_started and not self._is_paused:
                    channel.play(self._music, loops=-1, fade_ms=_MUSIC_FADE_MILLISECONDS)
                    self._is_music_started = True
                channel.set_volume(self._music_volume)
                (channel.pause if self._is_paused else channel.unpause)()
            elif self._is_music_started:
                channel.stop() if self._is_paused else channel.fadeout(_MUSIC_FADE_MILLISECONDS)
                self._is_music_started = False


def open_mixer() -> bool:
    """Initialise the mixer of pygame; return whether there are a mixer and a device."""
    try:
        with silence_stderr():
            pygame.mixer.init(_SAMPLE_RATE, -16, 2, _BUFFER_SAMPLES, allowedchanges=0)
        pygame.mixer.set_num_channels(_MIXER_CHANNELS)
        pygame.mixer.set_reserved(1)
    except (pygame.error, NotImplementedError, ImportError, AttributeError):
        return False
    return True


@contextmanager
def silence_stderr() -> Iterator[None]:
    """Discard the messages that the sound library of the system writes to the standard error."""
    try:
        stderr_copy = os.dup(2)
    except OSError:  # a window without a console
        yield
        return
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, 2)
    os.close(null_device)
    try:
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)
