"""What only a GPU needs: kernels, and choices of placements that suit its threads."""
