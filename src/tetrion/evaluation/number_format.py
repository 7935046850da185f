"""Measured numbers as people read them."""

from tetrion.evaluation.confidence_intervals import Interval

MILLIONS_THRESHOLD = 10**8


def choose_decimals(number: float) -> int:
    """How many decimals a number of that size deserves."""
    return 0 if abs(number) >= 100 or not number else 1 if abs(number) >= 10 else 2


def format_number(number: float, decimals: int | None = None, *, millions_threshold: float = MILLIONS_THRESHOLD) -> str:
    """A number with thousands set apart and a true minus sign, in millions if it is that large."""
    if abs(number) >= millions_threshold:
        return f"{format_number(number / 1e6)} M"
    return f"{number:,.{choose_decimals(number) if decimals is None else decimals}f}".replace("-", "−")


def format_mean_interval(
    mean: float | None, interval: Interval | None, *, millions_threshold: float = MILLIONS_THRESHOLD
) -> str:
    """A mean and how far off it may be, both ways where they differ; where it is unknown, what it is more than."""
    if mean is None:
        return f"> {format_number(interval[0], millions_threshold=millions_threshold)}" if interval else "–"
    if interval is None:
        return format_number(mean, millions_threshold=millions_threshold)
    if mean >= millions_threshold:
        return f"{format_mean_interval(mean / 1e6, (interval[0] / 1e6, interval[1] / 1e6))} M"
    below, above = mean - interval[0], interval[1] - mean
    digits = choose_decimals(mean or above)
    low, half, high = (format_number(margin, digits) for margin in (below, (below + above) / 2, above))
    shown = format_number(mean, digits)
    return f"{shown} ± {half}" if above - below <= 0.1 * above else f"{shown} −{low} +{high}"


def format_speed(pieces_per_second: float) -> str:
    """Pieces a second."""
    if pieces_per_second >= 1e5:
        return f"{pieces_per_second / 1e6:.1f} M pieces/s"
    return f"{format_number(pieces_per_second, 0)} pieces/s"


def format_percent(share: float) -> str:
    """A share of one with two figures, or as many as stand before the point."""
    return f"{100 * share:,.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def format_count(number: int, thing: str) -> str:
    """So many things: 1 line, 2,000 lines."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def format_duration(seconds: float) -> str:
    """A time as 2:58, or 1:02:58."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_name(name: str) -> str:
    """A feature's or number's name as a person reads it."""
    return name.replace("_", " ")
