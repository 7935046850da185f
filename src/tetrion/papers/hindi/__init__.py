"""Hindi et al. 2018: a genetic algorithm for four weights, and a crowd of the best agents of all generations."""
