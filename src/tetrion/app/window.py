"""The window: its main loop, its size, its stack of screens and its notices."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import pygame

from tetrion.app.audio.sound import Sound
from tetrion.app.crash_log import log_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.frame_priority import draw_with_priority
from tetrion.app.gamepad import Gamepads, to_control_event
from tetrion.app.screen import Screen
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_settings import WindowSettings, save_settings
from tetrion.drawing.palette import BACKGROUND, BOARD_OUTLINE, PANEL, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen

DEFAULT_WINDOW_SIZE = (1280, 800)
MIN_WINDOW_SIZE = (800, 700)
_FRAMES_PER_SECOND = 60
_MAX_FRAME_SECONDS = 0.25  # after a longer delay, the missed time is skipped
_SCALE_FACTORS = {"75 %": 0.75, "100 %": 1.0, "125 %": 1.25, "150 %": 1.5}
_SCREEN_FADE_SECONDS = 0.14
_NOTICE_SECONDS = 7.0


class Window:
    """A window with a stack of screens, the last of which is in front; changed settings are saved at once."""

    def __init__(self, settings: WindowSettings, sound: Sound, size: tuple[int, int] = DEFAULT_WINDOW_SIZE) -> None:
        self.sound = sound
        self.is_running = True
        self.notice = ""
        self._notice_age = 0.0
        self._settings = settings
        self._screens: list[Screen] = []
        self._previous_surface: pygame.Surface | None = None
        self._fade_age = _SCREEN_FADE_SECONDS
        self.frame_times: list[float] = []  # of the last frames, in seconds
        pygame.display.init()
        pygame.font.init()
        self.native_window = pygame.Window("Tetrion", size, resizable=True)
        self.native_window.minimum_size = MIN_WINDOW_SIZE
        self.native_window.set_icon(make_window_icon())
        if settings.full_screen:
            self.native_window.set_fullscreen(True)
        self.gamepads = Gamepads()
        self.ui = Ui(self._make_pen())

    @property
    def surface(self) -> pygame.Surface:
        """The surface of the window."""
        return self.native_window.get_surface()

    def _make_pen(self) -> Pen:
        width, height = self.surface.size
        max_scale = max(1.0, min(width / MIN_WINDOW_SIZE[0], height / MIN_WINDOW_SIZE[1]))  # screens must fit
        automatic = min(1.5, max(1.0, min(width / DEFAULT_WINDOW_SIZE[0], height / DEFAULT_WINDOW_SIZE[1])))
        scale = _SCALE_FACTORS.get(self.settings.scale) or automatic
        return Pen(self.surface, min(scale, max_scale), self.settings.board_style)

    # Settings.

    @property
    def settings(self) -> WindowSettings:
        """The current settings."""
        return self._settings

    def change_settings(self, **changes: object) -> None:
        """Change settings, apply them and save them."""
        before = self._settings
        self._settings = before.with_changes(**changes)
        if before == self._settings:
            return
        if problem := save_settings(self._settings):
            self.show_message(problem)
        if self._settings.full_screen and not before.full_screen:
            self.native_window.set_fullscreen(True)
        elif before.full_screen and not self._settings.full_screen:
            self.native_window.set_windowed()
        self.apply_sound()

    def apply_sound(self) -> None:
        """Apply the volumes of the settings, and play music on screens that have it."""
        self.sound.volume = self._settings.sounds
        self.sound.music_volume = self._settings.music_volume
        self.sound.is_music_on = self._settings.music and bool(self._screens) and self._screens[-1].has_music

    # Screens.

    @property
    def screen(self) -> Screen:
        """The screen in front."""
        return self._screens[-1]

    def open_screen(self, screen: Screen) -> None:
        """Put a screen in front of the others."""
        self._begin_transition()
        self._screens.append(screen)
        self.apply_sound()

    def open_screen_by_name(self, screen: str, **options: Any) -> None:
        """Open a screen by its name as soon as the parts of the engine that it needs are loaded."""
        from tetrion.app.launcher import make_screen
        from tetrion.app.screens.waiting_screen import WaitingScreen

        can_open = get_engine_loader().is_ready_for(screen)
        self.open_screen(make_screen(self, screen, **options) if can_open else WaitingScreen(self, screen, options))

    def replace_screen(self, screen: Screen) -> None:
        """Close the screen in front and open another one in its place."""
        self._begin_transition()
        self._screens.pop().on_leave()
        self._screens.append(screen)
        self.apply_sound()

    def close_screen(self) -> None:
        """Close the screen in front; closing the last screen closes the window."""
        self._begin_transition()
        self._screens.pop().on_leave()
        if self._screens:
            self._screens[-1].on_return()
            self.apply_sound()
        else:
            self.is_running = False

    def _begin_transition(self) -> None:
        if self._screens:
            self._previous_surface = self.surface.copy()
            self._fade_age = 0.0
        self.ui.reset()

    def show_message(self, message: str) -> None:
        """Show a notice for a few seconds."""
        self.notice = message
        self._notice_age = 0.0

    # The main loop.

    def run(self) -> None:
        """Run frames until the window is closed."""
        clock = pygame.time.Clock()
        try:
            while self.is_running:
                seconds = clock.tick(_FRAMES_PER_SECOND) / 1000
                self.run_frame(pygame.event.get(), min(seconds, _MAX_FRAME_SECONDS))
        finally:
            self.close()

    def close(self) -> None:
        """Close all screens, the front one first, and the window."""
        self.is_running = False
        while self._screens:
            screen = self._screens.pop()
            try:
                screen.on_leave()
            except Exception as error:  # the other screens must be closed too
                log_crash(error)
        self.sound.close()
        self.gamepads.close()
        self.native_window.destroy()
        pygame.display.quit()

    def run_frame(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle the events of a frame, advance by `seconds`, and draw."""
        start = perf_counter()
        screen_events = [event for event in self.gamepads.translate(events) if not self._handle_event(event)]
        if not self.is_running:
            return
        screen = self.screen
        try:
            self._update_screen(screen, screen_events, seconds)
        except Exception as error:  # an error in a screen must not close the window
            self._close_failed_screen(screen, error)
        if not self.is_running:
            return
        self._draw_notice(seconds)
        self._draw_fade(seconds)
        self.frame_times = [*self.frame_times[-599:], perf_counter() - start]
        self.native_window.flip()
        get_engine_loader()  # starts loading after the first frame is shown

    def _update_screen(self, screen: Screen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        keys = self.settings.keys
        control_events = [to_control_event(event, keys) for event in events if not screen.handle_event(event)]
        screen.update(seconds)
        self.surface.fill(BACKGROUND)
        focus = self.ui.focus
        self.ui.has_animation = self.settings.has_animation
        self.ui.is_above_menu = len(self._screens) <= 2
        self.ui.begin_frame(self._make_pen(), control_events, seconds)
        with draw_with_priority():
            screen.draw(self.ui)
        if self.is_running and self.screen is screen:
            self.ui.end_frame()
            if focus and self.ui.focus not in ("", focus):
                self.sound.play("focus")

    def _handle_event(self, event: pygame.event.Event) -> bool:
        if not self.is_running:
            return True  # ignore events that follow the request to close
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.close()
        elif event.type == pygame.WINDOWSIZECHANGED:
            self._previous_surface = None  # the previous screen had another size
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.sound.pause()
            self._notify_focus_lost()
        elif event.type == pygame.WINDOWFOCUSGAINED:
            self.sound.resume()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
            self.change_settings(full_screen=not self.settings.full_screen)
        else:
            return False
        return True

    def _notify_focus_lost(self) -> None:
        screen = self.screen
        try:
            screen.on_focus_lost()
        except Exception as error:
            self._close_failed_screen(screen, error)

    def _close_failed_screen(self, screen: Screen, error: Exception) -> None:
        """Close a screen that raised an error, and show a notice on the screen below."""
        log_path = log_crash(error)
        if len(self._screens) <= 1 or self._screens[-1] is not screen:
            raise error
        try:
            self.close_screen()
        except Exception as second_error:
            log_crash(second_error)
        self.show_message(f"{screen.title} crashed: {error}. Details are in {log_path}.")

    def _draw_notice(self, seconds: float) -> None:
        self._notice_age += seconds
        if not self.notice or self._notice_age > _NOTICE_SECONDS:
            self.notice = ""
            return
        pen = self.ui.pen
        lines = pen.wrap_text(self.notice, min(720, pen.width - 80), 15)
        width = max(pen.measure_text(line, 15) for line in lines) + 40
        box = Box((pen.width - width) // 2, 64, width, 22 * len(lines) + 20)
        pen.fill_rounded(box, 12, PANEL, BOARD_OUTLINE)
        for number, line in enumerate(lines):
            pen.draw_text(line, (box.centerx, box.top + 21 + 22 * number), 15, False, STRONG_TEXT, align=0.5)

    def _draw_fade(self, seconds: float) -> None:
        self._fade_age += seconds
        if self._previous_surface is not None and self._fade_age < _SCREEN_FADE_SECONDS and self.settings.has_animation:
            self._previous_surface.set_alpha(round(255 * (1 - self._fade_age / _SCREEN_FADE_SECONDS)))
            self.surface.blit(self._previous_surface, (0, 0))
        else:
            self._previous_surface = None


def make_window_icon() -> pygame.Surface:
    """Return the logo as a window icon of 64 × 64 pixels."""
    from tetrion.app.toolkit.header_footer import draw_logo

    surface = pygame.Surface((64, 64), pygame.SRCALPHA, 32)
    draw_logo(Pen(surface), (5, 28), 17)
    return surface
