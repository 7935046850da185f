"""The value of each feature: left out, retrained without it, and added one by one."""
