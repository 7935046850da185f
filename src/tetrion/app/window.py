"""The window: its main loop, its size, its notices, and its stack of screens with their base class."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame

from tetrion.agents.code_consent import remember_consent
from tetrion.app.background_task import draw_with_priority, log_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.gamepad import Gamepads, to_control_event
from tetrion.app.notices import NoticeBar
from tetrion.app.sound import Sound
from tetrion.app.toolkit.frame import draw_logo, draw_overlay
from tetrion.app.toolkit.ui import Ui, format_key_label, wrap_long_text
from tetrion.app.window_settings import WindowSettings, get_main_key, save_settings
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.text_cleaning import clean_text

if TYPE_CHECKING:
    from tetrion.app.screens.practice_screen import PracticeGame

DEFAULT_WINDOW_SIZE = (1280, 800)
MIN_WINDOW_SIZE = (800, 640)  # units; smaller windows, which tiling window managers make, are scaled down
_MIN_VISIBLE_SIZE = (200, 160)  # pixels; smaller windows show nothing
_DESKTOP_MARGIN = (8, 80)  # pixels for borders, the title bar and a task bar
_FRAMES_PER_SECOND = 60
_MAX_FRAME_SECONDS = 0.25  # after a longer delay, the missed time is skipped
_SCALE_FACTORS = {"75 %": 0.75, "100 %": 1.0, "125 %": 1.25, "150 %": 1.5}
_SCREEN_FADE_SECONDS = 0.14
_REST_SECONDS = 1.0  # after the last event or movement, the window is no longer redrawn
_SHOWN_EVENTS = (pygame.WINDOWSHOWN, pygame.WINDOWRESTORED, pygame.WINDOWMAXIMIZED, pygame.WINDOWEXPOSED)
_CODE_EXPLANATION = "This agent contains Python code, which can do anything on this computer:"
_CODE_ADVICE = "Run it only if you trust where it came from."
_CODE_DIALOG_WIDTH = 520
_MAX_PATH_LENGTH = 300  # characters; the middle of a longer path is left out
_HIDDEN_EVENTS = (pygame.WINDOWHIDDEN, pygame.WINDOWMINIMIZED)


class Screen:
    """A screen of the window. None of its methods may take long: agents and training run in background threads."""

    title = ""
    has_music = False  # whether music plays on this screen

    def __init__(self, window: "Window") -> None:
        self.window = window

    @property
    def is_moving(self) -> bool:
        """Whether the screen changes without input, so that it must be redrawn 60 times per second.

        It is also redrawn for a second after each event and after each movement; shorter animations need not be
        reported.
        """
        return True

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle an event before the controls do; return True if the controls must not receive it."""
        return False

    def update(self, seconds: float) -> None:
        """Advance the screen by `seconds`."""

    def draw(self, ui: Ui) -> None:
        """Draw everything and act on the controls that were used."""

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""

    def on_return(self) -> None:
        """Refresh when the screen in front of this one is closed."""

    def on_leave(self) -> None:
        """Save data and stop background work when the screen or the window is closed."""


