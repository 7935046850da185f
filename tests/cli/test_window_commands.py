"""Commands that open the window: the arguments they pass, and mistakes that are reported before it opens."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_runner import tetrion_here
from tetrion.engine.compiler import CompiledFunction
from tetrion.training.trainer import create_run

SAVED_GAME = str(Path(__file__).parents[2] / "docs" / "replays" / "medico.json")
WindowCalls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> WindowCalls:
    """The calls that would have opened the window."""
    calls: WindowCalls = []

    def record_call(screen: str = "menu", **options: Any) -> None:
        calls.append((screen, options))

    # The modules of these commands import the function by name, so they are patched (and therefore imported) first.
    for module in ("cli.play_command", "cli.practice_command", "cli.versus_command", "app.launcher"):
        monkeypatch.setattr(f"tetrion.{module}.open_window", record_call)
    return calls


def test_arguments_are_passed_to_the_screen(opened: WindowCalls) -> None:
    tetrion_here()
    tetrion_here("play", "--rules", "nes", "--level", "9", "--seed", "4")
    tetrion_here("play")
    tetrion_here("versus", "you", "lee", "--rules", "gavrilov", "--seed", "77", "--speed", "8")
    tetrion_here("versus", "el-tetris", "du")
    tetrion_here("watch", "lee")
    tetrion_here("watch", "du", "--rules", "nes", "--seed", "7", "--paused")
    tetrion_here("replay", SAVED_GAME)
    tetrion_here("practice")
    tetrion_here("practice", "--rules", "standard:preview=1", "--agent", "du:depth=2")
    defaults = {"rules": "", "seed": None}
    assert opened == [
        ("menu", {}),
        ("play", {"rules": "nes", "mode": "", "level": 9, "seed": 4, "start": True}),
        ("play", defaults | {"mode": "", "level": None, "start": True}),
        ("versus", {"players": ("you", "lee"), "rules": "gavrilov", "seed": 77, "speed": 8.0}),
        ("versus", defaults | {"players": ("el-tetris", "du"), "speed": None}),
        ("watch", {"agent": "lee", "rules": "", "seed": None, "auto": True}),
        ("watch", {"agent": "du", "rules": "nes", "seed": 7, "auto": False}),
        ("replay", {"file": SAVED_GAME}),
        ("practice", {"rules": "", "agent": "", "board": ""}),
        ("practice", {"rules": "standard:preview=1", "agent": "du:depth=2", "board": ""}),
    ]


def test_evolution_starts_a_new_run_or_shows_an_existing_one(
    opened: WindowCalls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    create_run("gavrilov", "mine")
    for arguments, message in {
        ("gavrilow",): "Did you mean 'gavrilov'?",
        ("gavrilov", "--set", "genetic.popluation=3"): "genetic.population",
        ("mine", "--seed", "3"): "omit --seed",
        (".",): "has no config.toml",
    }.items():
        assert message in tetrion_here("evolve", *arguments, expect=2).stderr
    assert opened == []
    tetrion_here("evolve", "mine")
    tetrion_here("evolve", "gavrilov", "--seed", "7", "--set", "population=9")
    new_run = {"recipe": "gavrilov", "seed": 7, "changes": ("population=9",), "out": str(Path("runs/gavrilov-7"))}
    assert opened == [("evolution", {"run": "mine"}), ("evolution", new_run)]


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "watch modern-1 --rules guideline",
        "versus you modern-1 --rules guideline",
        "practice --rules guideline --agent modern-1",
        "evolve gavrilov",
        f"replay {SAVED_GAME}",
    ],
)
def test_nothing_is_compiled_before_the_window_opens(
    opened: WindowCalls, arguments: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def call_compiled_function(function: CompiledFunction[Any, Any], *_: object) -> None:
        pytest.fail(f"{function.name} is compiled and called before the window opens")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(CompiledFunction, "__call__", call_compiled_function)
    tetrion_here(*arguments.split())
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("play --rules nex", "Did you mean 'nes'?"),
        ("play --level 30", "30 is not in the range"),
        ("play --rules standard --level 5", "The rules standard have no levels"),
        ("watch dellacherei", "Did you mean 'dellacherie'?"),
        ("watch gavrilov:depth=3", "Use gavrilov:preview=2."),
        ("watch du --pieces 5", "add --text"),
        ("practice --agent du:depth=2 --rules standard", "Use standard:preview=1."),
        ("replay nope.json", "nope.json cannot be read"),
        ("versus", "two players, such as you and lee; given none"),
        ("versus lee du lee", "given 3. To compare more agents, use `tetrion bench`."),
        ("versus you you", "Only one human player"),
        ("versus lee du --rules standard:randomiser=adversary", "cannot share its pieces"),
        ("versus lee du", "Choose the rules for all of them, for example --rules standard:preview=1,randomiser=bag"),
        ("versus lee du --seed -1", "A seed must be"),
    ],
)
def test_mistakes_are_explained_before_the_window_opens(opened: WindowCalls, arguments: str, message: str) -> None:
    assert message in tetrion_here(*arguments.split(), expect=2).stderr
    assert not opened


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems name displays in the environment")
@pytest.mark.parametrize(
    ("arguments", "alternatives"),
    [
        ("", ["`tetrion play --text`", "`tetrion watch AGENT --text`", "`tetrion record AGENT --out game.mp4`"]),
        ("play --rules nes --mode sprint", ["`tetrion play --text --rules nes --mode sprint`"]),
        ("watch lee", ["`tetrion watch lee --text`", "`tetrion record lee --out game.mp4`"]),
        (f"replay {SAVED_GAME}", [f"`tetrion replay {SAVED_GAME} --html game.html`", "` as a video"]),
        ("evolve gavrilov", ["`tetrion train gavrilov`"]),
    ],
)
def test_missing_display_is_reported_with_alternatives(
    monkeypatch: pytest.MonkeyPatch, arguments: str, alternatives: list[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    error = tetrion_here(*arguments.split(), expect=2).stderr
    assert "no display" in error
    assert all(alternative in error for alternative in alternatives)
