"""The browser that the tests of pages share."""

from collections.abc import Iterator

import pytest

from tests.lab.browser import BROWSER_PATH, Browser


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser"), BROWSER_PATH or "") as opened:
        yield opened
