"""Row functions of dates, datetimes, timedeltas and times of day, and rows at their edges."""

from __future__ import annotations

import datetime as dt
import random
from datetime import date, datetime, time, timedelta

# ruff: noqa: DTZ001, DTZ006, DTZ007  naive datetimes are data here

NEW_YEAR = date(2020, 1, 1)
NOON = datetime(2020, 2, 29, 12)
HOUR = timedelta(hours=1)
WEEK = timedelta(weeks=1)
NINE = time(9)
HOLIDAYS = {date(2020, 1, 1), date(2020, 12, 25), date(1, 1, 1)}
NAMES = {date(2020, 1, 1): "new year", date(9999, 12, 31): "the last", 5: "five", None: "none"}
STARTS = {"a": date(2020, 2, 29), "b": datetime(2020, 2, 29, 1), "c": None, "d": timedelta(1)}
LADDER = (date(1, 1, 1), date(2020, 2, 29), date(9999, 12, 31))


def month_end(r):
    first = r["d"].replace(day=1)
    after = first.replace(year=first.year + 1, month=1) if first.month == 12 else None
    return (after or first.replace(month=first.month + 1)) - timedelta(days=1)


def age(r):
    born, today = r["d"], NOON.date()
    years = today.year - born.year
    return years - 1 if (today.month, today.day) < (born.month, born.day) else years


def part_of_day(r):
    hour = r["t"].hour
    if hour < 6:
        return "night"
    return "morning" if hour < 12 else "later"


def iso_unpacked(r):
    year, week, weekday = r["t"].isocalendar()
    return f"{year}-W{week:02d}-{weekday}"


def accumulated(r):
    total = timedelta(0)
    total += r["x"]
    total -= HOUR
    return total


