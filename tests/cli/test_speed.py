from tetrion.cli.speed import backend, compiled_for, with_vectors
from tetrion.engine.play import play_one_by_one


def test_the_widest_vectors_are_named() -> None:
    assert with_vectors("icelake-server", "+avx,+avx2,-avx512bf16,+avx512f,+sse2") == "icelake-server with AVX-512"
    assert with_vectors("haswell", "+avx,+avx2,-avx512f,+sse2") == "haswell with AVX2"
    assert with_vectors("apple-m1", "+fp-armv8,+neon") == "apple-m1 with NEON"
    assert with_vectors("haswell", "") == "haswell"


def test_what_the_engine_is_compiled_for_is_known_here() -> None:
    assert compiled_for().split(" with ")[0]


def test_a_backend_plays_as_many_pieces_as_asked_in_the_usual_way_or_in_another() -> None:
    assert backend("du", "standard", 300)() == backend("du", "standard", 300, play_one_by_one)() == 300
