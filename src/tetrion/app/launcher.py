"""Opening the window on one of its screens."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tetrion.display_check import check_display
from tetrion.extras import require
from tetrion.text_cleaning import join_command

if TYPE_CHECKING:
    from tetrion.app.window import Screen, Window

_THREAD_JOIN_SECONDS = 0.2


def open_window(screen: str = "menu", **options: Any) -> None:
    """Open the window with its menu, or with a screen in front of it, and run it until it is closed."""
    require("pygame", "the window")
    from tetrion.app.sound import Sound
    from tetrion.app.window_settings import load_settings

    check_display(describe_alternatives(screen, options))
    settings, message = load_settings()
    from tetrion.app.screens.menu_screen import MenuScreen
    from tetrion.app.window import Window

    window = Window(settings, Sound())
    window.open_screen(MenuScreen(window))
    if screen != "menu":
        window.open_screen_by_name(screen, **options)
    if message:
        window.show_message(message)
    sys.setswitchinterval(0.001)  # an agent that decides in the background delays a frame by at most this time
    window.run()
    exit_process()


def describe_alternatives(screen: str, options: Mapping[str, Any]) -> str:
    """Return a sentence with commands for the same saved game, agent, recipe or run that need no display."""
    if screen == "replay":
        page = join_command("tetrion", "replay", options["file"], "--html", "game.html")
        video = join_command("tetrion", "record", options["file"], "--out", "game.mp4")
        return f"Without a display, `{page}` writes the game as a page, and `{video}` as a video."
    if screen == "evolution" and "run" in options:
        return f"Without a display, `{join_command('tetrion', 'report', options['run'])}` writes a report of the run."
    if screen == "evolution":
        return f"Without a display, `{join_command('tetrion', 'train', options['recipe'])}` trains in the terminal."
    if screen == "play":
        given = [text for name in ("rules", "mode") if options[name] for text in (f"--{name}", options[name])]
        return f"Without a display, `{join_command('tetrion', 'play', '--text', *given)}` plays in the terminal."
    agent = options.get("agent") or "AGENT"
    play = "`tetrion play --text` lets you play in the terminal, " if screen == "menu" else ""
    text = join_command("tetrion", "watch", agent, "--text")
    video = join_command("tetrion", "record", agent, "--out", "game.mp4")
    return f"Without a display, {play}`{text}` shows an agent in the terminal, and `{video}` writes a video."


def exit_process() -> None:
    """End the program as soon as the tasks that save files have finished.

    Other threads are not waited for: one that compiles, or waits for an agent that hangs, could block the exit.
    """
    from tetrion.app.background_task import wait_for_unfinished_tasks
    from tetrion.app.engine_loading import stop_other_process

    stop_other_process()
    wait_for_unfinished_tasks()
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
    for thread in others:
        thread.join(_THREAD_JOIN_SECONDS)
    if any(thread.is_alive() for thread in others):
        for stream in filter(None, (sys.stdout, sys.stderr)):  # a stream is None if it was closed before the start
            stream.flush()
        os._exit(0)


def make_screen(window: "Window", screen: str, **options: Any) -> "Screen":
    """Create a screen by its name: for "play", the class PlayScreen of screens/play_screen.py."""
    module = import_module(f"tetrion.app.screens.{screen}_screen")
    screen_class: Callable[..., Screen] = getattr(module, f"{screen.capitalize()}Screen")
    return screen_class(window, **options)
