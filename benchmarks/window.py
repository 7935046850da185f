"""Frame times of the window on one core, without a display: python -m benchmarks.window [--json FILE]."""

import os
import subprocess
import sys
import tempfile
import time
from math import inf
from typing import Any, NamedTuple

from benchmarks.common import make_parser, make_result, save_result

FRAME_SECONDS = 1 / 60
MEASURED_SECONDS = 6.0  # per scene
WARM_UP_SECONDS = 1.0  # before each measurement, to fill the caches of drawings
WINDOW_SIZE = (1280, 800)
START_PROGRAM = """
import os, time
from tetrion.app import launcher, window
run_frame = window.Window.run_frame
def run_first_frame(self, events, seconds):
    run_frame(self, events, seconds)
    print(time.time(), flush=True)
    os._exit(0)
window.Window.run_frame = run_first_frame
launcher.open_window()
"""
START_COUNT = 5


class WindowScene(NamedTuple):
    """A measured scene: its name, the screen with its options, and attributes to set on it."""

    name: str
    screen: str
    options: dict[str, Any]
    attributes: dict[str, Any]


def make_scenes() -> list[WindowScene]:
    """Return all scenes."""
    watch_settings = [("medico", "medico", speed) for speed in (2, 8, 30, 1000, inf)]
    watch_settings += [("dellacherie", "standard", inf), ("gavrilov", "gavrilov", inf)]
    return [
        WindowScene("menu", "menu", {}, {}),
        *(
            WindowScene(
                f"watch {agent} with explanations, {format_speed(speed)}",
                "watch",
                {"agent": agent, "rules": rules, "seed": 0, "auto": True},
                {"speed": speed},
            )
            for agent, rules, speed in watch_settings
        ),
        WindowScene(
            "versus, two boards with explanations, 4 moves per second",
            "versus",
            {"players": ["medico", "gavrilov"], "rules": "medico", "speed": 4.0},
            {"shows_thinking": True},
        ),
        WindowScene(
            "evolution, 50 candidates, 60 moves per second", "evolution", {"recipe": "gavrilov", "seed": 84}, {}
        ),
    ]


def format_speed(speed: float) -> str:
    """Format a speed in moves per second."""
    return "at maximum speed" if speed == inf else f"{speed:,} moves per second"


def measure_scene(scene: WindowScene) -> dict[str, Any]:
    """Return frame times in milliseconds, wall-clock and CPU, and moves per second of a scene.

    On a busy machine wall-clock times depend on the load; CPU times are the cost of drawing.
    """
    import pygame

    from tetrion.app.background_task import wait_for_unfinished_tasks
    from tetrion.app.launcher import make_screen
    from tetrion.app.screens.menu_screen import MenuScreen
    from tetrion.app.sound import Sound
    from tetrion.app.window import Window
    from tetrion.app.window_settings import WindowSettings

    window = Window(WindowSettings(), Sound(), WINDOW_SIZE)
    window.open_screen(MenuScreen(window))
    if scene.screen != "menu":
        window.open_screen(make_screen(window, scene.screen, **scene.options))
    screen: Any = window.screen
    for attribute, value in scene.attributes.items():
        setattr(screen, attribute, value)
    times: list[float] = []
    cpu_times: list[float] = []
    start_time = time.perf_counter()
    pieces = moves = 0
    while (elapsed := time.perf_counter() - start_time) < WARM_UP_SECONDS + MEASURED_SECONDS:
        start, cpu_start = time.perf_counter(), time.thread_time()
        window.run_frame(pygame.event.get(), FRAME_SECONDS)
        frame_seconds = time.perf_counter() - start
        if elapsed > WARM_UP_SECONDS:
            times.append(1000 * frame_seconds)
            cpu_times.append(1000 * (time.thread_time() - cpu_start))
        agent_game = getattr(screen, "agent_game", None)
        if agent_game is not None:
            current_pieces = agent_game.game.pieces
            moves += max(0, current_pieces - pieces) if elapsed > WARM_UP_SECONDS else 0
            pieces = current_pieces
            if agent_game.game.is_over and hasattr(screen, "restart"):
                screen.restart()
                pieces = 0
        time.sleep(max(0.0, FRAME_SECONDS - frame_seconds))
    window.close()
    wait_for_unfinished_tasks()
    times.sort()
    cpu_times.sort()
    index = int(0.99 * len(times))
    return {
        "scene": scene.name,
        "frames_per_second": round(len(times) / MEASURED_SECONDS, 1),
        "median_ms": round(times[len(times) // 2], 1),
        "percentile_99_ms": round(times[index], 1),
        "cpu_percentile_99_ms": round(cpu_times[index], 1),
        "moves_per_second": round(moves / MEASURED_SECONDS) if moves else None,
    }


def measure_start_seconds() -> float:
    """Return the seconds from the command to the first frame of the menu: the minimum of several starts."""
    durations = []
    for _ in range(START_COUNT):
        start = time.time()
        done = subprocess.run([sys.executable, "-c", START_PROGRAM], check=True, capture_output=True, text=True)
        durations.append(float(done.stdout.split()[-1]) - start)
    return min(durations)


def main() -> None:
    """Measure all scenes on one core, print a table, and write the results to a file if requested."""
    options = make_parser(__doc__).parse_args()
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TETRION_CONFIG_DIR"] = os.environ["TETRION_DATA_DIR"] = folder
        from tetrion.app.engine_loading import get_engine_loader

        get_engine_loader().wait()
        start = measure_start_seconds()
        sys.setswitchinterval(0.001)  # as in the window
        results = [measure_scene(scene) for scene in make_scenes()]
    print(f"menu after {start:.2f} s\n{'scene':60}{'frames/s':>9}{'median':>9}{'99 %':>9}{'CPU':>9}{'moves/s':>10}")
    for row in results:
        name, frames, median, high, cpu, moves = row.values()
        print(f"{name:60}{frames:>9}{median:>6} ms{high:>6} ms{cpu:>6} ms{moves if moves else '–':>10}")
    content = {"cores": 1, "size": list(WINDOW_SIZE), "seconds_to_menu": round(start, 2), "scenes": results}
    save_result(options.json, make_result("python -m benchmarks.window", **content), prints=False)


if __name__ == "__main__":
    main()
