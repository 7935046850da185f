"""Exit codes of the commands."""

from tetrion.interrupts import EXIT_STOPPED as EXIT_STOPPED

EXIT_FAILED = 2  # a mistake in the input, or a result that could not be produced
