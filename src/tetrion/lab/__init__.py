"""What we show: plots of what was measured."""
