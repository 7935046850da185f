"""Formatting of measured numbers for display."""

import math

from tetrion.evaluation.confidence_intervals import Interval
from tetrion.notebook_display import format_count as format_count

MILLIONS_THRESHOLD = 10**8
_MILLION, _TRILLION = 10**6, 10**12
_UNIT_SUFFIXES = {1: "", _MILLION: " M", _TRILLION: " × 10¹²"}
NO_VALUE = "–"  # shown instead of a number that is not known


def choose_decimals(number: float) -> int:
    """Return how many decimals to show for a number of this size."""
    return 0 if abs(number) >= 100 or not number else 1 if abs(number) >= 10 else 2


def choose_unit(number: float, millions_threshold: float) -> int:
    """Return the unit in which to write a number: 1, a million from `millions_threshold` on, or a trillion."""
    return _TRILLION if abs(number) >= _TRILLION else _MILLION if abs(number) >= millions_threshold else 1


def format_number(number: float, decimals: int | None = None, *, millions_threshold: float = MILLIONS_THRESHOLD) -> str:
    """Format a number with thousands separators and a minus sign (−), in millions from `millions_threshold` on."""
    unit = choose_unit(number, millions_threshold)
    return _format_in_unit(number, unit, decimals if unit == 1 else None) + _UNIT_SUFFIXES[unit]


def format_range(low: float, high: float, *, millions_threshold: float = MILLIONS_THRESHOLD) -> str:
    """Format a range of whole numbers, such as "12–17": the unit, if there is one, is written once."""
    unit = choose_unit(high, millions_threshold)
    decimals = 0 if unit == 1 else choose_decimals(low / unit)
    return f"{_format_in_unit(low, unit, decimals)}–{_format_in_unit(high, unit, decimals)}{_UNIT_SUFFIXES[unit]}"


def format_mean_interval(
    mean: float | None, interval: Interval | None, *, millions_threshold: float = MILLIONS_THRESHOLD
) -> str:
    """Format a mean with its interval: "5 ± 1", "5 −1 +2" if asymmetric, or "> 4" if only a lower end is known.

    All its numbers have the same unit, which is written once: from a mean of one million on, they are in millions if
    the mean or an end reaches `millions_threshold`.
    """
    if mean is None or math.isinf(mean):
        return f"> {format_number(interval[0], millions_threshold=millions_threshold)}" if interval else NO_VALUE
    if interval is None or math.isnan(interval[0]):
        return format_number(mean, millions_threshold=millions_threshold)
    largest = max(abs(mean), abs(interval[0]), abs(interval[1]))
    unit = choose_unit(mean, _MILLION if largest >= millions_threshold else _TRILLION)
    below, above = mean - interval[0], interval[1] - mean
    decimals = choose_decimals((mean or above) / unit)
    text = _format_in_unit(mean, unit, decimals)
    if abs(above - below) <= 0.1 * max(above, below):
        return f"{text} ± {_format_in_unit((below + above) / 2, unit, decimals)}{_UNIT_SUFFIXES[unit]}"
    ends = f"−{_format_in_unit(below, unit, decimals)} +{_format_in_unit(above, unit, decimals)}"
    return f"{text} {ends}{_UNIT_SUFFIXES[unit]}"


def _format_in_unit(number: float, unit: int, decimals: int | None = None) -> str:
    """Format a number of any size as a multiple of a unit, without the unit."""
    multiple = number / unit
    return f"{multiple:,.{choose_decimals(multiple) if decimals is None else decimals}f}".replace("-", "−")


def format_speed(pieces_per_second: float) -> str:
    """Format a number of pieces per second."""
    if pieces_per_second >= 1e5:
        return f"{pieces_per_second / 1e6:.1f} M pieces/s"
    return f"{format_number(pieces_per_second, 0)} pieces/s"


def format_percent(share: float) -> str:
    """Format a share (0 to 1) as a percentage: without decimals from 10 %, with two significant digits below."""
    return f"{100 * share:,.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def format_size(byte_count: int) -> str:
    """Format the size of a file in bytes, kB or MB, such as "850 bytes", "12 kB" or "3.4 MB"."""
    if byte_count < 1000:
        return format_count(byte_count, "byte")
    unit, size = ("kB", byte_count / 1e3) if byte_count < 999_500 else ("MB", byte_count / 1e6)
    return f"{format_number(size, 0 if size >= 10 else 1)} {unit}"


def format_duration(seconds: float) -> str:
    """Format a duration as "2:58" (minutes) or "1:02:58" (hours)."""
    minutes, remaining_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,}:{minutes:02}:{remaining_seconds:02}"
    return f"{minutes}:{remaining_seconds:02}"


def format_rough_duration(seconds: float) -> str:
    """Return a duration in seconds, minutes, hours or days, for an estimate."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds > 1.5 * size:
            return format_count(round(seconds / size), unit)
    return format_count(max(1, round(seconds)), "second")


def format_name(name: str) -> str:
    """Return the name of a feature or parameter with spaces instead of underscores."""
    return name.replace("_", " ")
