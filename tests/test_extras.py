"""Optional libraries: a missing one is an error that names the command to install it."""

import sys

import pytest

from tetrion.errors import TetrionError
from tetrion.extras import LIBRARIES, MissingLibraryError, require


@pytest.mark.parametrize("library", LIBRARIES)
def test_missing_library_names_its_command(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibraryError) as caught:
        require(library, "this test")
    assert isinstance(caught.value, TetrionError)
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == library
    assert f'pip install "tetrion[{LIBRARIES[library][1]}]"' in str(caught.value)
