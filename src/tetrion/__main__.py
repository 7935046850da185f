"""Entry point of `python -m tetrion`."""

from tetrion.cli import main

main()
