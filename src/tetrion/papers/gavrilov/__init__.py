"""Gavrilov's report: four features, agents with equal weights, and weights from a genetic algorithm."""
