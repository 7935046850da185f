"""Errors of the Python interface in the words of the window: buttons, lists and fields instead of Python code.

The command line has a translation of its own, because it names an option or a command for the same code, while the
window asks for another choice.
"""

import re

_RESUME_CALL = r"`tetrion\.resume\(.+?\)`"
_PHRASES = [  # a phrase with Python code, and the phrase of the window
    (re.compile(pattern), phrase)
    for pattern, phrase in (
        (
            rf"^.+ is a run already\. Resume it with {_RESUME_CALL}, or choose another `out`\.",
            "This folder contains a run. Open it in the list, or choose another folder.",
        ),
        (r"^.+ is a file\. Choose another folder for `out`\.", "This is a file. Choose another folder."),
        (
            r"^.+ is not empty and not a run\. Choose another folder for `out`\.",
            "This folder contains other files. Choose another folder.",
        ),
        (r"Choose another folder for `out`\.", "Choose another folder."),
        (
            r"`tetrion\.list_recipes\(\)` lists all; the path of a recipe file must end in \.toml\.",
            "Choose one from the list.",
        ),
        (
            r"The agents (were made for different rules: .+)\. (Choose the rules for|Give `rules` that) all of them.+",
            r"The players \1. Choose the rules.",
        ),
        (r"or give `allow_other_versions=True` to resume anyway\.", "or choose Resume anyway."),
        (rf"Fix this and resume with {_RESUME_CALL}\.", "Fix this and choose Resume training."),
        (r"`tetrion train [^`]+` makes it\.", "Choose one from the list."),
        (
            r"this (agent runs the Python code in .+, which) can do anything on this computer\. If you trust it, load "
            r"the agent with `allow_code=True`\.",
            r"This \1 was not allowed.",
        ),
        (r" ?`tetrion\.FEATURES` lists all features\.", ""),
    )
]


def translate_to_window(message: str) -> str:
    """Return an error message with the words of the window for the Python code that it contains."""
    for pattern, phrase in _PHRASES:
        message = pattern.sub(phrase, message)
    return message
