"""Cross-checks: other Tetris environments and Tetrion's engine play the same moves, and every result is compared."""
