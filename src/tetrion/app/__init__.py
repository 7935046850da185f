"""The window: screens, input and sound."""
