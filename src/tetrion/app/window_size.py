"""The size of the window, as at the last start, and the canvas of a window that is too small for the screens."""

import pygame

from tetrion.app.window_settings import WindowSettings

DEFAULT_WINDOW_SIZE = (1280, 800)
MIN_WINDOW_SIZE = (800, 640)
_DESKTOP_MARGIN = (8, 80)  # pixels for borders, the title bar and a task bar
_MAX_STRETCH = 4  # of the canvas in one direction, so that an extremely narrow window needs little memory
_MOUSE_EVENTS = (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP)

Size = tuple[int, int]


def choose_window_size(settings: WindowSettings) -> tuple[Size, Size]:
    """Return the size of a new window, the last or the default one, and its minimum size, within the desktop."""
    desktop = pygame.display.get_desktop_sizes()[0]
    wanted = settings.window_width or DEFAULT_WINDOW_SIZE[0], settings.window_height or DEFAULT_WINDOW_SIZE[1]
    max_width, max_height = (length - margin for length, margin in zip(desktop, _DESKTOP_MARGIN, strict=True))
    min_size = min(MIN_WINDOW_SIZE[0], max_width), min(MIN_WINDOW_SIZE[1], max_height)
    size = min(max_width, max(min_size[0], wanted[0])), min(max_height, max(min_size[1], wanted[1]))
    return size, min_size


class WindowCanvas:
    """The surface of a window, or that of a larger canvas if the window is below the minimum size.

    Tiling window managers ignore the minimum size, and no screen has space for its controls below it.
    """

    def __init__(self, native_window: pygame.Window) -> None:
        self._native_window = native_window
        self._large_surface: pygame.Surface | None = None

    @property
    def surface(self) -> pygame.Surface:
        """The surface on which screens are drawn."""
        window_surface = self._native_window.get_surface()
        size = compute_canvas_size(window_surface.size)
        if size == window_surface.size:
            self._large_surface = None
            return window_surface
        if self._large_surface is None or self._large_surface.size != size:
            self._large_surface = pygame.Surface(size, 0, 32)
        return self._large_surface

    def show(self) -> None:
        """Show what was drawn."""
        if self._large_surface is not None:
            window_surface = self._native_window.get_surface()
            area = fit_canvas(self._large_surface.size, window_surface.size)
            window_surface.fill("black")
            window_surface.blit(pygame.transform.smoothscale(self._large_surface, area.size), area)
        self._native_window.flip()

    def convert_event(self, event: pygame.event.Event) -> pygame.event.Event:
        """Return an event with the position of the pointer on the canvas."""
        if self._large_surface is None or event.type not in _MOUSE_EVENTS:
            return event
        size = self._large_surface.size
        area = fit_canvas(size, self._native_window.size)
        x = (event.pos[0] + 0.5 - area.left) * size[0] / area.width  # of the middle of the pixel
        y = (event.pos[1] + 0.5 - area.top) * size[1] / area.height
        return pygame.event.Event(event.type, {**event.dict, "pos": (int(x), int(y))})


def compute_canvas_size(window_size: Size) -> Size:
    """Return the size of the canvas of a window: at least the minimum, and if it is larger, shaped like the window."""
    width, height = (max(1, length) for length in window_size)
    scale = min(1.0, width / MIN_WINDOW_SIZE[0], height / MIN_WINDOW_SIZE[1])
    if scale == 1.0:
        return window_size
    max_width, max_height = (_MAX_STRETCH * length for length in MIN_WINDOW_SIZE)
    return min(max_width, round(width / scale)), min(max_height, round(height / scale))


def fit_canvas(canvas_size: Size, window_size: Size) -> pygame.Rect:
    """Return the area in the middle of a window that a canvas covers when it is scaled down."""
    scale = min(window_size[0] / canvas_size[0], window_size[1] / canvas_size[1])
    area = pygame.Rect(0, 0, *(max(1, round(length * scale)) for length in canvas_size))
    area.center = window_size[0] // 2, window_size[1] // 2
    return area