# Int formulas, which every backend runs.
FORMULAS = {
    "year": lambda r: r["t"].year,
    "month": lambda r: r["t"].month,
    "day": lambda r: r["t"].day,
    "hour": lambda r: r["t"].hour,
    "minute": lambda r: r["t"].minute,
    "second": lambda r: r["t"].second,
    "microsecond": lambda r: r["t"].microsecond,
    "year of date": lambda r: r["d"].year,
    "month of date": lambda r: r["d"].month,
    "day of date": lambda r: r["d"].day,
    "weekday": lambda r: r["t"].weekday(),
    "weekday of date": lambda r: r["d"].weekday(),
    "isoweekday": lambda r: r["d"].isoweekday(),
    "weekend": lambda r: r["t"].weekday() >= 5,
    "ordinal": lambda r: r["t"].toordinal(),
    "date of datetime": lambda r: r["t"].date(),
    "iso year": lambda r: r["d"].isocalendar()[0],
    "iso week": lambda r: r["t"].isocalendar()[1],
    "iso weekday": lambda r: r["t"].isocalendar().weekday,
    "iso name": lambda r: r["d"].isocalendar().week,
    "days": lambda r: r["x"].days,
    "seconds": lambda r: r["x"].seconds,
    "microseconds": lambda r: r["x"].microseconds,
    "days since": lambda r: (r["d"] - NEW_YEAR).days,
    "days between": lambda r: (r["t"].date() - r["d"]).days,
    "difference of dates": lambda r: r["d"] - NEW_YEAR,
    "difference of datetimes": lambda r: r["t"] - r["u"],
    "days of difference": lambda r: (r["t"] - r["u"]).days,
    "seconds of difference": lambda r: (r["t"] - NOON).seconds,
    "total seconds": lambda r: (r["t"] - NOON).total_seconds(),
    "tomorrow": lambda r: r["d"] + timedelta(days=1),
    "yesterday": lambda r: r["t"] - timedelta(days=1),
    "later": lambda r: HOUR + r["t"],
    "date moved by hours": lambda r: r["d"] + r["x"],
    "date moved back": lambda r: r["d"] - r["x"],
    "datetime moved": lambda r: r["t"] + r["x"],
    "datetime moved back": lambda r: r["t"] - r["x"],
    "moved by days": lambda r: r["d"] + timedelta(days=r["n"]),
    "sum of timedeltas": lambda r: r["x"] + r["y"],
    "difference of timedeltas": lambda r: r["x"] - r["y"],
    "timedelta times int": lambda r: r["x"] * r["n"],
    "int times timedelta": lambda r: r["n"] * HOUR,
    "timedelta times bool": lambda r: r["x"] * (r["n"] > 3),
    "ratio": lambda r: r["x"] / HOUR,
    "ratio of two": lambda r: r["x"] / r["y"],
    "divided": lambda r: r["x"] / r["n"],
    "halved": lambda r: r["x"] / 2,
    "floored": lambda r: r["x"] // r["y"],
    "floored by int": lambda r: r["x"] // r["n"],
    "hours": lambda r: r["x"] // HOUR,
    "modulo": lambda r: r["x"] % r["y"],
    "divmod": lambda r: divmod(r["x"], HOUR),
    "negated": lambda r: -r["x"],
    "kept": lambda r: +r["x"],
    "absolute": lambda r: abs(r["x"]),
    "truth": lambda r: "some" if r["x"] else "none",
    "truth of date": lambda r: bool(r["d"]),
    "made timedelta": lambda r: timedelta(days=r["n"], hours=2, minutes=r["n"] > 3),
    "made weeks": lambda r: timedelta(weeks=r["n"]),
    "made date": lambda r: date(r["n"], r["t"].month, 1),
    "made date of its parts": lambda r: date(r["d"].year, r["d"].month, r["d"].day),
    "made date by name": lambda r: date(day=r["n"], month=2, year=2020),
    "made datetime": lambda r: datetime(2020, 2, r["n"], r["n"], 5),
    "first of month": lambda r: r["d"].replace(day=1),
    "31st": lambda r: r["d"].replace(day=31),
    "29th of February": lambda r: r["d"].replace(month=2, day=29),
    "day by row": lambda r: r["d"].replace(day=r["n"]),
    "another year": lambda r: r["t"].replace(year=r["n"]),
    "midnight": lambda r: r["t"].replace(hour=0, minute=0, second=0, microsecond=0),
    "hour by row": lambda r: r["t"].replace(hour=r["n"]),
    "replaced by place": lambda r: r["t"].replace(2021, 2),
    "from ordinal": lambda r: date.fromordinal(r["n"]),
    "date before": lambda r: r["d"] < NEW_YEAR,
    "datetime between": lambda r: datetime(2000, 1, 1) <= r["t"] < NOON,
    "same date": lambda r: r["d"] == r["t"].date(),
    "another datetime": lambda r: r["t"] != r["u"],
    "timedelta over": lambda r: r["x"] > HOUR,
    "time before": lambda r: r["t"].time() < NINE,
    "time between": lambda r: NINE <= r["t"].time() <= time(17, 30),
    "times of two": lambda r: r["t"].time() == r["u"].time(),
    "hour of time": lambda r: r["t"].time().hour,
    "combined": lambda r: datetime.combine(r["d"], NINE),
    "combined of two": lambda r: datetime.combine(r["d"], r["t"].time()),
    "least": lambda r: min(r["d"], NEW_YEAR),
    "latest": lambda r: max(r["t"], r["u"], NOON),
    "month end": month_end,
    "age": age,
    "part of day": part_of_day,
    "accumulated": accumulated,
    "holiday": lambda r: r["d"] in HOLIDAYS,
    "weekday or holiday": lambda r: r["d"].weekday() < 5 and r["d"] not in HOLIDAYS,
    "among": lambda r: r["d"] in (NEW_YEAR, r["t"].date()),
    "name of date": lambda r: NAMES.get(r["d"], "no"),
    "date of a ladder": lambda r: LADDER[r["n"]],
    "quarter": lambda r: (r["d"].month - 1) // 3 + 1,
    "minutes of day": lambda r: r["t"].hour * 60 + r["t"].minute,
    "record": lambda r: {**r, "year": r["d"].year, "next": r["d"] + WEEK},
    "tuple": lambda r: (r["d"], r["t"], r["x"], NOON, NEW_YEAR),
    "zone": lambda r: r["t"].tzinfo is None and r["t"].utcoffset() is None,
}
# Where kinds are mixed, wrong or missing: Python raises, or has an answer all the same.
MIXED = {
    "year or nothing": lambda r: r["o"].year if r["o"] else 0,
    "year of nothing": lambda r: r["o"].year,
    "method of nothing": lambda r: r["o"].weekday(),
    "date or datetime": lambda r: r["m"].year,
    "weekday of either": lambda r: r["m"].weekday(),
    "hour of either": lambda r: r["m"].hour,
    "before a date": lambda r: r["m"] < NEW_YEAR,
    "is a date": lambda r: r["m"] == NEW_YEAR,
    "nothing is a date": lambda r: r["o"] == NEW_YEAR,
    "nothing before a date": lambda r: r["o"] < NEW_YEAR,
    "date and number": lambda r: r["d"] == r["n"],
    "date before number": lambda r: r["d"] < r["n"],
    "date minus datetime": lambda r: r["m"] - r["d"],
    "date plus number": lambda r: r["d"] + r["n"],
    "date plus nothing": lambda r: r["d"] + r["e"],
    "timedelta plus number": lambda r: r["x"] + r["n"],
    "kind of each": lambda r: isinstance(r["m"], datetime),
    "datetime is a date": lambda r: isinstance(r["m"], date),
    "one of two": lambda r: r["d"] if r["n"] > 3 else r["t"],
    "or a date": lambda r: r["o"] or NEW_YEAR,
    "table": lambda r: STARTS.get(r["k"]),
    "table with KeyError": lambda r: STARTS[r["k"]],
    "none to replace": lambda r: r["d"].replace(day=r["o"]),
}
# Python itself, once per distinct value.
PURE = {
    "strftime": lambda r: r["t"].strftime("%Y-%m-%dT%H"),
    "strftime of date": lambda r: r["d"].strftime("%a %d %b %j"),
    "isoformat": lambda r: r["t"].isoformat(),
    "isoformat of date": lambda r: r["d"].isoformat(),
    "isoformat in minutes": lambda r: r["t"].isoformat(" ", "minutes"),
    "isoformat of time": lambda r: r["t"].time().isoformat(),
    "f-string": lambda r: f"{r['t']:%Y/%m} {r['d']} {r['x']}",
    "conversion": lambda r: f"{r['d']!r}",
    "format": lambda r: "{:%d.%m.%Y}".format(r["d"]),
    "percent": lambda r: "%s" % r["d"],  # noqa: UP031
    "text": lambda r: str(r["t"]),
    "text of timedelta": lambda r: str(r["x"]),
    "representation": lambda r: repr(r["d"]),
    "iso unpacked": iso_unpacked,
    "day of year": lambda r: r["t"].timetuple().tm_yday,
    "timedelta times float": lambda r: r["x"] * 1.5,
    "timedelta by float": lambda r: r["x"] / r["f"],
    "made of a float": lambda r: timedelta(hours=r["f"]),
    "parsed": lambda r: datetime.strptime(r["s"], "%Y-%m-%d"),
    "year parsed": lambda r: datetime.strptime(r["s"], "%Y-%m-%d").year,
    "date parsed": lambda r: datetime.strptime(r["s"], "%Y-%m-%d").date(),
    "date from iso": lambda r: date.fromisoformat(r["s"]),
    "datetime from iso": lambda r: datetime.fromisoformat(r["s"]),
    "days since parsed": lambda r: (date.fromisoformat(r["s"]) - NEW_YEAR).days,
    "parsed and written": lambda r: datetime.strptime(r["s"], "%Y-%m-%d").strftime("%d/%m/%y"),
    "timestamp": lambda r: r["t"].timestamp(),
    "from timestamp": lambda r: datetime.fromtimestamp(r["n"]),
    "from iso calendar": lambda r: date.fromisocalendar(2020, r["n"], 1),
    "split": lambda r: r["d"].isoformat().split("-")[1],
}
FUNCTIONS = {**FORMULAS, **MIXED, **PURE}

