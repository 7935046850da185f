"""The game, compiled. Everything that plays goes through here; nothing here knows who plays or who watches."""
