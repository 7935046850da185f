"""Games in the window: a person's hands, an agent at its seat, matches, the test bench."""
