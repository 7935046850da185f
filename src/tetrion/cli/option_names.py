"""Errors of the Python interface in the words of the command line: options instead of arguments, commands for calls."""

import ast
import re
import shlex
from pathlib import Path

_OPTIONS = {  # Python argument: option of the commands
    "allow_code": "--allow-code",
    "allow_other_versions": "--allow-other-versions",
    "device": "--device",
    "executor": "--cluster",
    "folder": "--out",
    "next": "--next",
    "out": "--out",
    "rules": "--rules",
    "workers": "--workers",
}
_COMMANDS = {  # Python name: command that shows the same
    "tetrion.FEATURES": "tetrion list features",
    "tetrion.RECIPES": "tetrion list recipes",
    "tetrion.PAPERS": "tetrion list papers",
}
_QUOTED_CODE = re.compile(r"`([^`]+)`")
_ARGUMENT = re.compile(r"(\w+)(?:=(.+))?")
_RESUME_CALL = re.compile(r"tetrion\.resume\((.+)\)")


def translate_to_options(message: str) -> str:
    """Replace the Python arguments and calls in backticks of an error message by options and commands."""
    return _QUOTED_CODE.sub(lambda match: translate_code(match[1]) or match[0], message)


def translate_code(code: str) -> str:
    """Return the option or command for Python code such as `out` or `rules='nes'`; empty if there is none."""
    if code in _COMMANDS:
        return f"`{_COMMANDS[code]}`"
    if match := _RESUME_CALL.fullmatch(code):
        from tetrion.training.run_writer import format_resume_command  # not for other errors, such as a missing engine

        return f"`{format_resume_command(Path(ast.literal_eval(match[1])))}`"
    if (match := _ARGUMENT.fullmatch(code)) and match[1] in _OPTIONS:
        value = ast.literal_eval(match[2]) if match[2] else True
        return _OPTIONS[match[1]] + ("" if value is True else f" {shlex.quote(str(value))}")
    return ""
