"""Tests of the parts of screens: forms, lists of options, headers with chips, key legends, texts in overlays."""

import pytest

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.picker_options import list_agent_options, list_rules_options
from tetrion.app.toolkit.controls import (
    AGENT_SPEEDS,
    ButtonSpec,
    change_speed,
    draw_stepper,
    draw_toggle,
    find_speed_index,
    format_speed,
)
from tetrion.app.toolkit.form import Form, SeedChoice, draw_seed_field
from tetrion.app.toolkit.frame import Chip, draw_frame, draw_key_legend
from tetrion.app.toolkit.picker import PickerOption, draw_picker, open_picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen
from tetrion.drawing.layout import place

LEGEND = [
    (["←", "→"], "Move"),
    (["↑"], "Rotate"),
    (["Z"], "Rotate back"),
    (["A"], "Half turn"),
    (["↓"], "Soft drop"),
    (["Space"], "Hard drop"),
    (["C"], "Hold"),
    (["H"], "Hint"),
    (["Esc"], "Pause"),
    (["R"], "Restart"),
]


class FormScreen(Screen):
    """A screen with a form of all kinds of fields."""

    title = "Form"

    def __init__(self, driver: WindowDriver, options: list[PickerOption] | None = None) -> None:
        super().__init__(driver.window)
        self.options = options or list_agent_options()
        self.agent = "dellacherie"
        self.rules = "nes"
        self.is_fast = False
        self.level = 3
        self.seed = SeedChoice(True, 7)
        self.used: list[str] = []
        self.problem = ""
        driver.window.open_screen(self)
        driver.run_frames(3)

    def draw(self, ui: Ui) -> None:
        frame = draw_frame(ui, self.title, [Chip("first", name="first"), Chip("second " * 40)])
        draw_key_legend(ui, frame.footer, LEGEND)
        with Form(ui, place(frame.content, 480, 440), "New game") as form:
            self.agent = draw_picker(
                ui,
                "agent",
                form.add_field("Agent"),
                self.agent,
                lambda: self.options,
                free_text_hint="a file, class or folder",
            )
            self.rules = draw_picker(ui, "rules", form.add_field("Rules"), self.rules, list_rules_options)
            form.add_text("What the rules are.", lines=1)
            self.is_fast = draw_toggle(ui, "fast", form.add_field("Fast"), self.is_fast)
            self.level = draw_stepper(ui, "level", form.add_field("Level"), self.level, max_value=9)
            self.seed = draw_seed_field(ui, form.add_field("Seed"), self.seed)
            buttons = [ButtonSpec("other", "Other")]
            if used := form.draw_start(is_enabled=not self.problem, problem=self.problem, buttons=buttons):
                self.used.append(used)


# Forms.


@pytest.mark.parametrize("field", ["agent", "fast", "level", "seed mode", "start"])
def test_enter_starts_from_every_field(driver: WindowDriver, field: str) -> None:
    screen = FormScreen(driver)
    assert driver.window.ui.focus == "start"
    driver.window.ui.request_focus(field)
    driver.run_frames(2)
    driver.press("Enter")
    assert screen.used == ["start"]
    assert (screen.is_fast, driver.window.ui.popup) == (False, None)


def test_enter_uses_another_button_that_has_the_focus(driver: WindowDriver) -> None:
    screen = FormScreen(driver)
    driver.press("←")
    assert driver.window.ui.focus == "other"
    driver.press("Enter", "Space")
    assert screen.used == ["other", "other"]


def test_up_and_down_move_between_fields_and_tab_reaches_start_first(driver: WindowDriver) -> None:
    FormScreen(driver)
    ui = driver.window.ui
    visited = []
    for _ in range(5):
        driver.press("↑")
        visited.append(ui.focus)
    assert visited == ["seed", "level", "fast", "rules", "agent"]
    driver.press("↑")
    assert ui.focus == "agent", "the first field keeps the focus"
    for _ in range(5):
        driver.press("↓")
    assert ui.focus == "start"
    driver.press("↑", "Tab")
    assert ui.focus == "start", "Tab reaches Start before the other buttons"


