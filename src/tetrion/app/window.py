"""The window: its main loop, its size, its stack of screens and its notices."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pygame

from tetrion.agents.code_consent import remember_consent
from tetrion.app.agent_code import RUN_LABEL, CodeQuestion
from tetrion.app.audio.sound import Sound
from tetrion.app.crash_log import log_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.app.frame_priority import draw_with_priority
from tetrion.app.gamepad import Gamepads, to_control_event
from tetrion.app.notices import NoticeBar
from tetrion.app.screen import Screen
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_canvas import WindowCanvas
from tetrion.app.window_placement import DEFAULT_WINDOW_SIZE, WindowPlacement, choose_window_placement
from tetrion.app.window_settings import WindowSettings, save_settings
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError

if TYPE_CHECKING:
    from tetrion.app.games.practice_game import PracticeGame

_FULL_LAYOUT_SIZE = (800, 700)  # units; a larger scale must leave this space
_FRAMES_PER_SECOND = 60
_MAX_FRAME_SECONDS = 0.25  # after a longer delay, the missed time is skipped
_SCALE_FACTORS = {"75 %": 0.75, "100 %": 1.0, "125 %": 1.25, "150 %": 1.5}
_SCREEN_FADE_SECONDS = 0.14
_FRAMES_BEFORE_PLACEMENT = 3  # the size of the title bar is known when the window is visible
_REST_SECONDS = 1.0  # after the last event or movement, the window is no longer redrawn
_SHOWN_EVENTS = (pygame.WINDOWSHOWN, pygame.WINDOWRESTORED, pygame.WINDOWMAXIMIZED, pygame.WINDOWEXPOSED)
_HIDDEN_EVENTS = (pygame.WINDOWHIDDEN, pygame.WINDOWMINIMIZED)


class Window:
    """A window with a stack of screens, the last of which is in front; changed settings are saved at once.

    Without a `size`, the window has the size of the last start, as far as the desktop has space for it.
    """

    def __init__(self, settings: WindowSettings, sound: Sound, size: tuple[int, int] | None = None) -> None:
        self.sound = sound
        self.is_running = True
        self.notices = NoticeBar()
        self.practice_game: PracticeGame | None = None  # kept while the practice screen is closed
        self._settings = settings
        self._screens: list[Screen] = []
        self._previous_surface: pygame.Surface | None = None
        self._fade_age = _SCREEN_FADE_SECONDS
        self.frame_times: list[float] = []  # of the last frames, in seconds
        self.frame_count = 0
        self.last_choices: dict[str, Any] = {}  # of setups in this session, by screen
        self._seconds_at_rest = 0.0
        self._is_hidden = False
        self._code_question: CodeQuestion | None = None
        self._last_menu_crash = -_FRAMES_PER_SECOND - 1  # the frame of the last error in the first screen
        pygame.display.init()
        pygame.font.init()
        self._remembers_size = size is None
        self.placement = choose_window_placement(settings) if size is None else WindowPlacement(size)
        self.native_window = pygame.Window("Tetrion", self.placement.size, self.placement.position, resizable=True)
        self.native_window.minimum_size = self.placement.min_size
        self.native_window.set_icon(make_window_icon())
        if settings.full_screen:
            self.native_window.set_fullscreen(True)
        elif self.placement.is_maximised:
            self.native_window.maximize()
        self._canvas = WindowCanvas(self.native_window)
        self.gamepads = Gamepads()
        self.ui = Ui(self._make_pen())

    @property
    def surface(self) -> pygame.Surface:
        """The surface on which the screens are drawn."""
        return self._canvas.surface

    def _make_pen(self) -> Pen:
        surface = self.surface
        width, height = surface.size
        max_scale = max(1.0, min(width / _FULL_LAYOUT_SIZE[0], height / _FULL_LAYOUT_SIZE[1]))  # screens must fit
        automatic = min(1.5, max(1.0, min(width / DEFAULT_WINDOW_SIZE[0], height / DEFAULT_WINDOW_SIZE[1])))
        scale = _SCALE_FACTORS.get(self.settings.scale) or automatic
        return Pen(surface, min(scale, max_scale), self.settings.board_style)

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
        """Open a screen by its name as soon as the parts of the engine that it needs are loaded.

        A screen that cannot be opened is reported in a notice.
        """
        from tetrion.app.launcher import make_screen
        from tetrion.app.screens.waiting_screen import WaitingScreen

        can_open = get_engine_loader().is_ready_for(screen)
        try:
            opened = make_screen(self, screen, **options) if can_open else WaitingScreen(self, screen, options)
        except Exception as error:
            self._report_crash(screen.capitalize(), error)
        else:
            self.open_screen(opened)

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
        self._code_question = None
        self.notices.leave_screen()
        self.ui.reset()

    @property
    def notice(self) -> str:
        """The text of the current notice, or ""."""
        return self.notices.text

    def show_message(self, message: str, file: Path | None = None) -> None:
        """Show a notice for a few seconds; `file` is a file or folder that it names, which can then be opened."""
        self.notices.show(message, file)

    # Code of agents.

    def ask_about_code(self, path: Path | None, on_allowed: Callable[[], None]) -> None:
        """Ask the user whether a Python file may run, and call `on_allowed` if so; None asks nothing.

        The screen pauses meanwhile. A file that is not allowed is asked about again when it is needed again.
        """
        if path is not None and self._code_question is None:
            self._code_question = CodeQuestion(path, on_allowed, self.ui.focus)
            self.screen.on_focus_lost()

    def _draw_code_question(self, question: CodeQuestion) -> None:
        """Draw the question and act on the answer."""
        answer = question.draw(self.ui)
        if not answer:
            return
        self._code_question = None
        self.ui.request_focus(question.focus)
        if answer == RUN_LABEL:
            try:
                remember_consent(question.path)
                question.on_allowed()
            except TetrionError as error:
                self.show_message(str(error))

    # The main loop.

    def run(self) -> None:
        """Run until the window is closed.

        Events are read 60 times per second also while nothing is drawn, which takes 0.3 % of a core;
        `pygame.event.wait` takes 2 %, because it checks for events every millisecond.
        """
        clock = pygame.time.Clock()
        try:
            while self.is_running:
                seconds = clock.tick(_FRAMES_PER_SECOND) / 1000
                self.advance(pygame.event.get(), min(seconds, _MAX_FRAME_SECONDS))
        finally:
            self.close()

    def advance(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle events and advance by `seconds`; a frame is drawn only if something can have changed."""
        is_active = bool(events) or self._is_moving
        self._seconds_at_rest = 0.0 if is_active else self._seconds_at_rest + seconds
        if self._is_hidden:
            self._run_hidden_frame(events, seconds)
        elif self._seconds_at_rest < _REST_SECONDS:
            self.run_frame(events, seconds)
        else:
            self.notices.update(seconds)

    @property
    def _is_moving(self) -> bool:
        """Whether a screen, a control, a transition or a notice changes without input."""
        screen_states: list[bool] = []
        self._call_screen(lambda screen: screen_states.append(screen.is_moving))
        has_animation = self.ui.is_moving or self._previous_surface is not None or self.notices.must_be_redrawn
        return has_animation or any(screen_states)

    def _run_hidden_frame(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle events and advance the screen while the window is minimised or hidden, without drawing."""
        for event in events:
            self._handle_event(event)
        if self.is_running:
            self._call_screen(lambda screen: screen.update(seconds))

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
        self._save_placement()
        self.native_window.destroy()
        pygame.display.quit()

    def run_frame(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Handle the events of a frame, advance by `seconds`, and draw."""
        start = perf_counter()
        translated = map(self._canvas.convert_event, self.gamepads.translate(events))
        screen_events = [event for event in translated if not self._handle_event(event)]
        if not self.is_running:
            return
        self.notices.update(seconds)
        self._call_screen(lambda screen: self._update_screen(screen, screen_events, seconds))
        if not self.is_running:
            return
        self._draw_fade(seconds)
        self.frame_times = [*self.frame_times[-599:], perf_counter() - start]
        self.frame_count += 1
        self._canvas.show()
        if self.frame_count == _FRAMES_BEFORE_PLACEMENT:
            self._correct_position()
        get_engine_loader()  # starts loading after the first frame is shown

    def _update_screen(self, screen: Screen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        keys = self.settings.keys
        question = self._code_question
        screen_events = [event for event in events if question or not screen.handle_event(event)]
        control_events = [to_control_event(event, keys) for event in screen_events]
        if question is None:
            screen.update(seconds)
        self.surface.fill(BACKGROUND)
        focus = self.ui.focus
        self.ui.has_animation = self.settings.has_animation
        self.ui.is_above_menu = len(self._screens) <= 2
        self.ui.begin_frame(self._make_pen(), control_events, seconds)
        if question:
            self.ui.keys.clear()
            self.ui.files.clear()
            self.ui.wheel = 0
        with draw_with_priority():
            screen.draw(self.ui)
        if self.is_running and self.screen is screen:
            self.ui.draw_popup()
        if question and question is self._code_question:
            self._draw_code_question(question)
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
        elif event.type in (*_SHOWN_EVENTS, *_HIDDEN_EVENTS, pygame.WINDOWRESIZED):
            if not self._settings.full_screen and not self._is_hidden:  # a window may return maximised
                self.placement = self.placement.after_event(event, self.native_window.size)
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

    def _call_screen(self, function: Callable[[Screen], None]) -> None:
        """Call a function with the screen in front; an error in a screen must not close the window."""
        screen = self.screen
        try:
            function(screen)
        except Exception as error:
            self._close_failed_screen(screen, error)

    def _close_failed_screen(self, screen: Screen, error: Exception) -> None:
        """Close a screen that raised an error, and show a notice on the screen below.

        The menu stays open; if it fails again at once, the error is raised.
        """
        is_in_front = bool(self._screens) and self._screens[-1] is screen  # it may have opened another screen
        if is_in_front and len(self._screens) > 1:
            try:
                self.close_screen()
            except Exception as second_error:
                log_crash(second_error)
        self._report_crash(screen.title, error)
        if is_in_front and self.screen is screen:
            is_repeated = self.frame_count - self._last_menu_crash <= _FRAMES_PER_SECOND
            self._last_menu_crash = self.frame_count
            if is_repeated:
                raise error

    def _report_crash(self, title: str, error: Exception) -> None:
        """Write an error to the crash log and show a notice about it."""
        log_path = log_crash(error)
        self.show_message(f"{title} crashed: {error}. Details are in {log_path}.", file=log_path)

    def _correct_position(self) -> None:
        """Move the window to its place; X11 puts a new window lower by the height of its title bar."""
        position = self.placement.position
        if isinstance(position, tuple) and not self.placement.is_maximised and not self._settings.full_screen:
            self.native_window.position = position

    def _save_placement(self) -> None:
        """Save the size of the window for the next start."""
        changes = self.placement.make_settings()
        if self._remembers_size and self._settings.with_changes(**changes) != self._settings:
            save_settings(self._settings.with_changes(**changes))

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
