"""Screens of the window, with their panels and setups."""
