"""The window itself: its loop, its size, which screen is in front, and what it tells."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import pygame

from tetrion.app.audio.sound import Sound
from tetrion.app.problems import keep_problem
from tetrion.app.readiness import engine
from tetrion.app.screen import Screen
from tetrion.app.settings import Settings, save_settings
from tetrion.app.toolkit.ui import Ui
from tetrion.app.turn import drawing
from tetrion.drawing.palette import GROUND, OUTLINE, PANEL, STRONG
from tetrion.drawing.pen import Box, Pen

SIZE, SMALLEST = (1280, 800), (800, 700)
FRAMES = 60  # a second
LONGEST_FRAME = 0.25  # seconds; a window that was held up does not hurry afterwards
SCALES = {"75 %": 0.75, "100 %": 1.0, "125 %": 1.25, "150 %": 1.5}
FADE = 0.14  # seconds, from one screen to the next
NOTICE = 7.0  # seconds that a notice stays


class Window:
    """A window with screens one upon another, of which the last is in front; settings are kept as they change."""

    def __init__(self, settings: Settings, sound: Sound, size: tuple[int, int] = SIZE) -> None:
        self.sound, self.running, self.notice, self._noticed = sound, True, "", 0.0
        self._settings = settings
        self._screens: list[Screen] = []
        self._before: pygame.Surface | None = None
        self._fading = FADE
        self.frame_times: list[float] = []  # of late, in seconds
        pygame.display.init()
        pygame.font.init()
        self.shown = pygame.Window("Tetrion", size, resizable=True)
        self.shown.minimum_size = SMALLEST
        self.shown.set_icon(icon())
        if settings.full_screen:
            self.shown.set_fullscreen(True)
        self.ui = Ui(self._pen())

    @property
    def surface(self) -> pygame.Surface:
        """What is drawn on."""
        return self.shown.get_surface()

    def _pen(self) -> Pen:
        wide, high = self.surface.size
        most = max(1.0, min(wide / SMALLEST[0], high / SMALLEST[1]))  # else a screen would have no room
        scale = SCALES.get(self.settings.scale) or min(1.5, max(1.0, min(wide / SIZE[0], high / SIZE[1])))
        return Pen(self.surface, min(scale, most), self.settings.look)

    # What is chosen.

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self._settings

    def choose(self, **changes: object) -> None:
        """Change settings, which are kept at once and hold at once."""
        before, self._settings = self._settings, self._settings.with_(**changes)
        if before == self._settings:
            return
        if problem := save_settings(self._settings):
            self.tell(problem)
        if self._settings.full_screen and not before.full_screen:
            self.shown.set_fullscreen(True)
        elif before.full_screen and not self._settings.full_screen:
            self.shown.set_windowed()
        self.apply_sound()

    def apply_sound(self) -> None:
        """Let sounds be as loud as is chosen, and the tune play where it is wanted."""
        chosen = self._settings
        self.sound.volume, self.sound.music_volume = chosen.sounds, chosen.music_volume
        self.sound.music = chosen.music and bool(self._screens) and self._screens[-1].music

    # Screens.

    @property
    def screen(self) -> Screen:
        """The one in front."""
        return self._screens[-1]

    def open(self, screen: Screen) -> None:
        """Put a screen in front of the others."""
        self._turn()
        self._screens.append(screen)
        self.apply_sound()

    def go(self, screen: str, **options: Any) -> None:
        """Open a screen by its name, as soon as the engine can play; settings need none."""
        from tetrion.app.screens.waiting import WaitingScreen
        from tetrion.app.start import made

        ready = engine().ready or screen == "settings"
        self.open(made(self, screen, **options) if ready else WaitingScreen(self, screen, options))

    def replace(self, screen: Screen) -> None:
        """Leave the screen in front for another one."""
        self._turn()
        self._screens.pop().leave()
        self._screens.append(screen)
        self.apply_sound()

    def back(self) -> None:
        """Leave the screen in front; without another one, the window closes."""
        self._turn()
        left = self._screens.pop()
        left.leave()
        if self._screens:
            self._screens[-1].resume()
            self.apply_sound()
        else:
            self.running = False

    def _turn(self) -> None:
        if self._screens:
            self._before, self._fading = self.surface.copy(), 0.0
        self.ui.forget()

    def tell(self, words: str) -> None:
        """Show a notice for a few seconds."""
        self.notice, self._noticed = words, 0.0

    # The loop.

    def run(self) -> None:
        """Go on until the window is closed."""
        clock = pygame.time.Clock()
        try:
            while self.running:
                seconds = clock.tick(FRAMES) / 1000
                self.frame(pygame.event.get(), min(seconds, LONGEST_FRAME))
        finally:
            self.close()

    def close(self) -> None:
        """Leave every screen, the last one first, and end."""
        self.running = False
        while self._screens:
            screen = self._screens.pop()
            try:
                screen.leave()
            except Exception as problem:  # whatever it is, the other screens must be left too
                keep_problem(problem)
        self.sound.close()
        self.shown.destroy()
        pygame.display.quit()

    def frame(self, events: Sequence[pygame.event.Event], seconds: float) -> None:
        """Hear what has happened, let time pass, and draw."""
        begun = perf_counter()
        left = [event for event in events if not self._hear(event)]
        if not self.running:
            return
        screen = self.screen
        try:
            self._pass(screen, left, seconds)
        except Exception as problem:  # a mistake in a screen must not take the window with it
            self._fail(screen, problem)
        if not self.running:
            return
        self._draw_notice(seconds)
        self._fade(seconds)
        self.frame_times = [*self.frame_times[-599:], perf_counter() - begun]
        self.shown.flip()
        engine()  # begins to load when something is seen

    def _pass(self, screen: Screen, events: Sequence[pygame.event.Event], seconds: float) -> None:
        left = [event for event in events if not screen.handle(event)]
        screen.update(seconds)
        self.surface.fill(GROUND)
        self.ui.moves, focus = self.settings.moves, self.ui.focus
        self.ui.over_menu = len(self._screens) <= 2
        self.ui.begin(self._pen(), left, seconds)
        with drawing():
            screen.draw(self.ui)
        if self.running and self.screen is screen:
            self.ui.end()
            if focus and self.ui.focus not in ("", focus):
                self.sound.play("focus")

    def _hear(self, event: pygame.event.Event) -> bool:
        if not self.running:
            return True  # what comes with the request to close, such as the loss of the focus
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.close()
        elif event.type == pygame.WINDOWSIZECHANGED:
            self._before = None  # the screen before had another size
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.sound.pause()
            self._rest()
        elif event.type == pygame.WINDOWFOCUSGAINED:
            self.sound.resume()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
            self.choose(full_screen=not self.settings.full_screen)
        else:
            return False
        return True

    def _rest(self) -> None:
        screen = self.screen
        try:
            screen.rest()
        except Exception as problem:
            self._fail(screen, problem)

    def _fail(self, screen: Screen, problem: Exception) -> None:
        """Tell of a mistake of the program's own, and go on with the screen below."""
        where = keep_problem(problem)
        if len(self._screens) <= 1 or self._screens[-1] is not screen:
            raise problem
        try:
            self.back()
        except Exception as second:
            keep_problem(second)
        self.tell(f"{screen.title} has ended by a mistake of the program: {problem}. Its details are in {where}.")

    def _draw_notice(self, seconds: float) -> None:
        self._noticed += seconds
        if not self.notice or self._noticed > NOTICE:
            self.notice = ""
            return
        pen = self.ui.pen
        lines = pen.wrapped(self.notice, min(720, pen.width - 80), 15)
        wide = max(pen.width_of(line, 15) for line in lines) + 40
        box = Box((pen.width - wide) // 2, 64, wide, 22 * len(lines) + 20)
        pen.rounded(box, 12, PANEL, OUTLINE)
        for number, line in enumerate(lines):
            pen.text(line, (box.centerx, box.top + 21 + 22 * number), 15, False, STRONG, align=0.5)

    def _fade(self, seconds: float) -> None:
        self._fading += seconds
        if self._before is not None and self._fading < FADE and self.settings.moves:
            self._before.set_alpha(round(255 * (1 - self._fading / FADE)))
            self.surface.blit(self._before, (0, 0))
        else:
            self._before = None


def icon() -> pygame.Surface:
    """The mark, as small as systems show it."""
    from tetrion.app.toolkit.chrome import draw_mark

    surface = pygame.Surface((64, 64), pygame.SRCALPHA, 32)
    draw_mark(Pen(surface), (5, 28), 17)
    return surface
