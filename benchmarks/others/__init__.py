"""The Tetris environments that can be installed beside this engine, measured in one run with it."""
