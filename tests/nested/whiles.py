"""The table: while loops with carried variables."""

from __future__ import annotations

from typing import Any

from tests.nested.constants import STEPS

Record = dict[str, Any]


def greatest_common_divisor(r: Record) -> Any:
    a, b = r["n"], r["m"]
    while b:
        a, b = b, a % b
    return a


def collatz_steps(r: Record) -> Any:
    n, steps = r["n"], 0
    while n != 1 and steps < 60:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def checksum_of_digits(r: Record) -> Any:
    n, total, place = r["n"], 0, 0
    while n > 0:
        n, digit = divmod(n, 10)
        total += digit * (3 if place % 2 else 1)
        place += 1
    return (10 - total % 10) % 10


def digits_in_a_base(r: Record) -> Any:
    n, text = r["m"], ""
    while n > 0:
        text = "01"[n % 2] + text
        n //= 2
    return text or "0"


def halves_until_small(r: Record) -> Any:
    x = r["x"]
    steps = 0
    while x > 1 and steps < 20:
        x /= 2
        steps += 1
    return (x, steps)


def while_true_with_break(r: Record) -> Any:
    n, seen = r["m"], []
    while True:
        seen.append(n)
        if n <= 0:
            break
        n -= 2
    return seen


def while_with_continue(r: Record) -> Any:
    n, total = r["m"], 0
    while n > 0:
        n -= 1
        if n % 2:
            continue
        total += n
    return total


def while_with_else(r: Record) -> Any:
    n = r["m"]
    while n > 1:
        if n == 5:
            result = "met five"
            break
        n -= 1
    else:
        result = "never five"
    return result


def while_over_an_index(r: Record) -> Any:
    i = 0
    while i < len(r["tags"]) and r["tags"][i] != "cold":
        i += 1
    return i


def while_that_pops(r: Record) -> Any:
    stack, total = list(r["nums"]), 0
    while stack:
        total += stack.pop()
    return total


def while_that_flattens(r: Record) -> Any:
    todo, flat = [r["grid"]], []
    while todo:
        part = todo.pop(0)
        if isinstance(part, list):
            todo.extend(part)
        else:
            flat.append(part)
    return flat


def binary_search(r: Record) -> Any:
    low, high = 0, len(STEPS)
    while low < high:
        middle = (low + high) // 2
        if STEPS[middle] < r["n"]:
            low = middle + 1
        else:
            high = middle
    return low


def while_on_text(r: Record) -> Any:
    text = r["s"]
    while text.startswith(("a", ",", " ")):
        text = text[1:]
    return text


def while_with_walrus(r: Record) -> Any:
    rest, parts = r["s"], []
    while (at := rest.find(",")) >= 0:
        parts.append(rest[:at])
        rest = rest[at + 1 :]
    return [*parts, rest]


def while_only_on_some_rows(r: Record) -> Any:
    n = r["n"]
    if 0 < n < 10**6:
        while n != 1 and n < 10**9:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
    return n
