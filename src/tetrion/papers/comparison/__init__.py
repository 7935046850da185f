"""All learners with the same features, games and budget of pieces."""
