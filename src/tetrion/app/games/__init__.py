"""Games in the window: played by a human player, by an agent, as a match, or on the practice board."""
