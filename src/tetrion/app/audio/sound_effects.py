"""The former place of the names of sound effects."""

from tetrion.app.sound import LINE_CLEAR_EFFECTS as LINE_CLEAR_EFFECTS
