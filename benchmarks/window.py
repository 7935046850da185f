"""How smoothly the window is drawn, on one core and without a display: python -m benchmarks.window [--json FILE]."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from tetrion.evaluation.machine import get_processor_name

FRAME_SECONDS = 1 / 60
MEASURED_SECONDS = 6.0  # of each scene
WARM_UP_SECONDS = 1.0  # seconds before that, in which pictures are made that are kept
WINDOW_SIZE = (1280, 800)
FOUR_AGENTS = ["medico", "gavrilov", "dellacherie", "el-tetris"]
START_PROGRAM = """
import os, time
from tetrion.app import launcher, window
original_run_frame = window.Window.run_frame
def run_frame(self, events, seconds):
    original_run_frame(self, events, seconds)
    print(time.time(), flush=True)
    os._exit(0)
window.Window.run_frame = run_frame
launcher.open_window()
"""
START_COUNT = 5


class WindowScene(NamedTuple):
    """What is measured: its name, the screen with its options, and what is set on it."""

    name: str
    screen: str
    options: dict[str, Any]
    attributes: dict[str, Any]


def make_scenes() -> list[WindowScene]:
    """All of them."""
    watched = [("medico", "medico", speed) for speed in (2, 8, 30, 1000, inf)]
    watched += [("dellacherie", "standard", inf), ("gavrilov", "gavrilov", inf)]
    return [
        WindowScene("menu", "menu", {}, {}),
        *(
            WindowScene(
                f"watch {agent} with its thinking, {format_speed(speed)}",
                "watch",
                {"agent": agent, "rules": rules, "auto": True},
                {"speed": speed},
            )
            for agent, rules, speed in watched
        ),
        WindowScene(
            "versus, four boards with their thinking, 4 moves a second",
            "versus",
            {"players": FOUR_AGENTS, "rules": "medico", "speed": 4.0},
            {"thinking": True},
        ),
        WindowScene(
            "evolution, 50 individuals, 60 moves a second", "evolution", {"recipe": "gavrilov", "seed": 84}, {}
        ),
    ]


def format_speed(speed: float) -> str:
    """A speed in words."""
    return "as fast as it can" if speed == inf else f"{speed:,} moves a second"


def measure_scene(scene: WindowScene) -> dict[str, Any]:
    """The times of a scene's frames in milliseconds, on the clock and of work, and how many moves a second were made.

    On a busy machine the clock tells how busy it is; the work is what drawing takes.
    """
    import pygame

    from tetrion.app.audio.sound import Sound
    from tetrion.app.launcher import make_screen
    from tetrion.app.screens.menu_screen import MenuScreen
    from tetrion.app.window import Window
    from tetrion.app.window_settings import WindowSettings

    window = Window(WindowSettings(), Sound(), WINDOW_SIZE)
    window.open_screen(MenuScreen(window))
    if scene.screen != "menu":
        window.open_screen(make_screen(window, scene.screen, **scene.options))
    front: Any = window.screen
    for change, value in scene.attributes.items():
        setattr(front, change, value)
    times: list[float] = []
    worked: list[float] = []
    begun = time.perf_counter()
    pieces = moves = 0
    while (passed := time.perf_counter() - begun) < WARM_UP_SECONDS + MEASURED_SECONDS:
        start, before = time.perf_counter(), time.thread_time()
        window.run_frame(pygame.event.get(), FRAME_SECONDS)
        taken = time.perf_counter() - start
        if passed > WARM_UP_SECONDS:
            times.append(1000 * taken)
            worked.append(1000 * (time.thread_time() - before))
        seat = getattr(front, "seat", None)
        if seat is not None:
            now = seat.game.pieces
            moves += max(0, now - pieces) if passed > WARM_UP_SECONDS else 0
            pieces = now
            if seat.game.over and hasattr(front, "restart"):
                front.restart()
                pieces = 0
        time.sleep(max(0.0, FRAME_SECONDS - taken))
    window.close()
    for thread in threading.enumerate():
        if thread.name == "tetrion-save-game":  # long games are written beside the window
            thread.join()
    times.sort()
    worked.sort()
    last = int(0.99 * len(times))
    return {
        "scene": scene.name,
        "frames a second": round(len(times) / MEASURED_SECONDS, 1),
        "median ms": round(times[len(times) // 2], 1),
        "99th percentile ms": round(times[last], 1),
        "99th percentile of the processor's ms": round(worked[last], 1),
        "moves a second": round(moves / MEASURED_SECONDS) if moves else None,
    }


def measure_start_seconds() -> float:
    """From the command to the first frame of the menu: the best of a few new processes."""
    found = []
    for _ in range(START_COUNT):
        begun = time.time()
        done = subprocess.run([sys.executable, "-c", START_PROGRAM], check=True, capture_output=True, text=True)
        found.append(float(done.stdout.split()[-1]) - begun)
    return min(found)


def main() -> None:
    """Measure all scenes on one core, print a table, and write the figures if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    options = parser.parse_args()
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TETRION_CONFIG_DIR"] = os.environ["TETRION_DATA_DIR"] = folder
        from tetrion.app.engine_loading import get_engine_loader

        get_engine_loader().wait()
        start = measure_start_seconds()
        sys.setswitchinterval(0.001)  # as the window has it
        results = [measure_scene(scene) for scene in make_scenes()]
    print(f"menu after {start:.2f} s\n{'scene':60}{'frames/s':>9}{'median':>9}{'99 %':>9}{'worked':>9}{'moves/s':>10}")
    for row in results:
        name, frames, median, high, worked, moves = row.values()
        print(f"{name:60}{frames:>9}{median:>6} ms{high:>6} ms{worked:>6} ms{moves if moves else '–':>10}")
    result = {
        "command": "python -m benchmarks.window",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "cores": 1,
        "size": list(WINDOW_SIZE),
        "seconds until the menu is seen": round(start, 2),
        "scenes": results,
    }
    if options.json:
        text = json.dumps(result, indent=2, ensure_ascii=False)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
