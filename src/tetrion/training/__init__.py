"""How agents learn: optimisers that know nothing of Tetris, one learner a file, and runs that are never lost."""
