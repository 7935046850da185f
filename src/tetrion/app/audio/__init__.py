"""Music and sounds, synthesised."""
