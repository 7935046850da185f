"""Sources of working and faulty Python agents, and helpers to check that their processes end."""

import os
import time
from pathlib import Path

from tetrion import Game, Position

AGENT_SOURCE = """
import ctypes, os, random, subprocess, sys, time
import numba, numpy as np; from numba.core import event
from helper import first

class First:
    def choose(self, position):
        return first(position)

class Random:
    def choose(self, position):
        number = random.random() + np.random.random()
        return position.placements()[int(number / 2 * len(position.placements()))]

class Memory:
    def __init__(self):
        self.moves = 0
    def choose(self, position):
        self.moves += 1
        return position.placements()[self.moves % 3]

class Noisy:
    def __init__(self):
        self.notes = open("notes.txt", "w")
    def choose(self, position):
        self.notes.write("noted ")
        print("noise " * 20_000)
        os.write(1, b'{"placement": 1}\\n')
        subprocess.run(["echo", "more noise"])
        return position.placements()[0]

class NoMethod:
    pass

class NeedsArgument:
    def __init__(self, weights):
        pass
    def choose(self, position):
        pass

class FailingInit:
    def __init__(self):
        self.file = open("no such file")
    def choose(self, position):
        pass

class WrongSignature:
    def choose(self):
        pass

class Raises:
    def choose(self, position):
        return 1 // 0

class ReturnsNone:
    def choose(self, position):
        position.placements()

class ReturnsText:
    def choose(self, position):
        return "left"

class WrongPiece:
    def choose(self, position):
        return Position.from_board(Board(), "I" if position.piece != "I" else "O").placements()[0]

class Floating:
    def choose(self, position):
        p = position.placements()[0]
        return type(p)(p.piece, p.rotation, p.column, p.row + 9, p.system)

class CallsExit:
    def choose(self, position):
        sys.exit(3)

class EndsProcess:
    def choose(self, position):
        os._exit(7)

class Crashes:
    def choose(self, position):
        os.kill(os.getpid(), 11)

class Interrupts:
    def choose(self, position):
        raise KeyboardInterrupt

class ReadsInput:
    def choose(self, position):
        return position.placements()[int(input())]

class Hangs:
    def choose(self, position):
        sessions = (False, True) if sys.platform == "linux" else (False,)
        others = [subprocess.Popen(["sleep", "600"], start_new_session=is_new) for is_new in sessions]
        print("started", *(other.pid for other in others), flush=True)
        while True:
            pass

class Sleeps:
    def choose(self, position):
        ctypes.PyDLL(None).sleep(600)

class UnprintableError(Exception):
    def __str__(self):
        raise ValueError

class RaisesUnprintable:
    def choose(self, position):
        raise UnprintableError

class Compiles:
    def choose(self, position):
        with event.trigger_event("numba:compile", {"dispatcher": numba.njit(first)}):
            time.sleep(0.6)
        return position.placements()[0]

class WritesReplies:
    def choose(self, position):
        frame = sys._getframe()
        while "channel" not in frame.f_locals:
            frame = frame.f_back
        os.write(frame.f_locals["channel"]._output, 200_000 * b"[")
        time.sleep(600)

from tetrion import Board, Position
number = 7
"""
HELPER_SOURCE = "def first(position):\n    return position.placements()[0]\n"


def get_first_position() -> Position:
    return Game("standard", seed=1).position


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc").is_dir():
        return True
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process_id}/status").read_text()
    except OSError:  # it has ended meanwhile
        return False


def wait_until_ended(process_id: int) -> None:
    limit = time.monotonic() + 10
    while is_running(process_id) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not is_running(process_id)