def test_arrows_and_digits_change_fields(driver: WindowDriver) -> None:
    screen = FormScreen(driver)
    driver.window.ui.request_focus("level")
    driver.run_frames(2)
    driver.press("→", "→", "←")
    assert screen.level == 4
    driver.type("95")
    driver.run_frames()
    assert screen.level == 9, "limited to the highest value"
    driver.press("↓")
    driver.window.ui.request_focus("seed")
    driver.run_frames(2)
    driver.type("42")
    driver.run_frames()
    assert screen.seed == SeedChoice(True, 42), "the first digit replaces the number"
    driver.press("Tab", "Tab")
    driver.window.ui.request_focus("seed")
    driver.run_frames(2)
    driver.press("Backspace")
    driver.type("5")
    driver.run_frames()
    assert screen.seed.number == 45


def test_form_fits_at_every_size_and_shows_its_problem(driver: WindowDriver) -> None:
    screen = FormScreen(driver)
    for size in ((800, 640), (1000, 760), (1280, 800)):
        driver.resize(*size)
        driver.run_frames(3)
        screen.problem = ""
        texts = check_texts(driver)
        assert all(f" {action}" in texts for _, action in LEGEND), "the legend keeps its words"
        assert "Start" in texts
        screen.problem = "Unknown rules 'standrad'. Did you mean 'standard'?"
        assert screen.problem in check_texts(driver)


# Lists of options.


def test_space_opens_the_list_and_a_choice_is_taken(driver: WindowDriver) -> None:
    screen = FormScreen(driver)
    driver.window.ui.request_focus("rules")
    driver.run_frames(2)
    driver.press("Space")
    driver.run_frames(2)
    assert driver.window.ui.focus == "rules nes", "the chosen option is highlighted"
    driver.press("↑", "Enter")
    driver.run_frames(2)
    assert screen.rules == "tetrio"
    assert driver.window.ui.focus == "rules"
    driver.press("Space")
    driver.run_frames(2)
    driver.type("hindi")
    driver.press("Esc")
    driver.run_frames(2)
    assert (screen.rules, driver.window.ui.focus, driver.screen) == ("tetrio", "rules", screen)


def test_figure_stands_at_the_right_of_the_row(driver: WindowDriver) -> None:
    screen = FormScreen(driver, [PickerOption("dellacherie", "description " * 40, "1 ± 1 lines"), PickerOption("du")])
    open_picker(driver.window.ui, "agent")
    driver.run_frames(3)
    boxes = {drawn.text: drawn.box for drawn in record_texts(driver)}
    description = next(text for text in boxes if text.startswith("description"))
    assert description.endswith("…")
    row = driver.window.ui.get_box("agent dellacherie")
    assert row.left < boxes["dellacherie"].left
    assert boxes["dellacherie"].right < boxes[description].left
    assert boxes[description].right < boxes["1 ± 1 lines"].left
    assert boxes["1 ± 1 lines"].right == row.right - 8
    assert "Type to search, or enter a file, class or folder" in boxes
    assert screen.agent == "dellacherie"


# Frame.


def test_speeds_are_described_and_changed_in_steps() -> None:
    texts = [format_speed(speed) for speed in (0.5, 1, 4, 2000, AGENT_SPEEDS[-1])]
    assert texts == [
        "1 move in 2 s",
        "1 move per second",
        "4 moves per second",
        "2,000 moves per second",
        "As fast as possible",
    ]
    assert format_speed(4, short=True) == "4 per second"
    assert [AGENT_SPEEDS[find_speed_index(speed)] for speed in AGENT_SPEEDS] == list(AGENT_SPEEDS)
    assert change_speed(AGENT_SPEEDS[-1], 1) == AGENT_SPEEDS[-1]
    assert change_speed(0.5, -1) == 0.5
    assert change_speed(10, 1) == 12
    assert change_speed(10, -1) == 8
