"""The table, fourth part: functions of several statements, closures, helpers."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from tests.texts.constants import COUNTRIES, SETTINGS, STOP_WORDS, THRESHOLD, VAT, Settings

Record = dict[str, Any]


def unpack_two(r: Record) -> Any:
    key, value = r["csv"].split("=")
    return value.strip() + key


def unpack_once(r: Record) -> Any:
    key, value = r["csv"].split("=", 1)
    return {"key": key, "value": value}


def unpack_three(r: Record) -> Any:
    hours, minutes, seconds = r["csv"].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)


def unpack_star(r: Record) -> Any:
    first, *rest = r["csv"].split(",")
    return first, len(rest)


def unpack_star_middle(r: Record) -> Any:
    first, *_, last = r["csv"].split(",")
    return last + first


def unpack_partition(r: Record) -> Any:
    head, separator, tail = r["csv"].partition(",")
    return tail if separator else head


def unpack_text(r: Record) -> Any:
    a, b = r["t"]
    return b + a


def first_and_last_name(r: Record) -> Any:
    parts = r["s"].strip().split()
    if len(parts) < 2:
        return {"first": parts[0] if parts else "", "last": None}
    return {"first": parts[0], "last": parts[-1]}


def parts_or_default(r: Record) -> Any:
    parts = r["csv"].split(",")
    return parts[2] if len(parts) > 2 else parts[-1]


def file_extension(r: Record) -> Any:
    name = r["csv"].rsplit("/", 1)[-1]
    if "." not in name:
        return ""
    return "." + name.rsplit(".", 1)[1].lower()


def number_or_none(r: Record) -> Any:
    try:
        return int(r["n"])
    except ValueError:
        return None


def number_or_text(r: Record) -> Any:
    try:
        return int(r["n"])
    except ValueError:
        try:
            return float(r["n"])
        except ValueError:
            return r["n"]


def number_of_anything(r: Record) -> Any:
    try:
        return float(r["n"])
    except (TypeError, ValueError, KeyError):
        return 0.0


def percent(r: Record) -> Any:
    text = r["n"].strip()
    if text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text.replace(",", ""))


def yes_or_no(r: Record) -> Any:
    text = str(r["k"]).strip().lower()
    if text in {"1", "true", "yes", "no"}:
        return text != "no"
    return None


def slug(r: Record) -> Any:
    text = unicodedata.normalize("NFKD", r["s"]).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def clean_name(r: Record) -> Any:
    text = r.get("s") or ""
    text = " ".join(text.split())
    return text.title() if text.isupper() or text.islower() else text


def mail_domain(r: Record) -> Any:
    mail = (r.get("mail") or "").strip().lower()
    if mail.count("@") != 1:
        raise ValueError(f"not a mail address: {mail!r}")
    return mail.split("@")[1]


def vowels(r: Record) -> Any:
    count = 0
    for character in r["s"].lower():
        if character in "aeiou":
            count += 1
    return count


def first_digit(r: Record) -> Any:
    for position, character in enumerate(r["code"]):
        if character.isdigit():
            return position
    return -1


def without_stop_words(r: Record) -> Any:
    return " ".join(word for word in r["s"].lower().split() if word not in STOP_WORDS)


def key_values(r: Record) -> Any:
    pairs = {}
    for part in r["csv"].split(";"):
        key, _, value = part.partition("=")
        pairs[key] = value
    return pairs


def country_line(r: Record) -> Any:
    code = (r["k"] or "").strip().upper()
    name = COUNTRIES.get(code)
    if name is None:
        return f"unknown country {code!r}"
    return f"{name} ({code}), {VAT.get(code, 0)}% VAT"


def tier(r: Record) -> Any:
    points = len(r["s"])
    if points > 10:
        return "gold"
    if points > THRESHOLD:
        return "silver"
    return "bronze" if points else None


def masked(r: Record) -> Any:
    text = r["code"]
    return "*" * (len(text) - 4) + text[-4:]


def truncated(r: Record) -> Any:
    text, width = r["s"], SETTINGS.width
    return text if len(text) <= width else text[: width - 1] + "…"


def payload(r: Record) -> Any:
    try:
        value = json.loads(r["j"])["a"]
    except (ValueError, KeyError, TypeError):
        return None
    return value


def bucket(r: Record) -> Any:
    digest = hashlib.md5((r["s"] + "|" + r["t"]).encode()).hexdigest()
    return int(digest[:8], 16) % 16


def checked_isbn(r: Record) -> Any:
    digits = [c for c in r["code"] if c.isdigit()]
    if len(digits) != 13:
        return False
    return sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10 == 0


def luhn(r: Record) -> Any:
    total = 0
    for place, digit in enumerate(reversed(r["n"])):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def with_walrus(r: Record) -> Any:
    if (match := re.match(r"([A-Za-z]+)-(\d+)", r["code"])) is not None:
        return match.group(1).upper(), int(match.group(2))
    return None


def with_match(r: Record) -> Any:
    match r["k"]:
        case "NO" | "PL":
            return "europe"
        case "JP":
            return "asia"
        case "":
            return None
        case other:
            return other.lower()


def writes_back(r: Record) -> Any:
    r["s"] = r["s"].strip()
    r["length"] = len(r["s"])
    return r


def normal_text(text: Any, default: str = "") -> str:
    if text is None:
        return default
    return " ".join(str(text).split()).lower()


def through_a_helper(r: Record) -> Any:
    return normal_text(r.get("s")) + "/" + normal_text(r.get("t"), default="none")


def _with_pattern(pattern: re.Pattern[str]) -> Callable[[Record], Any]:
    def search_of_closure(r: Record) -> Any:
        found = pattern.search(r["code"])
        return found.group(1) if found else None

    return search_of_closure


def _with_table(table: dict[str, int], default: int) -> Callable[[Record], Any]:
    def table_of_closure(r: Record) -> Any:
        return table.get(r["k"], default) + len(r["k"])

    return table_of_closure


def _with_settings(settings: Settings) -> Callable[[Record], Any]:
    def settings_of_closure(r: Record) -> Any:
        text = r["s"] or settings.fallback
        return text.split(settings.separator)[0].ljust(settings.width)[: settings.width]

    return settings_of_closure


def _with_texts(prefixes: tuple[str, ...], suffix: str) -> Callable[[Record], Any]:
    def texts_of_closure(r: Record) -> Any:
        return r["s"].startswith(prefixes) or r["s"].endswith(suffix)

    return texts_of_closure


FUNCTIONS: dict[str, tuple[Callable[[Record], Any], ...]] = {
    "unpacking": (
        unpack_two, unpack_once, unpack_three, unpack_star, unpack_star_middle, unpack_partition,
        unpack_text, first_and_last_name, parts_or_default, file_extension, key_values,
    ),
    "casts that may fail": (
        number_or_none, number_or_text, number_of_anything, percent, yes_or_no, payload,
    ),
    "cleaning": (
        slug, clean_name, mail_domain, without_stop_words, country_line, tier, masked, truncated,
        with_walrus, with_match, writes_back, through_a_helper,
    ),
    "loops over characters": (vowels, first_digit, checked_isbn, luhn, bucket),
    "closures": (
        _with_pattern(re.compile(r"(\d+)")),
        _with_table({"NO": 1, "PL": 2}, -1),
        _with_settings(Settings(separator=" ", width=5)),
        _with_texts(("a", "ß"), "\u0301"),
    ),
}  # fmt: skip
