"""Exit codes of the commands."""

EXIT_FAILED = 2  # a mistake in the input, or a result that could not be produced
EXIT_STOPPED = 130  # stopped by Ctrl-C (128 + SIGINT)
EXIT_TERMINATED = 143  # stopped by SIGTERM (128 + 15)