DAYS = (
    date.min, date.max, date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29), date(1900, 2, 28),
    date(2020, 1, 1), date(2020, 12, 31), date(2021, 1, 3), date(2020, 2, 29), date(4, 2, 29),
)  # fmt: skip
TIMES = (time.min, time.max, time(12), time(9), time(8, 59, 59, 999_999), time(23, 0, 0, 1))
SPANS = (
    timedelta(0), timedelta(microseconds=1), timedelta(microseconds=-1), HOUR, -HOUR, timedelta(1),
    timedelta(-1), timedelta(days=999, seconds=86_399, microseconds=999_999), -WEEK,
    timedelta(microseconds=2**63 - 1), timedelta(microseconds=-(2**63) + 1), timedelta.max,
    timedelta.min, timedelta(days=285_000), timedelta(microseconds=5),
)  # fmt: skip
INTS = (0, 1, -1, 2, 3, 4, 28, 29, 31, 59, 2021, 9999, 10_000, -(2**31) - 1, 2**40, 737_000)
TEXTS = ("2020-02-29", "0001-01-01", "9999-12-31", "2021-02-29", "", "x", "2020-06-15", "20200101")


def row(rng):
    """A record: any part may be at an edge."""
    day = rng.choice((rng.choice(DAYS), date.fromordinal(rng.randint(1, 3_652_059))))
    moment = datetime.combine(rng.choice(DAYS), rng.choice(TIMES))
    near = NOON + timedelta(microseconds=rng.randint(-(10**15), 10**15))
    span = timedelta(microseconds=rng.randint(-(10**14), 10**14))
    return {
        "d": day,
        "t": rng.choice((moment, near)),
        "u": rng.choice((moment, near, datetime.combine(day, rng.choice(TIMES)))),
        "x": rng.choice((span, rng.choice(SPANS))),
        "y": rng.choice((span, rng.choice(SPANS))),
        "n": rng.choice((rng.choice(INTS), rng.randint(-5, 40))),
        "f": rng.choice((0.0, 1.5, -2.75, 1e-7, 1e300, float("nan"), rng.uniform(-9, 9))),
        "s": rng.choice((rng.choice(TEXTS), day.isoformat())),
        "o": rng.choice((None, day)),
        "m": rng.choice((day, near)),
        "e": None,
        "k": rng.choice("abcde"),
    }


def strange(r):
    """Values that no int stands for: they are left to the interpreter."""
    zone = dt.timezone.utc  # noqa: UP017  as a value, not as a name
    return [
        {**r, "t": r["t"].replace(fold=1), "u": r["u"].replace(tzinfo=zone)},
        {**r, "d": type("Day", (date,), {})(2020, 2, 29), "t": NOON.replace(tzinfo=zone)},
        {**r, "d": None, "t": "text", "x": 5},
    ]


def rows(seed, count):
    """Records of a seed, the last few of them strange."""
    rng = random.Random(seed)
    found = [row(rng) for _ in range(count)]
    return [*found, *strange(found[0])]
