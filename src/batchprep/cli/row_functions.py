"""The row functions of the demo: plain Python, written one row at a time."""

from __future__ import annotations

from typing import Any

CARRIERS = {"AA": "American", "B6": "JetBlue", "DL": "Delta", "EV": "ExpressJet", "UA": "United"}
MINUTES_PER_HOUR = 60


def gained(r: dict[str, Any]) -> float | None:
    """Minutes made up per hour in the air; None for flights that never landed."""
    if r["dep_delay"] is None or r["arr_delay"] is None or not r["air_time"]:
        return None
    return (r["dep_delay"] - r["arr_delay"]) / (r["air_time"] / MINUTES_PER_HOUR)


def delay_band(r: dict[str, Any]) -> str:
    """In words, how late a flight arrived."""
    delay = r["arr_delay"]
    if delay is None:
        return "never arrived"
    if delay <= 0:
        return "on time"
    elif delay < 15:  # noqa: RET505  the chain is the point
        return "a little late"
    elif delay < MINUTES_PER_HOUR:
        return "late"
    return "very late"


def miles_per_hour(distance: int, minutes: int | None) -> float | None:
    """Speed over ground."""
    return distance / minutes * MINUTES_PER_HOUR if minutes else None


def features(r: dict[str, Any]) -> dict[str, Any]:
    """What a model of delays might be given."""
    delay = r["dep_delay"] or 0
    return {
        "carrier": CARRIERS.get(r["carrier"], "other"),
        "speed": miles_per_hour(r["distance"], r["air_time"]),
        "rush_hour": 7 <= r["hour"] < 10 or 16 <= r["hour"] < 19,
        "long_haul": r["distance"] > 2_000,
        "delay": max(0, min(delay, 180)),
    }


def root_value(r: dict[str, Any]) -> float | None:
    """Square root of a trade's value, for trades above 50,000."""
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value**0.5
    return None
