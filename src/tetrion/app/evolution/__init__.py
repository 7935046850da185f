"""Training that is watched: the stage on which a generation plays, and runs that are followed by their files."""
