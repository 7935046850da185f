"""The former place of the priority for drawing."""

from tetrion.app.background_task import is_drawing as is_drawing, wait_while_drawing as wait_while_drawing
