"""Optional libraries: a missing one is an error that names the command to install it."""

import sys
from pathlib import Path

import pytest

from tetrion.errors import TetrionError
from tetrion.extras import LIBRARIES, MissingLibraryError, require


def test_require_returns_the_module() -> None:
    assert require("pygame", "the window") is sys.modules["pygame"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_library_names_its_command(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibraryError) as caught:
        require(library, "this test")
    assert isinstance(caught.value, TetrionError)
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == library
    assert f'pip install "tetrion[{LIBRARIES[library][1]}]"' in str(caught.value)


def test_missing_dependency_of_a_library_is_reported_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gymnasium.py").write_text("import farama_missing\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gymnasium", raising=False)
    with pytest.raises(ModuleNotFoundError, match="farama_missing") as caught:
        require("gymnasium", "this test")
    assert not isinstance(caught.value, MissingLibraryError)