class Window:
    """A window with a stack of screens, the last of which is in front; changed settings are saved at once.

    Without a `size`, the window opens with its last size, limited to the desktop.
    """

    def __init__(self, settings: WindowSettings, sound: Sound, size: tuple[int, int] | None = None) -> None:
        self.sound = sound
        self.is_running = True
        self.notices = NoticeBar()
        self.practice_game: PracticeGame | None = None  # kept while the practice screen is closed
        self.settings = settings
        self._screens: list[Screen] = []
        self._previous_surface: pygame.Surface | None = None
        self._fade_age = _SCREEN_FADE_SECONDS
        self.frame_count = 0
        self.last_choices: dict[str, Any] = {}  # of setups in this session, by screen
        self._seconds_at_rest = 0.0
        self._is_hidden = False
        self._last_menu_crash = -_FRAMES_PER_SECOND - 1  # the frame of the last error in the first screen
        pygame.display.init()
        pygame.font.init()
        self._remembers_size = size is None
        self._is_maximised = settings.is_maximised and size is None
        first_size, min_size = choose_window_size(settings) if size is None else (size, MIN_WINDOW_SIZE)
        self.native_window = pygame.Window("Tetrion", first_size, resizable=True)
        self.native_window.minimum_size = min_size
        icon = pygame.Surface((64, 64), pygame.SRCALPHA, 32)
        draw_logo(Pen(icon), (5, 28), 17)
        self.native_window.set_icon(icon)
        if settings.full_screen:
            self.native_window.set_fullscreen(True)
        elif self._is_maximised:
            self.native_window.maximize()
        self.gamepads = Gamepads()
        self.ui = Ui(self._make_pen())

    @property
    def surface(self) -> pygame.Surface:
        """The surface on which the screens are drawn; in a tiny window, one that is not shown."""
        surface = self.native_window.get_surface()
        least = tuple(map(max, surface.size, _MIN_VISIBLE_SIZE))
        return surface if surface.size == least else pygame.Surface(least, 0, 32)

    def _make_pen(self) -> Pen:
        surface = self.surface
        max_scale, default_scale = (
            min(length / unit for length, unit in zip(surface.size, size, strict=True))
            for size in (MIN_WINDOW_SIZE, DEFAULT_WINDOW_SIZE)
        )
        scale = _SCALE_FACTORS.get(self.settings.scale) or min(1.5, max(1.0, default_scale))
        return Pen(surface, min(scale, max_scale), self.settings.board_style)

    # Settings.

    def change_settings(self, **changes: Any) -> None:
        """Change settings, apply them and save them."""
        before = self.settings
        self.settings = replace(before, **changes)
        if before == self.settings:
            return
        if problem := save_settings(self.settings):
            self.show_message(problem)
        if self.settings.full_screen and not before.full_screen:
            self.native_window.set_fullscreen(True)
        elif before.full_screen and not self.settings.full_screen:
            self.native_window.set_windowed()
        self.apply_sound()

    def apply_sound(self) -> None:
        """Apply the volumes of the settings, and play music on screens that have it."""
        settings = self.settings
        is_music_on = settings.music and bool(self._screens) and self._screens[-1].has_music
        self.sound.configure(settings.sounds, settings.music_volume, is_music_on)

    def get_key_label(self, action: str, *, prefers_gamepad: bool | None = None) -> str:
        """Return the label of the key of an action; by default, of the button if the gamepad was used last."""
        prefers_gamepad = self.gamepads.was_used_last if prefers_gamepad is None else prefers_gamepad
        return format_key_label(get_main_key(self.settings.keys[action], prefers_gamepad=prefers_gamepad))

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
        """Open a screen by its name as soon as the parts of the engine that it needs are loaded.

        A screen that cannot be opened is reported in a notice.
        """
        from tetrion.app.launcher import make_screen
        from tetrion.app.screens.menu_screen import WaitingScreen

        can_open = get_engine_loader().is_ready_for(screen)
        try:
            opened = make_screen(self, screen, **options) if can_open else WaitingScreen(self, screen, options)
        except Exception as error:
            self._report_crash(screen.capitalize(), error)
        else:
            self.open_screen(opened)

    def replace_screen(self, screen: Screen) -> None:
        """Close the screen in front and open another one in its place."""
        self._screens.pop().on_leave()
        self.open_screen(screen)

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
        self.notices.leave_screen()
        self.ui.reset()

    @property
    def notice(self) -> str:
        """The text of the current notice, or ""."""
        return self.notices.current.text if self.notices.current else ""

    def show_message(self, message: str, file: Path | None = None) -> None:
        """Show a notice for a few seconds; `file` is a file or folder that it names, which can then be opened."""
        self.notices.show(message, file)

    # Code of agents.

    def ask_about_code(self, path: Path | None, on_allowed: Callable[[], None]) -> None:
        """Ask the user whether a Python file may run, and call `on_allowed` if so; None asks nothing.

        The screen pauses meanwhile. A file that is not allowed is asked about again when it is needed again.
        """
        if path is not None and not isinstance(self.ui.popup, CodeQuestion):
            self.ui.popup = CodeQuestion(path, on_allowed, self.ui.focus)
            self.screen.on_focus_lost()

    # The main loop.

    def run(self) -> None:
        """Run until the window is closed."""
        clock = pygame.time.Clock()  # `pygame.event.wait` takes more time: it checks for events every millisecond
        try:
            while self.is_running:
                seconds = clock.tick(_FRAMES_PER_SECOND) / 1000
                self.advance(pygame.event.get(), min(seconds, _MAX_FRAME_SECONDS))
        finally:
            self.close()

    def advance(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle events and advance by `seconds`; a frame is drawn only if something can have changed."""
        is_active = (
            events
            or self._call_screen(lambda screen: screen.is_moving)
            or self._previous_surface
            or self.ui.is_moving
            or self.notices.must_be_redrawn
        )
        self._seconds_at_rest = 0.0 if is_active else self._seconds_at_rest + seconds
        if self._is_hidden:  # the screen advances without being drawn
            for event in events:
                self._handle_event(event)
            if self.is_running:
                self._call_screen(lambda screen: screen.update(seconds))
        elif self._seconds_at_rest < _REST_SECONDS:
            self.run_frame(events, seconds)
        else:
            self.notices.update(seconds)

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
        if self._remembers_size:
            self._remembers_size = False  # a window that is closed twice has no size any more
            settings = replace(self.settings, is_maximised=self._is_maximised)
            if not self._is_maximised and not settings.full_screen:
                width, height = self.native_window.size
                settings = replace(settings, window_width=width, window_height=height)
            save_settings(settings)
        self.native_window.destroy()
        pygame.display.quit()

    def run_frame(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle the events of a frame, advance by `seconds`, and draw."""
        screen_events = [event for event in self.gamepads.translate(events) if not self._handle_event(event)]
        if not self.is_running:
            return
        self.notices.update(seconds)
        self._call_screen(lambda screen: self._update_screen(screen, screen_events, seconds))
        if not self.is_running:
            return
        self._draw_fade(seconds)
        self.frame_count += 1
        self.native_window.flip()
        get_engine_loader()  # starts loading after the first frame is shown

    def _update_screen(self, screen: Screen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        is_waiting = isinstance(self.ui.popup, CodeQuestion)
        unused_events = [event for event in events if is_waiting or not screen.handle_event(event)]
        if not is_waiting:
            screen.update(seconds)
        self.surface.fill(BACKGROUND)
        focus = self.ui.focus
        self.ui.has_animation = self.settings.has_animation
        self.ui.is_above_menu = len(self._screens) <= 2
        control_events = [to_control_event(event, self.settings.keys) for event in unused_events]
        self.ui.begin_frame(self._make_pen(), control_events, seconds)
        with draw_with_priority():
            screen.draw(self.ui)
        if self.is_running and self.screen is screen:
            self.ui.draw_popup()
        if self.is_running and self.screen is screen:
            self.notices.draw(self.ui)
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
        elif event.type in (*_SHOWN_EVENTS, *_HIDDEN_EVENTS):
            can_resize = not self.settings.full_screen and not self._is_hidden  # it may return maximised
            if can_resize and event.type in (pygame.WINDOWMAXIMIZED, pygame.WINDOWRESTORED):
                self._is_maximised = event.type == pygame.WINDOWMAXIMIZED
            self._is_hidden = event.type in _HIDDEN_EVENTS
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.sound.pause()
            self._call_screen(lambda screen: screen.on_focus_lost())
        elif event.type == pygame.WINDOWFOCUSGAINED:
            self.sound.resume()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
            self.change_settings(full_screen=not self.settings.full_screen)
        else:
            return False
        return True

    def _call_screen(self, function: Callable[[Screen], bool | None]) -> bool | None:
        """Call a function with the screen in front; an error in a screen must not close the window."""
        screen = self.screen
        try:
            return function(screen)
        except Exception as error:
            self._close_failed_screen(screen, error)
            return None

    def _close_failed_screen(self, screen: Screen, error: Exception) -> None:
        """Close a screen that raised an error, and show a notice on the screen below.

        The menu stays open; if it fails again at once, the error is raised.
        """
        if self._screens and self.screen is screen:  # it may have opened another screen
            if len(self._screens) > 1:
                try:
                    self.close_screen()
                except Exception as second_error:
                    log_crash(second_error)
            elif self.frame_count - self._last_menu_crash <= _FRAMES_PER_SECOND:
                raise error
            else:
                self._last_menu_crash = self.frame_count
        self._report_crash(screen.title, error)

    def _report_crash(self, title: str, error: Exception) -> None:
        log_path = log_crash(error)
        self.show_message(f"{title} crashed: {error}. Details are in {log_path}.", file=log_path)

    def _draw_fade(self, seconds: float) -> None:
        self._fade_age += seconds
        if self._previous_surface is not None and self._fade_age < _SCREEN_FADE_SECONDS and self.settings.has_animation:
            self._previous_surface.set_alpha(round(255 * (1 - self._fade_age / _SCREEN_FADE_SECONDS)))
            self.surface.blit(self._previous_surface, (0, 0))
        else:
            self._previous_surface = None


@dataclass(frozen=True)
class CodeQuestion:
    """The question whether a Python file may run; `on_allowed` repeats what failed without it."""

    path: Path
    on_allowed: Callable[[], None]
    focus: str  # the control that had the focus before

    def draw(self, ui: Ui) -> bool:
        """Draw the question and act on the answer; return whether it stays open."""
        lines = [_CODE_EXPLANATION, *wrap_path(ui.pen, self.path, _CODE_DIALOG_WIDTH - 40), _CODE_ADVICE]
        buttons = (("Cancel", "Esc"), ("Run code", ""))
        answer = draw_overlay(ui, ui.pen.area, "Run Python code?", lines, buttons, width=_CODE_DIALOG_WIDTH)
        if answer:
            ui.request_focus(self.focus)
        if answer == "Run code":
            with suppress(TetrionError):  # if the file is gone, the screen reports that
                remember_consent(self.path)
            self.on_allowed()
        return not answer


def wrap_path(pen: Pen, path: Path, width: int) -> list[str]:
    """Return a path in lines of at most `width` units; the middle of a very long path is left out."""
    text = str(path.absolute())
    if len(text) > _MAX_PATH_LENGTH:
        text = f"{text[: _MAX_PATH_LENGTH // 2]}…{text[-_MAX_PATH_LENGTH // 2 :]}"
    return wrap_long_text(pen, clean_text(text), width, 15)


def choose_window_size(settings: WindowSettings) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the size of a new window, the last or the default one, and its minimum size, within the desktop."""
    desktop = pygame.display.get_desktop_sizes()[0]
    wanted = settings.window_width or DEFAULT_WINDOW_SIZE[0], settings.window_height or DEFAULT_WINDOW_SIZE[1]
    max_width, max_height = (length - margin for length, margin in zip(desktop, _DESKTOP_MARGIN, strict=True))
    min_size = min(MIN_WINDOW_SIZE[0], max_width), min(MIN_WINDOW_SIZE[1], max_height)
    size = min(max_width, max(min_size[0], wanted[0])), min(max_height, max(min_size[1], wanted[1]))
    return size, min_size
