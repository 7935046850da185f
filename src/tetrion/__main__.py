"""`python -m tetrion` is `tetrion`."""

from tetrion.cli import main

main()
