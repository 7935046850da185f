"""`tetrion speed`."""

import pytest

from tetrion.cli.speed_command import describe_processor, make_backend
from tetrion.engine.batch_play import play_drops_scalar


def test_widest_vector_extension_is_named() -> None:
    assert (
        describe_processor("icelake-server", "+avx,+avx2,-avx512bf16,+avx512f,+sse2") == "icelake-server with AVX-512"
    )
    assert describe_processor("haswell", "+avx,+avx2,-avx512f,+sse2") == "haswell with AVX2"
    assert describe_processor("apple-m1", "+fp-armv8,+neon") == "apple-m1 with NEON"
    assert describe_processor("haswell", "") == "haswell"


@pytest.mark.slow
def test_backend_plays_the_given_number_of_pieces() -> None:
    assert (
        make_backend("du", "standard", 300).play()
        == make_backend("du", "standard", 300, play_drops_scalar).play()
        == 300
    )
