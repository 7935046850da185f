"""Where the stand-alone program begins: the whole command line, and the window's menu where nothing is typed.

A person's own agent plays in a process of its own, which Tetrion starts as `python -P -m tetrion.agents.python_agent.subprocess_main`.
Here there is no python but this program, so it answers to that call too.
"""

import os
import sys
from multiprocessing import freeze_support

CHILD = ["-P", "-m", "tetrion.agents.python_agent.subprocess_main"]

if __name__ == "__main__":
    freeze_support()
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = "movable_cache.MovableCacheLocator"
    if sys.argv[1 : 1 + len(CHILD)] == CHILD:
        from tetrion.agents.python_agent.subprocess_main import main

        del sys.argv[1 : 1 + len(CHILD)]
    else:
        from tetrion.cli import main
    main()
