"""Learning of pattern tables by temporal differences: the learner, and its arithmetic on a CPU and on a GPU."""
