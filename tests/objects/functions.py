"""The table, fourth part: functions of several statements."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from tests.objects.constants import (
    BANDS,
    CENT,
    EPOCH,
    NESTED,
    OSLO,
    RATES,
    READ_ONLY,
    RULES,
    SETTINGS,
    VAT,
    Color,
    Level,
    Point,
    Tier,
)

Record = dict[str, Any]


def decimal_or_none(r: Record) -> Any:
    try:
        return Decimal(r["s"])
    except InvalidOperation:
        return None


def decimal_of_anything(r: Record) -> Any:
    try:
        value = Decimal(str(r["s"]).replace(",", ".").strip())
    except (InvalidOperation, TypeError, ValueError):
        return Decimal(0)
    return value if value.is_finite() else Decimal(0)


def invoice(r: Record) -> Any:
    net = r["d"] * r["m"]
    tax = (net * VAT).quantize(CENT, rounding=ROUND_HALF_UP)
    return {"net": net, "tax": tax, "gross": net + tax}


def discounted(r: Record) -> Any:
    price = r["d"]
    if price > 100:
        price = price * Decimal("0.9")
    elif price > 10:
        price -= 1
    return round(price, 2)


def rated(r: Record) -> Any:
    rate = RATES.get(r["k"])
    if rate is None:
        return None
    return f"{r['d'] * rate:.2f}"


def ratio_or_zero(r: Record) -> Any:
    try:
        return Fraction(r["n"], r["m"])
    except ZeroDivisionError:
        return Fraction(0)


def magnitude(r: Record) -> Any:
    root = complex(r["x"], r["y"])
    return abs(root) if root.imag else root.real


def header(r: Record) -> Any:
    raw = r["raw"]
    if raw[:2] == b"NO":
        return raw[2:].decode()
    if not raw:
        return None
    return raw.hex()


def decoded(r: Record) -> Any:
    try:
        return r["raw"].decode("utf-8")
    except UnicodeDecodeError:
        return r["raw"].decode("latin-1")


def log_or_zero(r: Record) -> Any:
    value = r["x"]
    if value is None or np.isnan(value) or value <= 0:
        return 0.0
    return float(np.log(value))


def clipped(r: Record) -> Any:
    value = np.clip(r["x"], -1.0, 1.0)
    return {"value": value, "is_edge": bool(value in (-1.0, 1.0))}


def color_or_none(r: Record) -> Any:
    try:
        return Color(r["k"])
    except ValueError:
        return None


def color_name(r: Record) -> Any:
    try:
        color = Color[r["name"]]
    except KeyError:
        return "unknown"
    if color is Color.RED:
        return "the red one"
    return color.name


def warm_or_cold(r: Record) -> Any:
    color = r["color"]
    if color is Color.RED or color == Color.GREEN:
        return color
    return Color.BLUE


def level_of(r: Record) -> Any:
    if r["n"] > 10:
        level = Level.HIGH
    elif r["n"] > 2:
        level = Level.MIDDLE
    else:
        level = Level.LOW
    return level


def level_weight(r: Record) -> Any:
    level = Level.HIGH if r["b"] else Level.LOW
    return level * r["n"]


def tier_of(r: Record) -> Any:
    tier = Tier.GOLD if r["n"] > 2 else Tier.SILVER
    return {"tier": tier, "label": tier.title()}


def local_hour(r: Record) -> Any:
    try:
        zone = ZoneInfo(r["zone"])
    except (ZoneInfoNotFoundError, ValueError, TypeError):
        zone = UTC
    return r["at"].astimezone(zone).hour


def day_start(r: Record) -> Any:
    local = r["when"].astimezone(OSLO)
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def made_aware(r: Record) -> Any:
    at = r["naive"]
    if at.tzinfo is None:
        at = at.replace(tzinfo=OSLO)
    return at.astimezone(UTC).isoformat()


def parsed_utc(r: Record) -> Any:
    try:
        at = datetime.fromisoformat(r["iso"])
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return at.astimezone(UTC)


def hours_since(r: Record) -> Any:
    elapsed = r["at"] - EPOCH
    return round(elapsed / timedelta(hours=1), 3)


def is_night(r: Record) -> Any:
    clock = r["clock"]
    return clock < time(6) or clock >= time(22)


def part_of_day(r: Record) -> Any:
    hour = r["at"].hour
    if 6 <= hour < 12:
        return "morning"
    return "day" if hour < 18 else "night"


def vat_of(r: Record) -> Any:
    vat = READ_ONLY.get(r["k"])
    if vat is None:
        return NESTED.get(r["k"], {}).get("vat")
    return vat / 100


def settings_of(r: Record) -> Any:
    if r["k"] not in SETTINGS.codes:
        return None
    return max(SETTINGS.floor, r["n"])


def rate_of(r: Record) -> Any:
    for rule in RULES:
        if rule.code == r["k"] and r["x"] >= rule.floor:
            return rule.rate
    return None


def band_of(r: Record) -> Any:
    for limit, label in BANDS:
        if r["x"] < limit:
            return label
    return "none"


def band_named(r: Record) -> Any:
    found = None
    for band in BANDS:
        if r["x"] < band.limit:
            found = band
            break
    return found.label if found else None


def point_of(r: Record) -> Any:
    point = Point(r["x"], y=r["y"])
    return point if point.x > 0 else Point(0.0)


FUNCTIONS: dict[str, tuple[Callable[[Record], Any], ...]] = {
    "functions of numbers": (
        decimal_or_none, decimal_of_anything, invoice, discounted, rated, ratio_or_zero, magnitude,
        header, decoded, log_or_zero, clipped,
    ),
    "functions of times": (
        local_hour, day_start, made_aware, parsed_utc, hours_since, is_night, part_of_day,
    ),
    "functions of tables": (
        color_or_none, color_name, warm_or_cold, level_of, level_weight, tier_of, vat_of,
        settings_of, rate_of, band_of, band_named, point_of,
    ),
}  # fmt: skip
