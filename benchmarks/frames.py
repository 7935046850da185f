"""How long the window takes for a frame: python -m benchmarks.frames, best on one core (taskset -c 0).

Four agents play side by side at 1280×800 with their thinking shown, without a display. At 60 frames a second there are
16.7 ms for each.
"""

import os
import sys
import tempfile
import time

AGENTS = ("dellacherie", "lee", "gavrilov", "du")
SIZE = (1280, 800)
SPEED = 4.0  # moves a second
FRAMES = 900
WARM = 3  # pieces before it counts


def main() -> None:
    """Measure and print."""
    os.environ |= {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"TETRION_CONFIG_DIR": folder, "TETRION_DATA_DIR": folder}
        seconds, own = measured()
    for words, times in (("on the clock", seconds), ("of the window's thread", own)):
        median, late = (1000 * sorted(times)[int(share * len(times))] for share in (0.5, 0.99))
        print(f"{len(AGENTS)} boards, time {words}: median {median:.1f} ms, 99th percentile {late:.1f} ms")


def measured() -> tuple[list[float], list[float]]:
    """The time of each frame, on the clock and of the window's own thread."""
    import pygame

    from tetrion.app.audio.sound import Sound
    from tetrion.app.readiness import engine
    from tetrion.app.screens.versus import VersusScreen
    from tetrion.app.settings import Settings
    from tetrion.app.window import Window

    engine().wait()
    sys.setswitchinterval(0.001)  # as in the window
    window = Window(Settings(), Sound(), SIZE)
    screen = VersusScreen(window, AGENTS, "gavrilov", 5, SPEED)
    screen.thinking = True
    window.open(screen)
    while not screen.match or min(player.game.pieces for player in screen.match.players) < WARM:
        window.frame(pygame.event.get(), 1 / 60)
        time.sleep(0.005)
    clock, seconds, own = pygame.time.Clock(), list[float](), list[float]()
    for _ in range(FRAMES):
        passed = clock.tick(60) / 1000
        begun, worked = time.perf_counter(), time.thread_time()
        window.frame(pygame.event.get(), min(passed, 0.25))
        seconds.append(time.perf_counter() - begun)
        own.append(time.thread_time() - worked)
    window.close()
    return seconds, own


if __name__ == "__main__":
    main()
