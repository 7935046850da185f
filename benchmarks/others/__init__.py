"""Other Tetris environments, measured together with Tetrion's engine."""
