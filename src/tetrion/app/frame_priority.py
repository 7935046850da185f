"""The former place of the priority for drawing."""

from tetrion.app.background_task import (
    draw_with_priority as draw_with_priority,
    is_drawing as is_drawing,
    wait_while_drawing as wait_while_drawing,
)
