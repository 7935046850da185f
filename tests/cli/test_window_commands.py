"""Commands that open the window: what they ask it for, and mistakes that are helped before it opens."""

import os
from typing import Any

import pytest

from cli.command_runner import tetrion_here

Opened = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """What the window was opened with, while none opens."""
    asked: Opened = []

    def note(screen: str = "menu", **options: Any) -> None:
        asked.append((screen, options))

    for place in (
        "cli.play_command",
        "cli.versus_command",
        "app.launcher",
    ):  # the first two by its name, so they must be loaded before
        monkeypatch.setattr(f"tetrion.{place}.open_window", note)
    return asked


def test_what_is_typed_reaches_the_screen(opened: Opened) -> None:
    tetrion_here()
    tetrion_here("play", "--rules", "nes", "--level", "9", "--seed", "4")
    tetrion_here("play")
    tetrion_here("versus", "you", "lee", "--rules", "gavrilov", "--seed", "77", "--speed", "8")
    tetrion_here("versus", "lee", "du", "dellacherie", "lee")
    tetrion_here("watch", "lee")
    nothing = {"rules": "", "seed": None}
    assert opened == [
        ("menu", {}),
        ("play", {"rules": "nes", "level": 9, "seed": 4, "start": True}),
        ("play", nothing | {"level": None, "start": True}),
        ("versus", {"players": ("you", "lee"), "rules": "gavrilov", "seed": 77, "speed": 8.0}),
        ("versus", nothing | {"players": ("lee", "du", "dellacherie", "lee"), "speed": None}),
        ("watch", {"agent": "lee", "rules": "", "seed": 0}),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("play --rules nex", "Did you mean 'nes'?"),
        ("play --level 30", "30 is not in the range"),
        ("play --seed -1", "A seed lies"),
        ("watch dellacherei", "Did you mean 'dellacherie'?"),
        ("watch lee --rules nex", "Did you mean 'nes'?"),
        ("watch lee --seed -1", "A seed lies"),
        ("watch gavrilov:depth=3", "Use gavrilov:preview=2."),
        ("play --rules standard --level 5", "standard has no levels"),
        ("replay nope.json", "nope.json cannot be read"),
        ("versus", "two to four players, such as you and lee; given none"),
        ("versus lee", "given 1"),
        ("versus lee du lee du lee", "given 5"),
        ("versus you you", "Only one person"),
        ("versus you dellacherei", "Did you mean 'dellacherie'?"),
        ("versus lee du --rules standrd", "Did you mean 'standard'?"),
        ("versus tetrais-depth3 lee --rules gavrilov", "gavrilov:preview=2"),
        ("versus lee du --rules standard:randomiser=adversary", "cannot share its pieces"),
        ("versus lee du --speed 0", "0.0 is not in the range"),
        ("versus lee du --seed -1", "A seed lies"),
    ],
)
def test_mistakes_are_helped_before_the_window_opens(opened: Opened, arguments: str, told: str) -> None:
    assert told in tetrion_here(*arguments.split(), expect=2).stderr
    assert not opened


@pytest.mark.skipif(os.name != "posix", reason="displays are named by the environment there alone")
@pytest.mark.parametrize("arguments", ["", "play", "versus you lee"])
def test_without_a_display_it_says_what_works(monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    told = tetrion_here(*arguments.split(), expect=2).stderr
    assert "no display" in told
    assert "tetrion record" in told
    assert "--text" in told
