"""The former place of the priority for drawing."""

from tetrion.app.background_task import wait_while_drawing as wait_while_drawing
