"""The game, compiled. Everything that plays goes through here; nothing here knows who plays or who watches."""

from tetrion.engine.compiler import caching

with caching():
    from tetrion.engine import play as play
