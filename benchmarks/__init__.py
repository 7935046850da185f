"""What is measured, with the command that measures it."""
