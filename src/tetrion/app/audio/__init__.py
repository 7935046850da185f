"""The former place of the sounds."""
