"""The former place of the words of the window."""

from tetrion.app.crash_log import translate_to_window as translate_to_window
