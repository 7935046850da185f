"""Lists of options: the figures of agents, their place in the row, and the order of agents."""

from typing import Any

import pytest

from tests.app.window_driver import WindowDriver
from tetrion.app.picker_options import list_agent_options, list_named_agent_options
from tetrion.app.toolkit.picker import PickerOption
from tetrion.drawing.pen import Pen
from tetrion.evaluation.agent_strengths import format_strength, group_agents_by_rules, load_strengths

FIGURE_HEADING = "Mean per game under its own rules"


class TextRecorder:
    """The texts of a frame, with their left and right ends in units of the layout."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ends: dict[str, tuple[float, float]] = {}
        draw_text = Pen.draw_text

        def record_text(pen: Pen, text: str, position: Any, size: float = 16, *args: Any, **options: Any) -> Any:
            width = pen.measure_text(text, size, bool(args and args[0]))
            left = position[0] - options.get("align", 0) * width
            self.ends[text] = (left, left + width)
            return draw_text(pen, text, position, size, *args, **options)

        monkeypatch.setattr(Pen, "draw_text", record_text)


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


@pytest.mark.parametrize("size", [(800, 700), (1280, 800)])
def test_figure_stands_at_the_right_of_the_row(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    open_agent_list(driver, size)
    recorder = TextRecorder(monkeypatch)
    driver.run_frames()
    option = next(option for option in list_agent_options() if option.value == "dellacherie")
    row = driver.window.ui.get_box("agent dellacherie")
    value, description, figure = (recorder.ends[text] for text in (option.value, option.description, option.figure))
    assert row.left < value[0] < value[1] < description[0]
    assert description[1] < figure[0]
    assert figure[1] == row.right - 8
    assert recorder.ends[FIGURE_HEADING][1] == figure[1]
    assert "Type to search, or enter a file, class or folder" in recorder.ends


def test_long_description_is_shortened_before_the_figure(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    option = PickerOption("long", "description " * 40, "1 ± 1 lines")
    monkeypatch.setattr("tetrion.app.games.practice_agent.list_agent_options", lambda: [option])
    open_agent_list(driver, (800, 700))
    recorder = TextRecorder(monkeypatch)
    driver.run_frames()
    shortened = next(text for text in recorder.ends if text.startswith("description"))
    assert shortened.endswith("…")
    assert recorder.ends["long"][1] < recorder.ends[shortened][0]
    assert recorder.ends[shortened][1] < recorder.ends[option.figure][0]


def test_list_without_figures_has_no_heading(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.open_screen("practice")
    driver.click("rules")
    recorder = TextRecorder(monkeypatch)
    driver.run_frames(2)
    row = driver.window.ui.get_box("rules nes")
    assert FIGURE_HEADING not in recorder.ends
    assert max(right for _, right in recorder.ends.values() if right <= row.right) == row.right - 8
