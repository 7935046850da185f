"""`tetrion speed`."""

import pytest

from tetrion.cli import speed_command
from tetrion.cli.speed_command import Backend, describe_processor, make_backend
from tetrion.engine.batch_play import play_drops_scalar
from tetrion.progress import Progress


def test_widest_vector_extension_is_named() -> None:
    assert (
        describe_processor("icelake-server", "+avx,+avx2,-avx512bf16,+avx512f,+sse2") == "icelake-server with AVX-512"
    )
    assert describe_processor("haswell", "+avx,+avx2,-avx512f,+sse2") == "haswell with AVX2"
    assert describe_processor("apple-m1", "+fp-armv8,+neon") == "apple-m1 with NEON"
    assert describe_processor("haswell", "") == "haswell"


def test_progress_is_reported_before_each_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_command, "make_backend", lambda *arguments: Backend(play_drops_scalar, lambda: 1))
    monkeypatch.setattr(speed_command, "measure_rate", lambda play: 5.0)
    reports: list[Progress] = []
    rates = speed_command.measure_speeds(reports.append)
    assert [report.done for report in reports] == list(range(len(rates)))
    assert [report.details for report in reports] == [(name,) for name in rates]


def test_backend_plays_the_given_number_of_pieces() -> None:
    assert (
        make_backend("du", "standard", 300).play()
        == make_backend("du", "standard", 300, play_drops_scalar).play()
        == 300
    )
