"""Lists of options: the figures of agents, their place in the row, and the order of agents."""

import pytest

from tests.app.drawn_texts import WINDOW_SIZES, record_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.picker_options import list_agent_options, list_named_agent_options, list_rules_options
from tetrion.app.toolkit.picker import PickerOption
from tetrion.drawing.pen import Box
from tetrion.evaluation.agent_strengths import format_strength, group_agents_by_rules, load_strengths

FIGURE_HEADING = "Mean per game under its own rules"


def draw_and_find_boxes(driver: WindowDriver) -> dict[str, Box]:
    """Draw a frame and return the boxes of its texts."""
    return {drawn.text: drawn.box for drawn in record_texts(driver)}


def open_agent_list(driver: WindowDriver, size: tuple[int, int]) -> None:
    driver.resize(*size)
    driver.open_screen("practice")
    driver.click("agent")
    driver.run_frames(2)


def test_options_have_the_strengths_in_the_order_of_the_list() -> None:
    strengths = load_strengths()
    options = list_named_agent_options()
    agents = [agent for group in group_agents_by_rules().values() for agent in group]
    assert [option.value for option in options] == [agent.name for agent in agents]
    for option in options:
        assert option.figure == format_strength(strengths[option.value])


@pytest.mark.parametrize("size", WINDOW_SIZES)
def test_figure_stands_at_the_right_of_the_row(driver: WindowDriver, size: tuple[int, int]) -> None:
    open_agent_list(driver, size)
    boxes = draw_and_find_boxes(driver)
    option = next(option for option in list_agent_options() if option.value == "dellacherie")
    row = driver.window.ui.get_box("agent dellacherie")
    figure = boxes[option.figure]
    assert row.left < boxes[option.value].left
    assert boxes[option.value].right < boxes[option.description].left
    assert boxes[option.description].right < figure.left
    assert figure.right == row.right - 8
    assert boxes[FIGURE_HEADING].right == figure.right
    assert "Type to search, or enter a file, class or folder" in boxes


def test_long_description_is_shortened_before_the_figure(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    option = PickerOption("long", "description " * 40, "1 ± 1 lines")
    monkeypatch.setattr("tetrion.app.screens.practice_screen.list_agent_options", lambda: [option])
    open_agent_list(driver, (800, 700))
    boxes = draw_and_find_boxes(driver)
    shortened = next(text for text in boxes if text.startswith("description"))
    assert shortened.endswith("…")
    assert boxes["long"].right < boxes[shortened].left
    assert boxes[shortened].right < boxes[option.figure].left


def test_list_without_figures_has_no_heading(driver: WindowDriver) -> None:
    driver.open_screen("practice")
    driver.click("rules")
    driver.run_frames()
    boxes = draw_and_find_boxes(driver)
    description = next(option.description for option in list_rules_options() if option.value == "nes")
    assert FIGURE_HEADING not in boxes
    assert boxes[description].right == driver.window.ui.get_box("rules nes").right - 8
