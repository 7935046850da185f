"""The compiled game engine: rules, boards, features and the selection of placements, independent of any interface."""

import os

from tetrion.errors import TetrionError

if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
    raise TetrionError(
        "The environment variable NUMBA_DISABLE_JIT is set, but the engine needs Numba's compiler. Unset this "
        "variable. To debug the engine in plain Python, see docs/engine.md."
    )
if not (_threads := os.environ.get("NUMBA_NUM_THREADS", "1")).isdecimal() or int(_threads) < 1:
    raise TetrionError(
        f"The environment variable NUMBA_NUM_THREADS must be a whole number above 0, not '{_threads}'. Unset it."
    )
