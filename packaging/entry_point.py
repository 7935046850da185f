"""Entry point of the standalone program: the command line, or the window's menu without arguments.

A Python agent plays in its own process, which Tetrion starts as `python -P -m tetrion.process_supervisor …`. The
standalone program contains no separate Python interpreter, so it handles that call too.
"""

import sys
from multiprocessing import freeze_support

AGENT_PROCESS_ARGUMENTS = ["-P", "-m", "tetrion.process_supervisor"]

if __name__ == "__main__":
    freeze_support()
    if sys.argv[1 : 1 + len(AGENT_PROCESS_ARGUMENTS)] == AGENT_PROCESS_ARGUMENTS:
        from tetrion.process_supervisor import main

        del sys.argv[1 : 1 + len(AGENT_PROCESS_ARGUMENTS)]
    else:
        from tetrion.__main__ import main
    main()
