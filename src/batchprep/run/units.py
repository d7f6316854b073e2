"""Numbers as people read them: rows, bytes, seconds, rates."""

from __future__ import annotations

from typing import Final

_THOUSANDS: Final = ("", "k", "M", "G", "T", "P")


def rows_text(count: int) -> str:
    """A count of rows, every digit of it.

    >>> rows_text(1), rows_text(1_234_567)
    ('1 row', '1,234,567 rows')
    """
    return "1 row" if count == 1 else f"{count:,} rows"


def short_rows_text(count: float) -> str:
    """About how many rows.

    >>> short_rows_text(950), short_rows_text(3_412_000)
    ('950 rows', '3.4 M rows')
    """
    return f"{_scaled(count)} rows"


def rate_text(rows: int, seconds: float) -> str:
    """Rows per second, "" where no time has passed.

    >>> rate_text(6_824_000, 2.0)
    '3.4 M rows/s'
    """
    return f"{short_rows_text(rows / seconds)}/s" if rows and seconds > 0 else ""


def bytes_text(count: int) -> str:
    """Bytes in powers of 1,000, as disks and files are sold and listed.

    >>> bytes_text(999), bytes_text(1_240_000_000)
    ('999 B', '1.2 GB')
    """
    scaled = _scaled(count)
    return f"{scaled}B" if " " in scaled else f"{scaled} B"


def duration_text(seconds: float) -> str:
    """A duration in the unit that suits it.

    >>> duration_text(0.0004), duration_text(0.0123), duration_text(2.5), duration_text(125)
    ('400 us', '12.3 ms', '2.50 s', '2 min 5 s')
    """
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _scaled(count: float) -> str:
    """Two digits and a letter: "3.4 M", "950"; from 10 of a unit on, no decimals."""
    exponent, scaled = 0, float(count)
    # 999.5 would print as 1000 of the unit below.
    while scaled >= 999.5 and exponent < len(_THOUSANDS) - 1:
        scaled /= 1000
        exponent += 1
    if not exponent:
        return f"{scaled:.0f}"
    return f"{scaled:.{1 if scaled < 9.95 else 0}f} {_THOUSANDS[exponent]}"
