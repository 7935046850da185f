"""Games in the window: played by a person, by an agent, as a match, or on the practice board."""
