"""The compiled game engine: rules, boards, features and the selection of placements, independent of any interface."""
